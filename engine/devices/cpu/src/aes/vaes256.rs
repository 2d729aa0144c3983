// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! VAES on 256-bit vectors: eight vectors of two blocks side by side, of one stream or of sixteen.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i as Vector, _mm256_aesdec_epi128 as decrypt_round,
    _mm256_aesdeclast_epi128 as decrypt_last, _mm256_aesenc_epi128 as encrypt_round,
    _mm256_aesenclast_epi128 as encrypt_last, _mm256_broadcastsi128_si256,
    _mm256_permute2x128_si256, _mm256_xor_si256 as xor,
};

use super::Operation;
use super::lanes::{Distance, Lanes, Places};
use super::schedule::Schedule;
use super::vector::{load_256 as load, load_block, store_256 as store};
use crate::instructions::Vaes256;

super::modes::modes!(proof: Vaes256, features: "aes,avx2,vaes", blocks: 2, lanes: 8);
super::lanes::lanes!(proof: Vaes256, features: "aes,avx2,vaes", blocks: 2, vectors: [1, 2, 4, 8]);

/// The blocks of two lanes, to or from a vector for each step.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn transpose([one, other]: [Vector; 2]) -> [Vector; 2] {
    [
        _mm256_permute2x128_si256::<0x20>(one, other),
        _mm256_permute2x128_si256::<0x31>(one, other),
    ]
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn broadcast(block: &[u8; 16]) -> Vector {
    _mm256_broadcastsi128_si256(load_block(block))
}

#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
fn shift_in(previous: Vector, current: Vector) -> Vector {
    // Upper block of the previous vector, lower block of the current one.
    _mm256_permute2x128_si256::<0x21>(previous, current)
}
