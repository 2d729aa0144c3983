// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A stream through a device: a reader thread, the device and a writer thread overlap.
//!
//! ```text
//! reader ─► [work before: parallel] ─► device queue ─► [work after: parallel] ─► writer
//!    ▲                                                                            │
//!    └──────────────────── buffers, a bounded number of them ─────────────────────┘
//! ```
//!
//! Chunks stay in order everywhere. Errors of the reader and of the work before the
//! device travel in order too, so that all chunks before an error are still
//! written. The first error wins; every thread has ended when [`run`] returns. Where the
//! system has no threads to give, one thread does everything, chunk by chunk.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use crate::chain::Chain;
use crate::chunk::{Chunk, Sink, Source};
use crate::process;
use crate::{
    Allocator, Answer, Buffer, Cancellation, CipherRequest, Device, Direction, Error, ErrorKind,
    Mode, Result, Session, Span, Timing,
};

/// Work on a chunk before or after the device; may run on several threads.
pub(crate) type Work<'a> = &'a (dyn Fn(&mut Chunk) -> Result<()> + Sync);

/// The processing of each chunk.
pub(crate) struct Plan<'a> {
    /// The device that processes the chunks.
    pub(crate) device: &'a dyn Device,
    /// The fields that all chunks share.
    pub(crate) request: CipherRequest,
    /// IVs that follow from chunk to chunk; without it each chunk has its own.
    pub(crate) chain: Option<Chain>,
    /// Work before the device's.
    pub(crate) before: Option<Work<'a>>,
    /// Work after the device's.
    pub(crate) after: Option<Work<'a>>,
}

/// The result of a run.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Totals {
    /// Chunks that came back from the device.
    pub(crate) chunks: u64,
    /// Their bytes of input.
    pub(crate) bytes_in: u64,
    /// Sum of the device's times.
    pub(crate) timing: Option<Timing>,
    /// Time in the calls that hand chunks to the device and take them back.
    pub(crate) inside_device: Duration,
    /// From the open device to the last chunk taken by the sink.
    pub(crate) total: Duration,
}

/// The error of a chunk whose tag does not match.
pub(crate) fn altered(index: u64) -> Error {
    Error::authentication(format!(
        "chunk {index} fails its check: the file was damaged or altered"
    ))
}

/// The outcome or, of a reader or writer that gave up because of the cancellation, that: it did
/// not fail by itself.
pub(crate) fn or_cancelled<T>(outcome: Result<T>, stop: &Cancellation) -> Result<T> {
    outcome.map_err(|error| stop.check().err().unwrap_or(error))
}

/// Run a stream with reader, device and writer overlapping or, without `overlap`, on this
/// thread alone, which is quicker for a single chunk.
///
/// `progress` runs on this thread and gets the bytes of input done so far. `stop`
/// is set when the run fails, so that a reader or writer that looks at it can
/// give up waiting. Where the system gives too few threads, this one does everything.
pub(crate) fn run(
    plan: Plan<'_>,
    source: &mut dyn Source,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
    overlap: bool,
) -> Result<Totals> {
    let failure = Failure {
        first: Mutex::new(None),
        stop,
    };
    let (before, after) = (plan.before, plan.after);
    let mut middle = Middle::open(plan, stop)?;
    if !overlap {
        return middle.run_here(source, sink, progress, stop);
    }
    let began = Instant::now();
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(8));
    let waiting = 2 * workers * (usize::from(before.is_some()) + usize::from(after.is_some()));
    // Those in flight, and for reader and writer one at hand and one waiting.
    let buffers = middle.depth + waiting + 4;
    let (free, taken) = sync_channel(buffers);
    for _ in 0..buffers {
        free.send(Buffer::default()).expect("the receiver is here");
    }
    let (reading, writing) = (&mut *source, &mut *sink);
    let allocator = &middle.session.allocator();
    let overlapped = thread::scope(|scope| -> io::Result<bool> {
        let (to_middle, from_reader) = lanes(scope, before, workers)?;
        let (to_writer, from_middle) = lanes(scope, after, workers)?;
        let failure = &failure;
        let writer = spawn(scope, "writer", move || {
            or_cancelled(write(writing, from_middle, &free), stop)
                .map_err(|error| failure.set(error))
                .unwrap_or(false)
        })?;
        // The last thread to start. Where one does not start, nothing was read yet, and the
        // others find their channels closed and end.
        spawn(scope, "reader", move || {
            read(reading, &taken, allocator, to_middle, stop);
        })?;
        let mut ends = Threads {
            input: from_reader,
            output: to_writer,
        };
        let outcome = middle.drive(&mut ends, progress);
        drop(ends);
        // Chunks finished before an error are still written, unless writing failed: only then
        // are all threads told to stop.
        let finished = writer
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Err(error) = outcome {
            failure.set(error);
        }
        Ok(finished)
    });
    let Ok(finished) = overlapped else {
        return middle.run_here(source, sink, progress, stop);
    };
    let first = failure.first.into_inner();
    match first.unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some(error) => Err(error),
        None if finished => {
            middle.totals.total = began.elapsed();
            Ok(middle.totals)
        }
        None => Err(Error::device("the stream ended before its last chunk")),
    }
}

