// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Digests and authentication codes of files.

use std::path::Path;

use crate::chunker::read_full;
use crate::input::Input;
use crate::pipeline::or_cancelled;
use crate::support::check_request;
use crate::{Buffer, Cancellation, Device, Request, Result, run_message};

/// Bytes that are read at once.
const SLICE_BYTES: usize = 1 << 20;

/// The digest or the authentication code of a file; `-` is standard input.
///
/// Where the device takes a message in parts ([`Device::hash`]), 1 MiB of the file is in memory,
/// and otherwise the whole file. `progress` gets the number of bytes read so far.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Cancellation, ErrorKind, Request, SHA_256, hash_path};
/// let file = tempfile::NamedTempFile::new().unwrap();
/// let (device, never) = (ReferenceDevice::new(), Cancellation::new());
/// let request = Request::Digest(&SHA_256);
/// let outcome = hash_path(file.path(), &device, &request, &mut |_| {}, &never);
/// // This device has ciphers only.
/// assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Unsupported);
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] where the device lacks the operation,
/// [`crate::ErrorKind::Io`] for what the file gives, and whatever the device reports.
pub fn hash_path(
    input: &Path,
    device: &dyn Device,
    request: &Request,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Vec<u8>> {
    check_request(device, request)?;
    let stop = cancellation.child();
    let mut input = Input::open(input, stop.clone())?;
    let mut parts = device.hash(request)?;
    let (mut whole, mut slice) = (Buffer::default(), Buffer::zeroed(SLICE_BYTES));
    let mut done = 0;
    loop {
        stop.check()?;
        let read = or_cancelled(read_full(&mut input, &mut slice), &stop)?;
        match &mut parts {
            Some(parts) => parts.update(&slice[..read])?,
            None => whole.append(&slice[..read])?,
        }
        done += read as u64;
        progress(done);
        if read < slice.len() {
            break;
        }
    }
    match parts {
        Some(parts) => parts.finish(),
        None => {
            let outcome = run_message(device, request.clone(), whole, &stop, &mut |_| {})?;
            Ok(outcome.data.into_vec())
        }
    }
}
