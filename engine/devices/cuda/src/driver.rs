// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A device, and its kernels once something needs them.

use std::sync::{Arc, Mutex, PoisonError};

use ciphermill::{Buffer, Result};
use ciphermill_gpu::{Gpu, Implementation, Lane, Options, Shape};

use crate::lane::CudaLane;
use crate::pinned::Pinned;
use crate::platform::Found;
use crate::program::Parts;

/// Banks of a multiprocessor's shared memory (CUDA C++ Programming Guide, compute capabilities).
const BANKS: usize = 32;

pub(crate) struct Driver {
    found: Found,
    shape: Shape,
    parts: Mutex<Option<Arc<Parts>>>,
}

impl Driver {
    pub(crate) fn new(found: Found, options: &Options) -> Driver {
        Driver {
            shape: shape(options, found.multiprocessors),
            found,
            parts: Mutex::default(),
        }
    }

    /// Compiling takes seconds, and so it waits for the first job.
    fn parts(&self) -> Result<Arc<Parts>> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = &*parts {
            return Ok(Arc::clone(parts));
        }
        let compiled = Arc::new(Parts::new(&self.found, &self.shape)?);
        *parts = Some(Arc::clone(&compiled));
        Ok(compiled)
    }
}

/// What the kernels are compiled for.
pub(crate) fn shape(options: &Options, multiprocessors: usize) -> Shape {
    let group_items = match options.implementation {
        Implementation::Bitsliced => 128,
        Implementation::Tables => 512,
    };
    Shape {
        implementation: options.implementation,
        lanes: 1,
        banks: BANKS,
        group_items: options.group_items.unwrap_or(group_items),
        groups: 4 * multiprocessors,
    }
}

impl Gpu for Driver {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(CudaLane::new(self.parts()?)?))
    }

    fn pinned(&self, bytes: usize) -> Option<Buffer> {
        let parts = self.parts().ok()?;
        Some(Buffer::in_device(Pinned::new(parts, bytes).ok()?))
    }
}
