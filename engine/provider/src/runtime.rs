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

/// How long a device that failed is left alone, where software can do its work.
const PAUSE: Duration = Duration::from_secs(1);

/// Gives the device; called again after a failure and in a forked child.
pub(crate) type Opener = dyn Fn() -> Result<Arc<dyn Device>> + Send + Sync;

/// What one process has of the provider.
pub(crate) struct Runtime {
    /// What this process has counted.
    pub account: Arc<Account>,
    capabilities: OnceLock<Capabilities>,
    shared: Arc<Shared>,
    /// How long queues that nobody uses are kept; `None`: as long as the process.
    idle_limit: Option<Duration>,
    watch: Mutex<Option<JoinHandle<()>>>,
}

/// What the threads of the process share.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    returned: Condvar,
    /// Wakes the watch before its time.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    device: Option<Arc<dyn Device>>,
    idle: Vec<Session>,
    in_use: usize,
    /// Counts the device's failures: what is of an earlier one is not used again.
    generation: u64,
    pause_ends: Option<Instant>,
    last_failure: Option<Instant>,
    last_return: Option<Instant>,
    /// A watch runs that ends queues which nobody uses.
    watched: bool,
    /// No watch is needed any more.
    over: bool,
}

impl State {
    /// The device, opened where it is not open.
    fn open(&mut self, opener: &Opener) -> Result<&Arc<dyn Device>> {
        if self.device.is_none() {
            self.device = Some(opener()?);
        }
        self.device
            .as_ref()
            .ok_or_else(|| Error::device("the device is not open"))
    }

    fn is_paused(&self) -> bool {
        self.pause_ends.is_some_and(|end| Instant::now() < end)
    }
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
            Unavailable::Paused => {
                Error::device("the device failed a moment ago: left alone for a second")
            }
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

    /// Queues that nobody has used for so long are ended, so that another process can have
    /// a device that has one.
    pub(crate) fn with_idle_limit(mut self, limit: Option<Duration>) -> Runtime {
        self.idle_limit = limit;
        self
    }

    /// For a forked child of the process that this is of.
    pub(crate) fn renewed(&self) -> Runtime {
        Runtime::new(self.account.renewed()).with_idle_limit(self.idle_limit)
    }

    /// What the device can do. It is opened for that, once in this process.
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

    /// Whether the device is left alone.
    pub(crate) fn is_paused(&self) -> bool {
        self.lock().is_paused()
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
        // Ending them may take a while, which is nobody else's.
        drop((idle, device));
        first
    }

