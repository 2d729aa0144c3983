// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Round keys (FIPS 197, sections 5.2 and 5.3.5), by AES instructions and so in
//! constant time.

use std::arch::x86_64::{
    _mm_aesenc_si128, _mm_aesenclast_si128, _mm_aesimc_si128, _mm_cvtsi128_si32, _mm_set1_epi32,
    _mm_setzero_si128, _mm_xor_si128,
};

use ciphermill::BLOCK_BYTES;

use super::vector::{load_block, store_block};
use crate::instructions::AesNi;

/// Round keys in the order of their use, zeroised when dropped.
#[repr(C, align(16))]
pub(crate) struct Schedule {
    keys: [[u8; BLOCK_BYTES]; 15],
    rounds: usize,
}

impl Drop for Schedule {
    fn drop(&mut self) {
        // In whole vectors: the crate's own functions write byte after byte.
        self.keys = [[0; BLOCK_BYTES]; 15];
        zeroize::optimization_barrier(&self.keys);
    }
}

impl Schedule {
    /// The keys for encryption (FIPS 197, 5.2).
    pub(crate) fn encryption(proof: AesNi, key: &[u8]) -> Schedule {
        let mut schedule = Schedule::empty();
        schedule.set_encryption(proof, key);
        schedule
    }

    /// Without keys.
    pub(super) fn empty() -> Schedule {
        Schedule {
            keys: [[0; BLOCK_BYTES]; 15],
            rounds: 0,
        }
    }

    /// Become the keys for encryption, in this place, so that no copy of them stays behind elsewhere.
    pub(super) fn set_encryption(&mut self, _proof: AesNi, key: &[u8]) {
        // SAFETY: the proof says that the processor has AES-NI and AVX.
        #[allow(unsafe_code)]
        unsafe {
            expand(self, key);
        }
    }

    /// The keys for the equivalent inverse cipher (FIPS 197, 5.3.5).
    pub(crate) fn decryption(proof: AesNi, key: &[u8]) -> Schedule {
        let mut schedule = Schedule::encryption(proof, key);
        // SAFETY: the proof says that the processor has AES-NI and AVX.
        #[allow(unsafe_code)]
        unsafe {
            invert(&mut schedule);
        }
        schedule
    }

    /// One block, encrypted (FIPS 197, 5.1).
    pub(super) fn encrypt(&self, _proof: AesNi, block: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
        // SAFETY: the proof says that the processor has AES-NI and AVX.
        #[allow(unsafe_code)]
        unsafe {
            encrypt(self, block)
        }
    }

    /// Every key, in the order of use.
    pub(super) fn keys(&self) -> &[[u8; BLOCK_BYTES]] {
        &self.keys[..=self.rounds]
    }

    /// Rounds of the cipher.
    pub(super) fn rounds(&self) -> usize {
        self.rounds
    }

    /// First key, those of the middle rounds, last key.
    #[inline]
    pub(crate) fn split(&self) -> (&[u8; 16], &[[u8; 16]], &[u8; 16]) {
        (
            &self.keys[0],
            &self.keys[1..self.rounds],
            &self.keys[self.rounds],
        )
    }
}

#[target_feature(enable = "aes,avx")]
fn expand(schedule: &mut Schedule, key: &[u8]) {
    let key_words = key.len() / 4;
    let rounds = key_words + 6;
    schedule.rounds = rounds;
    let words = schedule.keys.as_flattened_mut();
    words[..key.len()].copy_from_slice(key);
    let mut round_constant = 1u32;
    let mut word = word_at(words, key_words - 1);
    for index in key_words..4 * (rounds + 1) {
        if index % key_words == 0 {
            // RotWord on a little-endian word is a rotation to the right.
            word = substitute(word).rotate_right(8) ^ round_constant;
            // xtime (FIPS 197, 4.2); the constants are public.
            round_constant = (round_constant << 1) ^ (0x11b * (round_constant >> 7));
        } else if key_words > 6 && index % key_words == 4 {
            word = substitute(word);
        }
        word ^= word_at(words, index - key_words);
        words[4 * index..4 * index + 4].copy_from_slice(&word.to_le_bytes());
    }
}

fn word_at(words: &[u8], index: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&words[4 * index..4 * index + 4]);
    u32::from_le_bytes(bytes)
}

/// SubWord: the S-box on each byte.
#[inline]
#[target_feature(enable = "aes,avx")]
fn substitute(word: u32) -> u32 {
    // The last round is ShiftRows, SubBytes and the key, here zero; ShiftRows does
    // nothing where all columns are the same.
    let columns = _mm_set1_epi32(word as i32);
    _mm_cvtsi128_si32(_mm_aesenclast_si128(columns, _mm_setzero_si128())) as u32
}

#[target_feature(enable = "aes,avx")]
fn encrypt(schedule: &Schedule, mut block: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
    let (first, middle, last) = schedule.split();
    let mut state = _mm_xor_si128(load_block(&block), load_block(first));
    for key in middle {
        state = _mm_aesenc_si128(state, load_block(key));
    }
    store_block(&mut block, _mm_aesenclast_si128(state, load_block(last)));
    block
}

#[target_feature(enable = "aes,avx")]
fn invert(schedule: &mut Schedule) {
    let rounds = schedule.rounds;
    schedule.keys[..=rounds].reverse();
    for key in &mut schedule.keys[1..rounds] {
        store_block(key, _mm_aesimc_si128(load_block(key)));
    }
}
