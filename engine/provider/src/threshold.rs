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

/// Which updates a threshold is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Of one message.
    Message,
    /// Of the pipes of a pipeline: bytes of all of them together.
    Pipeline,
}

/// A threshold in bytes for each kind of update, mode and direction.
pub(crate) struct Thresholds([AtomicUsize; COUNT]);

const COUNT: usize = 2 * 2 * Mode::ALL.len();

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds([const { AtomicUsize::new(UNKNOWN) }; COUNT])
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
    pub(crate) fn known(&self, of: Of, mode: Mode, direction: Direction) -> Option<usize> {
        match self.slot(of, mode, direction).load(Ordering::Relaxed) {
            UNKNOWN | BUSY => None,
            known => Some(known),
        }
    }

    /// The threshold, measured now if nobody did. While another thread measures, and when
    /// the device fails meanwhile, nothing goes to the device.
    pub(crate) fn get<E>(
        &self,
        of: Of,
        mode: Mode,
        direction: Direction,
        measure: impl FnOnce() -> Result<Option<usize>, E>,
    ) -> usize {
        let slot = self.slot(of, mode, direction);
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

    fn slot(&self, of: Of, mode: Mode, direction: Direction) -> &AtomicUsize {
        &self.0[4 * mode as usize + 2 * of as usize + direction as usize]
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
        assert_eq!(thresholds.get(Of::Message, mode, direction, failing), NEVER);
        assert_eq!(thresholds.known(Of::Message, mode, direction), None);
        let recursive = || {
            // Another thread, while this one measures.
            assert_eq!(thresholds.get(Of::Message, mode, direction, unasked), NEVER);
            assert_eq!(thresholds.clone().known(Of::Message, mode, direction), None);
            Ok::<_, Error>(Some(4096))
        };
        assert_eq!(
            thresholds.get(Of::Message, mode, direction, recursive),
            4096
        );
        assert_eq!(thresholds.get(Of::Message, mode, direction, unasked), 4096);
        assert_eq!(
            thresholds.clone().known(Of::Message, mode, direction),
            Some(4096)
        );
        assert_eq!(
            thresholds.known(Of::Message, mode, Direction::Encrypt),
            None
        );
        assert_eq!(thresholds.known(Of::Pipeline, mode, direction), None);
    }
}
