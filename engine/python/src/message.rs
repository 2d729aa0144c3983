// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Messages through a device, one or several at once.

use ciphermill::{Buffer, Device, MessageOutcome, Request, Result, run_batch, run_message};
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
    let work = |cancellation: &_, done: &mut dyn FnMut(u64)| {
        run_message(device, request, data, cancellation, done)
    };
    match is_short(device, bytes) {
        true => run_here(python, work),
        false => supervise(python, progress, Some(bytes as u64), work),
    }
}

/// Run several messages, all in flight at once; the result of each in its place.
pub fn run_all(
    python: Python<'_>,
    device: &dyn Device,
    messages: Vec<(Request, Buffer)>,
) -> PyResult<Vec<Result<MessageOutcome>>> {
    let bytes = messages.iter().map(|(_, data)| data.len()).sum();
    let work = |cancellation: &_, _: &mut dyn FnMut(u64)| run_batch(device, messages, cancellation);
    match is_short(device, bytes) {
        true => run_here(python, work),
        false => supervise(python, None, None, work),
    }
}

fn is_short(device: &dyn Device, bytes: usize) -> bool {
    bytes <= SHORT_BYTES && device.capabilities().clock_mhz.is_none()
}
