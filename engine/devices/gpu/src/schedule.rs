// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A key as the kernels read it.

use aes::hazmat;
use ciphermill::{BLOCK_BYTES, Direction, Key};
use zeroize::Zeroizing;

use crate::{Implementation, Shape};

/// Words of round keys before the tables, in the buffer of the tables' kernel.
const TABLE_KEY_WORDS: usize = 60;

/// The round keys of a key (FIPS 197, 5.2), without secret addresses or branches.
pub(crate) struct Schedule {
    keys: Zeroizing<[[u8; BLOCK_BYTES]; 15]>,
    rounds: usize,
}

impl Schedule {
    pub(crate) fn of(key: &Key) -> Schedule {
        let key = key.as_bytes();
        let key_words = key.len() / 4;
        let rounds = key_words + 6;
        let mut keys = Zeroizing::new([[0; BLOCK_BYTES]; 15]);
        let words = keys.as_flattened_mut();
        words[..key.len()].copy_from_slice(key);
        let mut round_constant = 1;
        for index in key_words..4 * (rounds + 1) {
            let mut word = word_at(words, index - 1);
            if index % key_words == 0 {
                word.rotate_left(1);
                word = substitute(word);
                word[0] ^= round_constant;
                round_constant = doubled(round_constant);
            } else if key_words > 6 && index % key_words == 4 {
                word = substitute(word);
            }
            let before = word_at(words, index - key_words);
            for (row, byte) in word.iter().enumerate() {
                words[4 * index + row] = byte ^ before[row];
            }
        }
        Schedule { keys, rounds }
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rounds
    }

    /// The buffer `keys` of the kernels of this shape, for this direction.
    pub(crate) fn words(&self, shape: &Shape, direction: Direction) -> Zeroizing<Vec<u32>> {
        match shape.implementation {
            Implementation::Bitsliced => self.planes(shape.lanes),
            Implementation::Tables => self.tables(direction),
        }
    }

    /// Each bit of each round key as a word of ones or of zeros, in the order of the kernels'
    /// states.
    fn planes(&self, lanes: usize) -> Zeroizing<Vec<u32>> {
        let mut words = Zeroizing::new(Vec::with_capacity(15 * 128 * lanes.div_ceil(4)));
        let bit = |key: &[u8; 16], column: usize, place: usize| {
            0u32.wrapping_sub(u32::from(key[4 * column + place / 8] >> (place % 8) & 1))
        };
        for key in &self.keys[..=self.rounds] {
            if lanes == 1 {
                for column in 0..4 {
                    words.extend((0..32).map(|place| bit(key, column, place)));
                }
            } else {
                for place in 0..32 {
                    words.extend((0..lanes).map(|lane| bit(key, lane % 4, place)));
                }
            }
        }
        words
    }

    /// The round keys in the order of their use, then the table of this direction, then the
    /// inverse S-box.
    fn tables(&self, direction: Direction) -> Zeroizing<Vec<u32>> {
        let mut words = Zeroizing::new(Vec::with_capacity(TABLE_KEY_WORDS + 256 + 64));
        let mut keys = self.keys.clone();
        let keys = &mut keys[..=self.rounds];
        if direction == Direction::Decrypt {
            keys.reverse();
            for key in &mut keys[1..self.rounds] {
                hazmat::inv_mix_columns((&mut *key).into());
            }
        }
        words.extend(little_endian_words(keys.as_flattened()));
        words.resize(TABLE_KEY_WORDS, 0);
        let substitutes: [u8; 256] = std::array::from_fn(|byte| substitute([byte as u8; 4])[0]);
        let mut inverse = [0; 256];
        for (byte, substitute) in (0..=255).zip(substitutes) {
            inverse[usize::from(substitute)] = byte;
        }
        words.extend((0..256).map(|byte| {
            let mut column = [0; BLOCK_BYTES];
            match direction {
                Direction::Encrypt => {
                    column[0] = substitutes[byte];
                    hazmat::mix_columns((&mut column).into());
                }
                Direction::Decrypt => {
                    column[0] = inverse[byte];
                    hazmat::inv_mix_columns((&mut column).into());
                }
            }
            u32::from_le_bytes(word_at(&column, 0))
        }));
        words.extend(little_endian_words(&inverse));
        words
    }
}

fn word_at(words: &[u8], index: usize) -> [u8; 4] {
    std::array::from_fn(|row| words[4 * index + row])
}

/// A byte times x (FIPS 197, 4.2); round constants are public.
fn doubled(byte: u8) -> u8 {
    (byte << 1) ^ (0x1b * (byte >> 7))
}

/// SubWord: the S-box on each byte. A round is SubBytes, ShiftRows, MixColumns and a key, here
/// zero; ShiftRows does nothing where all columns are the same.
fn substitute(word: [u8; 4]) -> [u8; 4] {
    let mut block = [0; BLOCK_BYTES];
    block
        .chunks_exact_mut(4)
        .for_each(|column| column.copy_from_slice(&word));
    let mut block = block.into();
    hazmat::cipher_round(&mut block, &[0; BLOCK_BYTES].into());
    hazmat::inv_mix_columns(&mut block);
    word_at(&block, 0)
}

pub(crate) fn little_endian_words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let words = bytes.chunks_exact(4);
    words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}
