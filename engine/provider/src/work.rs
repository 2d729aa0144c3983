// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One long update through the device: cut into jobs, several of them in flight.

use std::sync::Arc;

use ciphermill::{
    Answer, BLOCK_BYTES, Broken, CipherRequest, Direction, ErrorKind, Key, Mode, Request, Result,
    Session, Span, Timing,
};

use crate::counters::add;
use crate::runtime::Lease;

/// A key, with the mode and the direction in which updates use it.
#[derive(Clone)]
pub(crate) struct CipherKey {
    pub mode: Mode,
    pub direction: Direction,
    pub key: Arc<Key>,
}

impl CipherKey {
    pub(crate) fn request(&self, iv: [u8; BLOCK_BYTES]) -> CipherRequest {
        CipherRequest::new(self.mode, self.direction, Arc::clone(&self.key), iv)
    }

    /// A data unit in XTS of so many bytes, with some other key for its number: to try how
    /// long one takes.
    pub(crate) fn data_unit(&self, bytes: usize) -> Result<CipherRequest> {
        let other: Vec<u8> = self.key.as_bytes().iter().map(|byte| !byte).collect();
        CipherRequest::xts(
            self.direction,
            Arc::clone(&self.key),
            Key::new(&other)?,
            0,
            bytes,
        )
    }
}

/// Work on whole blocks in ECB, CBC or CTR, beginning with this IV; the next one. How far it
/// came, where the device fails.
pub(crate) fn run(
    mut lease: Lease<'_>,
    operation: &CipherKey,
    iv: [u8; BLOCK_BYTES],
    span: &mut Span<'_>,
) -> std::result::Result<[u8; BLOCK_BYTES], Broken> {
    let request = operation.request(iv);
    let job_bytes = lease.update_chunk_bytes(&request, span.len());
    let mut cycles = 0;
    let outcome = lease.chunks(&request, job_bytes, span, &mut |step| {
        cycles += cycles_of(step.timing);
        Ok(())
    });
    add(&lease.runtime().account.counters.device_cycles, cycles);
    let next = outcome?;
    lease.keep();
    Ok(next)
}

/// One job alone: a whole GCM message, or a data unit in XTS. Its output, which is in its place
/// already, is for [`crate::runtime::Runtime::recycle`] when it is not needed any more.
///
/// # Errors
/// What the device gives, and of kind `Device` when it leaves an encryption's tag out. The
/// span is then untouched. A tag that does not match is no failure of the device.
pub(crate) fn run_whole(
    lease: Lease<'_>,
    request: CipherRequest,
    span: &mut Span<'_>,
) -> Result<Answer> {
    alone(lease, |session| session.whole(request, span))
}

fn alone(mut lease: Lease<'_>, run: impl FnOnce(&mut Session) -> Result<Answer>) -> Result<Answer> {
    let answer = run(&mut lease);
    match &answer {
        Ok(done) => {
            let cycles = cycles_of(done.timing);
            add(&lease.runtime().account.counters.device_cycles, cycles);
            lease.keep();
        }
        Err(error) if error.kind() == ErrorKind::Authentication => lease.keep(),
        Err(_) => {}
    }
    answer
}

/// The digest or the authentication code of a message.
///
/// # Errors
/// What the device gives.
pub(crate) fn hash(lease: Lease<'_>, request: &Request, message: &[u8]) -> Result<Vec<u8>> {
    let answer = alone(lease, |session| {
        let mut buffer = session.buffer(message.len())?;
        buffer.copy_from_slice(message);
        session.submit(request.clone(), buffer)?;
        session.complete()
    })?;
    Ok(answer.data.to_vec())
}

