// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! SHA-512 and SHA-384 of eight messages side by side, in vectors of 512 bits.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i as Vector, _mm512_add_epi64 as add, _mm512_and_si512 as and, _mm512_or_si512 as or,
    _mm512_ror_epi64 as rotate, _mm512_set1_epi64, _mm512_set4_epi64, _mm512_shuffle_epi8,
    _mm512_shuffle_i64x2, _mm512_srli_epi64 as shift, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
    _mm512_xor_si512 as xor,
};

use super::constants::ROUNDS;
use crate::aes::vector::{load_512 as load, store_512 as store};
use crate::instructions::Vaes512;

super::lanes::lanes!(
    word: u64, lanes: 8, rounds: 80,
    sums: [28, 34, 39], [14, 18, 41],
    schedule: [1, 8, 7], [19, 61, 6]
);

#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast(word: u64) -> Vector {
    _mm512_set1_epi64(word as i64)
}

/// Of each word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn reverse_bytes(words: Vector) -> Vector {
    let (low, high) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    _mm512_shuffle_epi8(words, _mm512_set4_epi64(high, low, high, low))
}

/// From the words of each lane to the lanes of each word.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose([a, b, c, d, e, f, g, h]: [Vector; 8]) -> [Vector; 8] {
    // Of two lanes: the even words, and the odd ones.
    let even = [
        _mm512_unpacklo_epi64(a, b),
        _mm512_unpacklo_epi64(c, d),
        _mm512_unpacklo_epi64(e, f),
        _mm512_unpacklo_epi64(g, h),
    ];
    let odd = [
        _mm512_unpackhi_epi64(a, b),
        _mm512_unpackhi_epi64(c, d),
        _mm512_unpackhi_epi64(e, f),
        _mm512_unpackhi_epi64(g, h),
    ];
    let mut columns = [a; 8];
    for (first, [a, b, c, d]) in [even, odd].into_iter().enumerate() {
        let (ab, cd) = (
            _mm512_shuffle_i64x2::<0x88>(a, b),
            _mm512_shuffle_i64x2::<0x88>(c, d),
        );
        let (ab_odd, cd_odd) = (
            _mm512_shuffle_i64x2::<0xdd>(a, b),
            _mm512_shuffle_i64x2::<0xdd>(c, d),
        );
        columns[first] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
        columns[first + 2] = _mm512_shuffle_i64x2::<0x88>(ab_odd, cd_odd);
        columns[first + 4] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
        columns[first + 6] = _mm512_shuffle_i64x2::<0xdd>(ab_odd, cd_odd);
    }
    columns
}
