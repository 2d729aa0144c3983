// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! From how many bytes on the device is faster than software, where that is known.

use std::sync::atomic::{AtomicUsize, Ordering};

use ciphermill::{Direction, Mode};

/// Nothing goes to the device.
const NEVER: usize = usize::MAX;
/// Not measured.
const UNKNOWN: usize = usize::MAX - 1;
/// Being measured.
const BUSY: usize = usize::MAX - 2;

/// A threshold in bytes for each mode and direction.
pub(crate) struct Thresholds([AtomicUsize; 2 * Mode::ALL.len()]);

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds([const { AtomicUsize::new(UNKNOWN) }; 2 * Mode::ALL.len()])
    }
}

impl Clone for Thresholds {
    /// The known thresholds; one that another thread was measuring is unknown again.
    fn clone(&self) -> Thresholds {
        let copy = |value: &AtomicUsize| match value.load(Ordering::Relaxed) {
            BUSY => UNKNOWN,
            known => known,
        };
        Thresholds(self.0.each_ref().map(|value| AtomicUsize::new(copy(value))))
    }
}

impl Thresholds {
    /// The threshold, where it is known; `usize::MAX` is never.
    pub(crate) fn known(&self, mode: Mode, direction: Direction) -> Option<usize> {
        match self.slot(mode, direction).load(Ordering::Relaxed) {
            UNKNOWN | BUSY => None,
            known => Some(known),
        }
    }

    /// The threshold, measured now if nobody did. While another thread measures, and when
    /// the device fails meanwhile, nothing goes to the device.
    pub(crate) fn get<E>(
        &self,
        mode: Mode,
        direction: Direction,
        measure: impl FnOnce() -> Result<Option<usize>, E>,
    ) -> usize {
        let slot = self.slot(mode, direction);
        match slot.compare_exchange(UNKNOWN, BUSY, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                let measured = measure().map(|bytes| bytes.unwrap_or(NEVER));
                slot.store(*measured.as_ref().unwrap_or(&UNKNOWN), Ordering::Release);
                measured.unwrap_or(NEVER)
            }
            Err(BUSY) => NEVER,
            Err(known) => known,
        }
    }

    fn slot(&self, mode: Mode, direction: Direction) -> &AtomicUsize {
        &self.0[2 * mode as usize + direction as usize]
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::Error;

    use super::*;

    #[test]
    fn it_is_measured_once_unless_the_device_fails() {
        let thresholds = Thresholds::default();
        let (mode, direction) = (Mode::Ecb, Direction::Decrypt);
        let unasked = || -> Result<_, Error> { unreachable!("it is known") };
        let failing = || Err(Error::device("smoke"));
        assert_eq!(thresholds.get(mode, direction, failing), NEVER);
        assert_eq!(thresholds.known(mode, direction), None);
        let recursive = || {
            // Another thread, while this one measures.
            assert_eq!(thresholds.get(mode, direction, unasked), NEVER);
            assert_eq!(thresholds.clone().known(mode, direction), None);
            Ok::<_, Error>(Some(4096))
        };
        assert_eq!(thresholds.get(mode, direction, recursive), 4096);
        assert_eq!(thresholds.get(mode, direction, unasked), 4096);
        assert_eq!(thresholds.clone().known(mode, direction), Some(4096));
        assert_eq!(thresholds.known(mode, Direction::Encrypt), None);
    }
}
