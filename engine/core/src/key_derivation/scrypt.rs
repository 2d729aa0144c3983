// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! scrypt (RFC 7914), which gives up when it is asked to.
//!
//! The crate `scrypt` aborts the process where memory is short, cannot be interrupted
//! and leaves its memory as it is. The tests compare this with it.

use super::{memory, pbkdf2};
use crate::{Cancellation, Result};

/// Words of a Salsa20 block, in [`ORDER`].
const WORDS: usize = 16;
type Block = [u32; WORDS];

/// Which word of a Salsa20 block stands where: in this order each of the four columns and,
/// after a rotation of the rows, each of the four diagonals is one lane of a vector.
const ORDER: [usize; WORDS] = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11];

/// Iterations between two looks at the cancellation: some milliseconds at most.
const LOOK_EVERY: usize = 256;

/// Bytes of memory that [`derive`] allocates: the table of N entries, the p inputs of the
/// mixing function, and two entries that it works on.
pub(super) fn memory_bytes(log_n: u8, r: u32, p: u32) -> u64 {
    let entries = 1u64.checked_shl(log_n.into()).unwrap_or(u64::MAX);
    (128 * u64::from(r)).saturating_mul(entries.saturating_add(u64::from(p) + 2))
}

/// Fill `output` with scrypt of this password and salt.
///
/// # Errors
/// [`crate::ErrorKind::Io`] where memory is short, [`crate::ErrorKind::Cancelled`].
pub(super) fn derive(
    password: &[u8],
    salt: &[u8],
    (log_n, r, p): (u8, u32, u32),
    output: &mut [u8],
    stop: &Cancellation,
) -> Result<()> {
    let entries = memory::count(1u64 << log_n)?;
    let blocks = 2 * r as usize;
    let mut input = memory::filled(0, 128 * r as usize * p as usize, stop)?;
    pbkdf2::derive(password, salt, 1, &mut input, stop)?;
    let mut table = memory::reserved::<Block>(entries * blocks)?;
    let mut entry = memory::filled([0; WORDS], blocks, stop)?;
    let mut mixed = memory::filled([0; WORDS], blocks, stop)?;
    for part in input.chunks_exact_mut(128 * r as usize) {
        load(part, &mut entry);
        for index in 0..entries {
            if index % LOOK_EVERY == 0 {
                stop.check()?;
            }
            match table.get_mut(index * blocks..(index + 1) * blocks) {
                Some(earlier) => earlier.copy_from_slice(&entry),
                // Within what was reserved, and so without an allocation.
                None => table.extend_from_slice(&entry),
            }
            mix(&entry, &mut mixed);
            std::mem::swap(&mut *entry, &mut *mixed);
        }
        for index in 0..entries {
            if index % LOOK_EVERY == 0 {
                stop.check()?;
            }
            // RFC 7914, section 5: the entry's last block as a number, modulo N.
            let chosen = entry[blocks - 1][0] as usize & (entries - 1);
            let other = &table[chosen * blocks..][..blocks];
            for (block, other) in entry.iter_mut().zip(other) {
                add(block, other);
            }
            mix(&entry, &mut mixed);
            std::mem::swap(&mut *entry, &mut *mixed);
        }
        store(&entry, part);
    }
    pbkdf2::derive(password, &input, 1, output, stop)
}

/// The blocks of some bytes.
fn load(bytes: &[u8], blocks: &mut [Block]) {
    for (bytes, block) in bytes.chunks_exact(4 * WORDS).zip(blocks) {
        for (word, from) in block.iter_mut().zip(ORDER) {
            let word_bytes = bytes[4 * from..].first_chunk().expect("64 bytes a block");
            *word = u32::from_le_bytes(*word_bytes);
        }
    }
}

/// The bytes of some blocks.
fn store(blocks: &[Block], bytes: &mut [u8]) {
    for (bytes, block) in bytes.chunks_exact_mut(4 * WORDS).zip(blocks) {
        for (word, to) in block.iter().zip(ORDER) {
            bytes[4 * to..4 * to + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// scryptBlockMix (RFC 7914, section 4).
#[inline]
fn mix(input: &[Block], output: &mut [Block]) {
    let half = input.len() / 2;
    let mut block = input[input.len() - 1];
    for (index, next) in input.iter().enumerate() {
        add(&mut block, next);
        salsa(&mut block);
        output[index / 2 + half * (index % 2)] = block;
    }
}

#[inline]
fn add(block: &mut Block, other: &Block) {
    for (word, other) in block.iter_mut().zip(other) {
        *word ^= other;
    }
}

type Row = [u32; 4];

/// Salsa20/8 (RFC 7914, section 3).
#[inline]
fn salsa(block: &mut Block) {
    let row = |at: usize| -> Row { std::array::from_fn(|lane| block[at + lane]) };
    let [mut a, mut b, mut c, mut d] = [row(0), row(4), row(8), row(12)];
    for _ in 0..4 {
        // The columns, then the diagonals.
        quarter(&mut a, &mut b, &mut c, &mut d);
        (b, c, d) = (turned::<3>(b), turned::<2>(c), turned::<1>(d));
        quarter(&mut a, &mut d, &mut c, &mut b);
        (b, c, d) = (turned::<1>(b), turned::<2>(c), turned::<3>(d));
    }
    for (words, row) in block.chunks_exact_mut(4).zip([a, b, c, d]) {
        for (word, mixed) in words.iter_mut().zip(row) {
            *word = word.wrapping_add(mixed);
        }
    }
}

/// Four quarter rounds of Salsa20, one a lane.
#[inline]
fn quarter(a: &mut Row, b: &mut Row, c: &mut Row, d: &mut Row) {
    mingle::<7>(b, a, d);
    mingle::<9>(c, b, a);
    mingle::<13>(d, c, b);
    mingle::<18>(a, d, c);
}

#[inline]
fn mingle<const BITS: u32>(target: &mut Row, one: &Row, other: &Row) {
    for lane in 0..4 {
        target[lane] ^= one[lane].wrapping_add(other[lane]).rotate_left(BITS);
    }
}

#[inline]
fn turned<const LANES: usize>(row: Row) -> Row {
    std::array::from_fn(|lane| row[(lane + LANES) % 4])
}
