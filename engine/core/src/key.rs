// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Keys of block ciphers.

use std::fmt;

use zeroize::Zeroize;

use crate::algorithm::{AES, list};
use crate::{Algorithm, Error, Result};

/// Bytes of an AES block (FIPS 197, section 3.1). No block cipher here has longer ones.
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

/// A key of a block cipher, zeroised when dropped and never printed.
pub struct Key {
    algorithm: &'static Algorithm,
    bytes: [u8; 32],
    length: usize,
}

impl Key {
    /// A key of AES, of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// As [`Key::of`].
    pub fn new(bytes: &[u8]) -> Result<Key> {
        Key::of(&AES, bytes)
    }

    /// A key of this block cipher.
    ///
    /// ```
    /// use ciphermill::{Key, PRESENT};
    /// assert_eq!(Key::of(&PRESENT, &[0; 10]).unwrap().bits(), 80);
    /// let error = Key::of(&PRESENT, &[0; 12]).unwrap_err();
    /// assert_eq!(error.to_string(), "a key of present has 10 or 16 bytes, not 12");
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for a length that its keys do not have, and for an
    /// algorithm that is no block cipher.
    pub fn of(algorithm: &'static Algorithm, bytes: &[u8]) -> Result<Key> {
        let name = algorithm.name;
        if algorithm.modes.is_empty() {
            return Err(Error::invalid(format!("{name} is no block cipher")));
        }
        if !algorithm.key_bits.contains(&(8 * bytes.len())) {
            return Err(Error::invalid(format!(
                "a key of {name} has {} bytes, not {}",
                list(algorithm.key_bits.iter().map(|bits| bits / 8)),
                bytes.len()
            )));
        }
        let mut key = Key {
            algorithm,
            bytes: [0; 32],
            length: bytes.len(),
        };
        key.bytes[..bytes.len()].copy_from_slice(bytes);
        Ok(key)
    }

    /// The block cipher.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Whether it is a key of AES.
    pub fn is_aes(&self) -> bool {
        std::ptr::eq(self.algorithm, &AES)
    }

    /// The key's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The key's length in bits.
    pub fn bits(&self) -> usize {
        8 * self.length
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Key({}, {} bits)",
            self.algorithm.name,
            self.bits()
        )
    }
}
