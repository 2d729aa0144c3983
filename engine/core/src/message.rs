// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One message through a device, in chunks.

use std::time::Instant;

use crate::chain::Chain;
use crate::support::check_request;
use crate::{
    Buffer, Cancellation, CipherRequest, Device, Error, Mode, Output, Request, Result, Session,
    Span, TAG_BYTES, Timing, TimingMethod,
};

/// The result of a message.
#[derive(Debug)]
#[non_exhaustive]
pub struct MessageOutcome {
    /// The output, as long as [`Request::output_bytes`] says.
    pub data: Buffer,
    /// The tag of an encryption that gives one.
    pub tag: Option<[u8; TAG_BYTES]>,
    /// Its cost. Transfer, processing and cycles are the sums over the
    /// chunks. The total is the wall time from the first chunk handed over to
    /// the last one back, or, simulated, the sum of the chunks' totals.
    pub timing: Timing,
}

/// Run one message through a device.
///
/// The message is cut into chunks of the device's preferred length. Where the mode
/// lets the IVs be computed beforehand (ECB, CTR, CBC decryption, XTS) several chunks
/// are in flight; CBC encryption waits for each; XTS is cut at data units. A GCM message is
/// one chunk, and so is the input of any other operation.
/// `progress` gets the number of bytes done so far, after each chunk.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Cancellation, Direction, Key, Mode, CipherRequest, run_message};
/// let device = ReferenceDevice::new();
/// let key = Key::new(&[7; 32]).unwrap();
/// let mut request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// let cancellation = Cancellation::new();
/// let sent = run_message(&device, &request, b"Attack".to_vec(), &cancellation, &mut |_| {}).unwrap();
/// request.direction = Direction::Decrypt;
/// let got = run_message(&device, &request, sent.data, &cancellation, &mut |_| {}).unwrap();
/// assert_eq!(got.data, b"Attack");
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] when the device cannot do this,
/// [`crate::ErrorKind::Invalid`] when ECB or CBC data is not whole blocks (see
/// [`crate::padding`]) and where [`CipherRequest::check_data_units`] says so, [`crate::ErrorKind::Authentication`] when a GCM tag does
/// not match, and whatever the device reports.
pub fn run_message(
    device: &dyn Device,
    request: impl Into<Request>,
    data: impl Into<Buffer>,
    cancellation: &Cancellation,
    progress: &mut dyn FnMut(u64),
) -> Result<MessageOutcome> {
    let mut data = data.into();
    let (request, bytes) = (request.into(), data.len());
    check_request(device, &request)?;
    check_bytes(&request, bytes)?;
    let began = Instant::now();
    let mut session = Session::open(device, cancellation.clone())?;
    cancellation.check()?;
    let mut sum = None;
    let mut step = |bytes: usize, timing| {
        sum = Timing::sum(sum, timing);
        progress(bytes as u64);
    };
    let mut tag = None;
    if let Some((cipher, chunk_bytes)) = cut(device, &request, bytes) {
        let mut span = Span::InPlace(&mut data);
        session
            .chunks(cipher, chunk_bytes, &mut span, &mut |done| {
                step(done.bytes, done.timing);
                // After the last chunk it is too late.
                match done.bytes < bytes {
                    true => cancellation.check(),
                    false => Ok(()),
                }
            })
            .map_err(|broken| broken.error)?;
    } else {
        // No copy, and the empty message is a job too, so that devices see it.
        session.submit(request.clone(), std::mem::take(&mut data))?;
        let answer = session.complete()?;
        step(bytes, answer.timing);
        (data, tag) = (answer.data, answer.tag);
    }
    if matches!(&request, Request::Cipher(cipher) if cipher.output == Output::Sink) {
        // Into the sink nothing comes back, not even what is left in a buffer without length.
        drop(std::mem::take(&mut data));
    }
    let elapsed = began.elapsed();
    let mut timing = sum.unwrap_or_else(|| Timing::measured(elapsed));
    if timing.method == TimingMethod::Measured {
        timing.total = elapsed;
    }
    Ok(MessageOutcome { data, tag, timing })
}

