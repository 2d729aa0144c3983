// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A queue around a synchronous function.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::{Cancellation, Completion, Error, Job, Queue, Result, Timing, process};

/// A [`Queue`] whose jobs a function processes one after the other, on a thread
/// of its own: a device with a synchronous interface loses nothing from overlap.
/// Where the system has no thread to give, the caller's thread processes each job
/// when its completion is asked for.
///
/// A panic in the function becomes a device error of that job and of every later
/// one. Jobs that are waiting when the cancellation is set, or when the queue is
/// dropped, are not processed and their data is zeroised.
///
/// ```
/// use ciphermill::{Cancellation, Completion, Direction, Job, Key, Mode, Queue, CipherRequest};
/// use ciphermill::SynchronousQueue;
/// let mut queue = SynchronousQueue::start(2, Cancellation::new(), |job: Job, _: &Cancellation| {
///     Completion::done(job.token, job.data.iter().map(|byte| byte ^ 1).collect::<Vec<u8>>())
/// });
/// let key = Key::new(&[0; 16]).unwrap();
/// let request = CipherRequest::new(Mode::Ecb, Direction::Encrypt, key, [0; 16]);
/// queue.submit(Job { token: 7, request: request.into(), data: vec![0; 16].into() }).unwrap();
/// assert_eq!(queue.complete().unwrap().result.unwrap(), [1; 16]);
/// assert!(queue.complete().is_none());
/// ```
pub struct SynchronousQueue {
    processor: Processor,
    stop: Cancellation,
}

/// Where the jobs are processed: on a thread, or on the caller's.
enum Processor {
    Thread {
        jobs: Option<SyncSender<Job>>,
        completions: Receiver<Completion>,
        tokens: VecDeque<u64>,
        thread: Option<JoinHandle<()>>,
    },
    Caller {
        worker: Worker,
        waiting: VecDeque<Job>,
    },
}

type Process = Box<dyn FnMut(Job, &Cancellation) -> Completion + Send>;

impl fmt::Debug for SynchronousQueue {
    /// Without the jobs, which may be secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SynchronousQueue")
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}

impl SynchronousQueue {
    /// Start the thread. `depth` jobs may wait (at least one) before
    /// [`Queue::submit`] blocks. The function gets the cancellation to look at
    /// within long jobs; where it gives no timing, the time it took is filled in
    /// as processing time.
    pub fn start(
        depth: usize,
        cancellation: Cancellation,
        process: impl FnMut(Job, &Cancellation) -> Completion + Send + 'static,
    ) -> SynchronousQueue {
        let stop = cancellation.child();
        let worker = Worker {
            process: Box::new(process),
            stop: stop.clone(),
            broken: None,
        };
        SynchronousQueue {
            processor: Processor::on_a_thread(depth, worker),
            stop,
        }
    }
}

impl Processor {
    fn on_a_thread(depth: usize, worker: Worker) -> Processor {
        let (jobs, waiting) = sync_channel(depth.max(1));
        // Unbounded, so that the thread never waits for its caller: what is in
        // flight is bounded by what the caller submits.
        let (finished, completions) = channel();
        // The thread gets its worker when it runs: one that does not start keeps nothing.
        let (hand_over, handed_over) = channel::<Worker>();
        let thread = process::spawn("ciphermill-device", move || {
            let Ok(mut worker) = handed_over.recv() else {
                return;
            };
            for job in waiting {
                if finished.send(worker.run(job)).is_err() {
                    break;
                }
            }
        });
        let worker = match thread {
            Ok(thread) => match hand_over.send(worker) {
                Ok(()) => {
                    return Processor::Thread {
                        jobs: Some(jobs),
                        completions,
                        tokens: VecDeque::new(),
                        thread: Some(thread),
                    };
                }
                Err(unsent) => unsent.0,
            },
            Err(_) => worker,
        };
        Processor::on_the_caller(worker)
    }

    fn on_the_caller(worker: Worker) -> Processor {
        Processor::Caller {
            worker,
            waiting: VecDeque::new(),
        }
    }
}

impl Queue for SynchronousQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        match &mut self.processor {
            Processor::Thread { jobs, tokens, .. } => {
                let token = job.token;
                jobs.as_ref()
                    .and_then(|jobs| jobs.send(job).ok())
                    .ok_or_else(|| Error::device("the device's thread has ended"))?;
                tokens.push_back(token);
            }
            Processor::Caller { waiting, .. } => waiting.push_back(job),
        }
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        match &mut self.processor {
            Processor::Thread {
                completions,
                tokens,
                ..
            } => {
                let token = tokens.pop_front()?;
                Some(completions.recv().unwrap_or_else(|_| {
                    Completion::failed(token, Error::device("the device's thread has ended"))
                }))
            }
            Processor::Caller { worker, waiting } => Some(worker.run(waiting.pop_front()?)),
        }
    }

    fn in_flight(&self) -> usize {
        match &self.processor {
            Processor::Thread { tokens, .. } => tokens.len(),
            Processor::Caller { waiting, .. } => waiting.len(),
        }
    }
}

