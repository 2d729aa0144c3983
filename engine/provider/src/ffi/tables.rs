// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Which parameters ciphers and their contexts have.

use std::ffi::{c_uint, c_void};

use super::abi::{INTEGER, OCTET_STRING, Parameter, UNSIGNED_INTEGER};
use super::parameters::{END, described};

const NUMBER: usize = size_of::<c_uint>();
const LENGTH: usize = size_of::<usize>();

static CIPHER_GETTABLE: [Parameter; 10] = [
    described(c"mode", UNSIGNED_INTEGER, NUMBER),
    described(c"keylen", UNSIGNED_INTEGER, LENGTH),
    described(c"ivlen", UNSIGNED_INTEGER, LENGTH),
    described(c"blocksize", UNSIGNED_INTEGER, LENGTH),
    described(c"aead", INTEGER, NUMBER),
    described(c"custom-iv", INTEGER, NUMBER),
    described(c"cts", INTEGER, NUMBER),
    described(c"tls-multi", INTEGER, NUMBER),
    described(c"has-randkey", INTEGER, NUMBER),
    END,
];

static GETTABLE: [Parameter; 7] = [
    described(c"keylen", UNSIGNED_INTEGER, LENGTH),
    described(c"ivlen", UNSIGNED_INTEGER, LENGTH),
    described(c"padding", UNSIGNED_INTEGER, NUMBER),
    described(c"num", UNSIGNED_INTEGER, NUMBER),
    described(c"iv", OCTET_STRING, 0),
    described(c"updated-iv", OCTET_STRING, 0),
    END,
];

static SETTABLE: [Parameter; 4] = [
    described(c"padding", UNSIGNED_INTEGER, NUMBER),
    described(c"num", UNSIGNED_INTEGER, NUMBER),
    described(c"keylen", UNSIGNED_INTEGER, LENGTH),
    END,
];

static GCM_GETTABLE: [Parameter; 9] = [
    described(c"keylen", UNSIGNED_INTEGER, LENGTH),
    described(c"ivlen", UNSIGNED_INTEGER, LENGTH),
    described(c"taglen", UNSIGNED_INTEGER, LENGTH),
    described(c"iv", OCTET_STRING, 0),
    described(c"updated-iv", OCTET_STRING, 0),
    described(c"tag", OCTET_STRING, 0),
    described(c"tlsaadpad", UNSIGNED_INTEGER, LENGTH),
    described(c"tlsivgen", OCTET_STRING, 0),
    END,
];

static GCM_SETTABLE: [Parameter; 6] = [
    described(c"ivlen", UNSIGNED_INTEGER, LENGTH),
    described(c"tag", OCTET_STRING, 0),
    described(c"tlsaad", OCTET_STRING, 0),
    described(c"tlsivfixed", OCTET_STRING, 0),
    described(c"tlsivinv", OCTET_STRING, 0),
    END,
];

pub(super) extern "C" fn cipher_gettable(_: *mut c_void) -> *const Parameter {
    CIPHER_GETTABLE.as_ptr()
}

pub(super) extern "C" fn gettable(_: *mut c_void, _: *mut c_void) -> *const Parameter {
    GETTABLE.as_ptr()
}

pub(super) extern "C" fn settable(_: *mut c_void, _: *mut c_void) -> *const Parameter {
    SETTABLE.as_ptr()
}

pub(super) extern "C" fn gcm_gettable(_: *mut c_void, _: *mut c_void) -> *const Parameter {
    GCM_GETTABLE.as_ptr()
}

pub(super) extern "C" fn gcm_settable(_: *mut c_void, _: *mut c_void) -> *const Parameter {
    GCM_SETTABLE.as_ptr()
}
