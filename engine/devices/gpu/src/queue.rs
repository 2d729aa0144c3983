// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Jobs in flight: each in chunks, which go to the lanes in their order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ciphermill::{
    BLOCK_BYTES, Buffer, Cancellation, CipherRequest, Completion, DeviceMemory, Error, Job, Queue,
    Result, Timing, TimingMethod,
};

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
                if let Err(error) = self.begin_chunk(index) {
                    self.jobs[index].error = Some(error);
                }
            }
        }
    }

    fn begin_chunk(&mut self, index: usize) -> Result<()> {
        self.cancellation.check()?;
        let Running { work, data, .. } = &mut self.jobs[index];
        let (Some(work), Some(worker)) = (work, self.idle.pop()) else {
            return Ok(());
        };
        let lane = &mut self.workers[worker];
        let bytes = match reserve(lane, work, &mut self.chunk_bytes) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.idle.push(worker);
                return Err(error);
            }
        };
        let (part, last_block) = match part_of(lane, work, data, bytes) {
            Ok(part) => part,
            Err(error) => {
                self.idle.push(worker);
                return Err(error);
            }
        };
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
            self.idle.push(worker);
            return Err(error);
        }
        self.jobs[index].in_flight += 1;
        self.active.push_back(Active {
            worker,
            job: self.first + index as u64,
            whole_blocks: bytes / BLOCK_BYTES,
            sum,
        });
        Ok(())
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
        lane.settle()?;
        let work = Work::in_memory(request, memory.bytes, read_last(lane, memory, whole, rest)?)?;
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
                unsafe { lane.zeroise(memory)? };
                Err(error)
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

/// The next chunk, and the last block of it where the chunk after it needs that.
fn part_of(
    lane: &mut Worker,
    work: &mut Work,
    data: &mut Data,
    bytes: usize,
) -> Result<(Part, [u8; BLOCK_BYTES])> {
    match data {
        Data::Host(data) => {
            let part = work.part(data, bytes);
            let last_block = part.last_chunk().copied().unwrap_or_default();
            Ok((Part::Host(part), last_block))
        }
        Data::Device(memory) => {
            let begin = work.begun_bytes();
            let last_block = match work.is_chained() {
                true => read_last(lane, *memory, begin + bytes - BLOCK_BYTES, BLOCK_BYTES)?,
                false => Vec::new(),
            };
            let part = DeviceMemory {
                address: memory.address + begin as u64,
                bytes,
            };
            let last_block = last_block.try_into().unwrap_or_default();
            Ok((Part::Device(part), last_block))
        }
    }
}

/// A few bytes of the caller's memory, from here on.
fn read_last(
    lane: &mut Worker,
    memory: DeviceMemory,
    start: usize,
    bytes: usize,
) -> Result<Vec<u8>> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let address = memory.address + start as u64;
    // SAFETY: whoever gave the memory for the job promised that it is there ([`GpuQueue::run_in`]);
    // the lane is idle.
    #[allow(unsafe_code)]
    unsafe {
        lane.read(DeviceMemory { address, bytes })
    }
}

/// Bytes of the next chunk, for which the lane has room. Where the device has no memory for so
/// many, this and later chunks have half of them.
fn reserve(lane: &mut Worker, work: &Work, chunk_bytes: &mut usize) -> Result<usize> {
    loop {
        let bytes = work.chunk_bytes(*chunk_bytes);
        match lane.reserve(&work.chunk(), bytes) {
            Err(error) if error.is_out_of_memory() && *chunk_bytes > *CHUNK_BYTES.start() => {
                *chunk_bytes = (*chunk_bytes / 2).max(*CHUNK_BYTES.start());
            }
            reserved => return reserved.map(|()| bytes),
        }
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
        let mut completion = Completion::done(self.token, std::mem::take(data));
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