impl Drop for SynchronousQueue {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Processor::Thread { jobs, thread, .. } = &mut self.processor {
            *jobs = None;
            if let Some(thread) = thread.take() {
                // The thread catches the function's panics; one of its own has
                // nobody left to tell.
                let _ = thread.join();
            }
        }
    }
}

struct Worker {
    process: Process,
    stop: Cancellation,
    broken: Option<String>,
}

impl Worker {
    fn run(&mut self, job: Job) -> Completion {
        let token = job.token;
        let refusal = match &self.broken {
            Some(message) => Some(Error::device(message.clone())),
            None => self.stop.check().err(),
        };
        if let Some(error) = refusal {
            return Completion::failed(token, error);
        }
        let began = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| (self.process)(job, &self.stop))) {
            Ok(mut completion) => {
                completion.token = token;
                if completion.result.is_ok() && completion.timing.is_none() {
                    completion.timing = Some(Timing::measured(began.elapsed()));
                }
                completion
            }
            Err(panic) => {
                let message = format!("the device's code panicked: {}", panic_message(&*panic));
                self.broken = Some(message.clone());
                Completion::failed(token, Error::device(message))
            }
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier};

    use super::*;
    use crate::{CipherRequest, Direction, ErrorKind, Key, Mode, TimingMethod};

    fn job(token: u64) -> Job {
        let key = Key::new(&[0; 16]).unwrap();
        Job {
            token,
            request: CipherRequest::new(Mode::Ecb, Direction::Encrypt, key, [0; 16]).into(),
            data: token.to_le_bytes().to_vec().into(),
        }
    }

    #[test]
    fn completions_come_in_order_and_are_timed() {
        let mut queue = SynchronousQueue::start(3, Cancellation::new(), |job, _| {
            Completion::done(job.token, job.data)
        });
        for token in 0..20 {
            queue.submit(job(token)).unwrap();
        }
        assert_eq!(queue.in_flight(), 20);
        for token in 0..20 {
            let completion = queue.complete().unwrap();
            assert_eq!(completion.token, token);
            assert_eq!(completion.result.unwrap(), token.to_le_bytes());
            assert_eq!(completion.timing.unwrap().method, TimingMethod::Measured);
        }
        assert_eq!(queue.in_flight(), 0);
        assert!(queue.complete().is_none());
    }

    #[test]
    fn panic_is_an_error_of_this_and_later_jobs() {
        let mut queue = SynchronousQueue::start(2, Cancellation::new(), |job, _| {
            assert!(job.token != 1, "smoke");
            Completion::done(job.token, job.data)
        });
        for token in 0..3 {
            queue.submit(job(token)).unwrap();
        }
        assert!(queue.complete().unwrap().result.is_ok());
        for token in 1..3 {
            let completion = queue.complete().unwrap();
            assert_eq!(completion.token, token);
            let error = completion.result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Device);
            assert!(error.to_string().contains("smoke"), "{error}");
        }
    }

    #[test]
    fn cancellation_and_drop_skip_what_waits() {
        let cancellation = Cancellation::new();
        let count = Arc::new(AtomicUsize::new(0));
        let barrier = Arc::new(Barrier::new(2));
        let (counted, waited) = (count.clone(), barrier.clone());
        let mut queue = SynchronousQueue::start(4, cancellation.clone(), move |job, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            waited.wait();
            Completion::done(job.token, job.data)
        });
        for token in 0..4 {
            queue.submit(job(token)).unwrap();
        }
        while count.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        cancellation.cancel();
        barrier.wait();
        assert!(queue.complete().unwrap().result.is_ok());
        let error = queue.complete().unwrap().result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        drop(queue);
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn without_a_thread_the_caller_does_the_work() {
        let caller = std::thread::current().id();
        let stop = Cancellation::new();
        let worker = Worker {
            process: Box::new(move |job, _: &Cancellation| {
                assert_eq!(std::thread::current().id(), caller);
                assert!(job.token != 1, "smoke");
                Completion::done(job.token, job.data)
            }),
            stop: stop.clone(),
            broken: None,
        };
        let mut queue = SynchronousQueue {
            processor: Processor::on_the_caller(worker),
            stop,
        };
        for token in 0..3 {
            queue.submit(job(token)).unwrap();
        }
        assert_eq!(queue.in_flight(), 3);
        assert!(format!("{queue:?}").contains("in_flight: 3"));
        assert_eq!(
            queue.complete().unwrap().result.unwrap(),
            0u64.to_le_bytes()
        );
        for token in 1..3 {
            let completion = queue.complete().unwrap();
            assert_eq!(completion.token, token);
            assert_eq!(completion.result.unwrap_err().kind(), ErrorKind::Device);
        }
        assert!(queue.complete().is_none());
    }
}
