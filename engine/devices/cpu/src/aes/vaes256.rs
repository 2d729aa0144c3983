// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! VAES on 256-bit vectors: eight vectors of two blocks side by side.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm256_aesdec_epi128, _mm256_aesdeclast_epi128, _mm256_aesenc_epi128,
    _mm256_aesenclast_epi128, _mm256_broadcastsi128_si256, _mm256_permute2x128_si256,
    _mm256_xor_si256,
};

use super::vector::{load_256 as load, load_block, store_256 as store};
use crate::instructions::Vaes256;

type Vector = __m256i;

super::modes::modes!(proof: Vaes256, features: "aes,avx2,vaes", blocks: 2, lanes: 8);

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn broadcast(block: &[u8; 16]) -> Vector {
    _mm256_broadcastsi128_si256(load_block(block))
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn xor(a: Vector, b: Vector) -> Vector {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn encrypt_round(state: Vector, key: Vector) -> Vector {
    _mm256_aesenc_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn encrypt_last(state: Vector, key: Vector) -> Vector {
    _mm256_aesenclast_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn decrypt_round(state: Vector, key: Vector) -> Vector {
    _mm256_aesdec_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn decrypt_last(state: Vector, key: Vector) -> Vector {
    _mm256_aesdeclast_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn shift_in(previous: Vector, current: Vector) -> Vector {
    // Upper block of the previous vector, lower block of the current one.
    _mm256_permute2x128_si256::<0x21>(previous, current)
}
