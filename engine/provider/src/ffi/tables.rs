// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Which parameters ciphers and their contexts have.

use std::ffi::{c_uint, c_void};

use super::parameters::tables;

const NUMBER: usize = size_of::<c_uint>();
const LENGTH: usize = size_of::<usize>();

tables! {
    cipher_gettable(*mut c_void): [
        c"mode" UNSIGNED_INTEGER NUMBER;
        c"keylen" UNSIGNED_INTEGER LENGTH;
        c"ivlen" UNSIGNED_INTEGER LENGTH;
        c"blocksize" UNSIGNED_INTEGER LENGTH;
        c"aead" INTEGER NUMBER;
        c"custom-iv" INTEGER NUMBER;
        c"cts" INTEGER NUMBER;
        c"tls-multi" INTEGER NUMBER;
        c"has-randkey" INTEGER NUMBER;
    ];
    gettable(*mut c_void, *mut c_void): [
        c"keylen" UNSIGNED_INTEGER LENGTH;
        c"ivlen" UNSIGNED_INTEGER LENGTH;
        c"padding" UNSIGNED_INTEGER NUMBER;
        c"num" UNSIGNED_INTEGER NUMBER;
        c"iv" OCTET_STRING 0;
        c"updated-iv" OCTET_STRING 0;
    ];
    settable(*mut c_void, *mut c_void): [
        c"padding" UNSIGNED_INTEGER NUMBER;
        c"num" UNSIGNED_INTEGER NUMBER;
        c"keylen" UNSIGNED_INTEGER LENGTH;
    ];
    gcm_gettable(*mut c_void, *mut c_void): [
        c"keylen" UNSIGNED_INTEGER LENGTH;
        c"ivlen" UNSIGNED_INTEGER LENGTH;
        c"taglen" UNSIGNED_INTEGER LENGTH;
        c"iv" OCTET_STRING 0;
        c"updated-iv" OCTET_STRING 0;
        c"tag" OCTET_STRING 0;
        c"pipeline-tag" OCTET_POINTER 0;
        c"tlsaadpad" UNSIGNED_INTEGER LENGTH;
        c"tlsivgen" OCTET_STRING 0;
    ];
    gcm_settable(*mut c_void, *mut c_void): [
        c"ivlen" UNSIGNED_INTEGER LENGTH;
        c"tag" OCTET_STRING 0;
        c"pipeline-tag" OCTET_POINTER 0;
        c"tlsaad" OCTET_STRING 0;
        c"tlsivfixed" OCTET_STRING 0;
        c"tlsivinv" OCTET_STRING 0;
    ];
}
