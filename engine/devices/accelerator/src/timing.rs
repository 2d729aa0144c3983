// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A job's timing, computed from cycles and wall time.

use std::ops::RangeInclusive;
use std::time::Duration;

use ciphermill::{Timing, TimingMethod};

/// Clocks that a device may have, in MHz. Any count of cycles at one of them is a time that a
/// [`Duration`] holds.
pub const CLOCK_MHZ: RangeInclusive<f64> = 0.001..=1e6;

/// Cycles and wall time of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// CYCLES: core cycles from start to the message's end, GCM's tag included.
    pub cycles: u64,
    /// STALL_INPUT and STALL_OUTPUT together: core cycles without work.
    pub stalls: u64,
    /// Cycles from the first register write to the last byte; simulated devices only.
    pub simulated: Option<u64>,
    /// Wall time from the first register write to the last byte.
    pub wall: Duration,
    /// Wall time from the first byte offered to the last byte.
    pub wall_moving: Duration,
    /// Beats of the busier stream: that of the input, which has the associated data, too.
    pub beats: u64,
}

impl Counted {
    /// The timing, on a device with this clock.
    ///
    /// A device without a known clock gives no processing time (zero), but its cycles.
    pub fn timing(&self, clock_mhz: Option<f64>) -> Timing {
        let time = |cycles: u64| {
            clock_mhz.map_or(Duration::ZERO, |mhz| {
                Duration::from_secs_f64(cycles as f64 / (mhz * 1e6))
            })
        };
        let processing = time(self.cycles.saturating_sub(self.stalls));
        match self.simulated {
            Some(cycles) => Timing {
                total: time(cycles),
                transfer: time(self.beats),
                processing,
                cycles: Some(self.cycles),
                method: TimingMethod::Simulated,
            },
            None => Timing {
                total: self.wall,
                transfer: self.wall_moving,
                processing,
                cycles: Some(self.cycles),
                method: TimingMethod::Measured,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTED: Counted = Counted {
        cycles: 1_500,
        stalls: 500,
        simulated: Some(2_000),
        wall: Duration::from_secs(3),
        wall_moving: Duration::from_secs(2),
        beats: 700,
    };

    #[test]
    fn a_simulated_device_has_simulated_times_only() {
        let timing = COUNTED.timing(Some(100.0));
        assert_eq!(timing.total, Duration::from_micros(20));
        assert_eq!(timing.transfer, Duration::from_micros(7));
        assert_eq!(timing.processing, Duration::from_micros(10));
        assert_eq!(timing.cycles, Some(1_500));
        assert_eq!(timing.method, TimingMethod::Simulated);
    }

    #[test]
    fn a_real_device_has_wall_times_and_its_own_count() {
        let timing = Counted {
            simulated: None,
            ..COUNTED
        }
        .timing(Some(100.0));
        assert_eq!(timing.total, Duration::from_secs(3));
        assert_eq!(timing.transfer, Duration::from_secs(2));
        assert_eq!(timing.processing, Duration::from_micros(10));
        assert_eq!(timing.method, TimingMethod::Measured);
    }
}
