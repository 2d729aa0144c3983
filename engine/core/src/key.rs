// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Keys of AES.

use std::fmt;

use zeroize::Zeroize;

use crate::{Error, Result};

/// Bytes of an AES block (FIPS 197, section 3.1).
pub const BLOCK_BYTES: usize = 16;

/// AES key size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyBits {
    /// 128 bits, 10 rounds.
    Bits128,
    /// 192 bits, 12 rounds.
    Bits192,
    /// 256 bits, 14 rounds.
    Bits256,
}

impl KeyBits {
    /// Every key size, smallest first.
    pub const ALL: [KeyBits; 3] = [KeyBits::Bits128, KeyBits::Bits192, KeyBits::Bits256];

    /// The size in bits.
    pub fn bits(self) -> usize {
        match self {
            KeyBits::Bits128 => 128,
            KeyBits::Bits192 => 192,
            KeyBits::Bits256 => 256,
        }
    }

    /// The size in bytes.
    pub fn bytes(self) -> usize {
        self.bits() / 8
    }

    /// The key size of so many bits.
    ///
    /// ```
    /// use ciphermill::KeyBits;
    /// assert_eq!(KeyBits::from_bits(192).unwrap(), KeyBits::Bits192);
    /// assert!(KeyBits::from_bits(512).is_err());
    /// ```
    pub fn from_bits(bits: usize) -> Result<KeyBits> {
        KeyBits::ALL
            .into_iter()
            .find(|size| size.bits() == bits)
            .ok_or_else(|| {
                Error::invalid(format!("an AES key has 128, 192 or 256 bits, not {bits}"))
            })
    }
}

/// An AES key, zeroised when dropped and never printed.
pub struct Key {
    bytes: [u8; 32],
    size: KeyBits,
}

impl Key {
    /// A key of 16, 24 or 32 bytes; any other length is an error.
    pub fn new(bytes: &[u8]) -> Result<Key> {
        let size = match bytes.len() {
            16 => KeyBits::Bits128,
            24 => KeyBits::Bits192,
            32 => KeyBits::Bits256,
            other => {
                return Err(Error::invalid(format!(
                    "an AES key has 16, 24 or 32 bytes, not {other}"
                )));
            }
        };
        let mut key = Key {
            bytes: [0; 32],
            size,
        };
        key.bytes[..bytes.len()].copy_from_slice(bytes);
        Ok(key)
    }

    /// The key's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.size.bytes()]
    }

    /// The key's size.
    pub fn size(&self) -> KeyBits {
        self.size
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key({} bits)", self.size.bits())
    }
}
