// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One long update through the device: cut into jobs, several of them in flight.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use ciphermill::{
    BLOCK_BYTES, Capabilities, Completion, Direction, Error, Job, Key, Mode, Request, Result,
    prepare,
};
use zeroize::Zeroizing;

use crate::runtime::{Lease, Session};
use crate::span::Span;

/// Shortest job that an update is cut into: below, what a job costs to hand over counts.
const SHORTEST_JOB_BYTES: usize = 64 * 1024;

/// What is done to an update.
#[derive(Clone)]
pub(crate) struct Operation {
    pub mode: Mode,
    pub direction: Direction,
    pub key: Arc<Key>,
}

impl Operation {
    /// Whether a job needs the output of the one before it.
    fn is_serial(&self) -> bool {
        (self.mode, self.direction) == (Mode::Cbc, Direction::Encrypt)
    }

    fn request(&self, iv: [u8; BLOCK_BYTES]) -> Request {
        Request::new(self.mode, self.direction, Arc::clone(&self.key), iv)
    }
}

/// A device that failed in the middle.
#[derive(Debug)]
pub(crate) struct Broken {
    /// Bytes whose output is written and right; the input of the others is intact.
    pub bytes: usize,
    /// The IV from which to go on.
    pub iv: [u8; BLOCK_BYTES],
    /// What happened.
    pub error: Error,
}

/// Work on whole blocks in ECB, CBC or CTR, beginning with this IV; the next one.
///
/// The output of a job is written only when it is there, and in order: after an error the
/// rest of the input is as it was, also where the update is in place.
pub(crate) fn run(
    mut lease: Lease<'_>,
    capabilities: &Capabilities,
    operation: &Operation,
    iv: [u8; BLOCK_BYTES],
    span: &mut Span<'_>,
) -> std::result::Result<[u8; BLOCK_BYTES], Broken> {
    let depth = match operation.is_serial() {
        true => 1,
        false => capabilities.in_flight.max(1),
    };
    let job_bytes = job_bytes(span.len(), capabilities.preferred_chunk_bytes, depth);
    let mut pending: VecDeque<(Range<usize>, [u8; BLOCK_BYTES])> = VecDeque::new();
    let (mut submitted, mut next_iv) = (0, iv);
    loop {
        if submitted < span.len() && pending.len() < depth {
            let range = submitted..span.len().min(submitted + job_bytes);
            let input = &span.input()[range.clone()];
            let job_iv = next_iv;
            next_iv = following(operation, job_iv, input);
            if let Err(error) = submit(&mut lease, operation.request(job_iv), input) {
                let (bytes, iv) = pending
                    .front()
                    .map_or((submitted, job_iv), |(range, iv)| (range.start, *iv));
                return Err(Broken { bytes, iv, error });
            }
            submitted = range.end;
            pending.push_back((range, job_iv));
            continue;
        }
        let Some((range, job_iv)) = pending.pop_front() else {
            break;
        };
        match complete(&mut lease, range.len(), pending.len()) {
            Ok(done) => {
                let output = done.output;
                if operation.is_serial()
                    && let Some(block) = output.last_chunk()
                {
                    next_iv = *block;
                }
                span.write(range, &output);
                lease.spare.push(output);
            }
            Err(error) => {
                return Err(Broken {
                    bytes: range.start,
                    iv: job_iv,
                    error,
                });
            }
        }
    }
    lease.keep();
    Ok(next_iv)
}

/// What a job gave; the output is zeroised when it is dropped.
pub(crate) struct Done {
    pub output: Zeroizing<Vec<u8>>,
    pub tag: Option<[u8; 16]>,
}

/// One job alone: a whole GCM message.
///
/// # Errors
/// What the device gives, and of kind `Device` when it leaves an encryption's tag out.
pub(crate) fn run_whole(mut lease: Lease<'_>, request: Request, input: &[u8]) -> Result<Done> {
    let gives_tag = (request.mode, request.direction) == (Mode::Gcm, Direction::Encrypt);
    submit(&mut lease, request, input)?;
    let done = complete(&mut lease, input.len(), 0)?;
    if gives_tag && done.tag.is_none() {
        return Err(Error::device("the device gave no tag"));
    }
    lease.keep();
    Ok(done)
}

