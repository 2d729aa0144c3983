// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The functions of `include/ciphermill.h`. No panic leaves them.

mod batch;
mod files;
mod held_keys;
mod memory;
mod operations;

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::slice;

use ciphermill::{
    AES, Algorithm, Direction, Error, Mode, Operation, Request, Result, Span, TAG_BYTES,
};

use crate::message::{self, Message, OpenDevice};

/// `ciphermill_request`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CRequest {
    mode: u32,
    direction: u32,
    key: *const u8,
    key_bytes: usize,
    iv: *const u8,
    associated_data: *const u8,
    associated_bytes: usize,
    algorithm: *const c_char,
}

impl CRequest {
    /// The request with copies of all that it refers to, where the message's output and tag have
    /// places that are possible.
    ///
    /// # Safety
    /// The pointers of the request, and of the tag, lead to as many bytes as the header says.
    unsafe fn copied(&self, output: (*mut u8, usize), tag: *mut u8) -> Result<Request> {
        let mode = message::mode(self.mode)?;
        let direction = message::direction(self.direction)?;
        // SAFETY: this function's contract.
        let algorithm = match unsafe { text(self.algorithm)? } {
            Some(name) => Algorithm::find(name, direction.into())?,
            None => &AES,
        };
        let iv_bytes = algorithm.iv_bytes(mode)?;
        let authenticated = mode == Mode::Gcm || algorithm.modes.is_empty();
        let (place, count) = output;
        if authenticated && tag.is_null() || place.is_null() && count > 0 {
            return Err(Error::invalid("the output or the tag: a null pointer"));
        }
        if authenticated && overlap(tag, TAG_BYTES, place, count) {
            return Err(Error::invalid(
                "the tag and the output overlap: give the tag a place of its own",
            ));
        }
        // SAFETY: this function's contract.
        let message = unsafe {
            Message {
                algorithm,
                mode,
                direction,
                key: bytes(self.key, self.key_bytes, "the key")?,
                iv: bytes(self.iv, iv_bytes, "the IV")?,
                associated_data: bytes(
                    self.associated_data,
                    self.associated_bytes,
                    "the associated data",
                )?,
                tag: (authenticated && direction == Direction::Decrypt)
                    .then(|| tag.cast::<[u8; TAG_BYTES]>().read()),
            }
        };
        message.request()
    }
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

/// Whether two places in memory share a byte.
fn overlap(one: *const u8, one_bytes: usize, other: *const u8, other_bytes: usize) -> bool {
    let (one, other) = (one.addr(), other.addr());
    one < other.saturating_add(other_bytes) && other < one.saturating_add(one_bytes)
}

/// Input and output, which are the same place or share no byte: anything between is an error,
/// since no slices may be made of it.
///
/// # Safety
/// Both lead to so many bytes for `'a`, and nothing else is read or written there meanwhile.
unsafe fn span<'a>(input: *const u8, output: *mut u8, count: usize) -> Result<Span<'a>> {
    if count == 0 {
        return Ok(Span::InPlace(&mut []));
    }
    if ptr::eq(input, output) {
        // SAFETY: this function's contract; the length is checked.
        unsafe { bytes(input, count, "the input")? };
        // SAFETY: this function's contract. The slice above is gone.
        return Ok(Span::InPlace(unsafe {
            slice::from_raw_parts_mut(output, count)
        }));
    }
    if overlap(input, count, output, count) {
        return Err(Error::invalid(
            "input and output overlap in part: let them be the same place, or share no byte",
        ));
    }
    // SAFETY: this function's contract.
    let from = unsafe { bytes(input, count, "the input")? };
    // SAFETY: this function's contract; it is as long as the input, and shares no byte with it.
    let to = unsafe { slice::from_raw_parts_mut(output, count) };
    Ok(Span::Apart(from, to))
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
        Some(device?.capabilities().supports(mode, direction, key_bits))
    };
    c_int::from(catch_unwind(AssertUnwindSafe(asked)).ok().flatten() == Some(true))
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the request's pointers, input, output and tag lead to
/// as many bytes as the header says.
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
        // SAFETY: this function's contract. The request is copied: the output may lie over it.
        let (device, request) = unsafe { (device.as_ref(), request.as_ref().copied()) };
        let (Some(device), Some(request)) = (device, request) else {
            return Err(Error::invalid("the device or the request: a null pointer"));
        };
        // SAFETY: this function's contract. All of it is copied before the output is written,
        // which may lie over it.
        let copied = unsafe { request.copied((output, count), tag)? };
        // SAFETY: this function's contract; the slices above are gone.
        let mut span = unsafe { span(input, output, count)? };
        let given = device.run(&copied, &mut span)?;
        if let Some(given) = given {
            // SAFETY: this function's contract.
            unsafe { tag.cast::<[u8; TAG_BYTES]>().write(given) };
        }
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`, or null; the names are C strings or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_offers(
    device: *const OpenDevice,
    algorithm: *const c_char,
    operation: *const c_char,
) -> c_int {
    // SAFETY: this function's contract.
    let asked = || unsafe {
        let operation: Operation = text(operation).ok()??.parse().ok()?;
        let algorithm = Algorithm::find(text(algorithm).ok()??, operation).ok()?;
        let mut abilities = device.as_ref()?.capabilities().operations.iter();
        Some(abilities.any(|one| (one.algorithm, one.operation) == (algorithm, operation)))
    };
    c_int::from(catch_unwind(AssertUnwindSafe(asked)).ok().flatten() == Some(true))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ciphermill::testing::ReferenceDevice;

    use super::*;

    fn open() -> *mut OpenDevice {
        Box::into_raw(Box::new(OpenDevice::new(Arc::new(ReferenceDevice::new()))))
    }

    #[test]
    fn memory_of_a_device_without_any_is_refused() {
        let device = open();
        let asked = request(0, &[0; 16], &[]);
        let none = ptr::null_mut();
        // SAFETY: the device and the request live; the device reads no memory.
        let (refused, absent) = unsafe {
            (
                memory::ciphermill_run_in_memory(device, &asked, 4096, 16, none),
                memory::ciphermill_run_in_memory(ptr::null(), &asked, 4096, 16, none),
            )
        };
        assert_eq!((refused, absent), (2, 1));
        // SAFETY: the device is from `open`.
        unsafe { ciphermill_close(device) };
    }

    fn request(mode: u32, key: &[u8], iv: &[u8]) -> CRequest {
        CRequest {
            mode,
            direction: 0,
            key: key.as_ptr(),
            key_bytes: key.len(),
            iv: iv.as_ptr(),
            associated_data: ptr::null(),
            associated_bytes: 0,
            algorithm: ptr::null(),
        }
    }

    fn last_error() -> String {
        // SAFETY: the library's own string.
        let error = unsafe { CStr::from_ptr(ciphermill_error()) };
        error.to_str().unwrap().to_owned()
    }

    /// What `ciphermill_run` answers for an input and an output of 32 bytes at these places.
    fn run_at(device: *mut OpenDevice, memory: &mut [u8], input: usize, output: usize) -> c_int {
        let request = request(2, &[7; 16], &[1; 16]);
        let memory = memory.as_mut_ptr();
        // SAFETY: the places lie in the memory, which nobody else uses.
        unsafe {
            let (input, output) = (memory.add(input), memory.add(output));
            ciphermill_run(
                device,
                &raw const request,
                input,
                output,
                32,
                ptr::null_mut(),
            )
        }
    }

    #[test]
    fn places_that_overlap_in_part_are_refused_and_left_alone() {
        let device = open();
        for (input, output) in [(0, 1), (1, 0), (0, 16), (16, 0), (0, 31), (31, 0)] {
            let mut memory: Vec<u8> = (0..64).collect();
            assert_eq!(run_at(device, &mut memory, input, output), 1);
            assert!(last_error().contains("overlap"), "{}", last_error());
            assert_eq!(memory, (0..64).collect::<Vec<u8>>());
        }
        for (input, output) in [(0, 0), (0, 32), (32, 0)] {
            let mut memory: Vec<u8> = (0..64).collect();
            assert_eq!(run_at(device, &mut memory, input, output), 0);
            assert_ne!(
                memory[output..][..32],
                (0..64).collect::<Vec<u8>>()[input..][..32]
            );
        }
        // SAFETY: opened above.
        unsafe { ciphermill_close(device) };
    }

    #[test]
    fn the_output_may_lie_over_what_was_copied_before() {
        let device = open();
        let run = |memory: &mut [u8; 32], over: bool| {
            let apart = *memory;
            let place = memory.as_mut_ptr();
            let from = if over {
                place.cast_const()
            } else {
                apart.as_ptr()
            };
            // Key and IV lie where the output goes.
            // SAFETY: as many bytes lie there.
            let mut asked = request(2, unsafe { slice::from_raw_parts(from, 16) }, &[]);
            // SAFETY: as above.
            asked.iv = unsafe { from.add(16) };
            let input = [9u8; 32];
            // SAFETY: the places have as many bytes, and nobody else uses them.
            let status = unsafe {
                let asked = &raw const asked;
                ciphermill_run(device, asked, input.as_ptr(), place, 32, ptr::null_mut())
            };
            assert_eq!(status, 0);
        };
        let (mut one, mut other) = ([7; 32], [7; 32]);
        run(&mut one, true);
        run(&mut other, false);
        assert_eq!(one, other);
        // SAFETY: opened above.
        unsafe { ciphermill_close(device) };
    }

    #[test]
    fn a_tag_over_the_output_is_refused() {
        let device = open();
        let asked = request(3, &[7; 16], &[1; 12]);
        let input = [9u8; 32];
        let mut memory = [0u8; 64];
        let place = memory.as_mut_ptr();
        for (tag, status) in [(0, 1), (31, 1), (32, 0)] {
            // SAFETY: the places have as many bytes, and nobody else uses them.
            let got = unsafe {
                let tag = place.add(tag);
                ciphermill_run(device, &raw const asked, input.as_ptr(), place, 32, tag)
            };
            assert_eq!(got, status, "{tag}");
        }
        // SAFETY: opened above.
        unsafe { ciphermill_close(device) };
    }

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
