// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! From how many bytes on the device is faster than software: measured once in each
//! process, mode and direction, at the first update that is long enough to ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ciphermill::{Capabilities, Direction, Key, Mode, Request, Span};
use ciphermill_cpu::{Direct, DirectGcm, DirectXts};

use crate::runtime::{Opener, Runtime, Unavailable};
use crate::work::{self, Operation};

/// Lengths that are tried, in bytes.
const LENGTHS: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// The shortest update that is worth asking about.
pub(crate) const SHORTEST_BYTES: usize = LENGTHS[0];

/// Runs of which the fastest counts.
const RUNS: usize = 3;

/// The device is not worth it unless it takes this part of the software's time, so that
/// noise does not choose it.
const WORTH: f64 = 0.95;

/// Nothing goes to the device.
const NEVER: usize = usize::MAX;
/// Not measured.
const UNKNOWN: usize = usize::MAX - 1;
/// Being measured.
const BUSY: usize = usize::MAX - 2;

/// A threshold in bytes for each mode and direction.
pub(crate) struct Thresholds([[AtomicUsize; 2]; 5]);

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds([(); 5].map(|()| [(); 2].map(|()| AtomicUsize::new(UNKNOWN))))
    }
}

impl Clone for Thresholds {
    /// What is known; what another thread was measuring is unknown again.
    fn clone(&self) -> Thresholds {
        let copy = |value: &AtomicUsize| match value.load(Ordering::Relaxed) {
            BUSY => UNKNOWN,
            known => known,
        };
        Thresholds(
            self.0
                .each_ref()
                .map(|row| row.each_ref().map(|value| AtomicUsize::new(copy(value)))),
        )
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
        let row = match mode {
            Mode::Ecb => 0,
            Mode::Cbc => 1,
            Mode::Ctr => 2,
            Mode::Gcm => 3,
            Mode::Xts => 4,
        };
        &self.0[row][usize::from(direction == Direction::Decrypt)]
    }
}

/// Measure: the shortest of the lengths at which the device is faster, if there is one.
///
/// # Errors
/// When the device fails, or is left alone because it did.
pub(crate) fn measure(
    runtime: &Runtime,
    opener: &Opener,
    capabilities: &Capabilities,
    mode: Mode,
    direction: Direction,
) -> Result<Option<usize>, Unavailable> {
    // A GCM decryption takes as long as an encryption, which needs no right tag.
    let direction = match mode {
        Mode::Gcm => Direction::Encrypt,
        _ => direction,
    };
    let Some(size) = capabilities.key_sizes.last() else {
        return Ok(None);
    };
    let key = Arc::new(Key::new(&vec![0; size.bytes()])?);
    let operation = Operation {
        mode,
        direction,
        key,
    };
    let longest = LENGTHS[LENGTHS.len() - 1];
    let mut data = vec![0; longest];
    for bytes in LENGTHS {
        let data = &mut data[..bytes];
        let software = fastest(|| in_software(&operation, data))?;
        let device = fastest(|| on_device(runtime, opener, &operation, data))?;
        if device.as_secs_f64() <= WORTH * software.as_secs_f64() {
            return Ok(Some(bytes));
        }
        // Even if all of it were a fixed cost, the longest would not pay.
        if device.as_secs_f64() > software.as_secs_f64() * (longest / bytes) as f64 {
            break;
        }
    }
    Ok(None)
}

fn fastest<E>(mut run: impl FnMut() -> Result<Duration, E>) -> Result<Duration, E> {
    let mut best = run()?;
    for _ in 1..RUNS {
        best = best.min(run()?);
    }
    Ok(best)
}

/// The time without setting up the key, which a context does once.
fn in_software(operation: &Operation, data: &mut [u8]) -> ciphermill::Result<Duration> {
    if operation.mode == Mode::Xts {
        let mut xts = DirectXts::new(&operation.data_unit(data.len())?)?;
        let start = Instant::now();
        xts.process([0; 16], data)?;
        return Ok(start.elapsed());
    }
    if operation.mode == Mode::Gcm {
        let mut gcm = DirectGcm::new(operation.direction, &operation.key)?;
        gcm.start(&[0; 12])?;
        let start = Instant::now();
        gcm.process(data)?;
        gcm.tag()?;
        return Ok(start.elapsed());
    }
    let key = Arc::clone(&operation.key);
    let request = Request::new(operation.mode, operation.direction, key, [0; 16]);
    let mut direct = Direct::new(&request)?;
    let start = Instant::now();
    direct.process(data)?;
    Ok(start.elapsed())
}

fn on_device(
    runtime: &Runtime,
    opener: &Opener,
    operation: &Operation,
    data: &mut [u8],
) -> Result<Duration, Unavailable> {
    let lease = runtime.session(opener)?;
    let start = Instant::now();
    if matches!(operation.mode, Mode::Gcm | Mode::Xts) {
        let request = match operation.mode {
            Mode::Xts => operation.data_unit(data.len())?,
            _ => operation.request([0; 16]),
        };
        let mut span = Span::InPlace(data);
        let done = work::run_whole(lease, request, &mut span)?;
        let took = start.elapsed();
        runtime.recycle(done.output);
        return Ok(took);
    }
    work::run(lease, operation, [0; 16], &mut Span::InPlace(data))
        .map_err(|broken| broken.error)?;
    Ok(start.elapsed())
}

#[cfg(test)]
mod tests {
    use ciphermill::Error;
    use ciphermill::testing::ReferenceDevice;

    use super::*;
    use crate::account::Account;

    fn measured(device: &ReferenceDevice) -> Result<Option<usize>, Unavailable> {
        use ciphermill::Device;
        let (capabilities, device) = (device.capabilities().clone(), device.clone());
        let runtime = Runtime::new(Account::new(None, Thresholds::default()));
        let opener = move || Ok(Arc::new(device.clone()) as Arc<dyn Device>);
        measure(
            &runtime,
            &opener,
            &capabilities,
            Mode::Ctr,
            Direction::Encrypt,
        )
    }

    #[test]
    fn a_slow_device_is_never_worth_it() {
        let slow = ReferenceDevice::new().with_delay(Duration::from_millis(100));
        assert_eq!(measured(&slow).unwrap(), None);
        assert!(measured(&ReferenceDevice::new().failing_after(1)).is_err());
    }

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
