// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! From a password to a master secret, and what that may cost.

use std::fmt;

use hmac::Hmac;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::{Error, Result, Secret};

/// How the master secret comes from what the user holds.
///
/// ```
/// use ciphermill::KeyDerivation;
/// let slower = KeyDerivation::Scrypt { log_n: 18, r: 8, p: 1 };
/// assert_eq!(slower.memory_bytes(), 256 << 20);
/// assert_eq!(KeyDerivation::default().name(), "scrypt");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyDerivation {
    /// The key itself is the master secret.
    RawKey,
    /// scrypt (RFC 7914).
    Scrypt {
        /// Base-2 logarithm of the cost N.
        log_n: u8,
        /// Block size.
        r: u32,
        /// Parallelism.
        p: u32,
    },
    /// Argon2id, version 1.3 (RFC 9106).
    Argon2id {
        /// Memory in KiB.
        memory_kib: u32,
        /// Passes over the memory.
        passes: u32,
        /// Lanes (computed one after the other here).
        lanes: u32,
    },
    /// PBKDF2-HMAC-SHA-256 (RFC 8018), for small systems: a graphics card
    /// guesses faster against it than against the other two.
    Pbkdf2 {
        /// Iterations.
        iterations: u32,
    },
}

impl fmt::Display for KeyDerivation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match *self {
            KeyDerivation::RawKey => write!(formatter, "{name}"),
            KeyDerivation::Scrypt { log_n, r, p } => {
                write!(formatter, "{name}, N = 2^{log_n}, r = {r}, p = {p}")
            }
            KeyDerivation::Argon2id {
                memory_kib,
                passes,
                lanes,
            } => write!(
                formatter,
                "{name}, {memory_kib} KiB, {passes} passes, {lanes} lanes"
            ),
            KeyDerivation::Pbkdf2 { iterations } => {
                write!(formatter, "{name}, {iterations} iterations")
            }
        }
    }
}

impl Default for KeyDerivation {
    fn default() -> KeyDerivation {
        KeyDerivation::SCRYPT
    }
}

impl KeyDerivation {
    /// The default: 128 MiB, about a third of a second.
    pub const SCRYPT: KeyDerivation = KeyDerivation::Scrypt {
        log_n: 17,
        r: 8,
        p: 1,
    };

    /// RFC 9106's second recommendation: 64 MiB, three passes, four lanes.
    pub const ARGON2ID: KeyDerivation = KeyDerivation::Argon2id {
        memory_kib: 65536,
        passes: 3,
        lanes: 4,
    };

    /// 600,000 iterations.
    pub const PBKDF2: KeyDerivation = KeyDerivation::Pbkdf2 {
        iterations: 600_000,
    };

