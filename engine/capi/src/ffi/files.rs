// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Containers from file to file.

use std::ffi::{c_char, c_int};
use std::mem;
use std::path::Path;
use std::ptr;

use ciphermill::{Cancellation, Direction, Error, Result, Secret};

use super::{bytes, guard, text};
use crate::files::{CFileOptions, Options};
use crate::message::OpenDevice;

/// # Safety
/// The pointer is null or leads to options of as many bytes as they say; what these lead to
/// lives for `'a`.
unsafe fn options<'a>(given: *const CFileOptions) -> Result<(Options<'a>, &'a Cancellation)> {
    if given.is_null() {
        return Err(Error::invalid("the options: a null pointer"));
    }
    // SAFETY: this function's contract; the size comes first.
    let size = unsafe { (&raw const (*given).size).read() };
    // The size of a structure is a multiple of its alignment: no such size cuts a pointer.
    let whole = size.is_multiple_of(align_of::<CFileOptions>());
    if !whole || size > size_of::<CFileOptions>() || size < mem::offset_of!(CFileOptions, mode) {
        return Err(Error::invalid(format!(
            "the options have {size} bytes, and this library knows {}: set size to \
             sizeof(ciphermill_file_options), or update the library",
            size_of::<CFileOptions>()
        )));
    }
    // SAFETY: integers and pointers, which may all be zero.
    let mut copied: CFileOptions = unsafe { mem::zeroed() };
    // SAFETY: so many bytes are there, and no more than the copy has.
    unsafe { ptr::copy_nonoverlapping(given.cast::<u8>(), (&raw mut copied).cast(), size) };
    // SAFETY: this function's contract.
    let (password, key, mode, kdf, cancellation) = unsafe {
        (
            bytes(copied.password, copied.password_bytes, "the password")?,
            bytes(copied.key, copied.key_bytes, "the key")?,
            text(copied.mode)?,
            text(copied.kdf)?,
            copied.cancellation.as_ref(),
        )
    };
    let secret = match (password, key) {
        ([], []) => return Err(Error::invalid("give a password or a key")),
        (password, []) => Secret::password(password)?,
        ([], key) => Secret::key(key)?,
        _ => return Err(Error::invalid("give a password or a key, not both")),
    };
    let options = Options {
        given: copied,
        secret,
        mode,
        kdf,
    };
    static NEVER: std::sync::LazyLock<Cancellation> = std::sync::LazyLock::new(Cancellation::new);
    Ok((options, cancellation.unwrap_or(&NEVER)))
}

/// # Safety
/// As [`ciphermill_encrypt_file`].
unsafe fn run(
    device: *const OpenDevice,
    input: *const c_char,
    output: *const c_char,
    given: *const CFileOptions,
    direction: Direction,
) -> c_int {
    guard(|| {
        // SAFETY: this function's contract.
        let (device, input, output) = unsafe { (device.as_ref(), path(input)?, path(output)?) };
        let device = device.ok_or_else(|| Error::invalid("the device: a null pointer"))?;
        // SAFETY: this function's contract.
        let (options, cancellation) = unsafe { options(given)? };
        options.run(direction, device.device(), input, output, cancellation)
    })
}

/// # Safety
/// The pointer is null or a C string for `'a`.
unsafe fn path<'a>(pointer: *const c_char) -> Result<&'a Path> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;
    if pointer.is_null() {
        return Err(Error::invalid("a file's name: a null pointer"));
    }
    // SAFETY: this function's contract.
    let name = unsafe { CStr::from_ptr(pointer) };
    Ok(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the names are C strings; the options lead to as many
/// bytes as they say, and the cancellation is from `ciphermill_cancellation_new` or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_encrypt_file(
    device: *const OpenDevice,
    input: *const c_char,
    output: *const c_char,
    options: *const CFileOptions,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe { run(device, input, output, options, Direction::Encrypt) }
}

/// See the header.
///
/// # Safety
/// As [`ciphermill_encrypt_file`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_decrypt_file(
    device: *const OpenDevice,
    input: *const c_char,
    output: *const c_char,
    options: *const CFileOptions,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe { run(device, input, output, options, Direction::Decrypt) }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn ciphermill_cancellation_new() -> *mut Cancellation {
    Box::into_raw(Box::default())
}

/// See the header. Only sets a flag, so that a signal's handler may call it.
///
/// # Safety
/// From `ciphermill_cancellation_new`, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_cancel(cancellation: *const Cancellation) {
    // SAFETY: this function's contract.
    if let Some(cancellation) = unsafe { cancellation.as_ref() } {
        cancellation.cancel();
    }
}

/// See the header.
///
/// # Safety
/// From `ciphermill_cancellation_new` and used no more, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_cancellation_free(cancellation: *mut Cancellation) {
    if !cancellation.is_null() {
        // SAFETY: this function's contract.
        drop(unsafe { Box::from_raw(cancellation) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_another_size_are_refused() {
        // SAFETY: integers and pointers, which may all be zero.
        let mut given: CFileOptions = unsafe { mem::zeroed() };
        let key = [7; 32];
        (given.key, given.key_bytes) = (key.as_ptr(), key.len());
        for (size, fits) in [
            (0, false),
            (mem::offset_of!(CFileOptions, mode), true),
            (mem::offset_of!(CFileOptions, mode) + 4, false),
            (size_of::<CFileOptions>(), true),
            (size_of::<CFileOptions>() + 1, false),
        ] {
            given.size = size;
            // SAFETY: what is longer than the options is refused, not read.
            let read = unsafe { options(&raw const given) };
            assert_eq!(read.is_ok(), fits, "{size}");
        }
    }
}
