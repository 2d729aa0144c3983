// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Jobs in flight: each in chunks, which go to the lanes in their order.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ciphermill::{
    BLOCK_BYTES, Buffer, Cancellation, CipherRequest, Completion, DeviceMemory, Direction, Error,
    Job, Queue, Result, Timing, TimingMethod,
};
use zeroize::Zeroizing;

use crate::chunk::{Part, Worker};
use crate::options::CHUNK_BYTES;
use crate::spare::Spare;
use crate::work::Work;

/// The queue of a [`crate::GpuDevice`]. All of it runs on the caller's thread: handing over a job
/// begins its first chunks, and waiting for a completion begins the others.
pub(crate) struct GpuQueue {
    workers: Vec<Worker>,
    /// Where the workers go back to.
    spare: Arc<Spare>,
    idle: Vec<usize>,
    /// Chunks on the lanes, the oldest first.
    active: VecDeque<Active>,
    /// Jobs without a completion, the oldest first.
    jobs: VecDeque<Running>,
    /// Jobs that had a completion, so that `first + n` is the number of `jobs[n]`.
    first: u64,
    chunk_bytes: usize,
    cancellation: Cancellation,
}

struct Active {
    worker: usize,
    job: u64,
    whole_blocks: usize,
    sum: Box<[u8; BLOCK_BYTES]>,
}

/// A job's data.
enum Data {
    Host(Buffer),
    Device(DeviceMemory),
}

struct Running {
    token: u64,
    data: Data,
    /// None where the request is refused.
    work: Option<Work>,
    error: Option<Error>,
    /// Chunks on the lanes.
    in_flight: usize,
    began: Instant,
    transfer: Duration,
    processing: Duration,
}

impl GpuQueue {
    pub(crate) fn new(
        workers: Vec<Worker>,
        spare: Arc<Spare>,
        chunk_bytes: usize,
        cancellation: Cancellation,
    ) -> GpuQueue {
        GpuQueue {
            spare,
            idle: (0..workers.len()).collect(),
            workers,
            active: VecDeque::new(),
            jobs: VecDeque::new(),
            first: 0,
            chunk_bytes,
            cancellation,
        }
    }

    /// Give idle lanes the next chunks.
    fn begin_chunks(&mut self) {
        for index in 0..self.jobs.len() {
            while !self.idle.is_empty() && self.jobs[index].has_more() {
                match self.begin_chunk(index) {
                    Ok(true) => {}
                    // A lane that ends its chunk has memory for the next one.
                    Ok(false) => return,
                    Err(error) => self.jobs[index].error = Some(error),
                }
            }
        }
    }

    /// Whether an idle lane has begun a job's next chunk: not where lanes at work have all of the
    /// device's memory.
    fn begin_chunk(&mut self, index: usize) -> Result<bool> {
        self.spare.check_process()?;
        self.cancellation.check()?;
        let Some(worker) = self.idle.pop() else {
            return Ok(false);
        };
        let begun = self.begin_chunk_on(worker, index);
        if !matches!(begun, Ok(true)) {
            self.idle.push(worker);
        }
        begun
    }

    fn begin_chunk_on(&mut self, worker: usize, index: usize) -> Result<bool> {
        let Some(bytes) = self.reserve(worker, index)? else {
            return Ok(false);
        };
        let Running { work, data, .. } = &mut self.jobs[index];
        let Some(work) = work else {
            return Ok(false);
        };
        let lane = &mut self.workers[worker];
        let last_block = last_block(lane, work, data, bytes)?;
        let part = part_of(work, data, bytes);
        let mut sum = Box::new([0; BLOCK_BYTES]);
        // SAFETY: the job stays in the queue, and so its memory in its place, until `end_chunk`
        // has waited for the lane. Nobody else touches this chunk's part of it. The sum is on the
        // heap, and `Active` keeps it.
        #[allow(unsafe_code)]
        let started = unsafe { lane.start(&work.chunk(), part, &mut sum[..]) };
        work.advance(bytes, last_block);
        if let Err(error) = started {
            // What was begun before the error ends here; the first error is the one to tell.
            let _ = lane.wait();
            return Err(error);
        }
        self.jobs[index].in_flight += 1;
        self.active.push_back(Active {
            worker,
            job: self.first + index as u64,
            whole_blocks: bytes / BLOCK_BYTES,
            sum,
        });
        Ok(true)
    }

