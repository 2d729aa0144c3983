// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The algorithms that the engine knows, as a table: [`Algorithm::ALL`].
//!
//! A new algorithm is a row here, and for each device that has it an implementation in a file
//! of its own. Nothing else asks which algorithm it is.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// The usual length of GCM's IV in bytes.
pub const GCM_IV_BYTES: usize = 12;

/// An operation of an algorithm on a message or a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Plaintext to ciphertext of the same length, and a tag where the mode has one.
    Encrypt,
    /// Ciphertext to plaintext of the same length.
    Decrypt,
    /// A message of any length to a digest of a fixed length.
    Digest,
    /// A message of any length and a secret key to a code of a fixed length.
    Authenticate,
    /// Nothing to a new private key and its public key.
    GenerateKey,
    /// A digest and a private key to a signature of two integers.
    Sign,
    /// A digest, a signature and a public key to yes or no.
    Verify,
    /// A private key and somebody else's public key to a shared secret.
    Agree,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 8] = [
        Operation::Encrypt,
        Operation::Decrypt,
        Operation::Digest,
        Operation::Authenticate,
        Operation::GenerateKey,
        Operation::Sign,
        Operation::Verify,
        Operation::Agree,
    ];

    /// The operation's name, such as `generate-key`.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Encrypt => "encrypt",
            Operation::Decrypt => "decrypt",
            Operation::Digest => "digest",
            Operation::Authenticate => "authenticate",
            Operation::GenerateKey => "generate-key",
            Operation::Sign => "sign",
            Operation::Verify => "verify",
            Operation::Agree => "agree",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Operation {
    type Err = Error;

    /// The operation of this name.
    ///
    /// ```
    /// use ciphermill::Operation;
    /// assert_eq!("generate-key".parse::<Operation>().unwrap(), Operation::GenerateKey);
    /// assert!("hash".parse::<Operation>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Operation> {
        let mut all = Operation::ALL.into_iter();
        all.find(|operation| operation.name() == name)
            .ok_or_else(|| {
                let names = Operation::ALL.map(Operation::name).join(", ");
                Error::invalid(format!("no operation {name:?}: choose one of {names}"))
            })
    }
}

/// Mode of operation of a block cipher. Exhaustive on purpose: whoever adds a mode must decide
/// about it in every device, and the compiler finds the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Electronic codebook (SP 800-38A, 6.1); whole blocks only.
    Ecb,
    /// Cipher block chaining (SP 800-38A, 6.2); whole blocks only.
    Cbc,
    /// Counter (SP 800-38A, 6.5), the whole block counting, big endian.
    Ctr,
    /// Galois/counter (SP 800-38D) with a 128-bit tag; the usual IV has 96 bits.
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

/// Encrypt or decrypt: the two operations of a cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Plaintext in, ciphertext out.
    Encrypt,
    /// Ciphertext in, plaintext out.
    Decrypt,
}

impl From<Direction> for Operation {
    fn from(direction: Direction) -> Operation {
        match direction {
            Direction::Encrypt => Operation::Encrypt,
            Direction::Decrypt => Operation::Decrypt,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Operation::from(*self).fmt(formatter)
    }
}

/// An algorithm: a row of the table [`Algorithm::ALL`]. Lengths that it does not have are 0.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Algorithm {
    /// The name, in lower case, such as `sha-256`.
    pub name: &'static str,
    /// The standard that defines it.
    pub standard: &'static str,
    /// What it does.
    pub operations: &'static [Operation],
    /// Modes of a block cipher. Its blocks have at most [`crate::BLOCK_BYTES`], its keys 256 bits.
    pub modes: &'static [Mode],
    /// Bits of its keys; none where it takes no key, or one of any length.
    pub key_bits: &'static [usize],
    /// Bytes of a block: of a cipher, or of what a hash takes at once.
    pub block_bytes: usize,
    /// Bytes of a digest or an authentication code.
    pub digest_bytes: usize,
    /// Bytes of the nonce and of the tag of an authenticated cipher without modes.
    pub nonce_bytes: usize,
}

/// Of which the rows below say what is different.
const NOTHING: Algorithm = Algorithm {
    name: "",
    standard: "",
    operations: &[],
    modes: &[],
    key_bits: &[],
    block_bytes: 0,
    digest_bytes: 0,
    nonce_bytes: 0,
};

const CIPHER: &[Operation] = &[Operation::Encrypt, Operation::Decrypt];

/// AES, in the modes of [`Mode`].
pub static AES: Algorithm = Algorithm {
    name: "aes",
    standard: "FIPS 197",
    operations: CIPHER,
    modes: &Mode::ALL,
    key_bits: &[128, 192, 256],
    block_bytes: 16,
    ..NOTHING
};

