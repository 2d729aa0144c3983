// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AES-NI: eight streams of one block side by side.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i as Vector, _mm_aesenc_si128 as encrypt_round, _mm_aesenclast_si128 as encrypt_last,
    _mm_xor_si128 as xor,
};

use super::lanes::{Distance, Lanes, Places};
use super::vector::{load_block as load, store_block as store};
use crate::instructions::AesNi;

super::lanes::lanes!(proof: AesNi, features: "aes,avx", blocks: 1, vectors: [2, 4, 8]);

fn transpose(rows: [Vector; 1]) -> [Vector; 1] {
    rows
}
