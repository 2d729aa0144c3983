// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Worker threads that run the jobs of one device, and queues onto them.
//!
//! The threads serve every queue of the device, so that several callers do not crowd the
//! processor. One starts when a job finds no thread free, and ends when it has had nothing
//! to do for a second: a process that computes nothing has no threads of ours. A caller that
//! waits for a job which no thread has begun runs it itself: to wake a thread may take longer
//! than the job, and the system may have no thread to give. So a short job that no other waits
//! beside wakes no thread. Completions come back in the order
//! of submission, whatever the order in which the workers finish.

use std::any::Any;
use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ciphermill::process::{self, PerProcess};
use ciphermill::{
    Buffer, Cancellation, Completion, Error, Job, Queue, Request, Result, Timing, TimingMethod,
};

use crate::answer::deliver;

/// How long a thread waits for work before it ends.
const IDLE_LIMIT: Duration = Duration::from_secs(1);

/// A task of fewer bytes wakes no thread while it waits alone. With the AES instructions it takes
/// some 10 us, about as long as to wake a thread.
const SHORT_BYTES: usize = 128 << 10;

/// A job as a worker runs it.
type Run = Box<dyn FnOnce() + Send>;

/// Something to run on a worker, one job after the other.
struct Task {
    mark: Mark,
    /// The data of all its runs.
    bytes: usize,
    runs: Vec<Run>,
}

/// The queue that a task is of, and its number there.
#[derive(Clone, Default)]
struct Mark {
    queue: Arc<()>,
    number: u64,
}

impl Mark {
    fn is(&self, other: &Mark) -> bool {
        Arc::ptr_eq(&self.queue, &other.queue) && self.number == other.number
    }
}

/// Works on the data, whose place the output takes, and gives the tag of an encryption. It is
/// called with a request that [`check`] has passed and that is no bypass.
pub(crate) type Work =
    dyn Fn(&Request, &mut Buffer, &Cancellation) -> Result<Option<[u8; 16]>> + Send + Sync;

/// Worker threads of a device. They end when the last handle is gone.
pub(crate) struct Pool {
    name: &'static str,
    /// As many as may run at once.
    threads: usize,
    /// How long a thread waits for work before it ends.
    idle_limit: Duration,
    /// A forked child has none of the threads.
    shared: PerProcess<Arc<Shared>>,
}

/// State shared by the threads of a pool.
#[derive(Default)]
struct Shared {
    state: Mutex<Tasks>,
    /// A task has come, or it is over.
    changed: Condvar,
}

#[derive(Default)]
struct Tasks {
    tasks: VecDeque<Task>,
    /// Threads that run.
    threads: usize,
    /// Those among them that wait for a task.
    idle: usize,
    /// The latest task woke no thread.
    unannounced: bool,
    /// The pool is gone.
    over: bool,
}

impl Pool {
    /// A pool of at least one thread. No thread is started yet.
    pub(crate) fn new(name: &'static str, threads: usize) -> Pool {
        Pool {
            name,
            threads: threads.max(1),
            idle_limit: IDLE_LIMIT,
            shared: PerProcess::new(Arc::default()),
        }
    }

    /// As many threads as this process may run at once.
    pub(crate) fn default_threads() -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    /// Threads that it may have at once.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Gives a task to the threads, and starts one more where none is free and one can be had.
    fn submit(&self, task: Task) {
        let shared = self.shared();
        let mut state = shared.lock();
        let short = task.bytes < SHORT_BYTES;
        state.tasks.push_back(task);
        if short && state.tasks.len() == 1 {
            state.unannounced = true;
            return;
        }
        let announced = 1 + usize::from(mem::take(&mut state.unannounced));
        let missing = state.tasks.len().saturating_sub(state.idle);
        for _ in 0..missing.min(announced) {
            if state.threads == self.threads {
                break;
            }
            let name = format!("{} {}", self.name, state.threads);
            let (serving, idle_limit) = (Arc::clone(shared), self.idle_limit);
            if process::spawn(&name, move || serving.serve(idle_limit)).is_ok() {
                state.threads += 1;
            }
        }
        drop(state);
        for _ in 0..announced {
            shared.changed.notify_one();
        }
    }

    /// What a task of this pool sends; `None` where it ended without.
    fn wait<T>(&self, answer: &Receiver<T>, mark: &Mark) -> Option<T> {
        let mut state = self.shared().lock();
        let place = state.tasks.iter().position(|task| task.mark.is(mark));
        let waiting = place.and_then(|place| state.tasks.remove(place));
        drop(state);
        if let Some(task) = waiting {
            task.run();
        }
        answer.recv().ok()
    }