fn submit(session: &mut Session, request: Request, input: &[u8]) -> Result<()> {
    let mut data = session.spare.pop().unwrap_or_default();
    prepare(&mut data, input.len());
    data.copy_from_slice(input);
    let data = std::mem::take(&mut *data);
    session.next_token += 1;
    session.queue.submit(Job {
        token: session.next_token,
        request,
        data,
    })
}

/// The oldest job, after which `later` others were submitted.
fn complete(session: &mut Session, bytes: usize, later: usize) -> Result<Done> {
    let Completion {
        token, result, tag, ..
    } = session
        .queue
        .complete()
        .ok_or_else(|| Error::device("the device lost a job"))?;
    let output = Zeroizing::new(result?);
    if token != session.next_token - later as u64 || output.len() != bytes {
        return Err(Error::device(format!(
            "the device answered job {token} with {} bytes where {bytes} were due",
            output.len()
        )));
    }
    Ok(Done { output, tag })
}

/// The IV after a piece, where its input tells.
fn following(operation: &Operation, iv: [u8; BLOCK_BYTES], input: &[u8]) -> [u8; BLOCK_BYTES] {
    match (operation.mode, operation.direction) {
        (Mode::Ctr, _) => {
            let blocks = (input.len() / BLOCK_BYTES) as u128;
            u128::from_be_bytes(iv).wrapping_add(blocks).to_be_bytes()
        }
        (Mode::Cbc, Direction::Decrypt) => input.last_chunk().copied().unwrap_or(iv),
        _ => iv,
    }
}

/// So long that every job slot gets two jobs, but neither longer than the device prefers
/// nor so short that handing over counts.
fn job_bytes(bytes: usize, preferred: usize, depth: usize) -> usize {
    let share = bytes.div_ceil(2 * depth).max(SHORTEST_JOB_BYTES);
    let blocks = share.min(preferred.max(BLOCK_BYTES)).div_ceil(BLOCK_BYTES);
    blocks * BLOCK_BYTES
}

#[cfg(test)]
mod tests {
    use ciphermill::testing::ReferenceDevice;
    use ciphermill::{Device, ErrorKind};
    use ciphermill_cpu::Direct;

    use super::*;
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

    fn operation((mode, direction): (Mode, Direction)) -> Operation {
        let key = Arc::new(Key::new(&[0x42; 32]).unwrap());
        Operation {
            mode,
            direction,
            key,
        }
    }

    fn message(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|index| ((index * 31) >> 4) as u8).collect()
    }

    /// What the software gives, and the IV that comes next.
    fn expected(operation: &Operation, data: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let mut direct = Direct::new(&operation.request([0xff; 16])).unwrap();
        let mut output = data.to_vec();
        direct.process(&mut output).unwrap();
        (output, direct.iv())
    }

    fn on(
        device: ReferenceDevice,
        operation: &Operation,
        span: &mut Span<'_>,
    ) -> std::result::Result<[u8; 16], Broken> {
        let runtime = Runtime::new(None, Thresholds::default());
        let capabilities = device.capabilities().clone();
        let lease = runtime
            .session(&move || Ok(Arc::new(device.clone())))
            .unwrap();
        run(lease, &capabilities, operation, [0xff; 16], span)
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

    #[test]
    fn jobs_are_whole_blocks_and_as_many_as_the_device_holds() {
        assert_eq!(
            job_bytes(1 << 20, 1 << 20, 3),
            (1_usize << 20).div_ceil(96) * 16
        );
        assert_eq!(job_bytes(100, 1 << 20, 3), SHORTEST_JOB_BYTES);
        assert_eq!(job_bytes(1 << 30, 1 << 20, 3), 1 << 20);
        assert_eq!(job_bytes(1 << 30, 1, 3), 16);
    }
}
