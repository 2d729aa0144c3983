// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A driver with a thread of its own: the device's queue.

use ciphermill::{Cancellation, Completion, Job, Queue, Result, SynchronousQueue};

use crate::key_slots::complete;
use crate::{Driver, JOBS_IN_FLIGHT, Link};

/// The queue of one caller on one accelerator.
///
/// Dropping it drops the jobs in flight and zeroises the device.
pub fn queue<L: Link + 'static>(
    mut driver: Driver<L>,
    cancellation: Cancellation,
) -> Result<Box<dyn Queue>> {
    let run = move |job, cancellation: &_| driver.run_job(job, cancellation);
    let depth = JOBS_IN_FLIGHT - 1;
    Ok(Box::new(SynchronousQueue::start(depth, cancellation, run)))
}

impl<L: Link + 'static> Driver<L> {
    /// Run a job, as a queue does.
    pub fn run_job(&mut self, job: Job, cancellation: &Cancellation) -> Completion {
        complete(job, |request, data| {
            self.run_request(request, data, cancellation)
        })
    }
}
