// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Worker threads that run the jobs of one device, and queues onto them.
//!
//! The threads start with the first job and serve every queue of the device, so
//! that several callers do not crowd the processor. Completions come back in the
//! order of submission, whatever the order in which the workers finish.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ciphermill::{
    Cancellation, Completion, Error, Job, Queue, Request, Result, Timing, TimingMethod,
};
use zeroize::{Zeroize, Zeroizing};

use crate::answer::deliver;

/// Something to run on a worker.
type Task = Box<dyn FnOnce() + Send>;

/// Works on the data in place and gives the tag of a GCM encryption. It is
/// called with a request that [`check`] has passed and that is no bypass.
pub(crate) type Work =
    dyn Fn(&Request, &mut [u8], &Cancellation) -> Result<Option<[u8; 16]>> + Send + Sync;

/// Worker threads of a device. They end when the last handle is gone.
pub(crate) struct Pool {
    name: &'static str,
    threads: usize,
    state: Mutex<State>,
}

struct State {
    /// Where tasks go; taken by the threads that are running.
    tasks: Option<Sender<Task>>,
    /// The process that the threads are in: a forked child has none of them.
    process: u32,
}

impl Pool {
    /// A pool of at least one thread, none of which runs yet.
    pub(crate) fn new(name: &'static str, threads: usize) -> Pool {
        Pool {
            name,
            threads: threads.max(1),
            state: Mutex::new(State {
                tasks: None,
                process: 0,
            }),
        }
    }

    /// As many threads as this process may run at once.
    pub(crate) fn default_threads() -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    /// Threads that it has when it runs.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Runs a task on one of the threads.
    pub(crate) fn run(&self, task: Task) -> Result<()> {
        self.sender()?
            .send(task)
            .map_err(|_| Error::device(format!("the threads of `{}` have ended", self.name)))
    }

    /// Runs a function on one of the threads and waits for it.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let (reply, result) = mpsc::sync_channel(1);
        self.run(Box::new(move || {
            // The receiver waits below.
            let _ = reply.send(function());
        }))?;
        result
            .recv()
            .map_err(|_| Error::device(format!("a thread of `{}` panicked", self.name)))
    }

    fn sender(&self) -> Result<Sender<Task>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tasks) = &state.tasks
            && state.process == std::process::id()
        {
            return Ok(tasks.clone());
        }
        let (tasks, receiver) = mpsc::channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for index in 0..self.threads {
            let receiver = Arc::clone(&receiver);
            thread::Builder::new()
                .name(format!("{} {index}", self.name))
                .spawn(move || serve(&receiver))
                .map_err(|error| Error::io("cannot start a worker thread", error))?;
        }
        *state = State {
            tasks: Some(tasks.clone()),
            process: std::process::id(),
        };
        Ok(tasks)
    }
}

fn serve(tasks: &Mutex<Receiver<Task>>) {
    loop {
        let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match task {
            // A panic is the task's own affair: it drops the channel of its
            // answer, which the other side sees.
            Ok(task) => drop::<std::result::Result<(), Box<dyn Any + Send>>>(catch_unwind(
                AssertUnwindSafe(task),
            )),
            Err(_) => return,
        }
    }
}

/// A completion on its way. Wherever it ends that nobody takes it, in a channel or before
/// one, its data is erased.
struct Answer(Option<Completion>);

impl Answer {
    fn erase(&mut self) {
        if let Some(completion) = &mut self.0
            && let Ok(data) = &mut completion.result
        {
            data.zeroize();
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.erase();
    }
}

/// A caller's queue onto a pool.
pub(crate) struct PoolQueue {
    pool: Arc<Pool>,
    work: Arc<Work>,
    cancellation: Cancellation,
    pending: VecDeque<(u64, Receiver<Answer>)>,
    /// Set when the queue is gone and nobody waits for its jobs any more.
    abandoned: Arc<AtomicBool>,
}

impl PoolQueue {
    pub(crate) fn new(pool: Arc<Pool>, work: Arc<Work>, cancellation: Cancellation) -> PoolQueue {
        PoolQueue {
            pool,
            work,
            cancellation,
            pending: VecDeque::new(),
            abandoned: Arc::default(),
        }
    }
}

impl Queue for PoolQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        let token = job.token;
        let (reply, completion) = mpsc::sync_channel(1);
        self.pool.run(task(
            job,
            Arc::clone(&self.work),
            self.cancellation.clone(),
            Arc::clone(&self.abandoned),
            reply,
        ))?;
        self.pending.push_back((token, completion));
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        let (token, completion) = self.pending.pop_front()?;
        let answer = completion.recv().ok();
        Some(
            answer
                .and_then(|mut answer| answer.0.take())
                .unwrap_or_else(|| {
                    let message = format!("`{}` panicked on this job", self.pool.name);
                    Completion::failed(token, Error::device(message))
                }),
        )
    }

    fn in_flight(&self) -> usize {
        self.pending.len()
    }
}

impl Drop for PoolQueue {
    fn drop(&mut self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }
}

fn task(
    mut job: Job,
    work: Arc<Work>,
    cancellation: Cancellation,
    abandoned: Arc<AtomicBool>,
    reply: SyncSender<Answer>,
) -> Task {
    // Erased also in a task that no thread takes.
    let mut data = Zeroizing::new(std::mem::take(&mut job.data));
    Box::new(move || {
        if abandoned.load(Ordering::Relaxed) {
            return;
        }
        job.data = std::mem::take(&mut *data);
        // A queue that is gone by now wants no answer.
        let _ = reply.send(Answer(Some(execute(job, &*work, &cancellation))));
    })
}

