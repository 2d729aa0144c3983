// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! VAES on 512-bit vectors: eight vectors of four blocks of one stream side by side, or of
//! thirty-two streams.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i as Vector, _mm512_aesdec_epi128 as decrypt_round,
    _mm512_aesdeclast_epi128 as decrypt_last, _mm512_aesenc_epi128 as encrypt_round,
    _mm512_aesenclast_epi128 as encrypt_last, _mm512_alignr_epi64, _mm512_broadcast_i32x4,
    _mm512_shuffle_i64x2, _mm512_xor_si512 as xor,
};

use super::Operation;
use super::lanes::{Distance, Lanes, Places};
use super::schedule::Schedule;
use super::vector::{load_512 as load, load_block, store_512 as store};
use crate::instructions::Vaes512;

super::modes::modes!(proof: Vaes512, features: "aes,avx512f,avx512bw,vaes", blocks: 4, lanes: 8);
super::lanes::lanes!(
    proof: Vaes512, features: "aes,avx512f,avx512bw,vaes", blocks: 4, vectors: [1, 2, 4, 6, 8]
);

/// The blocks of four lanes, to or from a vector for each step.
#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,vaes")]
fn transpose([a, b, c, d]: [Vector; 4]) -> [Vector; 4] {
    // The even and the odd blocks of two vectors, twice.
    let (even, odd) = (
        [
            _mm512_shuffle_i64x2::<0x88>(a, b),
            _mm512_shuffle_i64x2::<0x88>(c, d),
        ],
        [
            _mm512_shuffle_i64x2::<0xdd>(a, b),
            _mm512_shuffle_i64x2::<0xdd>(c, d),
        ],
    );
    [
        _mm512_shuffle_i64x2::<0x88>(even[0], even[1]),
        _mm512_shuffle_i64x2::<0x88>(odd[0], odd[1]),
        _mm512_shuffle_i64x2::<0xdd>(even[0], even[1]),
        _mm512_shuffle_i64x2::<0xdd>(odd[0], odd[1]),
    ]
}

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
