// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The clock of the card: cycles of a given frequency in the time of the wall.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts cycles since the last reset.
pub(crate) struct Clock {
    khz: u32,
    reset: Mutex<Instant>,
}

impl Clock {
    pub(crate) fn new(khz: u32) -> Clock {
        Clock {
            khz: khz.max(1),
            reset: Mutex::new(Instant::now()),
        }
    }

    /// Cycles since the reset.
    pub(crate) fn cycles(&self) -> u64 {
        let reset = *self.reset.lock().unwrap_or_else(PoisonError::into_inner);
        (reset.elapsed().as_nanos() * u128::from(self.khz) / 1_000_000) as u64
    }

    /// The time in which so many cycles pass, rounded up.
    pub(crate) fn time(&self, cycles: u64) -> Duration {
        let nanoseconds = (u128::from(cycles) * 1_000_000).div_ceil(self.khz.into());
        Duration::from_nanos(nanoseconds.try_into().unwrap_or(u64::MAX))
    }

    /// Begin with zero.
    pub(crate) fn restart(&self) {
        *self.reset.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_time() {
        let clock = Clock::new(100_000);
        assert_eq!(clock.time(100), Duration::from_micros(1));
        assert_eq!(clock.time(1), Duration::from_nanos(10));
        let before = clock.cycles();
        std::thread::sleep(Duration::from_millis(1));
        assert!(clock.cycles() >= before + 100_000);
    }
}
