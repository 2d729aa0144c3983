// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The container's header (docs/reference/container.md, "Header").

use std::io::Read;

use sha2::{Digest, Sha256};

use crate::chunker::read_full;
use crate::{BLOCK_BYTES, CostLimits, Error, KeyBits, KeyDerivation, Mode, Result};

/// Bytes of a header.
pub(crate) const HEADER_BYTES: usize = 128;
/// Bytes of the fields before the SHA-256.
const FIELDS_BYTES: usize = 64;
/// Bytes under the HMAC: the fields and their SHA-256.
pub(crate) const SEALED_BYTES: usize = 96;
/// A byte above 127 and two kinds of line end show what a text-mode transfer does.
const MAGIC: [u8; 8] = *b"\x89CPM\r\n\x1a\n";
/// The version that is written, and the only one that is read.
pub(crate) const VERSION: u16 = 1;
const CIPHER_AES: u8 = 1;

/// Smallest chunk.
pub const MINIMUM_CHUNK_BYTES: usize = BLOCK_BYTES;
/// Largest chunk: 64 MiB.
pub const MAXIMUM_CHUNK_BYTES: usize = 64 << 20;
/// Chunk unless asked otherwise: 1 MiB.
pub const DEFAULT_CHUNK_BYTES: usize = 1 << 20;

/// A container's parameters, stored unencrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Version of the format.
    pub version: u16,
    /// Mode of the chunks; all but GCM are authenticated by HMAC-SHA-256.
    pub mode: Mode,
    /// Size of the AES key.
    pub key_bits: KeyBits,
    /// How the master secret is derived.
    pub key_derivation: KeyDerivation,
    /// Bytes of plaintext in every chunk but the last.
    pub chunk_bytes: usize,
    /// Fresh for every file.
    pub salt: [u8; 32],
}

/// A header as it stands in a file.
pub(crate) struct RawHeader {
    pub(crate) bytes: [u8; HEADER_BYTES],
    pub(crate) header: Header,
}

impl RawHeader {
    /// The bytes under the HMAC.
    pub(crate) fn sealed(&self) -> &[u8] {
        &self.bytes[..SEALED_BYTES]
    }

    /// The SHA-256, which each chunk's tag covers.
    pub(crate) fn hash(&self) -> &[u8] {
        &self.bytes[FIELDS_BYTES..SEALED_BYTES]
    }

    /// The HMAC under the header key.
    pub(crate) fn tag(&self) -> &[u8] {
        &self.bytes[SEALED_BYTES..]
    }

    /// Set the HMAC.
    pub(crate) fn set_tag(&mut self, tag: &[u8; 32]) {
        self.bytes[SEALED_BYTES..].copy_from_slice(tag);
    }

    /// Read a header and check its SHA-256 and that its fields make sense; its
    /// HMAC is still to be checked.
    pub(crate) fn read(reader: &mut dyn Read) -> Result<RawHeader> {
        let mut bytes = [0; HEADER_BYTES];
        let count = read_full(reader, &mut bytes)?;
        RawHeader::parse(bytes, count)
    }

    fn parse(bytes: [u8; HEADER_BYTES], count: usize) -> Result<RawHeader> {
        if count == 0 {
            return Err(Error::damaged(
                "the input is empty: not a Ciphermill file, or cut short",
            ));
        }
        let known = count.min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(Error::damaged(
                "not a Ciphermill file (for what `openssl enc` wrote, choose format openssl)",
            ));
        }
        if count < HEADER_BYTES {
            return Err(Error::damaged(
                "the file ends within its header: it was cut short",
            ));
        }
        let hash = Sha256::digest(&bytes[..FIELDS_BYTES]);
        if hash[..] != bytes[FIELDS_BYTES..SEALED_BYTES] {
            return Err(Error::damaged(
                "the file is damaged: its header has changed",
            ));
        }
        let header = Header::parse_fields(&bytes)?;
        header.check_sense().map_err(refused)?;
        Ok(RawHeader { bytes, header })
    }
}

impl Header {
    /// What [`crate::decrypt`] would refuse about the cost of the key derivation, before there
    /// is a password.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Damaged`] when it costs more than these limits allow.
    pub fn check_limits(&self, limits: &CostLimits) -> Result<()> {
        limits.check(&self.key_derivation).map_err(refused)
    }

    /// [`crate::ErrorKind::Invalid`] for a chunk or parameters that cannot be, or a
    /// key derivation that a reader would refuse.
    pub(crate) fn check(&self, limits: &CostLimits) -> Result<()> {
        self.check_sense()?;
        limits.check(&self.key_derivation)
    }

