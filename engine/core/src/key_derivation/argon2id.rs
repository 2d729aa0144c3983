// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Argon2id, version 1.3 (RFC 9106), which gives up when it is asked to.
//!
//! The crate `argon2` cannot be interrupted. The tests compare this with it. Names and
//! numbers of sections are those of RFC 9106. Lanes are computed one after the other.

use blake2::digest::consts::U32;
use blake2::{Blake2b, Blake2b512, Digest};
use zeroize::Zeroize;

use super::memory;
use crate::{Cancellation, Result};

/// A block has 1,024 bytes.
const WORDS: usize = 128;
type Block = [u64; WORDS];

const VERSION: u32 = 0x13;
/// The number of the variant `id`.
const VARIANT: u32 = 2;
/// Slices of a lane, between which lanes may refer to each other.
const SLICES: usize = 4;
/// Bytes of the derived key.
const TAG_BYTES: usize = 32;
/// Blocks between two looks at the cancellation: less than a millisecond.
const LOOK_EVERY: usize = 256;

/// The parameters of a derivation.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    /// At least 8 a lane.
    pub(super) memory_kib: u32,
    pub(super) passes: u32,
    pub(super) lanes: u32,
}

/// Argon2id of this password and salt.
///
/// # Errors
/// [`crate::ErrorKind::Io`] where memory is short, [`crate::ErrorKind::Cancelled`].
pub(super) fn derive(
    password: &[u8],
    salt: &[u8],
    cost: Cost,
    output: &mut [u8; TAG_BYTES],
    stop: &Cancellation,
) -> Result<()> {
    let lanes = cost.lanes as usize;
    let segment = cost.memory_kib as usize / (SLICES * lanes);
    let matrix = Matrix {
        cost,
        segment,
        lane: SLICES * segment,
    };
    let mut blocks = memory::filled([0; WORDS], lanes * matrix.lane, stop)?;
    let mut seed = first_hash(password, salt, cost);
    for (number, lane) in (0u32..).zip(blocks.chunks_exact_mut(matrix.lane)) {
        for (index, block) in (0u32..).zip(&mut lane[..2]) {
            *block = first_block(&seed, index, number);
        }
    }
    seed.zeroize();
    for pass in 0..cost.passes {
        for slice in 0..SLICES {
            for lane in 0..lanes {
                matrix.fill(&mut blocks, pass, slice, lane, stop)?;
            }
        }
    }
    // Section 3.2, step 7: the last column.
    let mut last = blocks[matrix.lane - 1];
    for lane in blocks.chunks_exact(matrix.lane).skip(1) {
        add(&mut last, &lane[matrix.lane - 1]);
    }
    let mut hash = Blake2b::<U32>::new();
    hash.update((TAG_BYTES as u32).to_le_bytes());
    for word in last {
        hash.update(word.to_le_bytes());
    }
    output.copy_from_slice(&hash.finalize());
    last.zeroize();
    Ok(())
}

