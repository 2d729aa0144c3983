// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Of the worker threads: order, fairness, faults, cancellation, and when threads start and end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ciphermill::{CipherRequest, Direction, ErrorKind, Key, Mode, Output, Request};
#[cfg(target_arch = "x86_64")]
use {crate::instructions::Instructions, ciphermill::SHA_256};

use super::*;

/// Gives a function to the threads.
fn submit<T: Send + 'static>(
    pool: &Pool,
    function: impl FnOnce() -> T + Send + 'static,
) -> (Receiver<T>, Mark) {
    let (reply, result) = mpsc::sync_channel(1);
    let function = Mutex::new(Some(function));
    let work = Work::new(move |_: &Request, _: &mut Buffer, _: &Cancellation| {
        let function = function.lock().unwrap().take().unwrap();
        // Somebody may wait for it.
        let _ = reply.send(function());
        Ok(None)
    });
    let mark = Mark::default();
    pool.submit(Task {
        bytes: SHORT_BYTES,
        ..task(mark.clone(), vec![handed(job(0, vec![0])).0], work)
    });
    (result, mark)
}

fn task(mark: Mark, jobs: Vec<Handed>, work: Work) -> Task {
    Task {
        mark,
        bytes: 0,
        jobs,
        work: Arc::new(work),
    }
}

fn handed(job: Job) -> (Handed, Receiver<Completion>) {
    let (reply, answer) = mpsc::sync_channel(1);
    let handed = Handed {
        job,
        cancellation: Cancellation::new(),
        reply,
    };
    (handed, answer)
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
    let work = Arc::new(Work::new(
        move |_: &Request, data: &mut Buffer, _: &Cancellation| {
            work(data);
            Ok(None)
        },
    ));
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
    let work = Arc::new(Work::new(
        move |_: &Request, _: &mut Buffer, _: &Cancellation| {
            counter.fetch_add(1, Ordering::SeqCst);
            started.send(()).unwrap();
            gate.lock().unwrap().recv().unwrap();
            Ok(None)
        },
    ));
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
    let (handed, answer) = handed(job(0, vec![7; 16]));
    drop(answer);
    let work = Work::new(|_: &Request, _: &mut Buffer, _: &Cancellation| Ok(None));
    task(Mark::default(), vec![handed], work).run();
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
    let work = Arc::new(Work::new(
        move |_: &Request, data: &mut Buffer, _: &Cancellation| {
            data[0] = u8::from(thread::current().id() == caller);
            Ok(None)
        },
    ));
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
    let work = Arc::new(Work::new(
        |_: &Request, data: &mut Buffer, _: &Cancellation| {
            assert!(data[0] != 1, "on purpose");
            data[0] += 1;
            Ok(None)
        },
    ));
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

#[cfg(target_arch = "x86_64")]
#[test]
fn a_long_digest_goes_without_jobs_of_other_queues() {
    let work = Work::new(|_: &Request, _: &mut Buffer, _: &Cancellation| Ok(None));
    let work = Arc::new(work.side_by_side(Instructions::Vaes512));
    if work.lanes() == 1 {
        println!("skipped: this processor has no lanes for digests");
        return;
    }
    let digest = |bytes: usize| {
        let request = Request::Digest(&SHA_256);
        let (token, data) = (0, vec![0; bytes].into());
        let (one, _) = handed(Job {
            token,
            request,
            data,
        });
        Task {
            mark: Mark::default(),
            bytes,
            jobs: vec![one],
            work: Arc::clone(&work),
        }
    };
    // Each is of a queue of its own.
    let mut tasks = Tasks::default();
    tasks
        .tasks
        .extend([2 << 20, 10, 20, 3 << 20, 30].map(digest));
    let mut taken = || {
        let task = tasks.take(0, 1, true)?;
        let bytes = task.jobs.iter().map(|one| one.job.data.len());
        Some(bytes.collect::<Vec<_>>())
    };
    assert_eq!(taken(), Some(vec![2 << 20]));
    assert_eq!(taken(), Some(vec![10, 20, 30]));
    assert_eq!(taken(), Some(vec![3 << 20]));
}
