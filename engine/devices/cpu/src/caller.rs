// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A queue without threads: the caller's own does the work.

use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ciphermill::{Cancellation, Completion, Error, Job, Queue, Result};

use crate::work::{Handed, Work};

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

enum Entry {
    Waiting(Job),
    /// With this token, in the hands of the work beside an older job.
    Taken(u64),
    Done(Completion),
}

impl CallerQueue {
    pub(crate) fn new(work: Arc<Work>, cancellation: Cancellation) -> CallerQueue {
        CallerQueue {
            work,
            cancellation,
            entries: VecDeque::new(),
        }
    }

    /// Whether a stream waits.
    fn has_streams(&self) -> bool {
        let mut entries = self.entries.iter();
        entries
            .any(|entry| matches!(entry, Entry::Waiting(job) if self.work.is_stream(&job.request)))
    }

    /// Processes a stream, its entry already taken out, beside the others that wait; their
    /// completions take their places.
    fn side_by_side(&mut self, oldest: Job) -> Option<Completion> {
        let hand = |job, reply| Handed {
            job,
            cancellation: self.cancellation.clone(),
            reply,
        };
        let mut streams = vec![hand(oldest, None)];
        for (place, entry) in self.entries.iter_mut().enumerate() {
            let token = match entry {
                Entry::Waiting(job) if self.work.is_stream(&job.request) => job.token,
                _ => continue,
            };
            if let Entry::Waiting(job) = mem::replace(entry, Entry::Taken(token)) {
                streams.push(hand(job, Some(place)));
            }
        }
        let mut first = None;
        self.work
            .execute_all(streams, &mut |place, completion| match place {
                None => first = Some(completion),
                Some(place) => self.entries[place] = Entry::Done(completion),
            });
        first
    }
}

impl Queue for CallerQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        self.entries.push_back(Entry::Waiting(job));
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        let job = match self.entries.pop_front()? {
            Entry::Waiting(job) => job,
            Entry::Taken(token) => return Some(panicked(token)),
            Entry::Done(completion) => return Some(completion),
        };
        let token = job.token;
        let completion = if self.work.is_stream(&job.request) && self.has_streams() {
            self.side_by_side(job)
        } else {
            let run = || self.work.execute(job, &self.cancellation);
            catch_unwind(AssertUnwindSafe(run)).ok()
        };
        Some(completion.unwrap_or_else(|| panicked(token)))
    }

    fn in_flight(&self) -> usize {
        self.entries.len()
    }
}

fn panicked(token: u64) -> Completion {
    Completion::failed(token, Error::device("the device panicked on this job"))
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