/// Run many small messages through a device as one batch, and return their results in order.
/// One that fails does not stop the others. The timing of each is its own job's. A device may work on
/// several side by side that it would do one after the other alone
/// ([`crate::Capabilities::streams`]): `cpu` does in CBC encryption, CMAC and SHA-2.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Cancellation, CipherRequest, Direction, Key, Mode, run_batch};
/// let key = Key::new(&[7; 32]).unwrap();
/// let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// let messages = vec![(&request).into(), (&request).into()].into_iter().zip([vec![1; 5], vec![2; 6]]);
/// let never = Cancellation::new();
/// let outcomes = run_batch(&ReferenceDevice::new(), messages.collect(), &never).unwrap();
/// assert_eq!(outcomes[1].as_ref().unwrap().data.len(), 6);
/// ```
///
/// # Errors
/// The device's error when it cannot be opened or cannot take the jobs.
pub fn run_batch(
    device: &dyn Device,
    messages: Vec<(Request, impl Into<Buffer>)>,
    cancellation: &Cancellation,
) -> Result<Vec<Result<MessageOutcome>>> {
    let mut session = Session::open(device, cancellation.clone())?;
    let mut refusals = Vec::new();
    let mut jobs = Vec::new();
    for (request, data) in messages {
        let data = data.into();
        let refusal = check_request(device, &request).and(check_bytes(&request, data.len()));
        if refusal.is_ok() {
            jobs.push((request, data));
        }
        refusals.push(refusal);
    }
    session.submit_all(jobs)?;
    let mut outcome = || {
        let began = Instant::now();
        let answer = session.complete()?;
        Ok(MessageOutcome {
            data: answer.data,
            tag: answer.tag,
            timing: answer
                .timing
                .unwrap_or_else(|| Timing::measured(began.elapsed())),
        })
    };
    let outcomes = refusals.into_iter();
    Ok(outcomes
        .map(|refusal| refusal.and_then(|()| outcome()))
        .collect())
}

/// Run one message of a cipher through a session on this device, in place or from one place to
/// another. Returns the tag, if the encryption makes one. Several messages share a session's
/// queue and buffers.
///
/// # Errors
/// As [`run_message`], and [`crate::ErrorKind::Invalid`] for an operation that is no cipher's.
/// In ECB, CBC, CTR and XTS a part of the output may be written, in place over its input; of a
/// message with a tag none is. The session is then of no more use.
pub fn run_span(
    device: &dyn Device,
    session: &mut Session,
    request: &Request,
    span: &mut Span<'_>,
) -> Result<Option<[u8; TAG_BYTES]>> {
    if !matches!(request, Request::Cipher(_) | Request::Aead(_)) {
        let (operation, name) = (request.operation(), request.algorithm().name);
        return Err(Error::invalid(format!(
            "to {operation} by {name} gives another length than its input's"
        )));
    }
    check_request(device, request)?;
    check_bytes(request, span.len())?;
    if let Some((cipher, chunk_bytes)) = cut(device, request, span.len()) {
        return session
            .chunks(cipher, chunk_bytes, span, &mut |_| Ok(()))
            .map(|_| None)
            .map_err(|broken| broken.error);
    }
    let answer = session.whole(request.clone(), span)?;
    session.recycle(answer.data);
    Ok(answer.tag)
}

/// The cipher and the bytes of a chunk, where a message is to be cut.
fn cut<'a>(
    device: &dyn Device,
    request: &'a Request,
    bytes: usize,
) -> Option<(&'a CipherRequest, usize)> {
    let Request::Cipher(cipher) = request else {
        return None;
    };
    let preferred = device.capabilities().preferred_chunk_bytes;
    let chunk_bytes = Chain::new(cipher).chunk_bytes(preferred);
    (!cipher.is_authenticated() && bytes > chunk_bytes).then_some((cipher, chunk_bytes))
}