/// PRESENT, in the modes of SP 800-38A.
pub static PRESENT: Algorithm = Algorithm {
    name: "present",
    standard: "ISO/IEC 29192-2",
    operations: CIPHER,
    modes: &[Mode::Ecb, Mode::Cbc, Mode::Ctr],
    key_bits: &[80, 128],
    block_bytes: 8,
    ..NOTHING
};

/// SHA-2 of so many bytes, in blocks of so many.
const fn sha2(name: &'static str, block_bytes: usize, digest_bytes: usize) -> Algorithm {
    Algorithm {
        name,
        standard: "FIPS 180-4",
        operations: &[Operation::Digest],
        block_bytes,
        digest_bytes,
        ..NOTHING
    }
}

/// HMAC with SHA-2 of so many bytes, in blocks of so many.
const fn hmac(name: &'static str, block_bytes: usize, digest_bytes: usize) -> Algorithm {
    Algorithm {
        name,
        standard: "FIPS 198-1",
        operations: &[Operation::Authenticate],
        block_bytes,
        digest_bytes,
        ..NOTHING
    }
}

/// SHA-224.
pub static SHA_224: Algorithm = sha2("sha-224", 64, 28);

/// SHA-256.
pub static SHA_256: Algorithm = sha2("sha-256", 64, 32);

/// SHA-384.
pub static SHA_384: Algorithm = sha2("sha-384", 128, 48);

/// SHA-512.
pub static SHA_512: Algorithm = sha2("sha-512", 128, 64);

/// SHA-512/224.
pub static SHA_512_224: Algorithm = sha2("sha-512/224", 128, 28);

/// SHA-512/256.
pub static SHA_512_256: Algorithm = sha2("sha-512/256", 128, 32);

/// HMAC with SHA-224, with a key of any length.
pub static HMAC_SHA_224: Algorithm = hmac("hmac-sha-224", 64, 28);

/// HMAC with SHA-256, with a key of any length.
pub static HMAC_SHA_256: Algorithm = hmac("hmac-sha-256", 64, 32);

/// HMAC with SHA-384, with a key of any length.
pub static HMAC_SHA_384: Algorithm = hmac("hmac-sha-384", 128, 48);

/// HMAC with SHA-512, with a key of any length.
pub static HMAC_SHA_512: Algorithm = hmac("hmac-sha-512", 128, 64);

/// HMAC with SHA-512/224, with a key of any length.
pub static HMAC_SHA_512_224: Algorithm = hmac("hmac-sha-512/224", 128, 28);

/// HMAC with SHA-512/256, with a key of any length.
pub static HMAC_SHA_512_256: Algorithm = hmac("hmac-sha-512/256", 128, 32);

/// CMAC with AES.
pub static AES_CMAC: Algorithm = Algorithm {
    name: "aes-cmac",
    standard: "SP 800-38B",
    operations: &[Operation::Authenticate],
    key_bits: AES.key_bits,
    block_bytes: AES.block_bytes,
    digest_bytes: AES.block_bytes,
    ..NOTHING
};

/// Ascon-AEAD128.
pub static ASCON_AEAD128: Algorithm = Algorithm {
    name: "ascon-aead128",
    standard: "SP 800-232",
    operations: CIPHER,
    key_bits: &[128],
    block_bytes: 16,
    nonce_bytes: 16,
    ..NOTHING
};

/// Ascon-Hash256.
pub static ASCON_HASH256: Algorithm = Algorithm {
    name: "ascon-hash256",
    standard: "SP 800-232",
    operations: &[Operation::Digest],
    block_bytes: 8,
    digest_bytes: 32,
    ..NOTHING
};

/// ECDSA and ECDH on a curve whose order has so many bits.
const fn elliptic_curve(name: &'static str, key_bits: &'static [usize]) -> Algorithm {
    Algorithm {
        name,
        standard: "FIPS 186-5 and SP 800-56A",
        operations: &[
            Operation::GenerateKey,
            Operation::Sign,
            Operation::Verify,
            Operation::Agree,
        ],
        key_bits,
        ..NOTHING
    }
}

/// ECDSA and ECDH on the curve P-256.
pub static P_256: Algorithm = elliptic_curve("p-256", &[256]);

/// ECDSA and ECDH on the curve P-384.
pub static P_384: Algorithm = elliptic_curve("p-384", &[384]);

/// ECDSA and ECDH on the curve P-521.
pub static P_521: Algorithm = elliptic_curve("p-521", &[521]);

