// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Running the engine under Python's eye: the interpreter's lock released, its
//! signals heeded, its callback told of the progress.

use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ciphermill::{Cancellation, Result, process};
use pyo3::prelude::*;

use crate::errors::exception;

/// How often signals are looked at and progress is told.
const INTERVAL: Duration = Duration::from_millis(40);

/// Run `work` in a thread while this one looks after Python.
///
/// `progress` is called with the number of bytes done and `total`. An exception
/// from it, or from a signal's handler (Ctrl-C), cancels the work and is raised
/// once the work has ended. Signals are handled only where Python does, in its
/// main thread.
///
/// Where the system gives no thread, the work runs on this one, which looks after Python
/// whenever the work tells its progress: not while it waits for a pipe.
pub fn supervise<T: Send>(
    python: Python<'_>,
    progress: Option<&Py<PyAny>>,
    total: Option<u64>,
    work: impl FnOnce(&Cancellation, &mut dyn FnMut(u64)) -> Result<T> + Send,
) -> PyResult<T> {
    let cancellation = Cancellation::new();
    let done = AtomicU64::new(0);
    // A thread takes the work when it runs: one that does not start leaves it here.
    let work = Mutex::new(Some(work));
    let take_work = || {
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        work.take().expect("one thread takes it")
    };
    let outcome = python.detach(|| {
        let mut raised = None;
        let mut look = || {
            if raised.is_none() {
                raised = look_after(progress, done.load(Ordering::Relaxed), total).err();
                if raised.is_some() {
                    cancellation.cancel();
                }
            }
        };
        let outcome = thread::scope(|scope| {
            let (sender, finished) = mpsc::sync_channel::<()>(1);
            let worker = process::spawn_scoped(scope, "ciphermill-work", || {
                // Dropped when the work has ended, also by a panic.
                let _sender = sender;
                take_work()(&cancellation, &mut |bytes| {
                    done.store(bytes, Ordering::Relaxed);
                })
            });
            let Ok(worker) = worker else {
                let mut looked = Instant::now();
                return take_work()(&cancellation, &mut |bytes| {
                    done.store(bytes, Ordering::Relaxed);
                    if looked.elapsed() >= INTERVAL {
                        looked = Instant::now();
                        look();
                    }
                });
            };
            while finished.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                look();
            }
            worker
                .join()
                .unwrap_or_else(|payload| panic::resume_unwind(payload))
        });
        match raised {
            // What was asked for may be there: the interruption came too late to matter to the
            // work, but is not lost.
            Some(exception) => Err(exception),
            None => outcome.map_err(exception),
        }
    })?;
    python.check_signals()?;
    if let Some(callback) = progress {
        callback.call1(python, (done.load(Ordering::Relaxed), total))?;
    }
    Ok(outcome)
}

/// Run short work on this thread, the lock released, without progress.
pub fn run_here<T: Send>(
    python: Python<'_>,
    work: impl FnOnce(&Cancellation, &mut dyn FnMut(u64)) -> Result<T> + Send,
) -> PyResult<T> {
    python
        .detach(|| work(&Cancellation::new(), &mut |_| {}))
        .map_err(exception)
}

fn look_after(progress: Option<&Py<PyAny>>, done: u64, total: Option<u64>) -> PyResult<()> {
    Python::attach(|python| {
        python.check_signals()?;
        if let Some(callback) = progress {
            callback.call1(python, (done, total))?;
        }
        Ok(())
    })
}