/// Runs a job here and now.
pub(crate) fn execute(job: Job, work: &Work, cancellation: &Cancellation) -> Completion {
    let Job {
        token,
        request,
        data,
    } = job;
    // Half-done work, or plaintext whose tag is wrong, is nobody's business.
    let mut data = Zeroizing::new(data);
    let start = Instant::now();
    let outcome = cancellation
        .check()
        .and_then(|()| request.check(data.len()))
        .and_then(|()| {
            if request.bypass {
                Ok(None)
            } else {
                work(&request, &mut data, cancellation)
            }
        });
    let elapsed = start.elapsed();
    match outcome {
        Ok(tag) => Completion {
            token,
            result: Ok(deliver(request.output, std::mem::take(&mut *data))),
            tag,
            timing: Some(Timing {
                total: elapsed,
                // The data stays where it is.
                transfer: Duration::ZERO,
                processing: elapsed,
                clocks: None,
                method: TimingMethod::Measured,
            }),
        },
        Err(error) => Completion::failed(token, error),
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::{Direction, ErrorKind, Key, Mode};

    use super::*;

    fn job(token: u64, data: Vec<u8>) -> Job {
        let key = Key::new(&[0; 16]).unwrap();
        Job {
            token,
            request: Request::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]),
            data,
        }
    }

    fn queue(work: impl Fn(&mut [u8]) + Send + Sync + 'static) -> PoolQueue {
        let work: Arc<Work> = Arc::new(move |_: &Request, data: &mut [u8], _: &Cancellation| {
            work(data);
            Ok(None)
        });
        PoolQueue::new(Arc::new(Pool::new("test", 3)), work, Cancellation::new())
    }

    #[test]
    fn completions_come_in_the_order_of_submission() {
        let mut queue = queue(|data| {
            thread::sleep(Duration::from_millis(u64::from(data[0])));
        });
        for token in 0..12 {
            // Every third job is slow, so that others overtake it.
            let delay = if token % 3 == 0 { 20 } else { 0 };
            queue.submit(job(token, vec![delay])).unwrap();
        }
        assert_eq!(queue.in_flight(), 12);
        for token in 0..12 {
            assert_eq!(queue.complete().unwrap().token, token);
        }
        assert!(queue.complete().is_none());
    }

    #[test]
    fn independent_jobs_run_at_the_same_time() {
        let barrier = Arc::new(std::sync::Barrier::new(3));
        let mut queue = queue(move |_| {
            barrier.wait();
        });
        for token in 0..3 {
            queue.submit(job(token, vec![0])).unwrap();
        }
        while let Some(completion) = queue.complete() {
            completion.result.unwrap();
        }
    }

    #[test]
    fn a_panic_is_an_error_of_its_job_only() {
        let mut queue = queue(|data| assert!(data[0] != 1, "on purpose"));
        for token in 0..4 {
            queue.submit(job(token, vec![token as u8])).unwrap();
        }
        for token in 0..4 {
            let completion = queue.complete().unwrap();
            assert_eq!(completion.token, token);
            assert_eq!(completion.result.is_err(), token == 1);
        }
    }

    #[test]
    fn a_cancelled_queue_does_no_more_work() {
        let mut queue = queue(|_| panic!("must not run"));
        queue.cancellation.cancel();
        queue.submit(job(0, vec![0])).unwrap();
        let error = queue.complete().unwrap().result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }

    #[test]
    fn an_abandoned_queue_does_not_run_what_waits() {
        let (started, running) = mpsc::channel();
        let (release, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let work: Arc<Work> = Arc::new(move |_: &Request, _: &mut [u8], _: &Cancellation| {
            counter.fetch_add(1, Ordering::SeqCst);
            started.send(()).unwrap();
            gate.lock().unwrap().recv().unwrap();
            Ok(None)
        });
        let pool = Arc::new(Pool::new("test", 1));
        let mut queue = PoolQueue::new(Arc::clone(&pool), work, Cancellation::new());
        for token in 0..5 {
            queue.submit(job(token, vec![0])).unwrap();
        }
        running.recv().unwrap();
        drop(queue);
        release.send(()).unwrap();
        // The one thread comes to this after all that was submitted before.
        pool.call(|| ()).unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn an_answer_that_nobody_takes_is_erased() {
        let mut answer = Answer(Some(Completion::done(0, vec![7; 16])));
        answer.erase();
        assert!(answer.0.take().unwrap().result.unwrap().is_empty());
        // One that goes to nobody comes back, and ends as any other.
        let (reply, completion) = mpsc::sync_channel(1);
        drop(completion);
        let work: Arc<Work> = Arc::new(|_: &Request, _: &mut [u8], _: &Cancellation| Ok(None));
        let (cancellation, abandoned) = (Cancellation::new(), Arc::default());
        task(job(0, vec![7; 16]), work, cancellation, abandoned, reply)();
    }

    #[test]
    fn the_sink_keeps_the_output_and_a_bypass_does_not_touch_it() {
        let mut queue = queue(|data| data[0] = 9);
        let mut sunk = job(0, vec![1, 2]);
        sunk.request.output = ciphermill::Output::Sink;
        let mut bypassed = job(1, vec![1, 2]);
        bypassed.request.bypass = true;
        queue.submit(sunk).unwrap();
        queue.submit(bypassed).unwrap();
        let sunk = queue.complete().unwrap().result.unwrap();
        assert_eq!((sunk.len(), sunk.capacity()), (0, 2));
        assert_eq!(queue.complete().unwrap().result.unwrap(), [1, 2]);
    }
}