    /// [`crate::ErrorKind::Invalid`] for a chunk or parameters that cannot be.
    fn check_sense(&self) -> Result<()> {
        let chunk = self.chunk_bytes;
        if !(MINIMUM_CHUNK_BYTES..=MAXIMUM_CHUNK_BYTES).contains(&chunk)
            || !chunk.is_multiple_of(BLOCK_BYTES)
        {
            return Err(Error::invalid(format!(
                "a chunk of {chunk} bytes: choose a multiple of {BLOCK_BYTES} from \
                 {MINIMUM_CHUNK_BYTES} to {MAXIMUM_CHUNK_BYTES}"
            )));
        }
        self.key_derivation.check_sense()
    }

    /// The bytes up to the HMAC, which is zero.
    pub(crate) fn encode(self) -> RawHeader {
        let (derivation, parameters) = encode_derivation(&self.key_derivation);
        let mut bytes = [0; HEADER_BYTES];
        let mut at = 0;
        let mut put = |field: &[u8]| {
            bytes[at..at + field.len()].copy_from_slice(field);
            at += field.len();
        };
        put(&MAGIC);
        put(&self.version.to_be_bytes());
        put(&[CIPHER_AES, mode_number(self.mode)]);
        put(&(self.key_bits.bits() as u16).to_be_bytes());
        put(&[derivation, 0]);
        put(&(self.chunk_bytes as u32).to_be_bytes());
        for parameter in parameters {
            put(&parameter.to_be_bytes());
        }
        put(&self.salt);
        let hash = Sha256::digest(&bytes[..FIELDS_BYTES]);
        bytes[FIELDS_BYTES..SEALED_BYTES].copy_from_slice(&hash);
        RawHeader {
            bytes,
            header: self,
        }
    }

    fn parse_fields(bytes: &[u8; HEADER_BYTES]) -> Result<Header> {
        let short = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| {
            u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let unknown = |what: &str, value: u32| {
            Err(Error::damaged(format!(
                "unknown {what} {value} in the header: made by a newer Ciphermill, \
                 or not by Ciphermill"
            )))
        };
        if short(8) != VERSION {
            return unknown("version", short(8).into());
        }
        if bytes[10] != CIPHER_AES {
            return unknown("cipher", bytes[10].into());
        }
        let Some(mode) = Mode::MESSAGES
            .into_iter()
            .find(|mode| mode_number(*mode) == bytes[11])
        else {
            return unknown("mode", bytes[11].into());
        };
        let Ok(key_bits) = KeyBits::from_bits(short(12).into()) else {
            return unknown("key size", short(12).into());
        };
        let Some(key_derivation) = decode_derivation(bytes[14], [long(20), long(24), long(28)])
        else {
            return unknown("key derivation", bytes[14].into());
        };
        if bytes[15] != 0 {
            return unknown("flag", bytes[15].into());
        }
        let header = Header {
            version: VERSION,
            mode,
            key_bits,
            key_derivation,
            chunk_bytes: long(16) as usize,
            salt: *bytes[32..].first_chunk().expect("32 bytes follow"),
        };
        Ok(header)
    }
}

/// Whoever made the header wrote what is wrong: the file is at fault, not the caller.
pub(crate) fn refused(error: Error) -> Error {
    Error::damaged(format!("the file's header is refused: {error}"))
}

fn mode_number(mode: Mode) -> u8 {
    match mode {
        Mode::Ecb => 1,
        Mode::Cbc => 2,
        Mode::Ctr => 3,
        Mode::Gcm => 4,
        Mode::Xts => unreachable!("the options refuse it"),
    }
}

fn encode_derivation(derivation: &KeyDerivation) -> (u8, [u32; 3]) {
    match *derivation {
        KeyDerivation::RawKey => (0, [0; 3]),
        KeyDerivation::Scrypt { log_n, r, p } => (1, [log_n.into(), r, p]),
        KeyDerivation::Argon2id {
            memory_kib,
            passes,
            lanes,
        } => (2, [memory_kib, passes, lanes]),
        KeyDerivation::Pbkdf2 { iterations } => (3, [iterations, 0, 0]),
    }
}

/// `None` for an unknown number, or for parameters that would not be written so.
fn decode_derivation(number: u8, parameters: [u32; 3]) -> Option<KeyDerivation> {
    let [first, second, third] = parameters;
    let derivation = match number {
        0 => KeyDerivation::RawKey,
        1 => KeyDerivation::Scrypt {
            log_n: first.try_into().ok()?,
            r: second,
            p: third,
        },
        2 => KeyDerivation::Argon2id {
            memory_kib: first,
            passes: second,
            lanes: third,
        },
        3 => KeyDerivation::Pbkdf2 { iterations: first },
        _ => return None,
    };
    (encode_derivation(&derivation).1 == parameters).then_some(derivation)
}
