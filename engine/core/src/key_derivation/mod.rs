// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! From a password to a master secret, and what that may cost.
//!
//! The functions are written out here, since no crate for them offers all of this: memory
//! that is short is an error and does not end the process, a cancellation ends the work
//! within a fraction of a second without leaving a thread or memory behind, and the memory
//! is erased.

mod argon2id;
mod limits;
mod memory;
pub(crate) mod pbkdf2;
mod scrypt;
#[cfg(test)]
mod tests;

use std::fmt;

use zeroize::Zeroizing;

pub use self::limits::CostLimits;
use crate::{Cancellation, Error, Result, Secret};

/// Largest block size r and parallelism p of scrypt, and most lanes of Argon2id. More of them
/// makes nothing safer, and the memory for them is not what N or the memory size says.
const MAXIMUM_SCRYPT_R: u32 = 64;
const MAXIMUM_SCRYPT_P: u32 = 64;
const MAXIMUM_ARGON2ID_LANES: u32 = 256;
/// scrypt chooses an entry by a number of 32 bits.
const MAXIMUM_SCRYPT_LOG_N: u8 = 32;

/// How the master secret comes from what the user holds.
///
/// ```
/// use ciphermill::KeyDerivation;
/// let slower = KeyDerivation::Scrypt { log_n: 18, r: 8, p: 1 };
/// // The table of N entries of 128 r bytes, one input, and two entries to work on.
/// assert_eq!(slower.memory_bytes(), 128 * 8 * ((1 << 18) + 3));
/// assert_eq!(KeyDerivation::default().name(), "scrypt");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

    /// The same derivation at another cost; what is `None` stays as it is.
    ///
    /// `memory_bytes` is a power of two for scrypt, whose r stays, and any number of KiB for
    /// Argon2id. `passes` are Argon2id's, or scrypt's p. `iterations` are PBKDF2's.
    ///
    /// ```
    /// use ciphermill::KeyDerivation;
    /// let slower = KeyDerivation::SCRYPT.with_cost(Some(256 << 20), None, None).unwrap();
    /// assert_eq!(slower, KeyDerivation::Scrypt { log_n: 18, r: 8, p: 1 });
    /// assert!(KeyDerivation::SCRYPT.with_cost(None, None, Some(1000)).is_err());
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for what the derivation does not have, or cannot be.
    pub fn with_cost(
        self,
        memory_bytes: Option<u64>,
        passes: Option<u32>,
        iterations: Option<u32>,
    ) -> Result<KeyDerivation> {
        let misplaced = |given: bool, what: &str| match given {
            true => Err(Error::invalid(format!(
                "{what} cannot be chosen for {}",
                self.name()
            ))),
            false => Ok(()),
        };
        let changed = match self {
            KeyDerivation::RawKey => {
                let any = memory_bytes.is_some() || passes.is_some() || iterations.is_some();
                misplaced(any, "a cost")?;
                self
            }
            KeyDerivation::Scrypt { log_n, r, p } => {
                misplaced(iterations.is_some(), "iterations")?;
                let log_n = match memory_bytes {
                    None => log_n,
                    Some(bytes) => scrypt_log_n(bytes, r)?,
                };
                let p = passes.unwrap_or(p);
                KeyDerivation::Scrypt { log_n, r, p }
            }
            KeyDerivation::Argon2id {
                memory_kib,
                passes: default_passes,
                lanes,
            } => {
                misplaced(iterations.is_some(), "iterations")?;
                let memory_kib = match memory_bytes {
                    None => memory_kib,
                    Some(bytes) => argon2id_kib(bytes)?,
                };
                KeyDerivation::Argon2id {
                    memory_kib,
                    passes: passes.unwrap_or(default_passes),
                    lanes,
                }
            }
            KeyDerivation::Pbkdf2 {
                iterations: default_iterations,
            } => {
                misplaced(memory_bytes.is_some(), "memory")?;
                misplaced(passes.is_some(), "passes")?;
                KeyDerivation::Pbkdf2 {
                    iterations: iterations.unwrap_or(default_iterations),
                }
            }
        };
        changed.check_sense()?;
        Ok(changed)
    }

    /// Memory that it allocates, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        match *self {
            KeyDerivation::Scrypt { log_n, r, p } => scrypt::memory_bytes(log_n, r, p),
            KeyDerivation::Argon2id { memory_kib, .. } => u64::from(memory_kib) * 1024,
            KeyDerivation::RawKey | KeyDerivation::Pbkdf2 { .. } => 0,
        }
    }

    /// Bytes that it writes to memory in all, which its time follows: scrypt's memory times p,
    /// Argon2id's times its passes.
    fn traffic_bytes(&self) -> u64 {
        let times = match *self {
            KeyDerivation::Scrypt { p, .. } => p,
            KeyDerivation::Argon2id { passes, .. } => passes,
            KeyDerivation::RawKey | KeyDerivation::Pbkdf2 { .. } => 0,
        };
        self.memory_bytes().saturating_mul(times.into())
    }

    /// Iterations of PBKDF2.
    fn iterations(&self) -> u64 {
        match *self {
            KeyDerivation::Pbkdf2 { iterations } => iterations.into(),
            _ => 0,
        }
    }

    /// [`crate::ErrorKind::Invalid`] unless the parameters make sense.
    pub(crate) fn check_sense(&self) -> Result<()> {
        let sensible = match *self {
            KeyDerivation::RawKey => true,
            // RFC 7914, section 2: N is a power of two above 1 and below 2^(16 r).
            KeyDerivation::Scrypt { log_n, r, p } => {
                (1..=MAXIMUM_SCRYPT_R).contains(&r)
                    && (1..=MAXIMUM_SCRYPT_P).contains(&p)
                    && (1..=MAXIMUM_SCRYPT_LOG_N).contains(&log_n)
                    && u32::from(log_n) < 16 * r
            }
            // RFC 9106, section 3.1.
            KeyDerivation::Argon2id {
                memory_kib,
                passes,
                lanes,
            } => {
                passes > 0
                    && (1..=MAXIMUM_ARGON2ID_LANES).contains(&lanes)
                    && memory_kib >= 8 * lanes
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

    /// The master secret. Gives up when the cancellation is set.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when a password is given where a key is
    /// needed, or the other way round; [`crate::ErrorKind::Io`] where memory is short;
    /// [`crate::ErrorKind::Cancelled`].
    pub(crate) fn derive(
        &self,
        secret: &Secret,
        salt: &[u8; 32],
        stop: &Cancellation,
    ) -> Result<Zeroizing<Vec<u8>>> {
        self.check_sense()?;
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
        let password = secret.as_bytes();
        let mut output = Zeroizing::new([0; 32]);
        match *self {
            KeyDerivation::RawKey => return Ok(Zeroizing::new(password.to_vec())),
            KeyDerivation::Scrypt { log_n, r, p } => {
                scrypt::derive(password, salt, (log_n, r, p), &mut *output, stop)?;
            }
            KeyDerivation::Argon2id {
                memory_kib,
                passes,
                lanes,
            } => {
                let cost = argon2id::Cost {
                    memory_kib,
                    passes,
                    lanes,
                };
                argon2id::derive(password, salt, cost, &mut output, stop)?;
            }
            KeyDerivation::Pbkdf2 { iterations } => {
                pbkdf2::derive(password, salt, iterations, &mut *output, stop)?;
            }
        }
        Ok(Zeroizing::new(output.to_vec()))
    }
}

/// The logarithm of scrypt's N at which its table has so many bytes.
fn scrypt_log_n(bytes: u64, r: u32) -> Result<u8> {
    let entries = bytes / (128 * u64::from(r));
    if !bytes.is_power_of_two() || entries < 2 {
        return Err(Error::invalid(format!(
            "scrypt takes no {bytes} bytes of memory: choose a power of two from {} bytes",
            256 * r
        )));
    }
    Ok(entries.ilog2() as u8)
}

/// So many bytes in KiB.
fn argon2id_kib(bytes: u64) -> Result<u32> {
    let kib = u32::try_from(bytes / 1024).ok();
    kib.filter(|_| bytes.is_multiple_of(1024)).ok_or_else(|| {
        Error::invalid(format!(
            "Argon2id takes no {bytes} bytes of memory: choose whole KiB, less than 4 TiB"
        ))
    })
}
