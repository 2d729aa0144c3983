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
//!
//! Streams ([`crate::work`]) that wait are shared among the threads: who takes one takes a share of
//! the others too, and works on them side by side.

use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ciphermill::process::{self, PerProcess};
use ciphermill::{Buffer, Cancellation, Completion, Error, Job, Queue, Result};

use crate::side_by_side::Stream;
use crate::work::{Work, completion};

/// How long a thread waits for work before it ends.
const IDLE_LIMIT: Duration = Duration::from_secs(1);

/// A task of fewer bytes wakes no thread while it waits alone. With the AES instructions it takes
/// some 10 us, about as long as to wake a thread.
const SHORT_BYTES: usize = 128 << 10;

/// Jobs that one worker runs.
struct Task {
    mark: Mark,
    /// The data of all its jobs.
    bytes: usize,
    jobs: Vec<Handed>,
    work: Arc<Work>,
}

/// A job that was handed over, and where its completion goes.
struct Handed {
    job: Job,
    cancellation: Cancellation,
    reply: SyncSender<Completion>,
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
            let serving = Arc::clone(shared);
            let (threads, idle_limit) = (self.threads, self.idle_limit);
            if process::spawn(&name, move || serving.serve(threads, idle_limit)).is_ok() {
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
        let waiting = place.and_then(|place| state.take(place, self.threads, false));
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
    /// Streams go side by side, and the other jobs one after the other. A panic is the job's own
    /// affair: it drops the channel of its answer, which the other side sees.
    fn run(mut self) {
        let work = &self.work;
        let is_stream = |handed: &Handed| work.is_stream(&handed.job.request);
        if self.jobs.iter().filter(|one| is_stream(one)).count() > 1 {
            let streams = self.jobs.extract_if(.., |one| is_stream(one));
            let mut streams: Vec<_> = streams.collect();
            let streams = streams.iter_mut().filter_map(|one| one.stream(work));
            work.run_streams(streams.collect());
        }
        for handed in self.jobs {
            let run = || work.execute(handed.job, &handed.cancellation);
            if let Ok(completion) = catch_unwind(AssertUnwindSafe(run)) {
                // A queue that is gone by now wants no answer.
                let _ = handed.reply.send(completion);
            }
        }
    }

    /// Whether all of its jobs are streams.
    fn is_streams(&self) -> bool {
        let mut jobs = self.jobs.iter();
        jobs.all(|handed| self.work.is_stream(&handed.job.request))
    }

    /// Whether jobs of other queues would wait for one of its own.
    fn holds_others_up(&self) -> bool {
        let mut jobs = self.jobs.iter();
        jobs.any(|handed| self.work.holds_others_up(&handed.job))
    }
}

impl Handed {
    /// The job as a stream, if it is one. Its completion is sent when it ends.
    fn stream(
        &mut self,
        work: &Work,
    ) -> Option<Stream<'_, impl FnOnce(&mut Buffer, Result<Duration>)>> {
        let Job {
            token,
            request,
            data,
        } = &mut self.job;
        let (token, request, sender) = (*token, &*request, &self.reply);
        let reply = move |data: &mut Buffer, outcome| {
            let _ = sender.send(match outcome {
                Ok(elapsed) => completion(token, request, mem::take(data), None, elapsed),
                Err(error) => Completion::failed(token, error),
            });
        };
        work.is_stream(request).then_some(Stream {
            request,
            data,
            cancellation: &self.cancellation,
            reply,
        })
    }
}

impl Tasks {
    /// The task at this place. Streams take their share of those that wait with them: of any
    /// queue, or of their own.
    fn take(&mut self, place: usize, threads: usize, any_queue: bool) -> Option<Task> {
        let mut task = self.tasks.remove(place)?;
        if self.tasks.is_empty() || !task.is_streams() {
            return Some(task);
        }
        let others_too = any_queue && !task.holds_others_up();
        let beside = |other: &Task| {
            let is_ours = Arc::ptr_eq(&other.mark.queue, &task.mark.queue);
            (is_ours || others_too && !other.holds_others_up())
                && Arc::ptr_eq(&other.work, &task.work)
                && other.is_streams()
        };
        let places: Vec<_> = (0..self.tasks.len())
            .filter(|place| beside(&self.tasks[*place]))
            .collect();
        let share = (places.len() + 1).div_ceil(threads.max(1)) - 1;
        for (removed, place) in places[..share].iter().enumerate() {
            if let Some(other) = self.tasks.remove(place - removed) {
                task.jobs.extend(other.jobs);
            }
        }
        Some(task)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop of one of so many threads: run tasks, until there has been none for so long or it
    /// is over.
    fn serve(&self, threads: usize, idle_limit: Duration) {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.take(0, threads, true) {
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
        let mut handed = Vec::with_capacity(jobs.len());
        let bytes = jobs.iter().map(|job| job.data.len()).sum();
        for job in jobs {
            let token = job.token;
            let (reply, answer) = mpsc::sync_channel(1);
            handed.push(Handed {
                job,
                cancellation: self.cancellation.clone(),
                reply,
            });
            self.pending.push_back(Pending {
                token,
                answer,
                mark: self.mark.clone(),
                shared: Arc::clone(self.pool.shared()),
            });
        }
        let mark = self.mark.clone();
        self.mark.number += 1;
        self.pool.submit(Task {
            mark,
            bytes,
            jobs: handed,
            work: Arc::clone(&self.work),
        });
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

#[cfg(test)]
mod tests;
