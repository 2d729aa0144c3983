// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Workers between two queues.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::chunk::Worker;

/// Workers that no queue has, as many as a queue takes: making one takes longer than a short job.
pub(crate) struct Spare {
    workers: Mutex<Vec<Worker>>,
    most: usize,
}

impl Spare {
    pub(crate) fn new(most: usize) -> Spare {
        Spare {
            workers: Mutex::default(),
            most,
        }
    }

    pub(crate) fn take(&self) -> Option<Worker> {
        self.lock().pop()
    }

    /// What the worker knows is zeroised first.
    pub(crate) fn put(&self, mut worker: Worker) {
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
