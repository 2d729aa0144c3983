// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A message in a device's own memory.

use std::ffi::c_int;

use ciphermill::{Cancellation, DeviceMemory, Error, TAG_BYTES};

use super::{CRequest, guard};
use crate::message::OpenDevice;

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`, or null; the request and the tag lead where the header says;
/// so many bytes are allocated at the address of the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_run_in_memory(
    device: *const OpenDevice,
    request: *const CRequest,
    address: u64,
    count: usize,
    tag: *mut u8,
) -> c_int {
    guard(|| {
        // SAFETY: this function's contract.
        let (device, request) = unsafe { (device.as_ref(), request.as_ref().copied()) };
        let (Some(device), Some(request)) = (device, request) else {
            return Err(Error::invalid("the device or the request: a null pointer"));
        };
        // SAFETY: this function's contract. The host writes no output.
        let copied = unsafe { request.copied((std::ptr::null_mut(), 0), tag)? };
        let memory = DeviceMemory {
            address,
            bytes: count,
        };
        let never = Cancellation::new();
        // SAFETY: this function's contract.
        let done = unsafe { (device.device()).run_in_memory(copied.cipher()?, memory, &never) };
        if let (Some(given), _) = done? {
            // SAFETY: this function's contract.
            unsafe { tag.cast::<[u8; TAG_BYTES]>().write(given) };
        }
        Ok(())
    })
}