    /// Drops the tasks of a queue that wait.
    fn forget(&self, queue: &Arc<()>) {
        let mut state = self.shared().lock();
        let (theirs, others) = std::mem::take(&mut state.tasks)
            .into_iter()
            .partition::<Vec<_>, _>(|task| Arc::ptr_eq(&task.mark.queue, queue));
        state.tasks = others.into();
        drop(state);
        // They erase their data, which may take a while.
        drop(theirs);
    }

    fn shared(&self) -> &Arc<Shared> {
        self.shared.get(|_| Arc::default())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let shared = self.shared();
        shared.lock().over = true;
        shared.changed.notify_all();
    }
}

impl Task {
    /// A panic is the job's own affair: it drops the channel of its answer, which the
    /// other side sees.
    fn run(self) {
        for run in self.runs {
            drop::<std::result::Result<(), Box<dyn Any + Send>>>(catch_unwind(AssertUnwindSafe(
                run,
            )));
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of a thread: run tasks, until there has been none for so long or it is over.
    fn serve(&self, idle_limit: Duration) {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                drop(state);
                task.run();
                state = self.lock();
                continue;
            }
            if state.over {
                break;
            }
            state.idle += 1;
            let waited = self.changed.wait_timeout(state, idle_limit);
            let timed_out;
            (state, timed_out) = waited.unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            if timed_out.timed_out() && state.tasks.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }
}

/// A job in flight.
struct Pending {
    token: u64,
    answer: Receiver<Completion>,
    /// The task that it is in.
    mark: Mark,
    /// The threads that have it.
    shared: Arc<Shared>,
}

/// A caller's queue onto a pool.
pub(crate) struct PoolQueue {
    pool: Arc<Pool>,
    work: Arc<Work>,
    cancellation: Cancellation,
    /// The jobs in flight, oldest first.
    pending: VecDeque<Pending>,
    /// The next task.
    mark: Mark,
}

impl PoolQueue {
    pub(crate) fn new(pool: Arc<Pool>, work: Arc<Work>, cancellation: Cancellation) -> PoolQueue {
        PoolQueue {
            pool,
            work,
            cancellation,
            pending: VecDeque::new(),
            mark: Mark::default(),
        }
    }
}

impl Queue for PoolQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        self.submit_task(vec![job]);
        Ok(())
    }

    /// Each worker gets its share as one task.
    fn submit_all(&mut self, jobs: Vec<Job>) -> Result<()> {
        let share = jobs.len().div_ceil(self.pool.threads());
        let mut jobs = jobs.into_iter().peekable();
        while jobs.peek().is_some() {
            let task = jobs.by_ref().take(share).collect();
            self.submit_task(task);
        }
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        let pending = self.pending.pop_front()?;
        let token = pending.token;
        let failed = |what: &str| {
            let message = format!("`{}` {what}", self.pool.name);
            Completion::failed(token, Error::device(message))
        };
        let Some(pending) = self.unless_forked(pending) else {
            return Some(failed(
                "has this job in the parent process, from which this one was forked: submit it again",
            ));
        };
        let completion = self.pool.wait(&pending.answer, &pending.mark);
        Some(completion.unwrap_or_else(|| failed("panicked on this job")))
    }

    fn in_flight(&self) -> usize {
        self.pending.len()
    }
}

impl PoolQueue {
    /// The job, unless it is with the threads of the parent process, from which this one was
    /// forked. Its channel is then left alone: one of them may have held its lock at the fork.
    fn unless_forked(&self, pending: Pending) -> Option<Pending> {
        if Arc::ptr_eq(&pending.shared, self.pool.shared()) {
            return Some(pending);
        }
        mem::forget(pending);
        None
    }

    fn submit_task(&mut self, jobs: Vec<Job>) {
        let mut runs = Vec::with_capacity(jobs.len());
        let bytes = jobs.iter().map(|job| job.data.len()).sum();
        for job in jobs {
            let token = job.token;
            let (reply, answer) = mpsc::sync_channel(1);
            let (work, cancellation) = (Arc::clone(&self.work), self.cancellation.clone());
            runs.push(run(job, work, cancellation, reply));
            self.pending.push_back(Pending {
                token,
                answer,
                mark: self.mark.clone(),
                shared: Arc::clone(self.pool.shared()),
            });
        }
        let mark = self.mark.clone();
        self.mark.number += 1;
        self.pool.submit(Task { mark, bytes, runs });
    }
}

impl Drop for PoolQueue {
    fn drop(&mut self) {
        let pending = mem::take(&mut self.pending).into_iter();
        let pending: Vec<_> = pending.filter_map(|one| self.unless_forked(one)).collect();
        if !pending.is_empty() {
            self.pool.forget(&self.mark.queue);
        }
    }
}

/// The run of a job on a worker, which sends the answer.
fn run(
    job: Job,
    work: Arc<Work>,
    cancellation: Cancellation,
    reply: SyncSender<Completion>,
) -> Run {
    Box::new(move || {
        // A queue that is gone by now wants no answer.
        let _ = reply.send(execute(job, &*work, &cancellation));
    })
}

