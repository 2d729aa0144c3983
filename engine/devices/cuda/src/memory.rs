// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Whose memory an address is, as the driver says (CUDA Driver API, Unified Addressing).

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;

use ciphermill::Result;
use cudarc::driver::sys::{self, CUpointer_attribute};

use crate::platform::failed;

/// The allocation that an address is in.
pub(crate) struct Owner {
    /// Null where it has none.
    pub(crate) context: sys::CUcontext,
    /// The device's place in the driver's list.
    pub(crate) device: i32,
    pub(crate) start: u64,
    pub(crate) bytes: usize,
    kind: u32,
}

impl Owner {
    pub(crate) fn of(address: u64) -> Result<Owner> {
        let mut owner = Owner {
            context: ptr::null_mut(),
            device: -1,
            start: 0,
            bytes: 0,
            kind: 0,
        };
        let mut attributes = [
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT,
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
            CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        ];
        let mut places: [*mut c_void; 5] = [
            (&raw mut owner.context).cast(),
            (&raw mut owner.device).cast(),
            (&raw mut owner.start).cast(),
            (&raw mut owner.bytes).cast(),
            (&raw mut owner.kind).cast(),
        ];
        // SAFETY: each place has the type of its attribute. The address may be any number.
        let asked = unsafe {
            let (attributes, places) = (attributes.as_mut_ptr(), places.as_mut_ptr());
            sys::cuPointerGetAttributes(5, attributes, places, address).result()
        };
        asked.map_err(failed("asking whose the data are"))?;
        Ok(owner)
    }

    /// Whether it is memory of a device, and allocated at all.
    pub(crate) fn is_device(&self) -> bool {
        self.kind == sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32
    }
}
