// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A queue without threads: the caller's own does the work.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use ciphermill::{Buffer, Cancellation, Completion, Error, Job, Queue, Result};

use crate::side_by_side::Stream;
use crate::work::{Work, completion};

/// What a device with one worker opens. A job is processed when its completion is
/// asked for: on one thread there is nothing to overlap with, and handing a job
/// over to another thread costs about 3 % of a mebibyte's work. A stream is processed beside
/// the others that wait.
pub(crate) struct CallerQueue {
    work: Arc<Work>,
    cancellation: Cancellation,
    /// The oldest first.
    entries: VecDeque<Entry>,
}

struct Entry {
    job: Job,
    /// Of a stream that was processed beside an older one.
    outcome: Option<Result<Duration>>,
}

impl CallerQueue {
    pub(crate) fn new(work: Arc<Work>, cancellation: Cancellation) -> CallerQueue {
        CallerQueue {
            work,
            cancellation,
            entries: VecDeque::new(),
        }
    }

    /// Whether the oldest job is a stream that waits, and another one waits too.
    fn has_streams(&self) -> bool {
        let waiting =
            |entry: &Entry| entry.outcome.is_none() && self.work.is_stream(&entry.job.request);
        let mut entries = self.entries.iter();
        entries.next().is_some_and(waiting) && entries.any(waiting)
    }

    /// Processes the streams that wait, at their places.
    fn side_by_side(&mut self) {
        let entries = self.entries.iter_mut();
        let waiting = entries.filter(|entry| entry.outcome.is_none());
        let streams = waiting.filter_map(|Entry { job, outcome }| {
            let reply = |_: &mut Buffer, result| *outcome = Some(result);
            let Job { request, data, .. } = job;
            self.work.is_stream(request).then_some(Stream {
                request,
                data,
                cancellation: &self.cancellation,
                reply,
            })
        });
        self.work.run_streams(streams.collect());
        for Entry { job, outcome } in &mut self.entries {
            if self.work.is_stream(&job.request) {
                outcome.get_or_insert_with(|| Err(panicked()));
            }
        }
    }
}

impl Queue for CallerQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        let outcome = None;
        self.entries.push_back(Entry { job, outcome });
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        if self.has_streams() {
            self.side_by_side();
        }
        let Entry { job, outcome } = self.entries.pop_front()?;
        let token = job.token;
        Some(match outcome {
            Some(Ok(elapsed)) => completion(token, &job.request, job.data, None, elapsed),
            Some(Err(error)) => Completion::failed(token, error),
            None => {
                let run = || self.work.execute(job, &self.cancellation);
                catch_unwind(AssertUnwindSafe(run))
                    .unwrap_or_else(|_| Completion::failed(token, panicked()))
            }
        })
    }

    fn in_flight(&self) -> usize {
        self.entries.len()
    }
}

fn panicked() -> Error {
    Error::device("the device panicked on this job")
}

#[cfg(test)]
mod tests {
    use ciphermill::{CipherRequest, Direction, ErrorKind, Key, Mode, Request};

    use super::*;

    fn job(token: u64) -> Job {
        let key = Key::new(&[0; 16]).unwrap();
        Job {
            token,
            request: CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]).into(),
            data: vec![token as u8].into(),
        }
    }

    fn queue(cancellation: &Cancellation) -> CallerQueue {
        let caller = std::thread::current().id();
        let work = Work::new(move |_: &Request, data: &mut Buffer, _: &Cancellation| {
            assert_eq!(std::thread::current().id(), caller);
            assert_ne!(data[0], 2, "a fault of the work");
            data[0] += 1;
            Ok(None)
        });
        CallerQueue::new(Arc::new(work), cancellation.clone())
    }

    #[test]
    fn jobs_run_in_order_on_the_caller_and_a_panic_is_an_error_of_its_job() {
        let mut queue = queue(&Cancellation::new());
        for token in 1..4 {
            queue.submit(job(token)).unwrap();
        }
        assert_eq!(queue.in_flight(), 3);
        assert_eq!(queue.complete().unwrap().result.unwrap(), [2]);
        let failed = queue.complete().unwrap();
        assert_eq!(failed.token, 2);
        assert_eq!(failed.result.unwrap_err().kind(), ErrorKind::Device);
        assert_eq!(queue.complete().unwrap().result.unwrap(), [4]);
        assert!(queue.complete().is_none());
    }

    #[test]
    fn a_cancelled_queue_works_no_more() {
        let cancellation = Cancellation::new();
        let mut queue = queue(&cancellation);
        queue.submit(job(1)).unwrap();
        cancellation.cancel();
        let completion = queue.complete().unwrap();
        assert_eq!(completion.result.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