    /// Bytes of a job's next chunk, for which an idle lane has room. Where the device has no memory
    /// for so many, this and later chunks have half of them, and so on; `None` where it has none at
    /// all before a lane at work has ended.
    fn reserve(&mut self, worker: usize, index: usize) -> Result<Option<usize>> {
        let mut chunk_bytes = self.chunk_bytes;
        let mut others_have_memory = true;
        loop {
            let Running { work, data, .. } = &mut self.jobs[index];
            let Some(work) = work else {
                return Ok(None);
            };
            let lane = &mut self.workers[worker];
            let bytes = work.chunk_bytes(chunk_bytes);
            let part = part_of(work, data, bytes);
            let error = match lane.reserve(&work.chunk(), part) {
                Ok(()) => {
                    self.chunk_bytes = chunk_bytes;
                    return Ok(Some(bytes));
                }
                Err(error) if error.is_out_of_memory() => error,
                Err(error) => return Err(error),
            };
            // Some of its buffers may have got memory.
            lane.release()?;
            if chunk_bytes > *CHUNK_BYTES.start() {
                chunk_bytes = (chunk_bytes / 2).max(*CHUNK_BYTES.start());
            } else if !self.active.is_empty() {
                return Ok(None);
            } else if others_have_memory {
                for other in &self.idle {
                    self.workers[*other].release()?;
                }
                others_have_memory = false;
                chunk_bytes = self.chunk_bytes;
            } else {
                return Err(error);
            }
        }
    }

    /// Run a request on data in the device's memory, when no job is in flight.
    ///
    /// # Errors
    /// As [`ciphermill::Device::run_in_memory`].
    ///
    /// # Safety
    /// As [`ciphermill::Device::run_in_memory`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run_in(
        &mut self,
        request: &CipherRequest,
        memory: DeviceMemory,
    ) -> Result<(Option<[u8; BLOCK_BYTES]>, Timing)> {
        let began = Instant::now();
        let rest = memory.bytes % BLOCK_BYTES;
        let whole = memory.bytes - rest;
        let [lane, ..] = &mut self.workers[..] else {
            return Err(Error::device("the queue has no lane"));
        };
        lane.check_memory(memory)?;
        lane.settle()?;
        let last_bytes = match request.direction {
            Direction::Decrypt => read_last(lane, memory, whole, rest)?,
            Direction::Encrypt => Zeroizing::default(),
        };
        let work = Work::in_memory(request, memory.bytes, &last_bytes)?;
        self.jobs.push_back(Running {
            token: 0,
            data: Data::Device(memory),
            work: Some(work),
            error: None,
            in_flight: 0,
            began,
            transfer: Duration::ZERO,
            processing: Duration::ZERO,
        });
        self.begin_chunks();
        while self.jobs.front().is_some_and(|job| !job.is_done()) {
            self.end_chunk();
            self.begin_chunks();
        }
        self.first += 1;
        let (Some(mut job), [lane, ..]) = (self.jobs.pop_front(), &mut self.workers[..]) else {
            return Err(Error::device("the queue lost a job"));
        };
        let work = match (job.error.take(), job.work.take()) {
            (None, Some(work)) => work,
            (error, _) => return Err(error.unwrap_or_else(Error::cancelled)),
        };
        match work.finish_tag(&read_last(lane, memory, whole, rest)?) {
            Ok(tag) => Ok((tag, job.timing())),
            Err(error) => {
                // SAFETY: this function's contract; all lanes are idle.
                let zeroised = unsafe { lane.zeroise(memory) };
                Err(match zeroised {
                    Ok(()) => error,
                    Err(reason) => Error::authentication(format!(
                        "{error}; data that are not authentic may still be in the device's memory, \
                         which could not be zeroised ({reason}): do not use them"
                    )),
                })
            }
        }
    }

    /// Wait for the oldest chunk.
    fn end_chunk(&mut self) {
        let Some(active) = self.active.pop_front() else {
            return;
        };
        let times = self.workers[active.worker].wait();
        self.idle.push(active.worker);
        let job = &mut self.jobs[(active.job - self.first) as usize];
        job.in_flight -= 1;
        match times {
            Ok(times) => {
                job.transfer += times.transfer;
                job.processing += times.processing;
                if let Some(work) = &mut job.work {
                    work.append(active.whole_blocks, &active.sum);
                }
            }
            Err(error) => {
                job.error.get_or_insert(error);
            }
        }
    }
}