/// Run a stream on this thread, chunk by chunk: each is read, processed and written before the
/// next is read. The device gets a chunk as several jobs at once, and its chain is that of the
/// request: the plan has none.
pub(crate) fn run_updates(
    plan: Plan<'_>,
    source: &mut dyn Source,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
) -> Result<Totals> {
    let mut middle = Middle::open(plan, stop)?;
    middle.cuts = true;
    middle.run_here(source, sink, progress, stop)
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    run: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<thread::ScopedJoinHandle<'scope, T>> {
    process::spawn_scoped(scope, &format!("ciphermill-{name}"), run)
}

fn read(
    source: &mut dyn Source,
    buffers: &Receiver<Buffer>,
    allocator: &Allocator,
    mut output: Senders,
    stop: &Cancellation,
) {
    let mut index = 0;
    // When the run has failed, no buffer comes back and no chunk is taken.
    while let Ok(data) = buffers.recv() {
        let mut chunk = Chunk {
            index,
            data,
            ..Chunk::default()
        };
        let outcome =
            or_cancelled(source.fill(&mut chunk, allocator), stop).and_then(|()| stop.check());
        let ends = outcome.is_err() || chunk.last;
        if output.send(outcome.map(|()| chunk)).is_err() || ends {
            return;
        }
        index += 1;
    }
}

/// Whether the last chunk was written.
fn write(sink: &mut dyn Sink, mut input: Receivers, buffers: &SyncSender<Buffer>) -> Result<bool> {
    while let Ok(chunk) = input.receive(true) {
        let chunk = chunk?;
        sink.take(&chunk)?;
        if chunk.last {
            return Ok(true);
        }
        // The reader may have ended already.
        let _ = buffers.send(chunk.data);
    }
    Ok(false)
}

/// The first error, which also stops the others.
struct Failure<'a> {
    first: Mutex<Option<Error>>,
    stop: &'a Cancellation,
}

impl Failure<'_> {
    fn set(&self, error: Error) {
        let mut first = self
            .first
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(error);
        self.stop.cancel();
    }
}

/// Ends of channels that are used in turn.
struct Lanes<End> {
    lanes: Vec<End>,
    next: usize,
}

type Senders = Lanes<SyncSender<Result<Chunk>>>;
type Receivers = Lanes<Receiver<Result<Chunk>>>;

/// Channels with a worker in each, or without work one straight channel.
fn lanes<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: Option<Work<'scope>>,
    workers: usize,
) -> io::Result<(Senders, Receivers)> {
    let (mut senders, mut receivers) = (Lanes::new(), Lanes::new());
    for _ in 0..work.map_or(1, |_| workers) {
        let (input, mut output) = sync_channel::<Result<Chunk>>(1);
        if let Some(work) = work {
            let waiting = output;
            let finished;
            (finished, output) = sync_channel(1);
            spawn(scope, "authenticator", move || {
                for item in waiting {
                    let item = item.and_then(|mut chunk| work(&mut chunk).map(|()| chunk));
                    if finished.send(item).is_err() {
                        break;
                    }
                }
            })?;
        }
        senders.lanes.push(input);
        receivers.lanes.push(output);
    }
    Ok((senders, receivers))
}

impl<End> Lanes<End> {
    fn new() -> Lanes<End> {
        let (lanes, next) = (Vec::new(), 0);
        Lanes { lanes, next }
    }

    fn advance(&mut self) {
        self.next = (self.next + 1) % self.lanes.len();
    }
}

impl Senders {
    /// An error when the receiver is gone.
    fn send(&mut self, item: Result<Chunk>) -> std::result::Result<(), ()> {
        let sent = self.lanes[self.next].send(item).map_err(|_| ());
        self.advance();
        sent
    }
}

impl Receivers {
    /// The next chunk, or the error that ended the stream; `Empty` only without `wait`.
    fn receive(&mut self, wait: bool) -> std::result::Result<Result<Chunk>, TryRecvError> {
        let lane = &self.lanes[self.next];
        let item = match wait {
            true => lane.recv().map_err(|_| TryRecvError::Disconnected)?,
            false => lane.try_recv()?,
        };
        self.advance();
        Ok(item)
    }
}

