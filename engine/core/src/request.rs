// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a device is asked to do.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use zeroize::Zeroize;

use crate::{DataUnits, Error, Result};

/// Bytes of an AES block (FIPS 197, section 3.1).
pub const BLOCK_BYTES: usize = 16;

/// Mode of operation. Exhaustive on purpose: whoever adds a mode must decide about it in every
/// device, and the compiler finds the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Electronic codebook (SP 800-38A, 6.1); whole blocks only.
    Ecb,
    /// Cipher block chaining (SP 800-38A, 6.2); whole blocks only.
    Cbc,
    /// Counter (SP 800-38A, 6.5), the whole 128-bit block counting, big endian.
    Ctr,
    /// Galois/counter (SP 800-38D) with a 96-bit IV and a 128-bit tag.
    Gcm,
    /// Storage by data units (IEEE 1619-2018, SP 800-38E), with a second key: see
    /// [`crate::DataUnits`]. No key of 192 bits.
    Xts,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 5] = [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm, Mode::Xts];

    /// The modes of messages, as in files and streams: all but XTS, which is for storage.
    pub const MESSAGES: [Mode; 4] = [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm];

    /// The mode's name in lower case, as the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ecb => "ecb",
            Mode::Cbc => "cbc",
            Mode::Ctr => "ctr",
            Mode::Gcm => "gcm",
            Mode::Xts => "xts",
        }
    }

    /// Whether data must be whole blocks (ECB and CBC), so that messages need padding.
    pub fn needs_whole_blocks(self) -> bool {
        matches!(self, Mode::Ecb | Mode::Cbc)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Mode {
    type Err = Error;

    /// The mode of this name, in lower case.
    ///
    /// ```
    /// use ciphermill::Mode;
    /// assert_eq!("ctr".parse::<Mode>().unwrap(), Mode::Ctr);
    /// assert!("CTR".parse::<Mode>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Mode> {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .ok_or_else(|| {
                Error::invalid(format!(
                    "no mode {name:?}: choose ecb, cbc, ctr, gcm or xts"
                ))
            })
    }
}

/// Encrypt or decrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Plaintext in, ciphertext out.
    Encrypt,
    /// Ciphertext in, plaintext out.
    Decrypt,
}

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

/// Where the output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Output {
    /// Back to the host.
    Return,
    /// Consumed and counted on the device; the completion's data is empty.
    Sink,
}

/// One operation on one buffer.
///
/// ```
/// use ciphermill::{Direction, Key, Mode, Request};
/// let key = Key::new(&[0; 32]).unwrap();
/// let request = Request::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// assert_eq!(request.mode.name(), "ctr");
/// ```
#[derive(Debug, Clone)]
pub struct Request {
    /// Mode of operation.
    pub mode: Mode,
    /// Encrypt or decrypt.
    pub direction: Direction,
    /// The key, shared by the jobs of a message.
    pub key: Arc<Key>,
    /// CBC: the IV; CTR: the first counter block; GCM: the IV in the first 12
    /// bytes; XTS: the first data unit's number, little endian; ECB: ignored.
    pub iv: [u8; BLOCK_BYTES],
    /// XTS: the data units and their key. Other modes have none.
    pub data_units: Option<DataUnits>,
    /// GCM: additional authenticated data.
    pub associated_data: Vec<u8>,
    /// GCM decryption: the tag that must match.
    pub tag: Option<[u8; BLOCK_BYTES]>,
    /// Back to the host, or into the device's sink.
    pub output: Output,
    /// Data goes through the device uncoded (the bypass).
    pub bypass: bool,
}

impl Request {
    /// A request without associated data whose output comes back. XTS needs
    /// [`Request::xts`] instead.
    pub fn new(
        mode: Mode,
        direction: Direction,
        key: impl Into<Arc<Key>>,
        iv: [u8; BLOCK_BYTES],
    ) -> Request {
        Request {
            mode,
            direction,
            key: key.into(),
            iv,
            data_units: None,
            associated_data: Vec::new(),
            tag: None,
            output: Output::Return,
            bypass: false,
        }
    }
}
