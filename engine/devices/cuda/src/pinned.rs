// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Memory of the host that the device copies from and to directly.

#![allow(unsafe_code)]

use std::slice;
use std::sync::Arc;

use ciphermill::Result;
use cudarc::driver::result;

use crate::platform::failed;
use crate::program::Parts;

pub(crate) struct Pinned {
    parts: Arc<Parts>,
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the memory is this object's alone.
unsafe impl Send for Pinned {}
// SAFETY: as above; through a shared reference it is only read.
unsafe impl Sync for Pinned {}

impl Pinned {
    pub(crate) fn new(parts: Arc<Parts>, bytes: usize) -> Result<Pinned> {
        let _entered = parts.enter()?;
        // SAFETY: the context is current. Flags of 0 mean page-locked memory and nothing more.
        let start = unsafe { result::malloc_host(bytes.max(1), 0) };
        let start = start
            .map_err(failed("reserving pinned memory"))?
            .cast::<u8>();
        // SAFETY: so many bytes are there.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Pinned {
            parts,
            start,
            bytes,
        })
    }
}

impl AsRef<[u8]> for Pinned {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: initialised, and this object's alone.
        unsafe { slice::from_raw_parts(self.start, self.bytes) }
    }
}

impl AsMut<[u8]> for Pinned {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Ok(_entered) = self.parts.enter() {
            // SAFETY: it was reserved there, and nobody has it any more. The engine zeroises a
            // buffer before its memory is dropped.
            let _ = unsafe { result::free_host(self.start.cast()) };
        }
    }
}
