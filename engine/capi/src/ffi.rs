// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The functions of `include/ciphermill.h`. No panic leaves them.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::slice;

use ciphermill::{Direction, Error, KeyBits, Mode, Result, Span};

use crate::message::{self, Message, OpenDevice};

/// `ciphermill_request`.
#[repr(C)]
pub struct CRequest {
    mode: u32,
    direction: u32,
    key: *const u8,
    key_bytes: usize,
    iv: *const u8,
    associated_data: *const u8,
    associated_bytes: usize,
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Run; keep the message and give the status of an error, or of a panic.
fn guard(run: impl FnOnce() -> Result<()>) -> c_int {
    let error = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(_) => Error::device("a fault of the library (a panic): please report it"),
    };
    let text = error.to_string().replace('\0', " ");
    LAST.with(|last| *last.borrow_mut() = CString::new(text).unwrap_or_default());
    message::status(error.kind())
}

/// # Safety
/// The pointer leads to so many bytes for `'a`, or there are none.
unsafe fn bytes<'a>(pointer: *const u8, count: usize, what: &str) -> Result<&'a [u8]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Error::invalid(format!("{what}: a null pointer")));
    }
    // Nothing in memory is longer, and a slice must not be.
    if count > isize::MAX as usize {
        return Err(Error::invalid(format!(
            "{what}: {count} bytes are too many"
        )));
    }
    // SAFETY: this function's contract.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// # Safety
/// Both lead to so many bytes for `'a`, which are the same or do not overlap.
unsafe fn span<'a>(input: *const u8, output: *mut u8, count: usize) -> Result<Span<'a>> {
    if count == 0 {
        return Ok(Span::InPlace(&mut []));
    }
    // SAFETY: this function's contract. Looked at once more where it is not the output.
    let from = unsafe { bytes(input, count, "the input")? };
    // SAFETY: this function's contract; it is no longer than the input, and `from` is not
    // used where they are the same.
    let to = unsafe { slice::from_raw_parts_mut(output, count) };
    Ok(if ptr::eq(input, output) {
        Span::InPlace(to)
    } else {
        Span::Apart(from, to)
    })
}

/// # Safety
/// The pointer is null or a C string for `'a`.
unsafe fn text<'a>(pointer: *const c_char) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: this function's contract.
    let text = unsafe { CStr::from_ptr(pointer) };
    let text = text
        .to_str()
        .map_err(|_| Error::invalid("a name is not UTF-8"))?;
    Ok(Some(text))
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn ciphermill_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn ciphermill_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr())
        .unwrap_or(c"".as_ptr())
}

/// See the header.
///
/// # Safety
/// The names are C strings or null, and the device has a place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_open(
    name: *const c_char,
    models: *const c_char,
    device: *mut *mut OpenDevice,
) -> c_int {
    guard(|| {
        // SAFETY: this function's contract.
        let (name, models) = unsafe { (text(name)?, text(models)?) };
        let name = name.ok_or_else(|| Error::invalid("the device's name: a null pointer"))?;
        if device.is_null() {
            return Err(Error::invalid("where the device goes: a null pointer"));
        }
        let opened = ciphermill_devices::open(name, models.map(Path::new))?;
        // SAFETY: this function's contract.
        unsafe { device.write(Box::into_raw(Box::new(OpenDevice::new(opened)))) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open` and used no more, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_close(device: *mut OpenDevice) {
    if !device.is_null() {
        guard(|| {
            // SAFETY: this function's contract.
            drop(unsafe { Box::from_raw(device) });
            Ok(())
        });
    }
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_supports(
    device: *const OpenDevice,
    mode: u32,
    direction: u32,
    key_bits: usize,
) -> c_int {
    // SAFETY: this function's contract.
    let device = unsafe { device.as_ref() };
    let asked = || -> Option<bool> {
        let mode = message::mode(mode).ok()?;
        let direction = message::direction(direction).ok()?;
        let size = KeyBits::from_bits(key_bits).ok()?;
        Some(device?.capabilities().supports(mode, direction, size))
    };
    c_int::from(catch_unwind(AssertUnwindSafe(asked)).ok().flatten() == Some(true))
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the request's pointers, input, output and tag lead to
/// as many bytes as the header says; output and input are the same or do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_run(
    device: *const OpenDevice,
    request: *const CRequest,
    input: *const u8,
    output: *mut u8,
    count: usize,
    tag: *mut u8,
) -> c_int {
    guard(|| {
        // SAFETY: this function's contract.
        let (device, request) = unsafe { (device.as_ref(), request.as_ref()) };
        let (Some(device), Some(request)) = (device, request) else {
            return Err(Error::invalid("the device or the request: a null pointer"));
        };
        let mode = message::mode(request.mode)?;
        let direction = message::direction(request.direction)?;
        let authenticated = mode == Mode::Gcm;
        if authenticated && tag.is_null() || output.is_null() && count > 0 {
            return Err(Error::invalid("the output or the tag: a null pointer"));
        }
        // SAFETY: this function's contract.
        let (message, mut span) = unsafe {
            let message = Message {
                mode,
                direction,
                key: bytes(request.key, request.key_bytes, "the key")?,
                iv: bytes(request.iv, message::iv_bytes(mode), "the IV")?,
                associated_data: bytes(
                    request.associated_data,
                    request.associated_bytes,
                    "the associated data",
                )?,
                tag: (authenticated && direction == Direction::Decrypt)
                    .then(|| tag.cast::<[u8; 16]>().read()),
            };
            (message, span(input, output, count)?)
        };
        let given = device.run(&message, &mut span)?;
        if let Some(given) = given {
            // SAFETY: this function's contract.
            unsafe { tag.cast::<[u8; 16]>().write(given) };
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_no_memory_has_are_invalid() {
        let byte = 7;
        for count in [isize::MAX as usize + 1, usize::MAX] {
            // SAFETY: so many bytes are refused, not read.
            let refused = unsafe { bytes(&raw const byte, count, "the input") };
            let error = refused.unwrap_err();
            assert_eq!(message::status(error.kind()), 1, "{error}");
        }
        // SAFETY: a byte is there.
        let taken = unsafe { bytes(&raw const byte, 1, "the input") };
        assert_eq!(taken.unwrap(), [7]);
    }
}
