// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Every kernel that this processor has, against RustCrypto. Runs under Miri too,
//! which interprets VAES on any processor:
//!
//! ```text
//! RUSTFLAGS='-C target-feature=+aes,+avx,+avx2,+vaes,+avx512f,+avx512bw --cfg aes_backend="soft"' \
//!     cargo +nightly miri test -p ciphermill-cpu --lib aes::
//! ```

use std::cell::Cell;
use std::ops::Range;
use std::time::Duration;

use ciphermill::{Direction, Key, Mode};

use super::{Cipher, Kernel, LaneKernel, Operation, Stream, encrypt_streams};
use crate::instructions::Instructions;
use crate::reference;

const OPERATIONS: [(Mode, Direction); 5] = [
    (Mode::Ecb, Direction::Encrypt),
    (Mode::Ecb, Direction::Decrypt),
    (Mode::Cbc, Direction::Decrypt),
    (Mode::Ctr, Direction::Encrypt),
    (Mode::Ctr, Direction::Decrypt),
];

fn kernels() -> Vec<(Instructions, Kernel)> {
    Instructions::available()
        .into_iter()
        .filter_map(|instructions| Some((instructions, Kernel::detect(instructions)?)))
        .collect()
}

/// Bytes that repeat nowhere soon.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2) | 1;
    (0..length)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        })
        .collect()
}

/// The passes that `length` bytes have, at an address that is `offset` bytes from an aligned
/// one; what is before and behind them stays as it is.
fn check(operation: (Mode, Direction), key: &[u8], iv: [u8; 16], length: usize, offset: usize) {
    let (mode, direction) = operation;
    let data = bytes(length as u64, length + offset);
    for (instructions, kernel) in kernels() {
        let operation = Operation::of(mode, direction).unwrap();
        let cipher = Cipher::new(kernel, operation, &Key::new(key).unwrap());
        let lead = cipher.lead_bytes(iv).min(length);
        let whole = (length - lead) / cipher.pass_bytes() * cipher.pass_bytes();
        let start = offset + lead;
        // The message as a whole, of which the kernel gets what comes after the lead.
        let expected =
            reference::unauthenticated(mode, direction, key, &iv, &data[offset..start + whole]);
        let mut next = match mode {
            Mode::Ctr => u128::from_be_bytes(iv)
                .wrapping_add(lead as u128 / 16)
                .to_be_bytes(),
            _ => iv,
        };
        let mut output = data.clone();
        let rest = cipher.process(&mut next, &mut output[start..]);
        assert_eq!(rest.len(), length - lead - whole);
        let what = format!("{instructions} {operation:?} {length} bytes at {offset}");
        assert!(output[start..start + whole] == expected[lead..], "{what}");
        assert!(output[..start] == data[..start], "{what}");
        assert!(output[start + whole..] == data[start + whole..], "{what}");
        match mode {
            Mode::Ctr if whole > 0 => {
                let blocks = (lead + whole) as u128 / 16;
                let counter = u128::from_be_bytes(iv).wrapping_add(blocks);
                assert_eq!(u128::from_be_bytes(next), counter, "{what}");
            }
            Mode::Cbc if whole > 0 => {
                assert_eq!(next, data[start + whole - 16..start + whole], "{what}");
            }
            _ => {}
        }
    }
}

/// Masks, each block's own, before and after: as three steps give it.
#[test]
fn masks_are_added_before_and_after() {
    let lengths: &[usize] = match cfg!(miri) {
        true => &[16 * 75],
        false => &[0, 16 * 15, 16 * 16, 16 * 32, 16 * 75, 16 * 200],
    };
    for (instructions, kernel) in kernels() {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            for &length in lengths {
                let (mut data, masks) = (bytes(1, length), bytes(2, length));
                let key = bytes(3, 32);
                let iv = [0; 16];
                let operation = Operation::of(Mode::Ecb, direction).unwrap();
                let cipher = Cipher::new(kernel, operation, &Key::new(&key).unwrap());
                let whole = length / cipher.pass_bytes() * cipher.pass_bytes();
                let add = |data: &mut [u8]| {
                    for (byte, mask) in data[..whole].iter_mut().zip(&masks) {
                        *byte ^= mask;
                    }
                };
                let mut expected = data.clone();
                add(&mut expected);
                let passes =
                    reference::unauthenticated(Mode::Ecb, direction, &key, &iv, &expected[..whole]);
                expected[..whole].copy_from_slice(&passes);
                add(&mut expected);
                let rest = cipher.process_masked(&masks, &mut data);
                assert_eq!(rest.len(), length - whole);
                assert!(
                    data == expected,
                    "{instructions} {direction:?} {length} bytes"
                );
            }
        }
    }
}

/// Around every boundary of a pass. Miri is slow: it takes one length for each operation and
/// key size.
#[test]
fn every_length_class_matches_the_reference() {
    let blocks: &[usize] = match cfg!(miri) {
        true => &[74],
        false => &[0, 1, 15, 16, 17, 31, 32, 33, 64 + 29, 150],
    };
    for (index, operation) in OPERATIONS.into_iter().cycle().take(15).enumerate() {
        let key = bytes(index as u64 + 99, [16, 24, 32][index / 5]);
        let iv = bytes(index as u64 + 7, 16).try_into().unwrap();
        for &blocks in blocks {
            check(operation, &key, iv, 16 * blocks, index % 5);
            check(operation, &key, iv, 16 * blocks + 7, 1);
        }
    }
}