/// Where the device's chunks come from and where they go.
trait Ends {
    /// The next chunk; where `wait` is not set, only if it is there without waiting.
    fn next(&mut self, wait: bool) -> Result<Next>;

    /// Hand on a chunk that is done. Whether another is wanted.
    fn give(&mut self, chunk: Chunk) -> Result<bool>;
}

enum Next {
    Chunk(Chunk),
    NotYet,
    End,
}

/// The threads before and after the device's.
struct Threads {
    input: Receivers,
    output: Senders,
}

impl Ends for Threads {
    fn next(&mut self, wait: bool) -> Result<Next> {
        match self.input.receive(wait) {
            Ok(item) => item.map(Next::Chunk),
            Err(TryRecvError::Empty) => Ok(Next::NotYet),
            Err(TryRecvError::Disconnected) => Ok(Next::End),
        }
    }

    fn give(&mut self, chunk: Chunk) -> Result<bool> {
        Ok(self.output.send(Ok(chunk)).is_ok())
    }
}

/// Everything on this thread. To read is to wait, so that one chunk is in flight.
struct Here<'a> {
    source: &'a mut dyn Source,
    sink: &'a mut dyn Sink,
    allocator: Allocator,
    before: Option<Work<'a>>,
    after: Option<Work<'a>>,
    stop: &'a Cancellation,
    /// The chunk handed on last: the next chunk reuses its buffer.
    spare: Chunk,
    index: u64,
}

impl Ends for Here<'_> {
    fn next(&mut self, wait: bool) -> Result<Next> {
        if !wait {
            return Ok(Next::NotYet);
        }
        self.stop.check()?;
        let mut chunk = std::mem::take(&mut self.spare);
        chunk.index = self.index;
        self.index += 1;
        or_cancelled(self.source.fill(&mut chunk, &self.allocator), self.stop)?;
        if let Some(work) = self.before {
            work(&mut chunk)?;
        }
        Ok(Next::Chunk(chunk))
    }

    fn give(&mut self, mut chunk: Chunk) -> Result<bool> {
        if let Some(work) = self.after {
            work(&mut chunk)?;
        }
        or_cancelled(self.sink.take(&chunk), self.stop)?;
        self.spare = chunk;
        Ok(true)
    }
}

/// The device's part of a run.
struct Middle<'a> {
    plan: Plan<'a>,
    session: Session,
    depth: usize,
    /// Chunks are cut into jobs.
    cuts: bool,
    waiting: VecDeque<Chunk>,
    totals: Totals,
}