    /// Take a buffer for later jobs. It is erased with those of the queue that gets it, at
    /// once where there is none.
    pub(crate) fn recycle(&self, buffer: Buffer) {
        let mut state = self.lock();
        match state.idle.last_mut() {
            Some(session) => session.recycle(buffer),
            None => {
                drop(state);
                drop(buffer);
            }
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }

    /// Start the watch, where one is due and none runs. Where the system has no thread to
    /// give, the queues are ended at once: nobody would do it later.
    fn keep_watch(&self, mut state: MutexGuard<'_, State>) {
        let Some(limit) = self.idle_limit else { return };
        if state.watched || state.idle.is_empty() {
            return;
        }
        let (shared, account) = (Arc::clone(&self.shared), Arc::clone(&self.account));
        let started = process::spawn("ciphermill-idle", move || {
            shared.watch(limit);
            account.settle();
        });
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
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// End queues that nobody has used for so long; until there are none, or it is over.
    fn watch(&self, limit: Duration) {
        let mut state = self.lock();
        while !state.over && (state.in_use > 0 || !state.idle.is_empty()) {
            let since = state.last_return.map_or(limit, |last| last.elapsed());
            if state.idle.is_empty() || since < limit {
                let left = limit.saturating_sub(since).max(Duration::from_millis(1));
                let wait = self.ended.wait_timeout(state, left);
                state = wait.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let idle = std::mem::take(&mut state.idle);
            // Who asks meanwhile waits until the device is free.
            state.in_use += 1;
            drop(state);
            drop(idle);
            state = self.lock();
            state.in_use -= 1;
            self.returned.notify_all();
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
    /// Whose session it is.
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

impl Runtime {
    /// The value of a counter.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.account.counters.value(name)
    }
}

#[cfg(test)]
impl Runtime {
    /// Queues that nobody uses.
    pub(crate) fn idle(&self) -> usize {
        self.lock().idle.len()
    }

    /// End the queues that nobody uses: others may then have the device.
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
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{LazyLock, mpsc};

    use ciphermill::Queue;
    use ciphermill::testing::ReferenceDevice;
    use zeroize::Zeroizing;

    use super::*;
    use crate::threshold::Thresholds;

    static CAPABILITIES: LazyLock<ciphermill::Capabilities> =
        LazyLock::new(|| ReferenceDevice::new().capabilities().clone());

    fn runtime() -> Runtime {
        Runtime::new(Account::new(None, Thresholds::default()))
    }

    fn opener() -> Box<Opener> {
        Box::new(|| Ok(Arc::new(ReferenceDevice::new())))
    }

    #[test]
    fn a_session_is_kept_only_when_all_is_well() {
        let runtime = runtime();
        let mut lease = runtime.session(&*opener()).unwrap();
        lease.recycle(Zeroizing::new(vec![0; 16]));
        lease.keep();
        let mut lease = runtime.session(&*opener()).unwrap();
        let session = lease.session.take().unwrap();
        assert_eq!(session.into_buffers().len(), 1);
        drop(lease);
        let mut lease = runtime.session(&*opener()).unwrap();
        let session = lease.session.take().unwrap();
        assert_eq!(session.into_buffers().len(), 0);
        drop(lease);
        assert_eq!(runtime.lock().in_use, 0);
    }

    #[test]
    fn a_failed_device_is_left_alone_and_opened_anew() {
        let runtime = runtime();
        runtime.failed(true);
        let unavailable = runtime.session(&*opener()).err().unwrap();
        assert!(matches!(unavailable, Unavailable::Paused));
        let error = Error::from(unavailable).to_string();
        assert!(error.contains("a moment ago"), "{error}");
        runtime.failed(false);
        assert!(runtime.session(&*opener()).is_ok());
        assert_eq!(value(&runtime.account.counters.device_failures), 2);
    }

    /// A device with one queue.
    struct Single(Arc<Mutex<bool>>);

    struct SingleQueue(Arc<Mutex<bool>>, Box<dyn Queue>);

    impl Device for Single {
        fn name(&self) -> &str {
            "single"
        }

        fn capabilities(&self) -> &ciphermill::Capabilities {
            &CAPABILITIES
        }

        fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
            let mut taken = self.0.lock().unwrap();
            if *taken {
                return Err(Error::device("busy"));
            }
            *taken = true;
            let queue = ReferenceDevice::new().open(cancellation)?;
            Ok(Box::new(SingleQueue(Arc::clone(&self.0), queue)))
        }
    }

    impl Queue for SingleQueue {
        fn submit(&mut self, job: ciphermill::Job) -> Result<()> {
            self.1.submit(job)
        }

        fn complete(&mut self) -> Option<ciphermill::Completion> {
            self.1.complete()
        }

        fn in_flight(&self) -> usize {
            self.1.in_flight()
        }
    }

    impl Drop for SingleQueue {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = false;
        }
    }

    #[test]
    fn threads_wait_for_the_one_queue_of_a_device() {
        let taken = Arc::new(Mutex::new(false));
        let opener: Box<Opener> = Box::new({
            let taken = Arc::clone(&taken);
            move || Ok(Arc::new(Single(Arc::clone(&taken))))
        });
        let runtime = runtime();
        std::thread::scope(|scope| {
            for healthy in [true, false, true, false] {
                let (runtime, opener) = (&runtime, &opener);
                scope.spawn(move || {
                    let lease = runtime.session(&**opener).unwrap();
                    std::thread::sleep(Duration::from_millis(5));
                    if healthy {
                        lease.keep();
                    }
                });
            }
        });
        runtime.release_idle();
        assert!(!*taken.lock().unwrap());
    }

    #[test]
    fn a_queue_of_a_device_that_failed_is_not_used_again() {
        let opened = Arc::new(AtomicUsize::new(0));
        let opener: Box<Opener> = Box::new({
            let opened = Arc::clone(&opened);
            move || {
                opened.fetch_add(1, Ordering::SeqCst);
                Ok(Arc::new(ReferenceDevice::new()))
            }
        });
        let runtime = runtime();
        let before = runtime.session(&*opener).unwrap();
        // Another thread's failed, while this one was in use.
        runtime.failed(false);
        before.keep();
        runtime.session(&*opener).unwrap().keep();
        assert_eq!(opened.load(Ordering::SeqCst), 2);
        runtime.session(&*opener).unwrap().keep();
        assert_eq!(opened.load(Ordering::SeqCst), 2);
        runtime.failed(true);
        let paused = runtime.session(&*opener).err().unwrap();
        assert!(matches!(paused, Unavailable::Paused));
    }

    #[test]
    fn buffers_go_to_a_queue_that_is_kept_and_end_with_it() {
        let runtime = runtime();
        let opener: Box<Opener> = Box::new(|| Ok(Arc::new(ReferenceDevice::new())));
        runtime.session(&*opener).unwrap().keep();
        let buffer = Zeroizing::new(vec![7; 64]);
        let place = buffer.as_ptr();
        runtime.recycle(buffer);
        assert_eq!(
            runtime.session(&*opener).unwrap().buffer(64).as_ptr(),
            place
        );
        // None is kept where there is no queue.
        runtime.release_idle();
        runtime.recycle(Zeroizing::new(vec![7; 64]));
        assert!(runtime.lock().idle.is_empty());
    }

    fn single(limit: Duration) -> (Runtime, Box<Opener>, Arc<Mutex<bool>>) {
        let taken = Arc::new(Mutex::new(false));
        let device = Arc::new(Single(Arc::clone(&taken)));
        let opener: Box<Opener> = Box::new(move || Ok(Arc::clone(&device) as _));
        let runtime = runtime().with_idle_limit(Some(limit));
        (runtime, opener, taken)
    }

    #[test]
    fn a_queue_that_nobody_uses_is_given_back() {
        let (runtime, opener, taken) = single(Duration::from_millis(20));
        for _ in 0..2 {
            let lease = runtime.session(&*opener).unwrap();
            std::thread::sleep(Duration::from_millis(40));
            assert!(*taken.lock().unwrap(), "it was given back while in use");
            lease.keep();
            let deadline = Instant::now() + Duration::from_secs(10);
            while *taken.lock().unwrap() {
                assert!(Instant::now() < deadline, "it is held for ever");
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        // The end does not wait for the limit.
        let (runtime, opener, taken) = single(Duration::from_secs(3600));
        runtime.session(&*opener).unwrap().keep();
        assert!(*taken.lock().unwrap());
        drop(runtime);
        assert!(!*taken.lock().unwrap());
    }

    #[test]
    fn who_asks_while_a_queue_is_given_back_gets_one() {
        let (runtime, opener, _) = single(Duration::ZERO);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        runtime.session(&*opener).unwrap().keep();
                        std::thread::sleep(Duration::from_millis(1));
                    }
                });
            }
        });
    }

    /// A device that opens once.
    #[derive(Default)]
    struct Once(AtomicBool);

    impl Device for Once {
        fn name(&self) -> &str {
            "once"
        }

        fn capabilities(&self) -> &ciphermill::Capabilities {
            &CAPABILITIES
        }

        fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
            if self.0.swap(true, Ordering::SeqCst) {
                return Err(Error::device("gone"));
            }
            ReferenceDevice::new().open(cancellation)
        }
    }

    #[test]
    fn threads_that_wait_for_a_device_that_goes_are_all_told() {
        let device = Arc::new(Once::default());
        let opener = move || -> Result<Arc<dyn Device>> { Ok(Arc::clone(&device) as _) };
        let opener: Arc<Opener> = Arc::new(opener);
        let runtime = Arc::new(runtime());
        let lease = runtime.session(&*opener).unwrap();
        let (send, receive) = mpsc::channel();
        for _ in 0..3 {
            let (runtime, opener, send) = (runtime.clone(), opener.clone(), send.clone());
            std::thread::spawn(move || send.send(runtime.session(&*opener).is_err()));
        }
        // So that they wait, as nearly all that come here do.
        std::thread::sleep(Duration::from_millis(50));
        drop(lease);
        for _ in 0..3 {
            assert!(receive.recv_timeout(Duration::from_secs(10)).unwrap());
        }
    }
}