impl Algorithm {
    /// Bytes of its shortest key: of a private key, where it has those.
    pub fn key_bytes(&self) -> usize {
        self.key_bits.first().map_or(0, |bits| bits.div_ceil(8))
    }

    /// Bytes of the IV of a mode (of GCM the usual one), or of the nonce of a cipher that has no
    /// modes.
    ///
    /// ```
    /// use ciphermill::{AES, Mode, PRESENT};
    /// assert_eq!(AES.iv_bytes(Mode::Gcm).unwrap(), 12);
    /// assert_eq!(PRESENT.iv_bytes(Mode::Ctr).unwrap(), 8);
    /// assert!(PRESENT.iv_bytes(Mode::Gcm).is_err());
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for a mode that a block cipher does not have.
    pub fn iv_bytes(&self, mode: Mode) -> Result<usize> {
        if self.modes.is_empty() {
            return Ok(self.nonce_bytes);
        }
        if !self.modes.contains(&mode) {
            return Err(Error::invalid(format!(
                "{} has no mode {mode}: choose {}",
                self.name,
                list(self.modes)
            )));
        }
        Ok(match mode {
            Mode::Ecb => 0,
            Mode::Cbc | Mode::Ctr | Mode::Xts => self.block_bytes,
            Mode::Gcm => GCM_IV_BYTES,
        })
    }

    /// Every algorithm.
    pub const ALL: [&'static Algorithm; 20] = [
        &AES,
        &PRESENT,
        &SHA_224,
        &SHA_256,
        &SHA_384,
        &SHA_512,
        &SHA_512_224,
        &SHA_512_256,
        &HMAC_SHA_224,
        &HMAC_SHA_256,
        &HMAC_SHA_384,
        &HMAC_SHA_512,
        &HMAC_SHA_512_224,
        &HMAC_SHA_512_256,
        &AES_CMAC,
        &ASCON_AEAD128,
        &ASCON_HASH256,
        &P_256,
        &P_384,
        &P_521,
    ];

    /// The algorithm of this name that has this operation.
    ///
    /// ```
    /// use ciphermill::{Algorithm, Operation};
    /// let sha = Algorithm::find("sha-256", Operation::Digest).unwrap();
    /// assert_eq!(sha.digest_bytes, 32);
    /// let error = Algorithm::find("aes", Operation::Sign).unwrap_err();
    /// assert!(error.to_string().contains("choose p-256, p-384 or p-521"));
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`]; the message lists the known names.
    pub fn find(name: &str, operation: Operation) -> Result<&'static Algorithm> {
        let mut choices = Vec::new();
        for algorithm in Algorithm::ALL {
            if algorithm.operations.contains(&operation) {
                if algorithm.name == name {
                    return Ok(algorithm);
                }
                choices.push(algorithm.name);
            }
        }
        Err(Error::invalid(format!(
            "no algorithm {name:?} to {operation}: choose {}",
            list(choices)
        )))
    }
}

/// Choices in a sentence: `a, b or c`.
pub(crate) fn list(choices: impl IntoIterator<Item = impl ToString>) -> String {
    let mut choices: Vec<_> = choices.into_iter().map(|one| one.to_string()).collect();
    let last = choices.pop().unwrap_or_default();
    match choices.is_empty() {
        true => last,
        false => format!("{} or {last}", choices.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BLOCK_BYTES;

    #[test]
    fn every_row_has_what_its_operations_need() {
        let mut names = Vec::new();
        for algorithm in Algorithm::ALL {
            let Algorithm { name, .. } = algorithm;
            assert!(!algorithm.operations.is_empty(), "{name}");
            let has = |operation| algorithm.operations.contains(&operation);
            let fixed = has(Operation::Digest) || has(Operation::Authenticate);
            assert_eq!(fixed, algorithm.digest_bytes > 0, "{name}");
            let cipher = has(Operation::Encrypt);
            // A nonce where there is no mode that says it.
            let nonce = cipher && algorithm.modes.is_empty();
            assert_eq!(nonce, algorithm.nonce_bytes > 0, "{name}");
            assert!(!cipher || !algorithm.key_bits.is_empty(), "{name}");
            // A key and an IV have places of these lengths.
            let modes = !algorithm.modes.is_empty();
            assert!(!modes || algorithm.block_bytes <= BLOCK_BYTES, "{name}");
            assert!(
                !modes || algorithm.key_bits.iter().all(|bits| *bits <= 256),
                "{name}"
            );
            // The length of a key pair, a signature or a shared secret follows from it.
            assert!(
                !has(Operation::Sign) || algorithm.key_bits.len() == 1,
                "{name}"
            );
            assert!(!names.contains(name), "{name} twice");
            names.push(*name);
        }
    }
}
