// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A queue with buffers that its jobs reuse. It runs messages one after the other, each whole or
//! in chunks, with several chunks in flight.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;

use crate::chain::Chain;
use crate::key::BLOCK_BYTES;
use crate::{
    Allocator, Buffer, Cancellation, CipherRequest, Device, Error, Job, Queue, Request, Result,
    Span, TAG_BYTES, Timing,
};

/// Shortest chunk that an update is cut into. In shorter ones the overhead of a job shows.
const SHORTEST_CHUNK_BYTES: usize = 64 * 1024;

/// A queue on a device. Its buffers hold what the jobs held until the next job overwrites
/// it or they are dropped.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Cancellation, Direction, Key, Mode, CipherRequest, Session, Span};
/// let mut session = Session::open(&ReferenceDevice::new(), Cancellation::new()).unwrap();
/// let key = Key::new(&[7; 32]).unwrap();
/// let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// let mut chunks = [1; 4096];
/// session.chunks(&request, 1024, &mut Span::InPlace(&mut chunks), &mut |_| Ok(())).unwrap();
/// let mut whole = [1; 4096];
/// session.whole(request, &mut Span::InPlace(&mut whole)).unwrap();
/// assert_eq!(chunks, whole);
/// ```
pub struct Session {
    queue: Box<dyn Queue>,
    allocator: Allocator,
    device: String,
    in_flight: usize,
    preferred_chunk_bytes: usize,
    spare: Vec<Buffer>,
    submitted: u64,
    /// The jobs in flight, oldest first.
    due: VecDeque<Due>,
}

/// The output that a job must have.
struct Due {
    token: u64,
    bytes: usize,
    tag: bool,
}

/// The progress after a chunk.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Bytes that are done, this chunk's among them.
    pub bytes: usize,
    /// The chunk's cost, where the device reports it.
    pub timing: Option<Timing>,
}

/// The result of a job.
pub struct Answer {
    /// The output, as it came from the device and as long as [`Request::output_bytes`] says; a
    /// buffer for [`Session::recycle`] when it is not needed.
    pub data: Buffer,
    /// The tag of an encryption that gives one.
    pub tag: Option<[u8; TAG_BYTES]>,
    /// The job's cost, where the device reports it.
    pub timing: Option<Timing>,
}

impl fmt::Debug for Answer {
    /// Without the data, which may be secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Answer")
            .field("bytes", &self.data.len())
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}

/// A message in chunks that ended in its middle.
#[derive(Debug)]
pub struct Broken {
    /// Bytes whose output is written and right; the input of the others is intact.
    pub bytes: usize,
    /// The IV from which to go on.
    pub iv: [u8; BLOCK_BYTES],
    /// The error that ended the work.
    pub error: Error,
}

