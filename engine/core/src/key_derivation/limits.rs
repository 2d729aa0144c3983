// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Limits on the cost of a key derivation.

use super::KeyDerivation;
use crate::{Error, Result};

/// What deriving a key may cost. A header says what it costs before it can be
/// authenticated, so that these limits are all that stands between a hostile
/// file and this machine's memory and time.
///
/// ```
/// use ciphermill::{CostLimits, DecryptOptions, Secret};
/// let mut options = DecryptOptions::new(Secret::password("secret").unwrap());
/// options.limits = CostLimits::default().times(4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostLimits {
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Bytes written to memory (scrypt: memory times p; Argon2id: memory times passes).
    pub traffic_bytes: u64,
    /// Iterations of PBKDF2.
    pub iterations: u64,
}

impl Default for CostLimits {
    /// 1 GiB of memory with a MiB to work with, twice that of traffic, 10 million iterations:
    /// some five seconds of a server's core.
    fn default() -> CostLimits {
        CostLimits {
            memory_bytes: (1 << 30) + (1 << 20),
            traffic_bytes: (2 << 30) + (2 << 20),
            iterations: 10_000_000,
        }
    }
}

impl CostLimits {
    /// So many times these limits.
    pub fn times(self, factor: u32) -> CostLimits {
        let times = |limit: u64| limit.saturating_mul(factor.into());
        CostLimits {
            memory_bytes: times(self.memory_bytes),
            traffic_bytes: times(self.traffic_bytes),
            iterations: times(self.iterations),
        }
    }

    /// How many times the default limits this derivation takes: at least 1.
    ///
    /// ```
    /// use ciphermill::{CostLimits, KeyDerivation};
    /// assert_eq!(CostLimits::needed(&KeyDerivation::SCRYPT), 1);
    /// let slower = KeyDerivation::Scrypt { log_n: 22, r: 8, p: 1 };
    /// assert_eq!(CostLimits::needed(&slower), 4);
    /// ```
    pub fn needed(derivation: &KeyDerivation) -> u64 {
        let usual = CostLimits::default();
        let needed = [
            derivation.memory_bytes().div_ceil(usual.memory_bytes),
            derivation.traffic_bytes().div_ceil(usual.traffic_bytes),
            derivation.iterations().div_ceil(usual.iterations),
        ];
        needed.into_iter().fold(1, u64::max)
    }

    /// [`crate::ErrorKind::Invalid`] unless sensible parameters stay within these limits.
    pub(crate) fn check(&self, derivation: &KeyDerivation) -> Result<()> {
        let costs = [
            (derivation.memory_bytes(), self.memory_bytes),
            (derivation.traffic_bytes(), self.traffic_bytes),
            (derivation.iterations(), self.iterations),
        ];
        if costs.iter().all(|(cost, limit)| cost <= limit) {
            return Ok(());
        }
        let factor = CostLimits::needed(derivation);
        Err(Error::invalid(format!(
            "deriving the key ({derivation}) would cost more than the limits allow \
             ({} MiB of memory, {} MiB of memory traffic, {} iterations); where you trust who \
             made the file, allow {factor} times the usual limits (--kdf-limit {factor} on the \
             command line, kdf_limit={factor} in Python)",
            self.memory_bytes >> 20,
            self.traffic_bytes >> 20,
            self.iterations
        )))
    }
}