/// Where the next chunk's data are.
fn part_of(work: &mut Work, data: &mut Data, bytes: usize) -> Part {
    match data {
        Data::Host(data) => Part::Host(work.part(data, bytes)),
        Data::Device(memory) => Part::Device(DeviceMemory {
            address: memory.address + work.begun_bytes() as u64,
            bytes,
        }),
    }
}

/// The last block of the next chunk, where the chunk after it needs that; otherwise zeros.
fn last_block(
    lane: &mut Worker,
    work: &mut Work,
    data: &mut Data,
    bytes: usize,
) -> Result<[u8; BLOCK_BYTES]> {
    if !work.is_chained() {
        return Ok([0; BLOCK_BYTES]);
    }
    let last = match data {
        Data::Host(data) => work.part(data, bytes).last_chunk().copied(),
        Data::Device(memory) => {
            let start = work.begun_bytes() + bytes - BLOCK_BYTES;
            let block = read_last(lane, *memory, start, BLOCK_BYTES)?;
            block.first_chunk().copied()
        }
    };
    Ok(last.unwrap_or_default())
}

/// A few bytes of the caller's memory, from here on.
fn read_last(
    lane: &mut Worker,
    memory: DeviceMemory,
    start: usize,
    bytes: usize,
) -> Result<Zeroizing<Vec<u8>>> {
    if bytes == 0 {
        return Ok(Zeroizing::default());
    }
    let address = memory.address + start as u64;
    // SAFETY: whoever gave the memory for the job promised that it is there ([`GpuQueue::run_in`]);
    // the lane is idle.
    #[allow(unsafe_code)]
    unsafe {
        lane.read(DeviceMemory { address, bytes })
    }
}

impl Queue for GpuQueue {
    fn submit(&mut self, mut job: Job) -> Result<()> {
        let began = Instant::now();
        let (work, error) = match Work::of(&job.request, &mut job.data) {
            Ok(work) => (Some(work), None),
            Err(error) => (None, Some(error)),
        };
        self.jobs.push_back(Running {
            token: job.token,
            data: Data::Host(job.data),
            work,
            error,
            in_flight: 0,
            began,
            transfer: Duration::ZERO,
            processing: Duration::ZERO,
        });
        self.begin_chunks();
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        if let Err(error) = self.spare.check_process() {
            let job = self.jobs.pop_front()?;
            let token = job.token;
            mem::forget(job);
            return Some(Completion::failed(token, error));
        }
        while !self.jobs.front()?.is_done() {
            self.end_chunk();
            self.begin_chunks();
        }
        let job = self.jobs.pop_front()?;
        self.first += 1;
        Some(job.complete())
    }

    fn in_flight(&self) -> usize {
        self.jobs.len()
    }
}

impl Drop for GpuQueue {
    fn drop(&mut self) {
        // In a forked child, buffers of the driver and its commands are the parent's.
        if self.spare.check_process().is_err() {
            mem::forget(mem::take(&mut self.workers));
            return mem::forget(mem::take(&mut self.jobs));
        }
        // The device may still write into the jobs' memory.
        while !self.active.is_empty() {
            self.end_chunk();
        }
        for worker in self.workers.drain(..) {
            self.spare.put(worker);
        }
    }
}

impl Running {
    fn has_more(&self) -> bool {
        let work = self.work.as_ref().filter(|_| self.error.is_none());
        work.is_some_and(|work| work.rest_bytes() > 0)
    }

    fn is_done(&self) -> bool {
        self.in_flight == 0 && !self.has_more()
    }

    fn complete(mut self) -> Completion {
        let Data::Host(data) = &mut self.data else {
            return Completion::failed(self.token, Error::device("the job has no data here"));
        };
        let tag = match (self.error.take(), self.work.take()) {
            (None, Some(work)) => work.finish(data),
            (error, _) => Err(error.unwrap_or_else(Error::cancelled)),
        };
        let tag = match tag {
            Ok(tag) => tag,
            Err(error) => return Completion::failed(self.token, error),
        };
        let mut completion = Completion::done(self.token, mem::take(data));
        completion.tag = tag;
        completion.timing = Some(self.timing());
        completion
    }

    fn timing(&self) -> Timing {
        Timing {
            total: self.began.elapsed(),
            transfer: self.transfer,
            processing: self.processing,
            cycles: None,
            method: TimingMethod::Measured,
        }
    }
}
