// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! XTS (SP 800-38E, IEEE 1619) for whole blocks.

use super::aes::{Aes, Block, add};
use super::{BLOCK_BYTES, Engine};
use crate::card::keys::Key;
use crate::card::registers::accel;

/// Whether two keys that are there go together: both have 128 or both have 256 bits.
pub(super) fn fits(first: Option<&Key>, tweak: Option<&Key>) -> bool {
    let (Some(first), Some(tweak)) = (first, tweak) else {
        return true;
    };
    first.size == tweak.size && first.size != accel::CONFIGURATION_KEY_SIZE_BITS_192
}

/// XTS.
pub(super) struct Xts {
    aes: Aes,
    tweak_aes: Aes,
    decrypts: bool,
    unit: u128,
    unit_blocks: u32,
    /// Blocks of this data unit that are to come.
    left: u32,
    tweak: u128,
}

impl Xts {
    /// A data unit has whole blocks.
    pub(super) fn new(aes: Aes, tweak_aes: Aes, decrypts: bool, iv: Block, unit: u32) -> Xts {
        Xts {
            aes,
            tweak_aes,
            decrypts,
            unit: u128::from_le_bytes(iv),
            unit_blocks: unit / BLOCK_BYTES as u32,
            left: 0,
            tweak: 0,
        }
    }
}

impl Engine for Xts {
    fn text(&mut self, data: &mut [u8]) {
        for block in data.as_chunks_mut().0 {
            if self.left == 0 {
                self.left = self.unit_blocks;
                let tweak = self.tweak_aes.encrypt_one(self.unit.to_le_bytes());
                self.tweak = u128::from_le_bytes(tweak);
                self.unit = self.unit.wrapping_add(1);
            }
            let tweak = self.tweak.to_le_bytes();
            add(block, &tweak);
            match self.decrypts {
                true => self.aes.decrypt(std::slice::from_mut(block)),
                false => self.aes.encrypt(std::slice::from_mut(block)),
            }
            add(block, &tweak);
            // Times the primitive element, modulo x^128 + x^7 + x^2 + x + 1 (IEEE 1619, 5.2).
            self.tweak = (self.tweak << 1) ^ (0x87 * (self.tweak >> 127));
            self.left -= 1;
        }
    }
}