/// Runs a job here and now.
pub(crate) fn execute(job: Job, work: &Work, cancellation: &Cancellation) -> Completion {
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
                work(&request, &mut data, cancellation)
            }
        });
    let elapsed = start.elapsed();
    match outcome {
        Ok(tag) => Completion {
            token,
            result: Ok(deliver(&request, data)),
            tag,
            timing: Some(Timing {
                total: elapsed,
                // The data stays where it is.
                transfer: Duration::ZERO,
                processing: elapsed,
                cycles: None,
                method: TimingMethod::Measured,
            }),
        },
        Err(error) => Completion::failed(token, error),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use ciphermill::{CipherRequest, Direction, ErrorKind, Key, Mode, Output};

    use super::*;

    /// Gives a function to the threads.
    fn submit<T: Send + 'static>(
        pool: &Pool,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> (Receiver<T>, Mark) {
        let (reply, result) = mpsc::sync_channel(1);
        let mark = Mark::default();
        pool.submit(Task {
            mark: mark.clone(),
            bytes: SHORT_BYTES,
            runs: vec![Box::new(move || {
                // Somebody may wait for it.
                let _ = reply.send(function());
            })],
        });
        (result, mark)
    }

    /// Runs a function on one of the threads, and gives its result.
    fn call<T: Send + 'static>(
        pool: &Pool,
        function: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        submit(pool, function).0.recv().ok()
    }

    fn job(token: u64, data: Vec<u8>) -> Job {
        let key = Key::new(&[0; 16]).unwrap();
        Job {
            token,
            request: CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]).into(),
            data: data.into(),
        }
    }

    fn queue(work: impl Fn(&mut [u8]) + Send + Sync + 'static) -> PoolQueue {
        let work: Arc<Work> = Arc::new(move |_: &Request, data: &mut Buffer, _: &Cancellation| {
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

    #[cfg(not(miri))]
    #[test]
    fn a_forked_child_fails_the_jobs_of_its_parent_and_runs_its_own() {
        let (begun, running) = mpsc::channel();
        let (release, gate) = mpsc::channel::<()>();
        let (begun, gate) = (Mutex::new(begun), Mutex::new(gate));
        let mut queue = queue(move |data| {
            if data[0] == 1 {
                begun.lock().unwrap().send(()).unwrap();
                gate.lock().unwrap().recv().unwrap();
            }
        });
        queue.submit(job(0, vec![1])).unwrap();
        queue.submit(job(1, vec![1])).unwrap();
        running.recv().unwrap();
        assert!(process::in_a_child(|| {
            queue.submit(job(2, vec![0])).unwrap();
            let error = queue.complete().unwrap().result.unwrap_err();
            let told = error.to_string().contains("forked");
            // The second one of the parent's goes with the queue, and the child's own too.
            let mut other = PoolQueue::new(
                Arc::clone(&queue.pool),
                Arc::clone(&queue.work),
                Cancellation::new(),
            );
            other.submit(job(3, vec![0])).unwrap();
            let works = other.complete().unwrap().result.is_ok();
            drop(queue);
            told && works
        }));
        let _ = release.send(());
        let _ = release.send(());
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
    fn a_batch_is_shared_among_the_workers_and_a_panic_is_an_error_of_its_job_only() {
        let threads = Arc::new(Mutex::new(std::collections::HashSet::new()));
        let seen = Arc::clone(&threads);
        let barrier = std::sync::Barrier::new(3);
        let mut queue = queue(move |data| {
            // The first job of each share waits for those of the others.
            if data[0].is_multiple_of(4) {
                barrier.wait();
            }
            seen.lock().unwrap().insert(thread::current().id());
            assert!(data[0] != 5, "on purpose");
        });
        let jobs = (0..11).map(|token| job(token, vec![token as u8]));
        queue.submit_all(jobs.collect()).unwrap();
        assert_eq!(queue.in_flight(), 11);
        for token in 0..11 {
            let completion = queue.complete().unwrap();
            assert_eq!(completion.token, token);
            assert_eq!(completion.result.is_err(), token == 5);
        }
        assert_eq!(threads.lock().unwrap().len(), 3);
        queue.submit_all(Vec::new()).unwrap();
        assert!(queue.complete().is_none());
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
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let work: Arc<Work> = Arc::new(move |_: &Request, _: &mut Buffer, _: &Cancellation| {
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
        call(&pool, || ()).unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn an_answer_that_nobody_takes_is_no_panic() {
        let (reply, completion) = mpsc::sync_channel(1);
        drop(completion);
        let work: Arc<Work> = Arc::new(|_: &Request, _: &mut Buffer, _: &Cancellation| Ok(None));
        run(job(0, vec![7; 16]), work, Cancellation::new(), reply)();
    }

    #[test]
    fn the_sink_keeps_the_output_and_a_bypass_does_not_touch_it() {
        let mut queue = queue(|data| data[0] = 9);
        let request = || job(0, Vec::new()).request.cipher().unwrap().clone();
        let (mut into_sink, mut bypass) = (request(), request());
        into_sink.output = Output::Sink;
        bypass.bypass = true;
        let (mut sunk, mut bypassed) = (job(0, vec![1, 2]), job(1, vec![1, 2]));
        sunk.request = into_sink.into();
        bypassed.request = bypass.into();
        queue.submit(sunk).unwrap();
        queue.submit(bypassed).unwrap();
        let sunk = queue.complete().unwrap().result.unwrap();
        assert_eq!((sunk.len(), sunk.capacity()), (0, 2));
        assert_eq!(queue.complete().unwrap().result.unwrap(), [1, 2]);
    }

    /// Threads of a pool that run.
    fn running(pool: &Pool) -> usize {
        pool.shared().lock().threads
    }

    #[test]
    fn threads_start_when_they_are_needed_and_end_when_they_are_not() {
        let mut pool = Pool::new("test", 3);
        pool.idle_limit = Duration::from_millis(20);
        assert_eq!(running(&pool), 0);
        for _ in 0..2 {
            assert_eq!(call(&pool, || 5).unwrap(), 5);
            assert!(running(&pool) <= 1);
            let deadline = Instant::now() + Duration::from_secs(20);
            while running(&pool) > 0 {
                assert!(Instant::now() < deadline, "an idle thread does not end");
                thread::sleep(Duration::from_millis(5));
            }
        }
    }

    #[test]
    fn a_short_job_that_waits_alone_starts_no_thread() {
        let mut queue = queue(|_| ());
        queue.submit(job(0, vec![0; SHORT_BYTES - 1])).unwrap();
        assert_eq!(running(&queue.pool), 0);
        queue.submit(job(1, vec![0])).unwrap();
        assert_eq!(running(&queue.pool), 2);
        while queue.complete().is_some() {}
        queue.submit(job(2, vec![0; SHORT_BYTES])).unwrap();
        assert!(running(&queue.pool) > 0);
        assert!(queue.complete().unwrap().result.is_ok());
    }

    #[test]
    fn a_job_that_no_thread_has_begun_runs_on_the_caller_that_waits_for_it() {
        let pool = Arc::new(Pool::new("test", 1));
        let (release, gate) = mpsc::channel::<()>();
        let (begun, running) = mpsc::channel();
        let (busy, _) = submit(&pool, move || {
            begun.send(()).unwrap();
            gate.recv_timeout(Duration::from_secs(10)).is_ok()
        });
        running.recv().unwrap();
        let caller = thread::current().id();
        let work: Arc<Work> = Arc::new(move |_: &Request, data: &mut Buffer, _: &Cancellation| {
            data[0] = u8::from(thread::current().id() == caller);
            Ok(None)
        });
        let mut queue = PoolQueue::new(Arc::clone(&pool), work, Cancellation::new());
        for token in 0..2 {
            queue.submit(job(token, vec![0])).unwrap();
        }
        for token in 0..2 {
            let completion = queue.complete().unwrap();
            assert_eq!(completion.token, token);
            assert_eq!(
                completion.result.unwrap(),
                [1],
                "not on the caller's thread"
            );
        }
        release.send(()).unwrap();
        assert!(busy.recv().unwrap());
    }

    #[test]
    fn without_threads_the_caller_does_the_work() {
        let mut pool = Pool::new("test", 1);
        pool.threads = 0;
        let pool = Arc::new(pool);
        let caller = thread::current().id();
        let (answer, mark) = submit(&pool, || thread::current().id());
        assert_eq!(pool.wait(&answer, &mark).unwrap(), caller);
        let work: Arc<Work> = Arc::new(|_: &Request, data: &mut Buffer, _: &Cancellation| {
            assert!(data[0] != 1, "on purpose");
            data[0] += 1;
            Ok(None)
        });
        let open = || PoolQueue::new(Arc::clone(&pool), Arc::clone(&work), Cancellation::new());
        let (mut one, mut other) = (open(), open());
        for token in 0..3 {
            one.submit(job(token, vec![token as u8])).unwrap();
            other.submit(job(token, vec![10])).unwrap();
        }
        // The first asks for what is behind another's job.
        assert_eq!(other.complete().unwrap().result.unwrap(), [11]);
        drop(other);
        for token in 0..3 {
            let completion = one.complete().unwrap();
            assert_eq!(completion.token, token);
            assert_eq!(completion.result.is_err(), token == 1);
        }
        assert!(pool.shared().lock().tasks.is_empty());
    }
}
