// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device of this process, and the queues that its threads share.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ciphermill::{Buffer, Cancellation, Capabilities, Device, Error, Result, Session, process};

use crate::account::Account;
use crate::counters::add;

/// How long a device that failed is left alone, where software can do its work. No test takes
/// as long as the pause of tests: one that needs the end of the pause calls
/// `Runtime::end_pause`.
const PAUSE: Duration = Duration::from_secs(if cfg!(test) { 3600 } else { 1 });

/// Gives the device; called again after a failure and in a forked child.
pub(crate) type Opener = dyn Fn() -> Result<Arc<dyn Device>> + Send + Sync;

/// The provider's state in one process.
pub(crate) struct Runtime {
    /// The counters of this process.
    pub account: Arc<Account>,
    capabilities: OnceLock<Capabilities>,
    shared: Arc<Shared>,
    /// How long unused queues are kept; `None`: until the process ends.
    idle_limit: Option<Duration>,
    watch: Mutex<Option<JoinHandle<()>>>,
}

/// State shared by the threads of the process.
#[derive(Default)]
struct Shared {
    state: Mutex<Queues>,
    returned: Condvar,
    /// Wakes the watch before its time.
    ended: Condvar,
}

#[derive(Default)]
struct Queues {
    device: Option<Arc<dyn Device>>,
    idle: Vec<Session>,
    in_use: usize,
    /// Counts the device's failures: what is of an earlier one is not used again.
    generation: u64,
    pause_ends: Option<Instant>,
    last_failure: Option<Instant>,
    last_return: Option<Instant>,
    /// Whether a thread runs that ends unused queues.
    watched: bool,
    /// No watch is needed any more.
    over: bool,
}

impl Queues {
    /// The device, opened where it is not open.
    fn open(&mut self, opener: &Opener) -> Result<&Arc<dyn Device>> {
        Ok(match &mut self.device {
            Some(device) => device,
            none => none.insert(opener()?),
        })
    }

    fn is_paused(&self) -> bool {
        self.pause_ends.is_some_and(|end| Instant::now() < end)
    }

    /// The watch's next step. `log_due` is the time until the log gets a line, `None` where
    /// it needs none.
    fn next_step(&self, limit: Duration, log_due: Option<Duration>) -> Step {
        if self.over {
            return Step::End;
        }
        let wait = if self.idle.is_empty() {
            match log_due {
                // Nobody uses the device.
                None if self.in_use == 0 => return Step::End,
                Some(left) if left.is_zero() => return Step::Log,
                // The end of a lease does not wake the watch. None is idle for longer than the
                // limit all the same, since this wait is no longer.
                None => limit,
                Some(left) => left.min(limit),
            }
        } else {
            let idle_for = self.last_return.map_or(limit, |last| last.elapsed());
            if idle_for >= limit {
                return Step::GiveBack;
            }
            limit - idle_for
        };
        Step::Wait(wait.max(Duration::from_millis(1)))
    }
}

/// The watch's next step.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Wait so long, or until the process ends its use of the provider.
    Wait(Duration),
    /// End the unused queues.
    GiveBack,
    /// Write the line of the log that is due.
    Log,
    /// End: nothing is left to do.
    End,
}

/// Why there is no session.
#[derive(Debug)]
pub(crate) enum Unavailable {
    /// The device failed a moment ago and is left alone: that is no other failure.
    Paused,
    /// It failed now.
    Failed(Error),
}

impl From<Error> for Unavailable {
    fn from(error: Error) -> Unavailable {
        Unavailable::Failed(error)
    }
}

impl From<Unavailable> for Error {
    fn from(unavailable: Unavailable) -> Error {
        match unavailable {
            Unavailable::Failed(error) => error,
            Unavailable::Paused => Error::device(
                "the device failed a moment ago and is left alone for a second: try again later",
            ),
        }
    }
}

impl Runtime {
    /// On a device that the first use opens.
    pub(crate) fn new(account: Account) -> Runtime {
        Runtime {
            account: Arc::new(account),
            capabilities: OnceLock::new(),
            shared: Arc::default(),
            idle_limit: None,
            watch: Mutex::default(),
        }
    }

    /// End queues that were unused for this long, so that another process can open a device
    /// with a single queue.
    pub(crate) fn with_idle_limit(mut self, limit: Option<Duration>) -> Runtime {
        self.idle_limit = limit;
        self
    }