impl Session {
    /// A queue of its own on this device, without buffers yet.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub fn open(device: &dyn Device, cancellation: Cancellation) -> Result<Session> {
        Ok(Session {
            queue: device.open(cancellation)?,
            allocator: device.allocator(),
            device: device.name().to_owned(),
            in_flight: device.capabilities().in_flight.max(1),
            preferred_chunk_bytes: device.capabilities().preferred_chunk_bytes,
            spare: Vec::new(),
            submitted: 0,
            due: VecDeque::new(),
        })
    }

    /// A buffer of the device's of so many bytes, old ones or zeros, for [`Session::recycle`]
    /// later.
    ///
    /// # Errors
    /// As [`Allocator::prepare`].
    pub fn buffer(&mut self, bytes: usize) -> Result<Buffer> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        self.allocator.prepare(&mut buffer, bytes)?;
        Ok(buffer)
    }

    /// Take a buffer for later jobs.
    pub fn recycle(&mut self, buffer: Buffer) {
        if buffer.capacity() > 0 {
            self.spare.push(buffer);
        }
    }

    /// The buffers, to recycle them in another session.
    pub fn into_buffers(mut self) -> Vec<Buffer> {
        std::mem::take(&mut self.spare)
    }

    /// Jobs that the device usefully holds at once.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Number of jobs that a message in chunks has in flight: one where each job needs the output
    /// of the one before it, else as many as the device holds.
    pub fn depth(&self, request: &CipherRequest) -> usize {
        match Chain::new(request).is_serial() && !request.bypass {
            true => 1,
            false => self.in_flight,
        }
    }

    /// Best length of chunks for an update of so many bytes, when nothing else overlaps with it:
    /// every job slot gets two chunks, unless these would exceed the device's preferred length or
    /// be so short that the overhead of a job shows.
    pub fn update_chunk_bytes(&self, request: &CipherRequest, bytes: usize) -> usize {
        let share = bytes.div_ceil(2 * self.depth(request));
        let chunks = share
            .max(SHORTEST_CHUNK_BYTES)
            .min(self.preferred_chunk_bytes)
            .next_multiple_of(BLOCK_BYTES);
        Chain::new(request).chunk_bytes(chunks)
    }

    /// Hand a job to the device, its data in a buffer: nothing is copied. Several may be in
    /// flight.
    ///
    /// # Errors
    /// As [`Queue::submit`]; the session is then of no more use.
    pub fn submit(&mut self, request: impl Into<Request>, buffer: Buffer) -> Result<()> {
        let job = self.job(request.into(), buffer);
        self.queue.submit(job)
    }

    /// As [`Session::submit`] of many small messages at once.
    ///
    /// # Errors
    /// As [`Session::submit`].
    pub fn submit_all(&mut self, messages: Vec<(Request, Buffer)>) -> Result<()> {
        let messages = messages.into_iter();
        let jobs = messages.map(|(request, buffer)| self.job(request, buffer));
        let jobs = jobs.collect();
        self.queue.submit_all(jobs)
    }

    fn job(&mut self, request: Request, data: Buffer) -> Job {
        let token = self.submitted;
        let (bytes, tag) = (request.output_bytes(data.len()), request.gives_tag());
        self.submitted += 1;
        self.due.push_back(Due { token, bytes, tag });
        Job {
            token,
            request,
            data,
        }
    }

    /// Wait for the oldest job, and return its result.
    ///
    /// # Errors
    /// What the device gives, and of kind `Device` when it answers nonsense, leaves a tag out
    /// or has no job. The session is then of no more use, but after
    /// [`crate::ErrorKind::Authentication`].
    pub fn complete(&mut self) -> Result<Answer> {
        let device = &self.device;
        let nonsense = |what: String| Err(Error::device(format!("device {device} {what}")));
        let Some((due, completion)) = self.due.pop_front().zip(self.queue.complete()) else {
            return nonsense("lost a job".into());
        };
        let data = completion.result?;
        let (token, got) = (due.token, completion.token);
        if got != token {
            return nonsense(format!("answered job {got} where {token} was due"));
        }
        if data.len() != due.bytes {
            let (got, due) = (data.len(), due.bytes);
            return nonsense(format!("gave {got} bytes where {due} were due"));
        }
        if due.tag && completion.tag.is_none() {
            return nonsense("gave no tag".into());
        }
        Ok(Answer {
            data,
            tag: completion.tag,
            timing: completion.timing,
        })
    }

    /// Run a message as one job, which GCM requires. Its output, if any, is also written to the
    /// span.
    ///
    /// # Errors
    /// As [`Session::submit`] and [`Session::complete`]. The span is then untouched.
    pub fn whole(&mut self, request: impl Into<Request>, span: &mut Span<'_>) -> Result<Answer> {
        let buffer = self.filled(span.input())?;
        self.submit(request, buffer)?;
        let answer = self.complete()?;
        if !answer.data.is_empty() {
            span.write(0..answer.data.len(), &answer.data);
        }
        Ok(answer)
    }

    /// Run a message in chunks of at most so many bytes, cut by [`Chain::chunk_bytes`], with
    /// [`Session::depth`] of them in flight. Returns the next IV. `each` is called after each
    /// chunk; its error ends the message.
    ///
    /// Outputs are written in order, when they arrive. After an error the rest of the input is
    /// unchanged, also in place.
    ///
    /// CBC encryption with [`crate::Output::Sink`] returns no ciphertext for the next chunk to
    /// continue from. Every chunk begins with the request's IV there, so the sink gets one
    /// message for each chunk.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for GCM, where every chunk would be a message under
    /// the same IV. What the device or `each` gives, with how far it came. The session is then of no
    /// more use.
    pub fn chunks(
        &mut self,
        request: &CipherRequest,
        chunk_bytes: usize,
        span: &mut Span<'_>,
        each: &mut dyn FnMut(Step) -> Result<()>,
    ) -> std::result::Result<[u8; BLOCK_BYTES], Broken> {
        let depth = self.depth(request);
        if request.is_authenticated() {
            let error = Error::invalid("a message in GCM is one job: it cannot be cut into chunks");
            let (bytes, iv) = (0, request.iv);
            return Err(Broken { bytes, iv, error });
        }
        let mut chain = Chain::new(request);
        let chunk_bytes = chain.chunk_bytes(chunk_bytes);
        let mut pending: VecDeque<(Range<usize>, [u8; BLOCK_BYTES])> = VecDeque::new();
        let mut submitted = 0;
        loop {
            if submitted < span.len() && pending.len() < depth {
                let range = submitted..span.len().min(submitted + chunk_bytes);
                let input = &span.input()[range.clone()];
                let iv = chain.begin(input);
                let mut chunk = request.clone();
                chunk.iv = iv;
                let buffer = self.filled(input);
                if let Err(error) = buffer.and_then(|buffer| self.submit(chunk, buffer)) {
                    let (bytes, iv) = pending
                        .front()
                        .map_or((submitted, iv), |(range, iv)| (range.start, *iv));
                    return Err(Broken { bytes, iv, error });
                }
                submitted = range.end;
                pending.push_back((range, iv));
                continue;
            }
            let Some((range, iv)) = pending.pop_front() else {
                return Ok(chain.next());
            };
            let broken = |bytes, iv, error| Err(Broken { bytes, iv, error });
            let answer = match self.complete() {
                Ok(answer) => answer,
                Err(error) => return broken(range.start, iv, error),
            };
            chain.end(&answer.data);
            let bytes = range.end;
            if !answer.data.is_empty() {
                span.write(range, &answer.data);
            }
            self.recycle(answer.data);
            let timing = answer.timing;
            if let Err(error) = each(Step { bytes, timing }) {
                let next = pending.front().map_or(chain.next(), |(_, iv)| *iv);
                return broken(bytes, next, error);
            }
        }
    }

    /// Where its device's buffers come from.
    pub(crate) fn allocator(&self) -> Allocator {
        self.allocator.clone()
    }

    /// A buffer with a copy of these bytes.
    fn filled(&mut self, bytes: &[u8]) -> Result<Buffer> {
        let mut buffer = self.buffer(bytes.len())?;
        buffer.copy_from_slice(bytes);
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ReferenceDevice;
    use crate::{Direction, ErrorKind, Key, Mode};

    fn request(mode: Mode, direction: Direction) -> CipherRequest {
        let key = Key::new(&[0x42; 32]).unwrap();
        CipherRequest::new(mode, direction, key, [0xff; 16])
    }

    fn session(device: &ReferenceDevice) -> Session {
        Session::open(device, Cancellation::new()).unwrap()
    }

    #[test]
    fn an_update_gives_every_slot_two_chunks() {
        let ctr = request(Mode::Ctr, Direction::Encrypt);
        let chunks = |chunk, slots, bytes| {
            let device = ReferenceDevice::new()
                .with_chunk(chunk)
                .with_in_flight(slots);
            session(&device).update_chunk_bytes(&ctr, bytes)
        };
        assert_eq!(chunks(1 << 20, 3, 16), 65536);
        assert_eq!(chunks(1 << 20, 3, (1 << 20) - 16), 174_768);
        assert_eq!(chunks(1 << 20, 2, 64 << 20), 1 << 20);
        assert_eq!(chunks(4096, 2, 64 << 20), 4096);
        assert_eq!(chunks(0, 1, 64 << 20), 16);
        // One after the other, so that there is one slot.
        let cbc = request(Mode::Cbc, Direction::Encrypt);
        let device = ReferenceDevice::new().with_chunk(1 << 20);
        assert_eq!(session(&device).update_chunk_bytes(&cbc, 1 << 20), 1 << 19);
    }

    #[test]
    fn buffers_are_used_again_and_again() {
        let mut session = session(&ReferenceDevice::new().with_in_flight(2));
        let request = request(Mode::Ctr, Direction::Encrypt);
        let mut data = vec![0; 10_000];
        let mut expected = data.clone();
        super::tests::session(&ReferenceDevice::new())
            .whole(request.clone(), &mut Span::InPlace(&mut expected))
            .unwrap();
        for odd in [true, false, true] {
            let mut span = Span::InPlace(&mut data);
            session
                .chunks(&request, 1000, &mut span, &mut |_| Ok(()))
                .unwrap();
            assert_eq!(session.spare.len(), 2);
            // The same keystream again takes it off.
            assert!(data == if odd { &expected[..] } else { &[0; 10_000][..] });
        }
        let answer = session.whole(request, &mut Span::InPlace(&mut data));
        assert_eq!(data, [0; 10_000]);
        let shown = format!("{answer:?}");
        assert!(shown.contains("bytes: 10000") && !shown.contains('['));
        assert_eq!(session.spare.len(), 1);
        session.recycle(answer.unwrap().data);
        session.recycle(Buffer::default());
        assert_eq!(session.into_buffers().len(), 2);
    }

    #[test]
    fn chunks_are_cut_where_a_message_can_be() {
        let data: Vec<u8> = (0..=255).cycle().take(40 * 16).collect();
        for (mode, direction) in [
            (Mode::Ctr, Direction::Encrypt),
            (Mode::Cbc, Direction::Encrypt),
            (Mode::Cbc, Direction::Decrypt),
        ] {
            let request = request(mode, direction);
            let mut expected = data.clone();
            session(&ReferenceDevice::new())
                .whole(request.clone(), &mut Span::InPlace(&mut expected))
                .unwrap();
            for chunk_bytes in [0, 1, 17, 100] {
                let mut place = data.clone();
                session(&ReferenceDevice::new())
                    .chunks(
                        &request,
                        chunk_bytes,
                        &mut Span::InPlace(&mut place),
                        &mut |_| Ok(()),
                    )
                    .unwrap();
                assert!(place == expected, "{mode} {direction:?} {chunk_bytes}");
            }
        }
    }

    #[test]
    fn gcm_is_not_cut() {
        let mut session = session(&ReferenceDevice::new());
        let mut gcm = request(Mode::Gcm, Direction::Encrypt);
        let mut data = [7; 64];
        let mut chunks = |request: &CipherRequest, data: &mut [u8]| {
            let mut span = Span::InPlace(data);
            session
                .chunks(request, 16, &mut span, &mut |_| Ok(()))
                .map_err(|broken| (broken.bytes, broken.error.kind()))
        };
        let refused = chunks(&gcm, &mut data);
        assert_eq!(refused, Err((0, ErrorKind::Invalid)));
        assert_eq!(data, [7; 64]);
        gcm.bypass = true;
        assert!(chunks(&gcm, &mut data).is_ok());
    }

    #[test]
    fn a_failed_chunk_leaves_a_state_to_go_on_from() {
        for (mode, direction) in [
            (Mode::Ecb, Direction::Encrypt),
            (Mode::Cbc, Direction::Encrypt),
            (Mode::Cbc, Direction::Decrypt),
            (Mode::Ctr, Direction::Decrypt),
        ] {
            let request = request(mode, direction);
            let data: Vec<u8> = (0..=255).cycle().take(40 * 16).collect();
            let mut expected = data.clone();
            session(&ReferenceDevice::new())
                .whole(request.clone(), &mut Span::InPlace(&mut expected))
                .unwrap();
            for jobs in [0, 1, 4] {
                let mut place = data.clone();
                let mut failing = session(&ReferenceDevice::new().failing_after(jobs));
                let mut span = Span::InPlace(&mut place);
                let broken = failing
                    .chunks(&request, 64, &mut span, &mut |_| Ok(()))
                    .unwrap_err();
                assert_eq!(broken.error.kind(), ErrorKind::Device);
                assert_eq!(broken.bytes, jobs * 64, "{mode} {direction:?}");
                assert_eq!(place[broken.bytes..], data[broken.bytes..]);
                let mut rest = request.clone();
                rest.iv = broken.iv;
                session(&ReferenceDevice::new())
                    .whole(rest, &mut Span::InPlace(&mut place[broken.bytes..]))
                    .unwrap();
                assert!(place == expected, "{mode} {direction:?} after {jobs} jobs");
            }
        }
    }

    #[test]
    fn whoever_is_told_can_end_it() {
        let mut session = session(&ReferenceDevice::new());
        let mut seen = Vec::new();
        let (input, mut output) = ([0; 640], [0; 640]);
        let broken = session
            .chunks(
                &request(Mode::Ctr, Direction::Encrypt),
                64,
                &mut Span::apart(&input, &mut output).unwrap(),
                &mut |step| {
                    assert!(step.timing.is_some());
                    seen.push(step.bytes);
                    match step.bytes {
                        128 => Err(Error::cancelled()),
                        _ => Ok(()),
                    }
                },
            )
            .unwrap_err();
        assert_eq!((broken.bytes, seen), (128, vec![64, 128]));
        assert_eq!(broken.error.kind(), ErrorKind::Cancelled);
        assert_eq!(output[128..], [0; 512]);
    }
}
