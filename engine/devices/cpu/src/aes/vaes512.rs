// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! VAES on 512-bit vectors: eight vectors of four blocks side by side.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i, _mm512_aesdec_epi128, _mm512_aesdeclast_epi128, _mm512_aesenc_epi128,
    _mm512_aesenclast_epi128, _mm512_alignr_epi64, _mm512_broadcast_i32x4, _mm512_xor_si512,
};

use super::vector::{load_512 as load, load_block, store_512 as store};
use crate::instructions::Vaes512;

type Vector = __m512i;

super::modes::modes!(proof: Vaes512, features: "aes,avx512f,avx512bw,vaes", blocks: 4, lanes: 8);

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn broadcast(block: &[u8; 16]) -> Vector {
    _mm512_broadcast_i32x4(load_block(block))
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn xor(a: Vector, b: Vector) -> Vector {
    _mm512_xor_si512(a, b)
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn encrypt_round(state: Vector, key: Vector) -> Vector {
    _mm512_aesenc_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn encrypt_last(state: Vector, key: Vector) -> Vector {
    _mm512_aesenclast_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn decrypt_round(state: Vector, key: Vector) -> Vector {
    _mm512_aesdec_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn decrypt_last(state: Vector, key: Vector) -> Vector {
    _mm512_aesdeclast_epi128(state, key)
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn shift_in(previous: Vector, current: Vector) -> Vector {
    // Top block of the previous vector, lower three blocks of the current one.
    _mm512_alignr_epi64::<6>(current, previous)
}
