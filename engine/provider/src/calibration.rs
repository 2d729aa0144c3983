// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Measures from how many bytes on the device is faster than software: once in each process,
//! mode and direction, at the first update that is long enough to ask.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ciphermill::{Allocator, Capabilities, Direction, Key, Mode, Span};
use ciphermill_cpu::{Direct, DirectGcm, DirectXts};

use crate::runtime::{Opener, Runtime, Unavailable};
use crate::side_by_side::{self, Flow};
use crate::threshold::Of;
use crate::work::{self, CipherKey};

/// Lengths that are tried, in bytes.
const LENGTHS: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// The shortest update that is worth asking about.
pub(crate) const SHORTEST_BYTES: usize = LENGTHS[0];

/// Pipes of the pipelines that are tried.
const PIPES: usize = 8;

/// Number of runs; the fastest counts.
const RUNS: usize = 3;

/// The device is not worth it unless it takes this part of the software's time, so that
/// noise does not choose it.
const WORTH: f64 = 0.95;

/// Measure: the shortest of the lengths at which the device is faster, if there is one.
///
/// # Errors
/// When the device fails, or is left alone because it did.
pub(crate) fn measure(
    runtime: &Runtime,
    opener: &Opener,
    capabilities: &Capabilities,
    of: Of,
    mode: Mode,
    direction: Direction,
) -> Result<Option<usize>, Unavailable> {
    // A GCM decryption takes as long as an encryption, which needs no right tag.
    let direction = match mode {
        Mode::Gcm => Direction::Encrypt,
        _ => direction,
    };
    let Some(size) = capabilities.aes_key_sizes().pop() else {
        return Ok(None);
    };
    let key = Arc::new(Key::new(&vec![0; size.bytes()])?);
    let operation = CipherKey {
        mode,
        direction,
        key,
    };
    let longest = LENGTHS[LENGTHS.len() - 1];
    let mut data = Allocator::default().get(longest)?;
    for bytes in LENGTHS {
        let data = &mut data[..bytes];
        let (software, device) = match of {
            Of::Message => (
                fastest(|| in_software(&operation, data))?,
                fastest(|| on_device(runtime, opener, &operation, data))?,
            ),
            Of::Pipeline => (
                fastest(|| pipes_in_software(&operation, data))?,
                fastest(|| pipes_on_device(runtime, opener, capabilities, &operation, data))?,
            ),
        };
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
fn in_software(operation: &CipherKey, data: &mut [u8]) -> ciphermill::Result<Duration> {
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
    let mut direct = Direct::new(&operation.request([0; 16]))?;
    let start = Instant::now();
    direct.process(data)?;
    Ok(start.elapsed())
}

/// The pipes one after the other, as a context does without a device.
fn pipes_in_software(operation: &CipherKey, data: &mut [u8]) -> ciphermill::Result<Duration> {
    let share = data.len() / PIPES;
    let mut pipes = data.chunks_mut(share);
    pipes.try_fold(Duration::ZERO, |sum, pipe| {
        Ok(sum + in_software(operation, pipe)?)
    })
}

fn pipes_on_device(
    runtime: &Runtime,
    opener: &Opener,
    capabilities: &Capabilities,
    operation: &CipherKey,
    data: &mut [u8],
) -> Result<Duration, Unavailable> {
    let share = data.len() / PIPES;
    let leases = runtime.sessions(opener, capabilities.channels.min(PIPES))?;
    let start = Instant::now();
    let mut flows = Vec::with_capacity(PIPES);
    for pipe in data.chunks_mut(share) {
        let request = match operation.mode {
            Mode::Xts => operation.data_unit(share)?,
            _ => operation.request([0; 16]),
        };
        flows.push(Flow::new(request, Span::InPlace(pipe)));
    }
    side_by_side::run(leases, flows.iter_mut().collect())?;
    let took = start.elapsed();
    for flow in flows {
        if let (Some(answer), _) = flow.into_rest() {
            runtime.recycle(answer.data);
        }
    }
    Ok(took)
}

fn on_device(
    runtime: &Runtime,
    opener: &Opener,
    operation: &CipherKey,
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
        runtime.recycle(done.data);
        return Ok(took);
    }
    work::run(lease, operation, [0; 16], &mut Span::InPlace(data))
        .map_err(|broken| broken.error)?;
    Ok(start.elapsed())
}

#[cfg(test)]
mod tests {
    use ciphermill::testing::ReferenceDevice;

    use super::*;
    use crate::account::Account;
    use crate::threshold::Thresholds;

    fn measured(of: Of, device: &ReferenceDevice) -> Result<Option<usize>, Unavailable> {
        use ciphermill::Device;
        let (capabilities, device) = (device.capabilities().clone(), device.clone());
        let runtime = Runtime::new(Account::new(None, Thresholds::default()));
        let opener = move || Ok(Arc::new(device.clone()) as Arc<dyn Device>);
        measure(
            &runtime,
            &opener,
            &capabilities,
            of,
            Mode::Ctr,
            Direction::Encrypt,
        )
    }

    #[test]
    fn a_slow_device_is_never_worth_it() {
        let slow = ReferenceDevice::new().with_delay(Duration::from_millis(100));
        for of in [Of::Message, Of::Pipeline] {
            assert_eq!(measured(of, &slow).unwrap(), None);
            assert!(measured(of, &ReferenceDevice::new().failing_after(1)).is_err());
        }
    }
}
