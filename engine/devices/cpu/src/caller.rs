// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A queue without threads: the caller's own does the work.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ciphermill::{Cancellation, Completion, Error, Job, Queue, Result};

use crate::pool::{Work, execute};

/// What a device with one worker opens. A job is processed when its completion is
/// asked for: on one thread there is nothing to overlap with, and handing a job
/// over to another thread costs about 3 % of a mebibyte's work.
pub(crate) struct CallerQueue {
    work: Arc<Work>,
    cancellation: Cancellation,
    waiting: VecDeque<Job>,
}

impl CallerQueue {
    pub(crate) fn new(work: Arc<Work>, cancellation: Cancellation) -> CallerQueue {
        CallerQueue {
            work,
            cancellation,
            waiting: VecDeque::new(),
        }
    }
}

impl Queue for CallerQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        self.waiting.push_back(job);
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        let job = self.waiting.pop_front()?;
        let token = job.token;
        let run = || execute(job, &*self.work, &self.cancellation);
        Some(catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            Completion::failed(token, Error::device("the device panicked on this job"))
        }))
    }

    fn in_flight(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::{Buffer, CipherRequest, Direction, ErrorKind, Key, Mode, Request};

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
        let work: Arc<Work> = Arc::new(move |_: &Request, data: &mut Buffer, _: &Cancellation| {
            assert_eq!(std::thread::current().id(), caller);
            assert_ne!(data[0], 2, "a fault of the work");
            data[0] += 1;
            Ok(None)
        });
        CallerQueue::new(work, cancellation.clone())
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
