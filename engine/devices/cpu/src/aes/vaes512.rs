// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! VAES on 512-bit vectors: eight vectors of four blocks side by side.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i as Vector, _mm512_aesdec_epi128 as decrypt_round,
    _mm512_aesdeclast_epi128 as decrypt_last, _mm512_aesenc_epi128 as encrypt_round,
    _mm512_aesenclast_epi128 as encrypt_last, _mm512_alignr_epi64, _mm512_broadcast_i32x4,
    _mm512_xor_si512 as xor,
};

use super::Operation;
use super::schedule::Schedule;
use super::vector::{load_512 as load, load_block, store_512 as store};
use crate::instructions::Vaes512;

super::modes::modes!(proof: Vaes512, features: "aes,avx512f,avx512bw,vaes", blocks: 4, lanes: 8);

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn broadcast(block: &[u8; 16]) -> Vector {
    _mm512_broadcast_i32x4(load_block(block))
}

#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn shift_in(previous: Vector, current: Vector) -> Vector {
    // Top block of the previous vector, lower three blocks of the current one.
    _mm512_alignr_epi64::<6>(current, previous)
}
