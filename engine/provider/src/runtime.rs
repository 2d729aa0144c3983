// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device of this process, and the queues that its threads share.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ciphermill::{Cancellation, Device, Error, Result, Session};

use crate::counters::{Counters, add};
use crate::threshold::Thresholds;

/// How long a device that failed is left alone, where software can do its work.
const PAUSE: Duration = Duration::from_secs(1);

/// Gives the device; called again after a failure and in a forked child.
pub(crate) type Opener = dyn Fn() -> Result<Arc<dyn Device>> + Send + Sync;

/// What one process has of the provider.
pub(crate) struct Runtime {
    /// What went where in this process.
    pub counters: Counters,
    /// From how many bytes on the device is faster.
    pub thresholds: Thresholds,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    device: Option<Arc<dyn Device>>,
    idle: Vec<Session>,
    in_use: usize,
    pause_ends: Option<Instant>,
}

impl State {
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
    /// On a device that is open already, or that the first use opens.
    pub(crate) fn new(device: Option<Arc<dyn Device>>, thresholds: Thresholds) -> Runtime {
        Runtime {
            counters: Counters::default(),
            thresholds,
            state: Mutex::new(State {
                device,
                ..State::default()
            }),
            returned: Condvar::new(),
        }
    }

    /// For a forked child of the process that this is of.
    pub(crate) fn renewed(&self) -> Runtime {
        Runtime::new(None, self.thresholds.clone())
    }

    /// A session, alone until it is dropped. Threads get a queue each where the device
    /// has several, and wait for each other where it has one.
    ///
    /// # Errors
    /// What opening the device gives; at once while a device that failed is left alone.
    pub(crate) fn session(&self, opener: &Opener) -> std::result::Result<Lease<'_>, Unavailable> {
        let mut state = self.lock();
        loop {
            if let Some(session) = state.idle.pop() {
                state.in_use += 1;
                return Ok(self.lease(session));
            }
            if state.is_paused() {
                return Err(Unavailable::Paused);
            }
            let opened = match &state.device {
                Some(device) => Ok(Arc::clone(device)),
                None => opener(),
            };
            let session = opened.and_then(|device| {
                let session = Session::open(&*device, Cancellation::new())?;
                state.device = Some(device);
                Ok(session)
            });
            match session {
                Ok(session) => {
                    state.in_use += 1;
                    return Ok(self.lease(session));
                }
                // A device with one queue, which another thread has.
                Err(_) if state.in_use > 0 => {
                    state = self
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
    /// where something else can do its work.
    pub(crate) fn failed(&self, pause: bool) {
        add(&self.counters.device_failures, 1);
        let mut state = self.lock();
        state.pause_ends = pause.then(|| Instant::now() + PAUSE);
        let device = state.device.take();
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        // Ending them may take a while, which is nobody else's.
        drop((idle, device));
    }

    /// End the queues that nobody uses: others may then have the device.
    pub(crate) fn release_idle(&self) {
        let idle = std::mem::take(&mut self.lock().idle);
        drop(idle);
    }

    fn lease(&self, session: Session) -> Lease<'_> {
        Lease {
            runtime: self,
            session: Some(session),
            healthy: false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session in use. It is kept for the next user only when its user says, at the end,
/// that all is well with it: not after an error, nor a panic.
pub(crate) struct Lease<'a> {
    runtime: &'a Runtime,
    session: Option<Session>,
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
        if !self.healthy {
            // Before the lock is taken and others are told, so that a device with one
            // queue is free when they ask.
            drop(session.take());
        }
        let mut state = self.runtime.lock();
        state.in_use -= 1;
        state.idle.extend(session);
        drop(state);
        // All of them: the one that is told may find that the device does not open, and
        // end, and nobody would tell the others.
        self.runtime.returned.notify_all();
    }
}

impl Runtime {
    /// The value of a counter.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.counters.value(name)
    }
}

/// For tests: a counter's present value.
#[cfg(test)]
pub(crate) fn value(counter: &std::sync::atomic::AtomicU64) -> u64 {
    counter.load(std::sync::atomic::Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{LazyLock, mpsc};

    use ciphermill::Queue;
    use ciphermill::testing::ReferenceDevice;
    use zeroize::Zeroizing;

    use super::*;

    static CAPABILITIES: LazyLock<ciphermill::Capabilities> =
        LazyLock::new(|| ReferenceDevice::new().capabilities().clone());

    fn opener() -> Box<Opener> {
        Box::new(|| Ok(Arc::new(ReferenceDevice::new())))
    }

    #[test]
    fn a_session_is_kept_only_when_all_is_well() {
        let runtime = Runtime::new(None, Thresholds::default());
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
        let runtime = Runtime::new(None, Thresholds::default());
        runtime.failed(true);
        let unavailable = runtime.session(&*opener()).err().unwrap();
        assert!(matches!(unavailable, Unavailable::Paused));
        let error = Error::from(unavailable).to_string();
        assert!(error.contains("a moment ago"), "{error}");
        runtime.failed(false);
        assert!(runtime.session(&*opener()).is_ok());
        assert_eq!(value(&runtime.counters.device_failures), 2);
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
        let runtime = Runtime::new(None, Thresholds::default());
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
        let runtime = Arc::new(Runtime::new(None, Thresholds::default()));
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