/// H_0 (section 3.2, step 1), without secret and associated data.
fn first_hash(password: &[u8], salt: &[u8], cost: Cost) -> [u8; 64] {
    let mut hash = Blake2b512::new();
    for number in [
        cost.lanes,
        TAG_BYTES as u32,
        cost.memory_kib,
        cost.passes,
        VERSION,
        VARIANT,
    ] {
        hash.update(number.to_le_bytes());
    }
    for text in [password, salt, &[], &[]] {
        hash.update((text.len() as u32).to_le_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}

/// H' of a block's length (section 3.3) over H_0, the block's column and its lane.
fn first_block(seed: &[u8; 64], column: u32, lane: u32) -> Block {
    let mut hash = Blake2b512::new();
    hash.update((8 * WORDS as u32).to_le_bytes());
    hash.update(seed);
    hash.update(column.to_le_bytes());
    hash.update(lane.to_le_bytes());
    let mut hash: [u8; 64] = hash.finalize().into();
    let mut block = [0; WORDS];
    let words = |bytes: &[u8], to: &mut [u64]| {
        for (bytes, word) in bytes.chunks_exact(8).zip(to) {
            *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
    };
    // The first half of each hash, and the whole of the last.
    for half in block[..WORDS - 8].chunks_exact_mut(4) {
        words(&hash[..32], half);
        hash = Blake2b512::digest(hash).into();
    }
    words(&hash, &mut block[WORDS - 8..]);
    hash.zeroize();
    block
}

/// The memory's shape (section 3.2, step 2).
struct Matrix {
    cost: Cost,
    /// Blocks of a segment: where a lane and a slice meet.
    segment: usize,
    /// Blocks of a lane.
    lane: usize,
}

impl Matrix {
    /// Fill a segment (section 3.2, steps 5 and 6).
    fn fill(
        &self,
        blocks: &mut [Block],
        pass: u32,
        slice: usize,
        lane: usize,
        stop: &Cancellation,
    ) -> Result<()> {
        // Section 3.4.1.3: in the first half of the first pass the addresses do not
        // depend on the password.
        let independent = pass == 0 && slice < SLICES / 2;
        let mut addresses = Addresses {
            input: [0; WORDS],
            made: [0; WORDS],
        };
        let facts = [
            pass.into(),
            lane as u64,
            slice as u64,
            (self.lane * self.cost.lanes as usize) as u64,
            self.cost.passes.into(),
            VARIANT.into(),
        ];
        addresses.input[..facts.len()].copy_from_slice(&facts);
        let given = if pass == 0 && slice == 0 { 2 } else { 0 };
        for index in 0..self.segment {
            if index % LOOK_EVERY == 0 {
                stop.check()?;
            }
            if independent && index % WORDS == 0 {
                addresses.advance();
            }
            if index < given {
                continue;
            }
            let column = slice * self.segment + index;
            let own = lane * self.lane;
            let current = own + column;
            let previous = own + (column + self.lane - 1) % self.lane;
            let random = if independent {
                addresses.made[index % WORDS]
            } else {
                blocks[previous][0]
            };
            let reference = self.reference(random, pass, slice, lane, index);
            let mut block = compressed(&blocks[previous], &blocks[reference]);
            if pass > 0 {
                add(&mut block, &blocks[current]);
            }
            blocks[current] = block;
        }
        Ok(())
    }

    /// The block that 64 random bits choose (section 3.4.2).
    fn reference(&self, random: u64, pass: u32, slice: usize, lane: usize, index: usize) -> usize {
        let first_slice = pass == 0 && slice == 0;
        let chosen = if first_slice {
            lane
        } else {
            (random >> 32) as usize % self.cost.lanes as usize
        };
        // Columns of finished segments that may be referred to.
        let finished = match pass {
            0 => slice * self.segment,
            _ => self.lane - self.segment,
        };
        let area = if chosen == lane {
            finished + index - 1
        } else {
            finished - usize::from(index == 0)
        };
        let first = random & 0xffff_ffff;
        let square = (first * first) >> 32;
        let back = (area as u64 * square) >> 32;
        let relative = area - 1 - back as usize;
        let start = match pass {
            0 => 0,
            _ => (slice + 1) * self.segment,
        };
        chosen * self.lane + (start + relative) % self.lane
    }
}

/// Addresses that do not depend on the password (section 3.4.1.2).
struct Addresses {
    input: Block,
    made: Block,
}

impl Addresses {
    /// Make the next 128.
    fn advance(&mut self) {
        self.input[6] += 1;
        let zero = [0; WORDS];
        let once = compressed(&zero, &self.input);
        self.made = compressed(&zero, &once);
    }
}

fn add(block: &mut Block, other: &Block) {
    for (word, other) in block.iter_mut().zip(other) {
        *word ^= other;
    }
}

/// The compression function G (section 3.5).
fn compressed(one: &Block, other: &Block) -> Block {
    let mut sum = *one;
    add(&mut sum, other);
    let mut block = sum;
    for row in block.chunks_exact_mut(16) {
        let vector = |at: usize| -> Vector { std::array::from_fn(|lane| row[at + lane]) };
        let permuted = permuted([vector(0), vector(4), vector(8), vector(12)]);
        for (to, from) in row.chunks_exact_mut(4).zip(permuted) {
            to.copy_from_slice(&from);
        }
    }
    for column in 0..8 {
        // Words of a column come in pairs, one pair a row.
        let at = |row: usize, word: usize| 16 * row + 2 * column + word;
        let pairs = |row: usize| -> Vector {
            [
                block[at(row, 0)],
                block[at(row, 1)],
                block[at(row + 1, 0)],
                block[at(row + 1, 1)],
            ]
        };
        let permuted = permuted([pairs(0), pairs(2), pairs(4), pairs(6)]);
        for (row, vector) in permuted.iter().enumerate() {
            for (lane, word) in vector.iter().enumerate() {
                block[at(2 * row + lane / 2, lane % 2)] = *word;
            }
        }
    }
    add(&mut block, &sum);
    block
}

type Vector = [u64; 4];

/// The permutation P (section 3.6) on sixteen words: the columns, then the diagonals.
#[inline]
fn permuted([mut a, mut b, mut c, mut d]: [Vector; 4]) -> [Vector; 4] {
    round(&mut a, &mut b, &mut c, &mut d);
    (b, c, d) = (turned::<1>(b), turned::<2>(c), turned::<3>(d));
    round(&mut a, &mut b, &mut c, &mut d);
    [a, turned::<3>(b), turned::<2>(c), turned::<1>(d)]
}

/// Four times GB, one a lane.
#[inline]
fn round(a: &mut Vector, b: &mut Vector, c: &mut Vector, d: &mut Vector) {
    step::<32>(a, b, d);
    step::<24>(c, d, b);
    step::<16>(a, b, d);
    step::<63>(c, d, b);
}

/// Half of GB: `sum += other + 2 * low(sum) * low(other)`, then `mixed` takes the sum up.
#[inline]
fn step<const BITS: u32>(sum: &mut Vector, other: &Vector, mixed: &mut Vector) {
    for lane in 0..4 {
        let low = |word: u64| word & 0xffff_ffff;
        let product = low(sum[lane]).wrapping_mul(low(other[lane]));
        sum[lane] = sum[lane]
            .wrapping_add(other[lane])
            .wrapping_add(product.wrapping_mul(2));
        mixed[lane] = (mixed[lane] ^ sum[lane]).rotate_right(BITS);
    }
}

#[inline]
fn turned<const LANES: usize>(vector: Vector) -> Vector {
    std::array::from_fn(|lane| vector[(lane + LANES) % 4])
}
