// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Every kernel that this processor has, against RustCrypto. Runs under Miri too,
//! which interprets VAES on any processor.

use ciphermill::{Direction, Key, Mode, Request};
use proptest::prelude::*;

use super::{Cipher, Kernel};
use crate::instructions::Instructions;

#[path = "../../tests/common/reference.rs"]
mod reference;

const OPERATIONS: [(Mode, Direction); 6] = [
    (Mode::Ecb, Direction::Encrypt),
    (Mode::Ecb, Direction::Decrypt),
    (Mode::Cbc, Direction::Encrypt),
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

/// Works on `data[offset..]`, in two pieces cut after `cut` blocks.
fn check(
    operation: (Mode, Direction),
    key: &[u8],
    iv: [u8; 16],
    length: usize,
    offset: usize,
    cut: usize,
) {
    let (mode, direction) = operation;
    let length = if mode == Mode::Ctr {
        length
    } else {
        length / 16 * 16
    };
    let cut = (16 * cut).min(length);
    let data = bytes(length as u64, length + offset);
    let expected = reference::unauthenticated(mode, direction, key, &iv, &data[offset..]);
    for (instructions, kernel) in kernels() {
        let request = Request::new(mode, direction, Key::new(key).unwrap(), iv);
        let mut cipher = Cipher::new(kernel, &request).unwrap();
        let mut output = data.clone();
        let (first, second) = output[offset..].split_at_mut(cut);
        cipher.process(first);
        cipher.process(second);
        assert!(
            output[offset..] == expected && output[..offset] == data[..offset],
            "{instructions} {operation:?} {} bits, {length} bytes at {offset}, cut at {cut}",
            8 * key.len()
        );
    }
}

/// Masks, each block's own, before and after: as three steps give it.
pub(super) fn masks() {
    let lengths: &[usize] = match cfg!(miri) {
        true => &[16 * 75],
        false => &[0, 16, 16 * 7, 16 * 8, 16 * 31, 16 * 75, 16 * 200],
    };
    for (instructions, kernel) in kernels() {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            for &length in lengths {
                let (mut data, masks) = (bytes(1, length), bytes(2, length));
                let key = bytes(3, 32);
                let add = |data: &mut [u8]| {
                    for (byte, mask) in data.iter_mut().zip(&masks) {
                        *byte ^= mask;
                    }
                };
                let mut expected = data.clone();
                add(&mut expected);
                let iv = [0; 16];
                expected = reference::unauthenticated(Mode::Ecb, direction, &key, &iv, &expected);
                add(&mut expected);
                let request = Request::new(Mode::Ecb, direction, Key::new(&key).unwrap(), iv);
                let mut cipher = Cipher::new(kernel, &request).unwrap();
                cipher.process_masked(&masks, &mut data);
                assert!(
                    data == expected,
                    "{instructions} {direction:?} {length} bytes"
                );
            }
        }
    }
}

#[test]
fn masks_are_added_before_and_after() {
    masks();
}

/// Around every boundary of a block, a pass of eight and of wide passes. Miri is
/// slow: it takes one length for each operation and key size.
pub(super) fn sweep() {
    if cfg!(miri) {
        for (index, operation) in OPERATIONS.into_iter().cycle().take(18).enumerate() {
            let key = bytes(index as u64 + 99, [16, 24, 32][index / 6]);
            let iv = bytes(index as u64 + 7, 16).try_into().unwrap();
            check(operation, &key, iv, 16 * 74 + 3, 1, 33);
        }
        return;
    }
    for (index, operation) in OPERATIONS.into_iter().cycle().take(18).enumerate() {
        let key = bytes(index as u64 + 99, [16, 24, 32][index / 6]);
        let iv = bytes(index as u64 + 7, 16).try_into().unwrap();
        for blocks in [0, 1, 7, 8, 9, 16, 24, 31, 32, 33, 64 + 29] {
            for extra in [0, 1, 15] {
                check(
                    operation,
                    &key,
                    iv,
                    16 * blocks + extra,
                    index % 5,
                    blocks / 2,
                );
            }
        }
    }
}

/// CTR over each boundary that a counter may not lose its carry at.
pub(super) fn carries() {
    let boundaries: &[u32] = if cfg!(miri) {
        &[64, 128]
    } else {
        &[8, 16, 32, 64, 96, 127, 128]
    };
    for &bits in boundaries {
        let boundary = if bits == 128 { 0 } else { 1u128 << bits };
        for before in [5, 40] {
            let iv = boundary.wrapping_sub(before).to_be_bytes();
            let operation = (Mode::Ctr, Direction::Encrypt);
            check(operation, &[7; 32], iv, 16 * 74 + 3, 0, 0);
        }
    }
}

/// So that what is meant to be interpreted is not skipped unseen.
#[test]
#[cfg(miri)]
fn miri_interprets_every_kernel() {
    assert_eq!(kernels().len(), 3, "see README.md for the target features");
}

#[test]
fn every_length_class_matches_the_reference() {
    sweep();
}

#[test]
fn counters_carry_over_every_boundary() {
    carries();
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn random_messages_match_the_reference(
        operation in prop::sample::select(OPERATIONS.to_vec()),
        key in prop::sample::select(vec![16usize, 24, 32])
            .prop_flat_map(|length| prop::collection::vec(any::<u8>(), length)),
        iv in any::<[u8; 16]>(),
        length in 0usize..3000,
        offset in 0usize..64,
        cut in 0usize..200,
    ) {
        check(operation, &key, iv, length, offset, cut);
    }
}