/// [`crate::ErrorKind::Invalid`] for a length that the mode does not take.
fn check_bytes(request: &Request, bytes: usize) -> Result<()> {
    let cipher = match request {
        Request::Cipher(cipher) if !cipher.bypass => cipher,
        Request::Cipher(_) => return Ok(()),
        _ => return request.check(bytes),
    };
    if cipher.mode.needs_whole_blocks() && !cipher.is_whole_blocks(bytes) {
        return Err(Error::invalid(format!(
            "{bytes} bytes are not whole blocks of {}: {} needs padding",
            cipher.algorithm().block_bytes,
            cipher.mode
        )));
    }
    if cipher.mode == Mode::Xts {
        cipher.check_data_units(bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;
    use crate::testing::ReferenceDevice;
    use crate::{Capabilities, Completion, Direction, ErrorKind, Job, Key, Queue};

    fn request(mode: Mode, direction: Direction) -> CipherRequest {
        let key = Key::new(&[0x5a; 32]).unwrap();
        CipherRequest::new(mode, direction, key, [0xff; 16])
    }

    fn run(
        device: &ReferenceDevice,
        request: &CipherRequest,
        data: &[u8],
    ) -> Result<MessageOutcome> {
        let never = Cancellation::new();
        run_message(device, request, data.to_vec(), &never, &mut |_| {})
    }

    #[test]
    fn chunks_give_what_the_whole_gives() {
        let data: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr] {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                for length in [0, 16, 48, 64, 80, 992, 993, 1000] {
                    if mode.needs_whole_blocks() && length % 16 != 0 {
                        continue;
                    }
                    let request = request(mode, direction);
                    let plain = run(&ReferenceDevice::new(), &request, &data[..length]);
                    let cut = ReferenceDevice::new().with_chunk(72).with_in_flight(4);
                    let cut = run(&cut, &request, &data[..length]).unwrap();
                    assert_eq!(
                        cut.data,
                        plain.unwrap().data,
                        "{mode} {direction:?} {length}"
                    );
                    assert_eq!(cut.data.len(), length);
                }
            }
        }
    }

    #[test]
    fn gcm_is_one_chunk_with_a_tag() {
        let device = ReferenceDevice::new().with_chunk(16);
        let mut request = request(Mode::Gcm, Direction::Encrypt);
        request.associated_data = b"header".to_vec();
        let sent = run(&device, &request, &[1; 100]).unwrap();
        request.direction = Direction::Decrypt;
        request.tag = sent.tag;
        assert_eq!(run(&device, &request, &sent.data).unwrap().data, [1; 100]);
        request.associated_data = b"Header".to_vec();
        let error = run(&device, &request, &sent.data).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
    }

    #[test]
    fn sink_returns_nothing_and_bypass_everything() {
        let device = ReferenceDevice::new().with_chunk(64);
        let mut request = request(Mode::Cbc, Direction::Encrypt);
        request.bypass = true;
        assert_eq!(run(&device, &request, &[9; 200]).unwrap().data, [9; 200]);
        request.output = Output::Sink;
        assert!(run(&device, &request, &[9; 200]).unwrap().data.is_empty());
        assert!(run(&device, &request, &[9; 20]).unwrap().data.is_empty());
    }

    #[test]
    fn progress_counts_bytes_and_time_adds_up() {
        let device = ReferenceDevice::new()
            .with_chunk(64)
            .with_delay(Duration::from_millis(1));
        let mut seen = Vec::new();
        let request = request(Mode::Ctr, Direction::Encrypt);
        let outcome = run_message(
            &device,
            &request,
            vec![0; 150],
            &Cancellation::new(),
            &mut |bytes| seen.push(bytes),
        )
        .unwrap();
        assert_eq!(seen, [64, 128, 150]);
        assert!(outcome.timing.total >= Duration::from_millis(3));
        assert!(outcome.timing.processing >= Duration::from_millis(3));
    }

    /// Notes how many jobs it is handed at once.
    struct Counting(ReferenceDevice, Arc<Mutex<Vec<usize>>>);

    impl Device for Counting {
        fn name(&self) -> &str {
            self.0.name()
        }

        fn capabilities(&self) -> &Capabilities {
            self.0.capabilities()
        }

        fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
            let queue = self.0.open(cancellation)?;
            Ok(Box::new(CountingQueue(queue, Arc::clone(&self.1))))
        }
    }

    struct CountingQueue(Box<dyn Queue>, Arc<Mutex<Vec<usize>>>);

    impl Queue for CountingQueue {
        fn submit(&mut self, job: Job) -> Result<()> {
            self.submit_all(vec![job])
        }

        fn submit_all(&mut self, jobs: Vec<Job>) -> Result<()> {
            self.1.lock().unwrap().push(jobs.len());
            self.0.submit_all(jobs)
        }

        fn complete(&mut self) -> Option<Completion> {
            self.0.complete()
        }

        fn in_flight(&self) -> usize {
            self.0.in_flight()
        }
    }

    #[test]
    fn a_batch_is_handed_over_at_once() {
        let device = Counting(ReferenceDevice::new(), Arc::default());
        let (ecb, ctr) = (Mode::Ecb, Mode::Ctr);
        let messages = [(ctr, 5), (ecb, 5), (ecb, 16), (ctr, 0)].map(|(mode, bytes)| {
            let request = request(mode, Direction::Encrypt);
            (Request::from(request), vec![1; bytes])
        });
        let outcomes = run_batch(&device, messages.into(), &Cancellation::new()).unwrap();
        let bytes = outcomes
            .iter()
            .map(|one| one.as_ref().ok().map(|one| one.data.len()));
        // Five bytes are no block: that message is refused, and the others run.
        assert!(bytes.eq([Some(5), None, Some(16), Some(0)]));
        assert_eq!(*device.1.lock().unwrap(), [3]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let device = ReferenceDevice::new().with_modes(&[Mode::Ctr]);
        let error = run(&device, &request(Mode::Gcm, Direction::Encrypt), &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let device = ReferenceDevice::new();
        let error = run(&device, &request(Mode::Ecb, Direction::Encrypt), &[0; 17]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn failures_of_the_device_are_its_errors() {
        let request = request(Mode::Ctr, Direction::Encrypt);
        for device in [
            ReferenceDevice::new().with_chunk(64).failing_after(2),
            ReferenceDevice::new().with_chunk(64).panicking_after(2),
            ReferenceDevice::new().with_chunk(64).cutting_answers(),
        ] {
            let error = run(&device, &request, &[0; 1000]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Device);
        }
    }

    #[test]
    fn cancellation_stops_between_chunks() {
        let device = ReferenceDevice::new().with_chunk(16);
        let cancellation = Cancellation::new();
        let seen = cancellation.clone();
        let request = request(Mode::Ctr, Direction::Encrypt);
        let error = run_message(
            &device,
            &request,
            vec![0; 1600],
            &cancellation,
            &mut |bytes| {
                if bytes >= 160 {
                    seen.cancel();
                }
            },
        )
        .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
}