/// CTR over each boundary that a counter may not lose its carry at.
#[test]
fn counters_carry_over_every_boundary() {
    let boundaries: &[u32] = if cfg!(miri) {
        &[64, 128]
    } else {
        &[8, 16, 32, 64, 96, 127, 128]
    };
    for &bits in boundaries {
        let boundary = if bits == 128 { 0 } else { 1u128 << bits };
        for before in [5, 32, 40] {
            let iv = boundary.wrapping_sub(before).to_be_bytes();
            check((Mode::Ctr, Direction::Encrypt), &[7; 32], iv, 16 * 106, 0);
        }
    }
}

fn lane_kernels() -> impl Iterator<Item = LaneKernel> {
    (Instructions::available().into_iter()).filter_map(LaneKernel::detect)
}

/// A stream that is checked when it ends.
struct Checked<'a> {
    key: &'a [u8],
    iv: [u8; 16],
    /// The text, with bytes before and behind it that stay as they are.
    data: Vec<u8>,
    text: Range<usize>,
    expected: Vec<u8>,
    /// How often it may still go on.
    turns: Cell<usize>,
    /// Streams that have ended.
    ended: &'a Cell<usize>,
    what: String,
}

impl<'a> Stream<'a> for Checked<'a> {
    fn key(&self) -> &'a [u8] {
        self.key
    }

    fn iv(&self) -> [u8; 16] {
        self.iv
    }

    fn data(&mut self) -> &mut [u8] {
        &mut self.data[self.text.clone()]
    }

    fn goes_on(&self) -> bool {
        let left = self.turns.get().checked_sub(1);
        self.turns.set(left.unwrap_or(0));
        left.is_some()
    }

    fn ended(self, elapsed: Option<Duration>) {
        self.ended.set(self.ended.get() + 1);
        assert_eq!(elapsed.is_some(), self.turns.get() > 0, "{}", self.what);
        let right = elapsed.is_none() || self.data == self.expected;
        assert!(right, "{}", self.what);
    }
}

/// Encrypts these streams side by side and compares each with the reference, but for the one that
/// is stopped when it is asked about for the second time. A shape is the key's bytes and the blocks
/// of text. `shared` streams have one key for each length.
fn check_streams(
    kernel: LaneKernel,
    shapes: &[(usize, usize)],
    shared: bool,
    stopped: Option<usize>,
) {
    let ended = Cell::new(0);
    let keys: Vec<_> = (0..shapes.len())
        .map(|number| bytes(if shared { 1 } else { 3 * number as u64 }, 32))
        .collect();
    let stream = |(number, &(key_bytes, blocks)): (usize, &(usize, usize))| {
        let seed = 3 * number as u64;
        let key = &keys[number][..key_bytes];
        let iv = bytes(seed + 1, 16).try_into().unwrap();
        let data = bytes(seed + 2, 16 * blocks + 17);
        let (mode, direction) = (Mode::Cbc, Direction::Encrypt);
        // At any address.
        let text = number % 18..data.len() - 17 + number % 18;
        let mut expected = data.clone();
        expected[text.clone()].copy_from_slice(&reference::unauthenticated(
            mode,
            direction,
            key,
            &iv,
            &data[text.clone()],
        ));
        Checked {
            key,
            iv,
            data,
            text,
            expected,
            turns: Cell::new(if stopped == Some(number) {
                1
            } else {
                usize::MAX
            }),
            ended: &ended,
            what: format!("{kernel:?}, stream {number} of {shapes:?}"),
        }
    };
    let mut streams: Vec<_> = shapes.iter().enumerate().map(stream).collect();
    for bits in [128, 192, 256] {
        let these = streams.extract_if(.., |stream| 8 * stream.key.len() == bits);
        encrypt_streams(kernel, bits, these);
    }
    assert_eq!(ended.get(), shapes.len(), "{kernel:?}: a stream is lost");
}

/// From a lone stream to more than have a lane, with keys of each length, and lengths that end
/// within a pass. Miri is slow: it takes one number of short streams.
#[test]
fn streams_side_by_side_match_the_reference() {
    let (counts, blocks): (&[usize], usize) = match cfg!(miri) {
        true => (&[18], 6),
        false => (&[0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 50], 11),
    };
    for kernel in lane_kernels() {
        for &count in counts {
            let shape = |number: usize| ([16, 24, 32][number % 3], (7 * number + count) % blocks);
            let shapes: Vec<_> = (0..count).map(shape).collect();
            for shared in [false, true] {
                check_streams(kernel, &shapes, shared, None);
            }
        }
        #[cfg(not(miri))]
        check_streams(kernel, &[(16, 9); 40], false, None);
    }
}

/// Longer than a slice, so that there is something to stop.
#[test]
#[cfg(not(miri))]
fn a_stream_that_is_stopped_leaves_the_others_alone() {
    for kernel in lane_kernels() {
        for stopped in [0, 5, 33] {
            let shapes: Vec<_> = (0..34).map(|number| (32, 4100 + 97 * number)).collect();
            check_streams(kernel, &shapes, stopped == 5, Some(stopped));
        }
    }
}

#[cfg(not(miri))]
proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    #[test]
    fn streams_of_any_lengths_and_keys_match_the_reference(
        shapes in proptest::collection::vec((0usize..3, 0usize..120), 0..70),
        shared in proptest::prelude::any::<bool>(),
    ) {
        let shapes: Vec<_> = shapes.into_iter().map(|(size, blocks)| (16 + 8 * size, blocks)).collect();
        for kernel in lane_kernels() {
            check_streams(kernel, &shapes, shared, None);
        }
    }
}

/// So that what is meant to be interpreted is not skipped unseen.
#[test]
#[cfg(miri)]
fn miri_interprets_every_kernel() {
    assert_eq!(
        (kernels().len(), lane_kernels().count()),
        (2, 3),
        "the command above has the target features"
    );
}
