// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Options of encryption and decryption, and the summary of a run.

use std::time::Duration;

use super::DEFAULT_CHUNK_BYTES;
use crate::{CostLimits, KeyBits, KeyDerivation, Mode, Secret, Timing};

/// How to encrypt.
///
/// ```
/// use ciphermill::{EncryptOptions, KeyDerivation, Mode, Secret};
/// let mut options = EncryptOptions::new(Secret::password("secret").unwrap());
/// options.mode = Some(Mode::Ctr);
/// options.key_derivation = KeyDerivation::ARGON2ID;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EncryptOptions {
    /// Mode of the chunks; `None` for the best that the device has (see [`crate::choose_mode`]).
    pub mode: Option<Mode>,
    /// Size of the AES key.
    pub key_bits: KeyBits,
    /// Bytes of plaintext in a chunk: a multiple of 16.
    pub chunk_bytes: usize,
    /// How a password is stretched; a key never is.
    pub key_derivation: KeyDerivation,
    /// Limits on the cost of the key derivation. A file that costs more than the default limits
    /// opens only for readers that raise theirs.
    pub limits: CostLimits,
    /// Password or key.
    pub secret: Secret,
}

impl EncryptOptions {
    /// AES-256, the device's best mode, chunks of 1 MiB, scrypt for a password.
    pub fn new(secret: Secret) -> EncryptOptions {
        EncryptOptions {
            mode: None,
            key_bits: KeyBits::Bits256,
            chunk_bytes: DEFAULT_CHUNK_BYTES,
            key_derivation: KeyDerivation::default(),
            limits: CostLimits::default(),
            secret,
        }
    }
}

/// How to decrypt: all but this stands in the file's header.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DecryptOptions {
    /// Password or key.
    pub secret: Secret,
    /// Limits on the cost of the key derivation.
    pub limits: CostLimits,
}

impl DecryptOptions {
    /// With the default limits.
    pub fn new(secret: Secret) -> DecryptOptions {
        DecryptOptions {
            secret,
            limits: CostLimits::default(),
        }
    }
}

/// A summary of an encryption or decryption.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Mode of the chunks.
    pub mode: Mode,
    /// Size of the AES key.
    pub key_bits: KeyBits,
    /// How the key was derived.
    pub key_derivation: KeyDerivation,
    /// Bytes read.
    pub bytes_in: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// Chunks.
    pub chunks: u64,
    /// Time that the key derivation took.
    pub derivation_time: Duration,
    /// Time that everything else took, with the sync of an output file.
    pub time: Duration,
    /// Sum of the device's own times (its jobs may overlap, and so add up to
    /// more than `time`).
    pub device: Option<Timing>,
}