    /// For a forked child of the process that this is of.
    pub(crate) fn renewed(&self) -> Runtime {
        Runtime::new(self.account.renewed()).with_idle_limit(self.idle_limit)
    }

    /// The device's capabilities. The first call in a process opens the device.
    ///
    /// # Errors
    /// As [`Runtime::session`].
    pub(crate) fn capabilities(
        &self,
        opener: &Opener,
    ) -> std::result::Result<&Capabilities, Unavailable> {
        // Without a lock, which the threads of a server would wait for at each record.
        if let Some(capabilities) = self.capabilities.get() {
            return Ok(capabilities);
        }
        let mut state = self.lock();
        if state.is_paused() {
            return Err(Unavailable::Paused);
        }
        let capabilities = state.open(opener)?.capabilities();
        Ok(self.capabilities.get_or_init(|| capabilities.clone()))
    }

    /// The device, opened where it is not open, however long ago it failed.
    ///
    /// # Errors
    /// What opening it gives.
    pub(crate) fn device(&self, opener: &Opener) -> Result<Arc<dyn Device>> {
        Ok(Arc::clone(self.lock().open(opener)?))
    }

    /// A session, alone until it is dropped. Threads get a queue each where the device
    /// has several, and wait for each other where it has one.
    ///
    /// # Errors
    /// What opening the device gives; at once while a device that failed is left alone.
    pub(crate) fn session(&self, opener: &Opener) -> std::result::Result<Lease<'_>, Unavailable> {
        let mut state = self.lock();
        loop {
            if state.is_paused() {
                return Err(Unavailable::Paused);
            }
            if let Some(session) = state.idle.pop() {
                state.in_use += 1;
                return Ok(self.lease(session, state.generation));
            }
            let opened = state.open(opener);
            match opened.and_then(|device| Session::open(&**device, Cancellation::new())) {
                Ok(session) => {
                    state.in_use += 1;
                    return Ok(self.lease(session, state.generation));
                }
                // A device with one queue, which another thread has.
                Err(_) if state.in_use > 0 => {
                    state = self
                        .shared
                        .returned
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Err(error) => return Err(Unavailable::Failed(error)),
            }
        }
    }

