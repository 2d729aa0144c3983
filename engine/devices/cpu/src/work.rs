// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Jobs of a device: one after the other, or side by side where they are streams.
//!
//! A stream is a job whose blocks follow from one another, so that it leaves most of the processor
//! idle: encryption by AES in CBC mode. Streams that a thread has in hand at once go side by side.

#[cfg(target_arch = "x86_64")]
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

#[cfg(target_arch = "x86_64")]
use ciphermill::{AES, CipherRequest, Direction, Error, Mode};
use ciphermill::{
    Buffer, Cancellation, Completion, Job, Output, Request, Result, Timing, TimingMethod,
};

#[cfg(target_arch = "x86_64")]
use crate::aes::{LaneKernel, Stream, encrypt_streams};
use crate::answer::deliver;
use crate::instructions::Instructions;

/// Works on the data, whose place the output takes, and gives the tag of an encryption. It is
/// called with a request that [`Request::check`] has passed and that is no bypass.
type Run = dyn Fn(&Request, &mut Buffer, &Cancellation) -> Result<Option<[u8; 16]>> + Send + Sync;

/// What the threads of a device do.
pub(crate) struct Work {
    run: Box<Run>,
    #[cfg(target_arch = "x86_64")]
    lanes: Option<LaneKernel>,
}

/// A job that was handed over, and where its completion goes.
pub(crate) struct Handed<R> {
    pub(crate) job: Job,
    pub(crate) cancellation: Cancellation,
    pub(crate) reply: R,
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
    pub(crate) fn is_stream(&self, request: &Request) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.lanes.is_some() && stream(request).is_some();
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
            Ok(tag) => {
                let output = request.cipher().map_or(Output::Return, |one| one.output);
                completion(token, output, data, tag, start.elapsed())
            }
            Err(error) => Completion::failed(token, error),
        }
    }

    /// Runs jobs here and now, those that are streams side by side. `reply` gets each completion
    /// when it is there. A panic is the affair of the job in which it happens, and drops its reply.
    pub(crate) fn execute_all<R>(
        &self,
        mut jobs: Vec<Handed<R>>,
        reply: &mut dyn FnMut(R, Completion),
    ) {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = self.lanes {
            let streams = jobs.iter().filter(|one| self.is_stream(&one.job.request));
            if streams.count() > 1 {
                let run = || execute_streams(kernel, &mut jobs, &mut *reply);
                // What is not answered by now is dropped with its reply.
                drop(catch_unwind(AssertUnwindSafe(run)));
            }
        }
        for handed in jobs {
            let Handed {
                job,
                cancellation,
                reply: place,
            } = handed;
            let run = || self.execute(job, &cancellation);
            if let Ok(completion) = catch_unwind(AssertUnwindSafe(run)) {
                reply(place, completion);
            }
        }
    }
}

/// The request of a stream: a job whose blocks follow from one another.
#[cfg(target_arch = "x86_64")]
fn stream(request: &Request) -> Option<&CipherRequest> {
    match request {
        Request::Cipher(request)
            if (request.mode, request.direction) == (Mode::Cbc, Direction::Encrypt)
                && request.key.is_aes()
                && !request.bypass =>
        {
            Some(request)
        }
        _ => None,
    }
}

/// Takes the streams out of these jobs and runs them side by side, those with keys of one length
/// together, each until it is done or cancelled.
#[cfg(target_arch = "x86_64")]
fn execute_streams<R>(
    kernel: LaneKernel,
    jobs: &mut Vec<Handed<R>>,
    reply: &mut dyn FnMut(R, Completion),
) {
    let reply = RefCell::new(reply);
    let answer = |place, completion| (reply.borrow_mut())(place, completion);
    let start = Instant::now();
    for &bits in AES.key_bits {
        let streams = jobs.extract_if(.., |handed| {
            stream(&handed.job.request).is_some_and(|request| request.key.bits() == bits)
        });
        encrypt_streams(
            kernel,
            bits,
            streams.filter_map(|handed| handed.begin(answer)),
            &mut |begun| !begun.cancellation.is_cancelled(),
            &mut |begun, data| {
                let Begun { reply, token, .. } = begun;
                let completion = match data {
                    Some(data) => completion(token, begun.output, data, None, start.elapsed()),
                    None => Completion::failed(token, Error::cancelled()),
                };
                answer(reply, completion);
            },
        );
    }
}

/// A stream that has begun: what its completion needs.
#[cfg(target_arch = "x86_64")]
struct Begun<R> {
    token: u64,
    output: Output,
    cancellation: Cancellation,
    reply: R,
}

#[cfg(target_arch = "x86_64")]
impl<R> Handed<R> {
    /// The stream; where it cannot begin, `refuse` gets its completion.
    fn begin(self, refuse: impl FnOnce(R, Completion)) -> Option<Stream<Begun<R>>> {
        let Job {
            token,
            request,
            data,
        } = self.job;
        let checked = self.cancellation.check();
        let checked = checked.and_then(|()| request.check(data.len()));
        let request = match (checked, request) {
            (Ok(()), Request::Cipher(request)) => Ok(request),
            (Ok(()), other) => Err(other.unsupported("device cpu")),
            (Err(error), _) => Err(error),
        };
        match request {
            Ok(request) => Some(Stream {
                key: request.key,
                iv: request.iv,
                data,
                owner: Begun {
                    token,
                    output: request.output,
                    cancellation: self.cancellation,
                    reply: self.reply,
                },
            }),
            Err(error) => {
                refuse(self.reply, Completion::failed(token, error));
                None
            }
        }
    }
}

/// That of a job that took so long.
fn completion(
    token: u64,
    output: Output,
    data: Buffer,
    tag: Option<[u8; 16]>,
    elapsed: Duration,
) -> Completion {
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
