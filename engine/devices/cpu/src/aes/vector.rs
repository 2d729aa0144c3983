// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Vectors to and from memory.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm256_loadu_si256,
    _mm256_storeu_si256, _mm512_loadu_si512, _mm512_storeu_si512,
};

#[inline]
#[target_feature(enable = "avx")]
pub(super) fn load_block(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the array has the vector's size; no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx")]
pub(super) fn store_block(bytes: &mut [u8; 16], vector: __m128i) {
    // SAFETY: as in `load_block`.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load_256(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: as in `load_block`.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store_256(bytes: &mut [u8; 32], vector: __m256i) {
    // SAFETY: as in `load_block`.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_512(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: as in `load_block`.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store_512(bytes: &mut [u8; 64], vector: __m512i) {
    // SAFETY: as in `load_block`.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}
