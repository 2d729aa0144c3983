// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! SHA-256 and SHA-224 of sixteen messages side by side, in vectors of 512 bits.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i as Vector, _mm512_add_epi32 as add, _mm512_and_si512 as and, _mm512_or_si512 as or,
    _mm512_ror_epi32 as rotate, _mm512_set1_epi32, _mm512_set4_epi32, _mm512_shuffle_epi8,
    _mm512_shuffle_i32x4, _mm512_srli_epi32 as shift, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512 as xor,
};

use super::constants::ROUNDS;
use crate::aes::vector::{load_512 as load, store_512 as store};
use crate::instructions::Vaes512;

super::lanes::lanes!(
    word: u32, lanes: 16, rounds: 64,
    sums: [2, 13, 22], [6, 11, 25],
    schedule: [7, 18, 3], [17, 19, 10]
);

#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast(word: u32) -> Vector {
    _mm512_set1_epi32(word as i32)
}

/// Of each word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn reverse_bytes(words: Vector) -> Vector {
    let order = _mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
    _mm512_shuffle_epi8(words, order)
}

/// From the words of each lane to the lanes of each word.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(rows: [Vector; 16]) -> [Vector; 16] {
    let mut words = rows;
    for quarter in 0..4 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| rows[4 * quarter + row]);
        let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
        // Of these four lanes, words n, n + 4, n + 8 and n + 12.
        words[4 * quarter] = _mm512_unpacklo_epi64(ab, cd);
        words[4 * quarter + 1] = _mm512_unpackhi_epi64(ab, cd);
        words[4 * quarter + 2] = _mm512_unpacklo_epi64(ab_high, cd_high);
        words[4 * quarter + 3] = _mm512_unpackhi_epi64(ab_high, cd_high);
    }
    let mut columns = rows;
    for word in 0..4 {
        let [a, b, c, d] = [0, 4, 8, 12].map(|quarter| words[quarter + word]);
        // Words n and n + 8, then n + 4 and n + 12, of eight lanes each.
        let (ab, cd) = (
            _mm512_shuffle_i32x4::<0x88>(a, b),
            _mm512_shuffle_i32x4::<0x88>(c, d),
        );
        let (ab_odd, cd_odd) = (
            _mm512_shuffle_i32x4::<0xdd>(a, b),
            _mm512_shuffle_i32x4::<0xdd>(c, d),
        );
        columns[word] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
        columns[word + 4] = _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd);
        columns[word + 8] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
        columns[word + 12] = _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd);
    }
    columns
}
