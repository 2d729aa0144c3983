// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, mpsc};

use ciphermill::Queue;
use ciphermill::testing::ReferenceDevice;

use super::*;
use crate::account::Log;
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
    lease.recycle(Buffer::from(vec![0; 16]));
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
    let buffer = Buffer::from(vec![7; 64]);
    let place = buffer.as_ptr();
    runtime.recycle(buffer);
    assert_eq!(
        runtime
            .session(&*opener)
            .unwrap()
            .buffer(64)
            .unwrap()
            .as_ptr(),
        place
    );
    // Without a queue no buffer is kept.
    runtime.release_idle();
    runtime.recycle(Buffer::from(vec![7; 64]));
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
        let deadline = Instant::now() + Duration::from_secs(60);
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
fn the_watch_sleeps_as_long_as_it_has_nothing_to_do() {
    let limit = Duration::from_millis(20);
    let wait = Step::Wait(limit);
    let mut state = Queues {
        in_use: 1,
        last_return: Some(Instant::now()),
        ..Queues::default()
    };
    std::thread::sleep(2 * limit);
    // A lease that lasts longer than the limit.
    assert_eq!(state.next_step(limit, None), wait);
    assert_eq!(state.next_step(limit, Some(100 * limit)), wait);
    state.in_use = 0;
    // A log that gets its line later.
    assert_eq!(state.next_step(limit, Some(100 * limit)), wait);
    assert_eq!(
        state.next_step(limit, Some(limit / 2)),
        Step::Wait(limit / 2)
    );
    assert_eq!(state.next_step(limit, Some(Duration::ZERO)), Step::Log);
    assert_eq!(state.next_step(limit, None), Step::End);
    let session = Session::open(&ReferenceDevice::new(), Cancellation::new()).unwrap();
    state.idle.push(session);
    assert_eq!(state.next_step(limit, None), Step::GiveBack);
    let hour = Duration::from_secs(3600);
    let Step::Wait(left) = state.next_step(hour, Some(Duration::ZERO)) else {
        panic!("it does not wait");
    };
    assert!(left < hour);
    state.over = true;
    assert_eq!(state.next_step(limit, Some(limit)), Step::End);
}

#[test]
fn a_log_grows_with_time_and_has_all_counters_after_an_idle_while() {
    let name = format!("ciphermill-watch-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("log");
    let log = Log {
        path: path.clone(),
        device: "reference".into(),
    };
    let limit = Duration::from_millis(1);
    let account = Account::new(Some(log), Thresholds::default());
    let runtime = Runtime::new(account).with_idle_limit(Some(limit));
    let opener = opener();
    let began = Instant::now();
    // Each update comes after the queue of the one before was given back.
    for update in 0..20 {
        let lease = runtime.session(&*opener).unwrap();
        let grown = if update == 0 { 1000 } else { 1 };
        add(&runtime.account.counters.device_bytes, grown);
        runtime.account.note();
        lease.keep();
        while runtime.idle() > 0 {
            std::thread::sleep(limit);
        }
        std::thread::sleep(5 * limit);
    }
    let lines = || std::fs::read_to_string(&path).unwrap();
    let written = lines().lines().count() as u64;
    // The first update, a second each, and one for the second that has begun.
    assert!(written <= began.elapsed().as_secs() + 2, "{}", lines());
    let deadline = Instant::now() + Duration::from_secs(60);
    while !lines().ends_with('\n') || !lines().contains("\"device_bytes\": 1019,") {
        assert!(Instant::now() < deadline, "{}", lines());
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(runtime);
    std::fs::remove_dir_all(&folder).unwrap();
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
        assert!(receive.recv_timeout(Duration::from_secs(60)).unwrap());
    }
}
