// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A driver with a thread of its own: the device's queue.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use ciphermill::{Cancellation, Completion, Error, Job, Queue, Result};

use crate::{Driver, Link};

/// Jobs that a queue usefully holds: one that the device works on, and the next.
pub const JOBS_IN_FLIGHT: usize = 2;

/// Jobs of one caller on one accelerator, done by a thread in order.
///
/// Dropping it drops the jobs in flight and zeroises the device.
pub struct AcceleratorQueue {
    /// `None` only while being dropped.
    jobs: Option<SyncSender<Job>>,
    completions: Receiver<Completion>,
    in_flight: usize,
    closing: Cancellation,
    worker: Option<JoinHandle<()>>,
}

impl AcceleratorQueue {
    /// Give a driver a thread. `cancellation` is the caller's own.
    pub fn new<L: Link + 'static>(
        mut driver: Driver<L>,
        cancellation: Cancellation,
    ) -> Result<AcceleratorQueue> {
        let (jobs, to_do) = sync_channel::<Job>(JOBS_IN_FLIGHT - 1);
        let (done, completions) = channel();
        let closing = Cancellation::new();
        let closed = closing.clone();
        let worker = thread::Builder::new()
            .name("accelerator".to_owned())
            .spawn(move || {
                let stopped = || cancellation.is_cancelled() || closed.is_cancelled();
                for job in to_do {
                    if done.send(complete(&mut driver, job, &stopped)).is_err() {
                        return;
                    }
                }
            })
            .map_err(|error| Error::io("starting the accelerator's thread", error))?;
        Ok(AcceleratorQueue {
            jobs: Some(jobs),
            completions,
            in_flight: 0,
            closing,
            worker: Some(worker),
        })
    }
}

fn complete<L: Link>(driver: &mut Driver<L>, job: Job, stopped: &dyn Fn() -> bool) -> Completion {
    let mut data = job.data;
    let (result, timing) = match driver.run(&job.request, &mut data, None, stopped) {
        Ok(timing) => (Ok(data), Some(timing)),
        Err(error) => (Err(error), None),
    };
    Completion {
        token: job.token,
        result,
        tag: None,
        timing,
    }
}

impl Queue for AcceleratorQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        match sent {
            Some(Ok(())) => {
                self.in_flight += 1;
                Ok(())
            }
            _ => Err(Error::device("the accelerator's thread has ended")),
        }
    }

    fn complete(&mut self) -> Option<Completion> {
        if self.in_flight == 0 {
            return None;
        }
        self.in_flight -= 1;
        Some(self.completions.recv().unwrap_or_else(|_| Completion {
            token: 0,
            result: Err(Error::device("the accelerator's thread has ended")),
            tag: None,
            timing: None,
        }))
    }

    fn in_flight(&self) -> usize {
        self.in_flight
    }
}

impl Drop for AcceleratorQueue {
    fn drop(&mut self) {
        self.closing.cancel();
        self.jobs = None;
        if let Some(worker) = self.worker.take() {
            // A panic of the worker has already been printed.
            let _ = worker.join();
        }
    }
}
