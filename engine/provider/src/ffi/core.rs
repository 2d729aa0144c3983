// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What OpenSSL's core offers a provider: its settings, and the error queue.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute_copy;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use super::abi::{
    CORE_GET_PARAMS, CORE_NEW_ERROR, CORE_SET_ERROR_DEBUG, CORE_VSET_ERROR, CoreHandle, Dispatch,
    Function, PROVIDER_LIBRARY, Parameter, UTF8_POINTER,
};
use super::parameters::END;
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::Provider;

type GetParameters = unsafe extern "C" fn(*const CoreHandle, *mut Parameter) -> c_int;
type NewError = unsafe extern "C" fn(*const CoreHandle);
type SetErrorPlace = unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char);
/// The last argument is a `va_list`: by value or by reference, a pointer, on the platforms
/// that this builds for.
type SetError = unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut c_void);

/// What OpenSSL passes back to us as the provider's context.
pub(super) struct Loaded {
    pub core: Core,
    pub provider: Arc<Provider>,
}

/// The core, as it introduced itself.
#[derive(Clone, Copy)]
pub(super) struct Core {
    handle: *const CoreHandle,
    get_parameters: Option<GetParameters>,
    new_error: Option<NewError>,
    set_error_place: Option<SetErrorPlace>,
    set_error: Option<SetError>,
}

// SAFETY: the core's functions may be called from any thread while the provider is loaded.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

/// The function of this number in a table.
///
/// # Safety
/// Number 0 or a null function ends the table, and `T` is the type of a pointer to the function.
pub(super) unsafe fn find<T: Copy>(mut table: *const Dispatch, number: c_int) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<Function>()) };
    // SAFETY: this function's contract.
    unsafe {
        loop {
            let entry = table.as_ref().filter(|entry| entry.number != 0)?;
            let function = entry.function?;
            if entry.number == number {
                return Some(transmute_copy::<Function, T>(&function));
            }
            table = table.add(1);
        }
    }
}

impl Core {
    /// # Safety
    /// The handle and the table, which number 0 ends, are those that OpenSSL gave to
    /// OSSL_provider_init.
    pub(super) unsafe fn new(handle: *const CoreHandle, table: *const Dispatch) -> Core {
        // SAFETY: each function has the signature that openssl/core_dispatch.h gives to its number.
        unsafe {
            Core {
                handle,
                get_parameters: find::<GetParameters>(table, CORE_GET_PARAMS),
                new_error: find::<NewError>(table, CORE_NEW_ERROR),
                set_error_place: find::<SetErrorPlace>(table, CORE_SET_ERROR_DEBUG),
                set_error: find::<SetError>(table, CORE_VSET_ERROR),
            }
        }
    }

    /// No core: without settings or an error queue.
    #[cfg(test)]
    pub(super) fn none() -> Core {
        // SAFETY: the table ends at once.
        unsafe { Core::new(ptr::null(), &Dispatch::END) }
    }

    /// A value of the provider's section in the configuration.
    pub(super) fn setting(&self, name: &str) -> Option<String> {
        let get = self.get_parameters?;
        let key = CString::new(name).ok()?;
        let mut value: *const c_char = ptr::null();
        let parameter = Parameter {
            key: key.as_ptr(),
            data_type: UTF8_POINTER,
            data: (&raw mut value).cast(),
            data_size: size_of::<*const c_char>(),
            return_size: 0,
        };
        let mut list = [parameter, END];
        // SAFETY: the list is valid and ends. The core sets the pointer to a string that
        // lives as long as the provider is loaded, or leaves it null.
        unsafe {
            if get(self.handle, list.as_mut_ptr()) != 1 || value.is_null() {
                return None;
            }
            Some(CStr::from_ptr(value).to_string_lossy().into_owned())
        }
    }

    /// Put an error into the thread's queue.
    #[cold]
    pub(super) fn report(&self, failure: &Failure) {
        let Some((reason, message)) = failure.report.as_deref() else {
            return;
        };
        let (Some(new), Some(set)) = (self.new_error, self.set_error) else {
            return;
        };
        // The message is a format without conversions, which takes no arguments.
        let format = message.replace('\0', " ").replace('%', "%%");
        let format = CString::new(format).unwrap_or_default();
        let mut no_arguments = [0u64; 8];
        // SAFETY: the strings end; the arguments are never read, for the format has none.
        unsafe {
            new(self.handle);
            if let Some(place) = self.set_error_place {
                place(
                    self.handle,
                    c"engine/provider".as_ptr(),
                    0,
                    c"ciphermill".as_ptr(),
                );
            }
            set(
                self.handle,
                PROVIDER_LIBRARY | *reason as u32,
                format.as_ptr(),
                no_arguments.as_mut_ptr().cast(),
            );
        }
    }

    /// Run a function of the provider for OpenSSL: its failure goes into the queue, and so
    /// does a panic, which goes no further.
    #[inline]
    pub(super) fn guard<T>(&self, run: impl FnOnce() -> Outcome<T>) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(value)) => Some(value),
            Ok(Err(failure)) => {
                self.report(&failure);
                None
            }
            Err(_) => {
                let message = "a fault of the provider (a panic): please report it";
                self.report(&Failure::new(Reason::CipherOperationFailed, message));
                None
            }
        }
    }
}
