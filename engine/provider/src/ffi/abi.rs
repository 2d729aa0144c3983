// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The types and numbers of OpenSSL 3's interface for providers, as openssl/core.h and
//! openssl/core_dispatch.h publish and keep them (provider-base(7), provider-cipher(7),
//! provider-digest(7), provider-mac(7), provider-keymgmt(7), provider-signature(7),
//! provider-keyexch(7)).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

/// Opaque: the core's own data of this provider.
pub(crate) type CoreHandle = c_void;

/// A function of unknown signature; its number tells which.
pub(crate) type Function = unsafe extern "C" fn();

/// `OSSL_DISPATCH`: a numbered function. A table ends with number 0.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Dispatch {
    pub number: c_int,
    pub function: Option<Function>,
}

impl Dispatch {
    /// The end of a table.
    pub(crate) const END: Dispatch = Dispatch {
        number: 0,
        function: None,
    };
}

/// A table of functions, each with the name, the number and the type that
/// openssl/core_dispatch.h gives it.
macro_rules! dispatch {
    ($($name:ident $number:literal: $signature:ty = $function:expr,)+) => {
        [
            $($crate::ffi::abi::Dispatch {
                number: $number,
                // SAFETY: OpenSSL calls a function with the signature of its number.
                function: Some(unsafe {
                    std::mem::transmute::<$signature, $crate::ffi::abi::Function>($function)
                }),
            },)+
            $crate::ffi::abi::Dispatch::END,
        ]
    };
}
pub(crate) use dispatch;

/// `OSSL_ALGORITHM`: names, properties and functions of an algorithm. A table ends with
/// null names.
#[repr(C)]
pub(crate) struct Algorithm {
    pub names: *const c_char,
    pub properties: *const c_char,
    pub functions: *const Dispatch,
    pub description: *const c_char,
}

impl Algorithm {
    /// The end of a table.
    pub(crate) const END: Algorithm = Algorithm {
        names: ptr::null(),
        properties: ptr::null(),
        functions: ptr::null(),
        description: ptr::null(),
    };

    /// One of this provider's.
    pub(crate) const fn new(names: &'static CStr, functions: &'static [Dispatch]) -> Algorithm {
        Algorithm {
            names: names.as_ptr(),
            properties: c"provider=ciphermill".as_ptr(),
            functions: functions.as_ptr(),
            description: ptr::null(),
        }
    }
}

// SAFETY: the pointers of our tables lead to constants.
unsafe impl Sync for Algorithm {}

/// `OSSL_PARAM`: a named value on its way in or out. A list ends with a null key.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Parameter {
    pub key: *const c_char,
    pub data_type: c_uint,
    pub data: *mut c_void,
    pub data_size: usize,
    pub return_size: usize,
}

// SAFETY: the pointers of our tables lead to constants.
unsafe impl Sync for Parameter {}

/// `OSSL_CALLBACK`: takes parameters that are given out.
pub(crate) type Receive = unsafe extern "C" fn(*const Parameter, *mut c_void) -> c_int;

/// Types of parameters.
pub(crate) const INTEGER: c_uint = 1;
pub(crate) const UNSIGNED_INTEGER: c_uint = 2;
pub(crate) const UTF8_STRING: c_uint = 4;
pub(crate) const OCTET_STRING: c_uint = 5;
pub(crate) const UTF8_POINTER: c_uint = 6;
pub(crate) const OCTET_POINTER: c_uint = 7;

/// `OSSL_PARAM_UNMODIFIED`.
pub(crate) const UNMODIFIED: usize = usize::MAX;

/// Functions of the core.
pub(crate) const CORE_GET_PARAMS: c_int = 2;
pub(crate) const CORE_NEW_ERROR: c_int = 5;
pub(crate) const CORE_SET_ERROR_DEBUG: c_int = 6;
pub(crate) const CORE_VSET_ERROR: c_int = 7;

/// `OSSL_OP_DIGEST`.
pub(crate) const OPERATION_DIGEST: c_int = 1;
/// `OSSL_OP_CIPHER`.
pub(crate) const OPERATION_CIPHER: c_int = 2;

/// `OSSL_OP_MAC`.
pub(crate) const OPERATION_MAC: c_int = 3;

/// `OSSL_OP_KEYMGMT`.
pub(crate) const OPERATION_KEY: c_int = 10;
/// `OSSL_OP_KEYEXCH`.
pub(crate) const OPERATION_EXCHANGE: c_int = 11;
/// `OSSL_OP_SIGNATURE`.
pub(crate) const OPERATION_SIGNATURE: c_int = 12;

/// `ERR_LIB_PROV`, shifted as `ERR_PACK` does (openssl/err.h).
pub(crate) const PROVIDER_LIBRARY: u32 = 57 << 23;