    /// At most so many sessions, of which this thread waits for the first alone: the others are
    /// those that can be had at once.
    ///
    /// # Errors
    /// As [`Runtime::session`].
    pub(crate) fn sessions(
        &self,
        opener: &Opener,
        most: usize,
    ) -> std::result::Result<Vec<Lease<'_>>, Unavailable> {
        let mut leases = vec![self.session(opener)?];
        while leases.len() < most
            && let Some(lease) = self.another(opener)
        {
            leases.push(lease);
        }
        Ok(leases)
    }

    /// A further session, where one can be had without waiting.
    fn another(&self, opener: &Opener) -> Option<Lease<'_>> {
        let mut state = self.lock();
        let session = match state.idle.pop() {
            Some(session) => session,
            None => {
                let device = state.open(opener).ok()?;
                Session::open(&**device, Cancellation::new()).ok()?
            }
        };
        state.in_use += 1;
        Some(self.lease(session, state.generation))
    }

    /// Whether the device is left alone.
    pub(crate) fn is_paused(&self) -> bool {
        self.lock().is_paused()
    }

    /// Counts the failures of the device: it is opened anew after each.
    pub(crate) fn generation(&self) -> u64 {
        self.lock().generation
    }

    /// The device failed: count it, forget the device, and leave it alone for a while
    /// where something else can do its work. Whether it is the first failure, or the first
    /// for a second: of those that follow one another at once, one is told.
    pub(crate) fn failed(&self, pause: bool) -> bool {
        add(&self.account.counters.device_failures, 1);
        let mut state = self.lock();
        state.generation += 1;
        let now = Instant::now();
        let first = state.last_failure.is_none_or(|last| now - last >= PAUSE);
        state.last_failure = Some(now);
        state.pause_ends = pause.then(|| now + PAUSE);
        let device = state.device.take();
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        // Ending them may take a while: no lock is held meanwhile.
        drop((idle, device));
        first
    }

    /// Take a buffer for later jobs. It is erased with those of the queue that gets it, at
    /// once where there is none.
    pub(crate) fn recycle(&self, buffer: Buffer) {
        if let Some(session) = self.lock().idle.last_mut() {
            session.recycle(buffer);
        }
    }

    fn lease(&self, session: Session, generation: u64) -> Lease<'_> {
        Lease {
            runtime: self,
            session: Some(session),
            generation,
            healthy: false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.shared.lock()
    }

    /// Start the watch, where one is due and none runs. Where the system has no thread to
    /// give, the queues are ended at once: nobody would do it later.
    fn keep_watch(&self, mut state: MutexGuard<'_, Queues>) {
        let Some(limit) = self.idle_limit else { return };
        if state.watched || state.idle.is_empty() {
            return;
        }
        let (shared, account) = (Arc::clone(&self.shared), Arc::clone(&self.account));
        let started = process::spawn("ciphermill-idle", move || shared.watch(limit, &account));
        let Ok(handle) = started else {
            let idle = std::mem::take(&mut state.idle);
            drop(state);
            drop(idle);
            return;
        };
        state.watched = true;
        drop(state);
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        // One that ran before has said that it ends.
        *watch = Some(handle);
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.lock().over = true;
        self.shared.ended.notify_all();
        let watch = self.watch.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(watch) = watch.take() {
            // It takes no part in anything that could panic but a queue's end, which then
            // has nobody to tell.
            let _ = watch.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// End queues that nobody has used for so long, and write the counters to the log when a
    /// line is due; until there are no queues and the log has all counters, or it is over.
    fn watch(&self, limit: Duration, account: &Account) {
        let mut state = self.lock();
        loop {
            match state.next_step(limit, account.due_in()) {
                Step::Wait(time) => {
                    let wait = self.ended.wait_timeout(state, time);
                    state = wait.unwrap_or_else(PoisonError::into_inner).0;
                }
                Step::GiveBack => {
                    let idle = std::mem::take(&mut state.idle);
                    // Who asks meanwhile waits until the device is free.
                    state.in_use += 1;
                    drop(state);
                    drop(idle);
                    state = self.lock();
                    state.in_use -= 1;
                    self.returned.notify_all();
                }
                Step::Log => {
                    drop(state);
                    account.write_due();
                    state = self.lock();
                }
                Step::End => break,
            }
        }
        state.watched = false;
    }
}

/// A session in use. It is kept for the next user only when its user says, at the end,
/// that all is well with it: not after an error, nor a panic.
pub(crate) struct Lease<'a> {
    runtime: &'a Runtime,
    session: Option<Session>,
    /// When it was opened.
    generation: u64,
    healthy: bool,
}

impl<'a> Lease<'a> {
    /// The runtime that the session belongs to.
    pub(crate) fn runtime(&self) -> &'a Runtime {
        self.runtime
    }

    /// Everything that was submitted came back.
    pub(crate) fn keep(mut self) {
        self.healthy = true;
    }
}

impl Deref for Lease<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session.as_ref().expect("it is there until the drop")
    }
}

impl DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut Session {
        self.session.as_mut().expect("it is there until the drop")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut session = self.session.take();
        let mut state = self.runtime.lock();
        if !self.healthy || self.generation != state.generation {
            // Before others are told, so that a device with one queue is free when they ask.
            drop(state);
            drop(session.take());
            state = self.runtime.lock();
        }
        state.in_use -= 1;
        state.idle.extend(session);
        state.last_return = Some(Instant::now());
        self.runtime.keep_watch(state);
        // All of them: the one that is told may find that the device does not open, and
        // end, and nobody would tell the others.
        self.runtime.shared.returned.notify_all();
    }
}

#[cfg(test)]
impl Runtime {
    /// Unused queues.
    pub(crate) fn idle(&self) -> usize {
        self.lock().idle.len()
    }

    /// End the pause of a device that failed, as if its time had passed.
    pub(crate) fn end_pause(&self) {
        assert!(self.lock().pause_ends.take().is_some(), "there is no pause");
    }

    /// When the pause ends of a device that failed.
    pub(crate) fn pause_ends(&self) -> Option<Instant> {
        self.lock().pause_ends
    }

    /// End the unused queues, so that other processes can open the device.
    pub(crate) fn release_idle(&self) {
        let idle = std::mem::take(&mut self.lock().idle);
        drop(idle);
    }
}

/// For tests: a counter's present value.
#[cfg(test)]
pub(crate) fn value(counter: &std::sync::atomic::AtomicU64) -> u64 {
    counter.load(std::sync::atomic::Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