/// Cycles that a job took, where its device counts them.
pub(crate) fn cycles_of(timing: Option<Timing>) -> usize {
    let cycles = timing.and_then(|timing| timing.cycles).unwrap_or(0);
    usize::try_from(cycles).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use ciphermill::testing::ReferenceDevice;
    use ciphermill::{Cancellation, Device, Queue};
    use ciphermill_cpu::Direct;

    use super::*;
    use crate::account::Account;
    use crate::runtime::Runtime;
    use crate::threshold::Thresholds;

    const MODES: [(Mode, Direction); 6] = [
        (Mode::Ecb, Direction::Encrypt),
        (Mode::Ecb, Direction::Decrypt),
        (Mode::Cbc, Direction::Encrypt),
        (Mode::Cbc, Direction::Decrypt),
        (Mode::Ctr, Direction::Encrypt),
        (Mode::Ctr, Direction::Decrypt),
    ];

    fn operation((mode, direction): (Mode, Direction)) -> CipherKey {
        let key = Arc::new(Key::new(&[0x42; 32]).unwrap());
        CipherKey {
            mode,
            direction,
            key,
        }
    }

    fn message(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|index| ((index * 31) >> 4) as u8).collect()
    }

    /// What the software gives, and the IV that comes next.
    fn expected(operation: &CipherKey, data: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let mut direct = Direct::new(&operation.request([0xff; 16])).unwrap();
        let mut output = data.to_vec();
        direct.process(&mut output).unwrap();
        (output, direct.iv())
    }

    fn on(
        device: ReferenceDevice,
        operation: &CipherKey,
        span: &mut Span<'_>,
    ) -> std::result::Result<[u8; 16], Broken> {
        let runtime = Runtime::new(Account::new(None, Thresholds::default()));
        let lease = runtime
            .session(&move || Ok(Arc::new(device.clone())))
            .unwrap();
        run(lease, operation, [0xff; 16], span)
    }

    #[test]
    fn jobs_give_what_the_whole_gives() {
        for mode in MODES {
            let operation = operation(mode);
            for bytes in [16, 65536, 65552, 200_000 / 16 * 16] {
                let data = message(bytes);
                let (output, iv) = expected(&operation, &data);
                let device = ReferenceDevice::new().with_chunk(40_000);
                let mut place = data.clone();
                let next = on(device.clone(), &operation, &mut Span::InPlace(&mut place));
                if mode.0 != Mode::Ecb {
                    assert_eq!(next.unwrap(), iv, "{mode:?} {bytes}");
                }
                assert_eq!(place, output, "{mode:?} {bytes}");
                let mut apart = vec![0; bytes];
                on(device, &operation, &mut Span::Apart(&data, &mut apart)).unwrap();
                assert_eq!(apart, output, "{mode:?} {bytes}");
            }
        }
    }

    #[test]
    fn a_device_that_fails_leaves_a_state_to_go_on_from() {
        for mode in MODES {
            let operation = operation(mode);
            let data = message(10 * 4096);
            let (output, _) = expected(&operation, &data);
            for jobs in [0, 1, 4, 9] {
                let mut place = data.clone();
                let device = ReferenceDevice::new().with_chunk(4096).failing_after(jobs);
                let broken = on(device, &operation, &mut Span::InPlace(&mut place)).unwrap_err();
                assert_eq!(broken.error.kind(), ErrorKind::Device);
                assert_eq!(broken.bytes, jobs * 4096, "{mode:?}");
                assert_eq!(place[broken.bytes..], data[broken.bytes..], "{mode:?}");
                let mut rest = Direct::new(&operation.request(broken.iv)).unwrap();
                rest.process(&mut place[broken.bytes..]).unwrap();
                assert_eq!(place, output, "{mode:?} after {jobs} jobs");
            }
        }
    }

    #[test]
    fn a_tag_that_does_not_match_leaves_the_queue_in_use() {
        let opened = Arc::new(AtomicUsize::new(0));
        let opener = {
            let opened = Arc::clone(&opened);
            move || -> Result<Arc<dyn Device>> {
                opened.fetch_add(1, Ordering::Relaxed);
                Ok(Arc::new(OneQueue::default()))
            }
        };
        let runtime = Runtime::new(Account::new(None, Thresholds::default()));
        let mut request = operation((Mode::Gcm, Direction::Decrypt)).request([1; 16]);
        request.tag = Some([0; 16]);
        for _ in 0..3 {
            let lease = runtime.session(&opener).unwrap();
            let mut data = message(64);
            let outcome = run_whole(lease, request.clone(), &mut Span::InPlace(&mut data));
            assert_eq!(outcome.err().unwrap().kind(), ErrorKind::Authentication);
            assert_eq!(data, message(64));
        }
        assert_eq!(opened.load(Ordering::Relaxed), 1);
    }

    /// A device that opens once.
    #[derive(Default)]
    struct OneQueue(AtomicBool, ReferenceDevice);

    impl Device for OneQueue {
        fn name(&self) -> &str {
            "one"
        }

        fn capabilities(&self) -> &ciphermill::Capabilities {
            self.1.capabilities()
        }

        fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
            assert!(!self.0.swap(true, Ordering::Relaxed), "opened again");
            self.1.open(cancellation)
        }
    }

    #[test]
    fn answers_of_the_wrong_length_and_panics_are_failures() {
        let operation = operation(MODES[4]);
        for device in [
            ReferenceDevice::new().cutting_answers(),
            ReferenceDevice::new().panicking_after(0),
        ] {
            let mut data = message(64);
            let broken = on(device, &operation, &mut Span::InPlace(&mut data)).unwrap_err();
            assert_eq!((broken.bytes, data), (0, message(64)));
        }
    }
}
