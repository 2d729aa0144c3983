// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Memory of the host that the device copies from and to directly.

#![allow(unsafe_code)]

use std::{mem, ptr, slice};

use ciphermill::process::ProcessMark;
use ciphermill::{Error, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem,
};
use opencl3::types::CL_BLOCKING;

use crate::lane::queue;
use crate::program::{Parts, failed};

/// A buffer that is mapped as long as it lives.
pub(crate) struct Pinned {
    /// Always there, but for a forked process's drop.
    mapped: Option<(Buffer<u8>, CommandQueue)>,
    process: ProcessMark,
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the mapped memory is this buffer's alone, and OpenCL's calls may come from any thread.
unsafe impl Send for Pinned {}
// SAFETY: as above; through a shared reference it is only read.
unsafe impl Sync for Pinned {}

impl Pinned {
    pub(crate) fn new(parts: &Parts, bytes: usize) -> Result<Pinned> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        // SAFETY: no memory of the host is given.
        let buffer =
            unsafe { Buffer::create(&parts.context, flags, bytes.max(1), ptr::null_mut()) };
        let buffer = buffer.map_err(failed("reserving pinned memory"))?;
        let queue = queue(parts)?;
        let mut start = ptr::null_mut();
        let access = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: the map is done when the call returns, and lasts until `drop`.
        let mapped = unsafe {
            queue.enqueue_map_buffer(
                &buffer,
                CL_BLOCKING,
                access,
                0,
                bytes.max(1),
                &mut start,
                &[],
            )
        };
        mapped.map_err(failed("mapping pinned memory"))?;
        if start.is_null() {
            return Err(Error::device("OpenCL mapped pinned memory nowhere"));
        }
        let start = start.cast::<u8>();
        // SAFETY: so many bytes are mapped there.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Pinned {
            mapped: Some((buffer, queue)),
            process: ProcessMark::new(),
            start,
            bytes,
        })
    }
}

impl AsRef<[u8]> for Pinned {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: mapped, initialised, and this object's alone.
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
        let Some((buffer, queue)) = self.mapped.take() else {
            return;
        };
        if !self.process.is_here() {
            // They are the parent's, and its driver's threads are missing here.
            return mem::forget((buffer, queue));
        }
        // SAFETY: it was mapped there, and nobody has the memory any more. The engine zeroises a
        // buffer before its memory is dropped.
        let unmapped =
            unsafe { queue.enqueue_unmap_mem_object(buffer.get(), self.start.cast(), &[]) };
        // The driver frees the memory with the buffer in any case.
        let _ = unmapped.and_then(|event| event.wait());
    }
}
