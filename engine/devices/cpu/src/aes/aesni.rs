// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AES-NI: eight blocks side by side, then what is left one by one; and CBC
//! encryption, whose blocks follow from one another.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_aesdec_si128, _mm_aesdeclast_si128, _mm_aesenc_si128, _mm_aesenclast_si128,
    _mm_xor_si128,
};

use super::schedule::Schedule;
use super::vector::{load_block as load, load_block as broadcast, store_block as store};
use crate::instructions::AesNi;

type Vector = __m128i;

/// Eight blocks side by side.
pub(super) mod eight {
    use super::*;
    super::super::modes::modes!(proof: AesNi, features: "aes,avx", blocks: 1, lanes: 8);
}

/// A block at a time.
pub(super) mod one {
    use super::*;
    super::super::modes::modes!(proof: AesNi, features: "aes,avx", blocks: 1, lanes: 1);
}

/// CBC encryption of whole blocks (SP 800-38A, 6.2). `chain`: the IV, then the
/// last ciphertext block.
pub(super) fn cbc_encrypt(
    _proof: AesNi,
    schedule: &Schedule,
    chain: &mut [u8; 16],
    data: &mut [u8],
) {
    #[target_feature(enable = "aes,avx")]
    fn inner(schedule: &Schedule, chain: &mut [u8; 16], data: &mut [u8]) {
        let (first, middle, last) = schedule.split();
        let (first, last) = (load(first), load(last));
        let mut state = load(chain);
        for block in data.as_chunks_mut::<16>().0 {
            // The key is added to the data first: that is off the critical path.
            state = xor(state, xor(load(block), first));
            for key in middle {
                state = encrypt_round(state, load(key));
            }
            state = encrypt_last(state, last);
            store(block, state);
        }
        store(chain, state);
    }
    // SAFETY: the proof says that the processor has these instructions.
    unsafe { inner(schedule, chain, data) }
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn xor(a: Vector, b: Vector) -> Vector {
    _mm_xor_si128(a, b)
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn encrypt_round(state: Vector, key: Vector) -> Vector {
    _mm_aesenc_si128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn encrypt_last(state: Vector, key: Vector) -> Vector {
    _mm_aesenclast_si128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn decrypt_round(state: Vector, key: Vector) -> Vector {
    _mm_aesdec_si128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn decrypt_last(state: Vector, key: Vector) -> Vector {
    _mm_aesdeclast_si128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn shift_in(previous: Vector, _current: Vector) -> Vector {
    previous
}
