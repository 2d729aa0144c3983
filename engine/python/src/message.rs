// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One message through a device.

use ciphermill::{Buffer, Device, MessageOutcome, Request, run_message};
use pyo3::prelude::*;

use crate::supervise::{run_here, supervise};

/// Messages up to this length are done on the caller's thread, on a device that
/// works at the processor's own speed: too short to be worth a thread.
const SHORT_BYTES: usize = 1 << 20;

/// Run one message.
pub fn run(
    python: Python<'_>,
    device: &dyn Device,
    request: Request,
    data: Buffer,
    progress: Option<&Py<PyAny>>,
) -> PyResult<MessageOutcome> {
    let bytes = data.len();
    let short = bytes <= SHORT_BYTES && device.capabilities().clock_mhz.is_none();
    let work = |cancellation: &_, done: &mut dyn FnMut(u64)| {
        run_message(device, request, data, cancellation, done)
    };
    match short {
        true => run_here(python, work),
        false => supervise(python, progress, Some(bytes as u64), work),
    }
}
