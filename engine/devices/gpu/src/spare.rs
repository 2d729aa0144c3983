// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Workers between two queues.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ciphermill::process::ProcessMark;
use ciphermill::{Error, Result};

use crate::chunk::Worker;

/// Workers that no queue has, as many as a queue takes: making one takes longer than a short job.
pub(crate) struct Spare {
    workers: Mutex<Vec<Worker>>,
    most: usize,
    process: ProcessMark,
}

impl Spare {
    pub(crate) fn new(most: usize) -> Spare {
        Spare {
            workers: Mutex::default(),
            most,
            process: ProcessMark::new(),
        }
    }

    /// The process that opened the device.
    pub(crate) fn process(&self) -> ProcessMark {
        self.process
    }

    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] in a forked child: a driver's threads are missing there, and
    /// a call of it may never come back.
    pub(crate) fn check_process(&self) -> Result<()> {
        match self.process.is_here() {
            true => Ok(()),
            false => Err(Error::device(
                "the device was opened before this process was forked, and its driver does not go \
                 on here: fork first, then open the device",
            )),
        }
    }

    pub(crate) fn take(&self) -> Option<Worker> {
        self.lock().pop()
    }

    /// What the worker knows is zeroised first. In a forked child it is left as it is.
    pub(crate) fn put(&self, mut worker: Worker) {
        if !self.process.is_here() {
            return mem::forget(worker);
        }
        if worker.erase().is_ok() {
            let mut workers = self.lock();
            if workers.len() < self.most {
                workers.push(worker);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