impl<'a> Middle<'a> {
    fn open(plan: Plan<'a>, stop: &Cancellation) -> Result<Middle<'a>> {
        let session = Session::open(plan.device, stop.clone())?;
        let depth = match &plan.chain {
            Some(_) => session.depth(&plan.request),
            // Each chunk has an IV of its own.
            None => session.in_flight(),
        };
        Ok(Middle {
            session,
            plan,
            depth,
            cuts: false,
            waiting: VecDeque::new(),
            totals: Totals::default(),
        })
    }

    /// The whole stream on this thread.
    fn run_here(
        &mut self,
        source: &mut dyn Source,
        sink: &mut dyn Sink,
        progress: &mut dyn FnMut(u64),
        stop: &Cancellation,
    ) -> Result<Totals> {
        let mut ends = Here {
            source,
            sink,
            allocator: self.session.allocator(),
            before: self.plan.before,
            after: self.plan.after,
            stop,
            spare: Chunk::default(),
            index: 0,
        };
        let began = Instant::now();
        self.drive(&mut ends, progress)?;
        self.totals.total = began.elapsed();
        Ok(self.totals)
    }

    /// Feed the device while there is something to feed, and empty it otherwise:
    /// a finished chunk never waits for input.
    fn drive(&mut self, ends: &mut dyn Ends, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let mut ended = Ok(());
        let mut more = true;
        loop {
            while more && self.waiting.len() < self.depth {
                match ends.next(self.waiting.is_empty()) {
                    Ok(Next::Chunk(chunk)) => {
                        more = !chunk.last;
                        self.submit(chunk)?;
                    }
                    Ok(Next::NotYet) => break,
                    Ok(Next::End) => more = false,
                    Err(error) => {
                        more = false;
                        ended = Err(error);
                    }
                }
            }
            if self.waiting.is_empty() {
                return ended;
            }
            let chunk = self.complete()?;
            progress(self.totals.bytes_in);
            if !ends.give(chunk)? {
                // The writer has failed and said why.
                return Ok(());
            }
        }
    }

    fn submit(&mut self, mut chunk: Chunk) -> Result<()> {
        if self.cuts {
            self.waiting.push_back(chunk);
            return Ok(());
        }
        let data = std::mem::take(&mut chunk.data);
        let mut request = self.plan.request.clone();
        request.iv = match &mut self.plan.chain {
            Some(chain) => chain.begin(&data),
            None => chunk.iv,
        };
        if request.mode == Mode::Gcm {
            request.associated_data = std::mem::take(&mut chunk.associated_data);
            if request.direction == Direction::Decrypt {
                request.tag = chunk.tag.first_chunk().copied();
            }
        }
        self.waiting.push_back(chunk);
        let began = Instant::now();
        let outcome = self.session.submit(request, data);
        self.totals.inside_device += began.elapsed();
        outcome
    }

    fn complete(&mut self) -> Result<Chunk> {
        let mut chunk = self
            .waiting
            .pop_front()
            .ok_or_else(|| Error::device("the device lost a job"))?;
        let began = Instant::now();
        let answer = match self.cuts {
            true => self.update(std::mem::take(&mut chunk.data)),
            false => self.session.complete(),
        };
        self.totals.inside_device += began.elapsed();
        let answer = answer.map_err(|error| match error.kind() {
            ErrorKind::Authentication => altered(chunk.index),
            _ => error,
        })?;
        chunk.data = answer.data;
        if let Some(tag) = answer.tag {
            chunk.tag[..tag.len()].copy_from_slice(&tag);
        }
        if let Some(chain) = &mut self.plan.chain {
            chain.end(&chunk.data);
        }
        self.totals.chunks += 1;
        self.totals.bytes_in += chunk.bytes_in;
        self.totals.timing = Timing::sum(self.totals.timing, answer.timing);
        Ok(chunk)
    }

    /// All jobs of a chunk, in place; the request's IV moves on.
    fn update(&mut self, mut data: Buffer) -> Result<Answer> {
        let request = &mut self.plan.request;
        let job_bytes = self.session.update_chunk_bytes(request, data.len());
        let mut timing = None;
        let mut span = Span::InPlace(&mut data);
        let next = self
            .session
            .chunks(request, job_bytes, &mut span, &mut |job| {
                timing = Timing::sum(timing, job.timing);
                Ok(())
            });
        request.iv = next.map_err(|broken| broken.error)?;
        Ok(Answer {
            data,
            tag: None,
            timing,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Read;

    use super::*;
    use crate::process::limit::with_threads;
    use crate::testing::ReferenceDevice;
    use crate::{DecryptOptions, EncryptOptions, Secret, decrypt, encrypt};

    /// Counts its reads on other threads than the test's.
    struct Reader<'a> {
        data: &'a [u8],
        home: thread::ThreadId,
        elsewhere: &'a Mutex<usize>,
    }

    impl Read for Reader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if thread::current().id() != self.home {
                *self.elsewhere.lock().unwrap() += 1;
            }
            self.data.read(buffer)
        }
    }

    #[test]
    fn one_thread_does_everything_where_too_few_start() {
        let data: Vec<u8> = (0..=255).cycle().take(5000).collect();
        let device = ReferenceDevice::new();
        let never = Cancellation::new();
        let secret = Secret::key([7; 32]).unwrap();
        for mode in Mode::MESSAGES {
            let mut options = EncryptOptions::new(secret.clone());
            options.mode = Some(mode);
            options.chunk_bytes = 64;
            let mut threads = 0;
            loop {
                let elsewhere = Mutex::new(0);
                let reader = Reader {
                    data: &data,
                    home: thread::current().id(),
                    elsewhere: &elsewhere,
                };
                let done = Cell::new(0);
                let mut progress = |bytes| done.set(bytes);
                let mut sealed = Vec::new();
                with_threads(threads, || {
                    encrypt(
                        reader,
                        &mut sealed,
                        &device,
                        &options,
                        &mut progress,
                        &never,
                    )
                })
                .unwrap();
                assert_eq!(done.get(), data.len() as u64, "{mode} {threads}");
                let mut opened = Vec::new();
                let options = DecryptOptions::new(secret.clone());
                with_threads(threads, || {
                    let mut ignore = |_| {};
                    decrypt(
                        &sealed[..],
                        &mut opened,
                        &device,
                        &options,
                        &mut ignore,
                        &never,
                    )
                })
                .unwrap();
                assert!(opened == data, "{mode} {threads}");
                // With every thread the reader is on one of them.
                if *elsewhere.lock().unwrap() > 0 {
                    break;
                }
                threads += 1;
                assert!(threads < 100, "it never overlaps");
            }
            assert!(threads >= 2, "{mode} {threads}");
        }
    }
}
