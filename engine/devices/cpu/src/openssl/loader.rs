// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Loads OpenSSL's libcrypto at run time: the process's own copy, or a second
//! copy that is kept from the AES instructions.
//!
//! libcrypto reads the variable `OPENSSL_ia32cap` once, when it is loaded, and
//! `dlopen` of the same library gives the copy that is there already. So the
//! second copy goes into a link-map namespace of its own (dlmopen(3)), which has
//! its own C library, and thus its own environment: the variable is set there,
//! between the loading of that C library and of libcrypto. The environment of the
//! process, which other threads may be reading, is not touched.
//!
//! The two C libraries number their thread-specific keys (pthread_key_create(3))
//! independently but share the threads' tables: what one stores under a number, the
//! other finds under its own. Rust's standard library stores something on every
//! thread that it starts. So the namespace's first keys, under whose numbers the
//! process has its own, are taken and never used ([`leave_keys`]). Even so code of the
//! namespace may run only on threads that never end, and on which the process does not
//! exit, since the process's C library would free what the other has allocated for
//! them; see [`super::Library`].

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;

use ciphermill::{Error, Result};

/// The library's name for the dynamic linker: the ABI of every OpenSSL 3.
const LIBCRYPTO: &CStr = c"libcrypto.so.3";

/// Keys of the namespace that stay unused: more than a process has by the time that it
/// starts a device's threads, and fewer than there are (`PTHREAD_KEYS_MAX`, 1,024).
const KEYS_LEFT: usize = 512;

/// A loaded library, which stays loaded for good.
#[derive(Clone, Copy)]
pub(super) struct Handle(NonNull<c_void>);

// SAFETY: the dynamic linker's functions may be called with a handle from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// The address of a function that the library has.
    pub(super) fn symbol(self, name: &CStr) -> Result<NonNull<c_void>> {
        // SAFETY: the handle is valid, for nothing closes it; the name is a C string.
        let address = unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) };
        NonNull::new(address).ok_or_else(|| {
            Error::device(format!(
                "the OpenSSL here has no function {}: install OpenSSL 3.0 or later",
                name.to_string_lossy()
            ))
        })
    }
}

/// The process's own copy of libcrypto.
pub(super) fn load() -> Result<Handle> {
    open(LIBCRYPTO)
}

fn open(name: &CStr) -> Result<Handle> {
    // SAFETY: loading runs libcrypto's constructor, which only asks the processor
    // what it can do.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    NonNull::new(handle)
        .map(Handle)
        .ok_or_else(|| missing(&last_error()))
}

/// A second copy of libcrypto, which sees one variable and nothing else in its
/// environment.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn load_apart(variable: &CStr, value: &CStr) -> Result<Handle> {
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL;
    // SAFETY: the C library's constructor is made for being loaded so (dlmopen(3)).
    let libc_handle = unsafe { libc::dlmopen(libc::LM_ID_NEWLM, c"libc.so.6".as_ptr(), flags) };
    let libc_handle = NonNull::new(libc_handle).map(Handle).ok_or_else(|| {
        Error::device(format!(
            "cannot load a second C library for OpenSSL without AES instructions: {}",
            last_error()
        ))
    })?;

    let mut namespace: libc::Lmid_t = 0;
    // SAFETY: for RTLD_DI_LMID the third argument is a pointer to an Lmid_t
    // (dlinfo(3)).
    let status = unsafe {
        libc::dlinfo(
            libc_handle.0.as_ptr(),
            libc::RTLD_DI_LMID,
            (&raw mut namespace).cast(),
        )
    };
    if status != 0 {
        return Err(Error::device(last_error()));
    }

    type ClearEnv = unsafe extern "C" fn() -> c_int;
    type SetEnv = unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> c_int;
    // SAFETY: these are the signatures in clearenv(3) and setenv(3). They act on the
    // namespace's own environment, which no other thread knows of: clearenv only
    // forgets the pointer to the process's, and setenv then begins a new one.
    let status = unsafe {
        let clear: ClearEnv = std::mem::transmute(libc_handle.symbol(c"clearenv")?.as_ptr());
        let set: SetEnv = std::mem::transmute(libc_handle.symbol(c"setenv")?.as_ptr());
        clear() | set(variable.as_ptr(), value.as_ptr(), 1)
    };
    if status != 0 {
        return Err(Error::device(
            "cannot set the second C library's environment",
        ));
    }

    leave_keys(libc_handle)?;

    // SAFETY: as in `load`.
    let handle = unsafe { libc::dlmopen(namespace, LIBCRYPTO.as_ptr(), flags) };
    NonNull::new(handle)
        .map(Handle)
        .ok_or_else(|| missing(&last_error()))
}

/// Leave the first keys for thread-specific data to the process, so that none of the
/// namespace's has the number of one of its.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn leave_keys(libc_handle: Handle) -> Result<()> {
    type Destructor = unsafe extern "C" fn(*mut c_void);
    type KeyCreate = unsafe extern "C" fn(*mut libc::pthread_key_t, Option<Destructor>) -> c_int;
    let function = libc_handle.symbol(c"pthread_key_create")?;
    // SAFETY: this is the signature in pthread_key_create(3).
    let create: KeyCreate = unsafe { std::mem::transmute(function.as_ptr()) };
    for _ in 0..KEYS_LEFT {
        let mut key = 0;
        // SAFETY: the key is written to a variable of its type, and there is no destructor.
        if unsafe { create(&raw mut key, None) } != 0 {
            return Err(Error::device(
                "cannot keep thread-specific keys apart for OpenSSL without AES instructions",
            ));
        }
    }
    Ok(())
}

/// There are no namespaces here.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn load_apart(_variable: &CStr, _value: &CStr) -> Result<Handle> {
    Err(Error::unsupported(
        "OpenSSL without AES instructions needs Linux with the GNU C library",
    ))
}

fn missing(reason: &str) -> Error {
    Error::device(format!(
        "cannot load OpenSSL 3: install libssl3 (Debian, Ubuntu) or your system's OpenSSL 3 ({reason})"
    ))
}

fn last_error() -> String {
    // SAFETY: dlerror gives null or a C string of this thread's, valid until its
    // next call of the dynamic linker.
    unsafe {
        let message = libc::dlerror();
        if message.is_null() {
            String::from("the dynamic linker gave no reason")
        } else {
            CStr::from_ptr(message).to_string_lossy().into_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::ErrorKind;

    use super::*;

    #[test]
    fn a_missing_library_says_what_to_install() {
        let error = open(c"libcrypto.so.none").err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains("install libssl3"), "{error}");
        assert!(error.to_string().contains("libcrypto.so.none"), "{error}");
    }

    #[test]
    fn a_missing_function_is_named() {
        let error = load().unwrap().symbol(c"no_such_function").unwrap_err();
        assert!(error.to_string().contains("no_such_function"), "{error}");
    }
}