    /// The name, as the command line has it.
    pub fn name(&self) -> &'static str {
        match self {
            KeyDerivation::RawKey => "key",
            KeyDerivation::Scrypt { .. } => "scrypt",
            KeyDerivation::Argon2id { .. } => "argon2id",
            KeyDerivation::Pbkdf2 { .. } => "pbkdf2",
        }
    }

    /// The derivation of this name (`scrypt`, `argon2id`, `pbkdf2`) at its default cost.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for another name.
    pub fn from_name(name: &str) -> Result<KeyDerivation> {
        [
            KeyDerivation::SCRYPT,
            KeyDerivation::ARGON2ID,
            KeyDerivation::PBKDF2,
        ]
        .into_iter()
        .find(|derivation| derivation.name() == name)
        .ok_or_else(|| {
            Error::invalid(format!(
                "no key derivation {name:?}: choose scrypt, argon2id or pbkdf2"
            ))
        })
    }

    /// Memory that it takes, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        match *self {
            KeyDerivation::Scrypt { log_n, r, p } => (128 * u64::from(r))
                .saturating_mul(1u64.checked_shl(log_n.into()).unwrap_or(u64::MAX))
                .saturating_add(
                    (128 * u64::from(r)).saturating_mul(u64::from(p).saturating_sub(1)),
                ),
            KeyDerivation::Argon2id { memory_kib, .. } => u64::from(memory_kib) * 1024,
            KeyDerivation::RawKey | KeyDerivation::Pbkdf2 { .. } => 0,
        }
    }

    /// Bytes that it writes to memory in all, which is what its time goes by.
    fn traffic_bytes(&self) -> u64 {
        let times = match *self {
            KeyDerivation::Scrypt { p, .. } => p,
            KeyDerivation::Argon2id { passes, .. } => passes,
            KeyDerivation::RawKey | KeyDerivation::Pbkdf2 { .. } => 0,
        };
        self.memory_bytes().saturating_mul(times.into())
    }

    /// [`crate::ErrorKind::Invalid`] unless the parameters make sense.
    pub(crate) fn check_sense(&self) -> Result<()> {
        let sensible = match *self {
            KeyDerivation::RawKey => true,
            // RFC 7914, section 2: N is a power of two above 1, r * p < 2^30.
            KeyDerivation::Scrypt { log_n, r, p } => {
                (1..=40).contains(&log_n) && r > 0 && p > 0 && u64::from(r) * u64::from(p) < 1 << 30
            }
            // RFC 9106, section 3.1.
            KeyDerivation::Argon2id {
                memory_kib,
                passes,
                lanes,
            } => {
                passes > 0
                    && (1..1 << 24).contains(&lanes)
                    && u64::from(memory_kib) >= 8 * u64::from(lanes)
            }
            KeyDerivation::Pbkdf2 { iterations } => iterations > 0,
        };
        if !sensible {
            return Err(Error::invalid(format!(
                "impossible parameters of the key derivation: {self}"
            )));
        }
        Ok(())
    }

    /// [`crate::ErrorKind::Invalid`] unless sensible parameters stay within the limits.
    pub(crate) fn check_cost(&self, limits: &CostLimits) -> Result<()> {
        let iterations = match *self {
            KeyDerivation::Pbkdf2 { iterations } => u64::from(iterations),
            _ => 0,
        };
        if self.memory_bytes() > limits.memory_bytes
            || self.traffic_bytes() > limits.traffic_bytes
            || iterations > limits.iterations
        {
            return Err(Error::invalid(format!(
                "deriving the key ({self}) would cost more than the limits allow \
                 ({} MiB of memory, {} MiB of memory traffic, {} iterations); a program \
                 that trusts who made the file can raise them (CostLimits)",
                limits.memory_bytes >> 20,
                limits.traffic_bytes >> 20,
                limits.iterations
            )));
        }
        Ok(())
    }

    /// The master secret.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when a password is given where a key is
    /// needed, or the other way round.
    pub(crate) fn derive(&self, secret: &Secret, salt: &[u8; 32]) -> Result<Zeroizing<Vec<u8>>> {
        let needs_password = *self != KeyDerivation::RawKey;
        if needs_password != secret.is_password() {
            let (made, given) = if needs_password {
                ("password", "key")
            } else {
                ("key", "password")
            };
            return Err(Error::invalid(format!(
                "this was encrypted with a {made}, and a {given} was given"
            )));
        }
        let impossible = || {
            Error::invalid(format!(
                "impossible parameters of the key derivation: {self}"
            ))
        };
        // Where the memory is not to be had, say so rather than abort.
        let memory = usize::try_from(self.memory_bytes()).unwrap_or(usize::MAX);
        Vec::<u8>::new().try_reserve_exact(memory).map_err(|_| {
            Error::invalid(format!(
                "deriving the key needs {} MiB of memory, which this machine cannot give",
                memory >> 20
            ))
        })?;
        let password = secret.as_bytes();
        let mut output = Zeroizing::new(vec![0; 32]);
        match *self {
            KeyDerivation::RawKey => return Ok(Zeroizing::new(password.to_vec())),
            KeyDerivation::Scrypt { log_n, r, p } => {
                let parameters = scrypt::Params::new(log_n, r, p).map_err(|_| impossible())?;
                scrypt::scrypt(password, salt, &parameters, &mut output)
                    .map_err(|_| impossible())?;
            }
            KeyDerivation::Argon2id {
                memory_kib,
                passes,
                lanes,
            } => {
                let parameters = argon2::Params::new(memory_kib, passes, lanes, Some(32))
                    .map_err(|_| impossible())?;
                // Memory of our own, since the key follows from what stays in it.
                let blocks = vec![argon2::Block::new(); parameters.block_count()];
                let mut blocks = Zeroizing::new(blocks);
                argon2::Argon2::new(
                    argon2::Algorithm::Argon2id,
                    argon2::Version::V0x13,
                    parameters,
                )
                .hash_password_into_with_memory(password, salt, &mut output, &mut blocks[..])
                .map_err(|_| impossible())?;
            }
            KeyDerivation::Pbkdf2 { iterations } => {
                pbkdf2::pbkdf2::<Hmac<Sha256>>(password, salt, iterations, &mut output)
                    .map_err(|_| impossible())?;
            }
        }
        Ok(output)
    }
}

/// What deriving a key may cost. A header says what it costs before it can be
/// authenticated, so that these limits are all that stands between a hostile
/// file and this machine's memory and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostLimits {
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Bytes written to memory (scrypt: memory times p; Argon2id: memory times passes).
    pub traffic_bytes: u64,
    /// Iterations of PBKDF2.
    pub iterations: u64,
}

impl Default for CostLimits {
    /// 1 GiB of memory, 4 GiB of traffic, 10 million iterations: about ten seconds.
    fn default() -> CostLimits {
        CostLimits {
            memory_bytes: 1 << 30,
            traffic_bytes: 4 << 30,
            iterations: 10_000_000,
        }
    }
}
