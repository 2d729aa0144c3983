// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AES with each size of key.

use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};

use super::BLOCK_BYTES;
use crate::card::keys::Key;

pub(super) type Block = [u8; BLOCK_BYTES];

/// AES under a key.
pub(super) enum Aes {
    Bits128(Box<Aes128>),
    Bits192(Box<Aes192>),
    Bits256(Box<Aes256>),
}

impl Aes {
    /// None where AES has no such size.
    pub(super) fn new(key: &Key) -> Option<Aes> {
        let bytes = key.of_aes()?;
        Some(match bytes.len() {
            16 => Aes::Bits128(Box::new(Aes128::new_from_slice(bytes).ok()?)),
            24 => Aes::Bits192(Box::new(Aes192::new_from_slice(bytes).ok()?)),
            _ => Aes::Bits256(Box::new(Aes256::new_from_slice(bytes).ok()?)),
        })
    }

    pub(super) fn encrypt(&self, blocks: &mut [Block]) {
        let blocks = Array::cast_slice_from_core_mut(blocks);
        match self {
            Aes::Bits128(aes) => aes.encrypt_blocks(blocks),
            Aes::Bits192(aes) => aes.encrypt_blocks(blocks),
            Aes::Bits256(aes) => aes.encrypt_blocks(blocks),
        }
    }

    pub(super) fn decrypt(&self, blocks: &mut [Block]) {
        let blocks = Array::cast_slice_from_core_mut(blocks);
        match self {
            Aes::Bits128(aes) => aes.decrypt_blocks(blocks),
            Aes::Bits192(aes) => aes.decrypt_blocks(blocks),
            Aes::Bits256(aes) => aes.decrypt_blocks(blocks),
        }
    }

    pub(super) fn encrypt_one(&self, mut block: Block) -> Block {
        self.encrypt(std::slice::from_mut(&mut block));
        block
    }
}

/// Add one block to another.
pub(super) fn add(to: &mut Block, other: &Block) {
    for (byte, other) in to.iter_mut().zip(other) {
        *byte ^= other;
    }
}
