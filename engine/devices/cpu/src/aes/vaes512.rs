// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! VAES on 512-bit vectors: eight vectors of four blocks side by side.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m512i, _mm_set_epi8, _mm512_add_epi64, _mm512_aesdec_epi128,
    _mm512_aesdeclast_epi128, _mm512_aesenc_epi128, _mm512_aesenclast_epi128, _mm512_alignr_epi64,
    _mm512_broadcast_i32x4, _mm512_set_epi64, _mm512_shuffle_epi8, _mm512_xor_si512,
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

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn byte_swap(vector: Vector) -> Vector {
    let order: __m128i = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_shuffle_epi8(vector, _mm512_broadcast_i32x4(order))
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm512_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn ascending() -> Vector {
    _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0)
}
