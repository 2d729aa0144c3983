// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Jobs of a device: one after the other, or side by side where they are streams
//! ([`side_by_side`]).

#[cfg(target_arch = "x86_64")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use ciphermill::{
    Buffer, Cancellation, Completion, Job, Output, Request, Result, Timing, TimingMethod,
};

#[cfg(target_arch = "x86_64")]
use crate::aes::LaneKernel;
use crate::answer::{Run, deliver};
use crate::instructions::Instructions;
#[cfg(target_arch = "x86_64")]
use crate::side_by_side;
use crate::side_by_side::Stream;

/// What the threads of a device do.
pub(crate) struct Work {
    run: Box<Run>,
    #[cfg(target_arch = "x86_64")]
    lanes: Option<LaneKernel>,
}

impl Work {
    /// One job after the other.
    pub(crate) fn new(
        run: impl Fn(&Request, &mut Buffer, &Cancellation) -> Result<Option<[u8; 16]>>
        + Send
        + Sync
        + 'static,
    ) -> Work {
        Work {
            run: Box::new(run),
            #[cfg(target_arch = "x86_64")]
            lanes: None,
        }
    }

    /// Streams side by side, where the processor has AES instructions.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut, unused_variables))]
    pub(crate) fn side_by_side(mut self, instructions: Instructions) -> Work {
        #[cfg(target_arch = "x86_64")]
        {
            self.lanes = LaneKernel::detect(instructions);
        }
        self
    }

    /// Streams that a thread works on side by side.
    pub(crate) fn lanes(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        return self.lanes.map_or(1, LaneKernel::lanes);
        #[cfg(not(target_arch = "x86_64"))]
        return 1;
    }

    /// Whether a job of this request may go beside others.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    pub(crate) fn is_stream(&self, request: &Request) -> bool {
        #[cfg(target_arch = "x86_64")]
        return (self.lanes).is_some_and(|kernel| side_by_side::is_stream(kernel, request));
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    /// Whether the jobs of other queues are to go without this one, which would hold them up.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    pub(crate) fn holds_others_up(&self, job: &Job) -> bool {
        #[cfg(target_arch = "x86_64")]
        return (self.lanes).is_some_and(|kernel| {
            side_by_side::holds_others_up(kernel, &job.request, job.data.len())
        });
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    /// Runs a job here and now.
    pub(crate) fn execute(&self, job: Job, cancellation: &Cancellation) -> Completion {
        let Job {
            token,
            request,
            mut data,
        } = job;
        let start = Instant::now();
        let outcome = cancellation
            .check()
            .and_then(|()| request.check(data.len()))
            .and_then(|()| {
                if request.cipher().is_ok_and(|request| request.bypass) {
                    Ok(None)
                } else {
                    (self.run)(&request, &mut data, cancellation)
                }
            });
        match outcome {
            Ok(tag) => completion(token, &request, data, tag, start.elapsed()),
            Err(error) => Completion::failed(token, error),
        }
    }

    /// Runs streams here and now, side by side, each until it is done or cancelled. A panic drops
    /// the replies of those that have not ended.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    pub(crate) fn run_streams<R>(&self, streams: Vec<Stream<'_, R>>)
    where
        R: FnOnce(&mut Buffer, Result<Duration>),
    {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.lanes {
            let run = || side_by_side::run(kernel, streams, &*self.run);
            drop(catch_unwind(AssertUnwindSafe(run)));
        }
    }
}

/// The completion of a job that took this long.
pub(crate) fn completion(
    token: u64,
    request: &Request,
    data: Buffer,
    tag: Option<[u8; 16]>,
    elapsed: Duration,
) -> Completion {
    let output = request.cipher().map_or(Output::Return, |one| one.output);
    Completion {
        token,
        result: Ok(deliver(output, data)),
        tag,
        timing: Some(Timing {
            total: elapsed,
            // The data stays where it is.
            transfer: Duration::ZERO,
            processing: elapsed,
            cycles: None,
            method: TimingMethod::Measured,
        }),
    }
}
