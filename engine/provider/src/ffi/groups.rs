// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The groups in which libssl agrees on keys with this provider (provider-base(7),
//! "TLS-GROUP").
//!
//! libssl takes the groups of a key type from the provider that it gets keys of that type from.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

use super::abi::{INTEGER, Receive, UNSIGNED_INTEGER, UTF8_STRING};
use super::core::Loaded;
use super::parameters::{END, filled};
use crate::curve_key::{CURVES, Curve};

pub(super) type Capabilities =
    unsafe extern "C" fn(*mut c_void, *const c_char, Option<Receive>, *mut c_void) -> c_int;

const TLS_1: c_int = 0x0301;
const DTLS_1: c_int = 0xfeff;
const NO_LIMIT: c_int = 0;

/// Tell of each group, by each name.
///
/// # Safety
/// The context is ours, the capability a C string, and the function takes parameters with this
/// argument.
pub(super) unsafe extern "C" fn capabilities(
    context: *mut c_void,
    capability: *const c_char,
    receive: Option<Receive>,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: this function's contract.
    let (loaded, capability) = unsafe { (&*context.cast::<Loaded>(), CStr::from_ptr(capability)) };
    let asked = capability.to_bytes().eq_ignore_ascii_case(b"TLS-GROUP");
    let Some(receive) = receive.filter(|_| asked && loaded.provider.config.keys.are_offered())
    else {
        // Nothing to tell is no failure, which would end the program's set-up of TLS.
        return 1;
    };
    let all = CURVES.iter().all(|curve| {
        let mut names = curve.tls_names.iter();
        // SAFETY: this function's contract.
        names.all(|name| unsafe { tell(curve, name, receive, argument) } == 1)
    });
    c_int::from(all)
}

/// # Safety
/// The function takes parameters with this argument.
unsafe fn tell(
    curve: &Curve,
    name: &'static CStr,
    receive: Receive,
    argument: *mut c_void,
) -> c_int {
    let text =
        |key, text: &'static CStr| filled(key, UTF8_STRING, text.as_ptr(), text.count_bytes());
    let natural = |key, number: &c_uint| filled(key, UNSIGNED_INTEGER, ptr::from_ref(number), 4);
    let version = |key, number: &'static c_int| filled(key, INTEGER, ptr::from_ref(number), 4);
    let security_bits = curve.security_bits as c_uint;
    let list = [
        text(c"tls-group-name", name),
        text(c"tls-group-name-internal", curve.name),
        text(c"tls-group-alg", c"EC"),
        natural(c"tls-group-id", &curve.tls_group),
        natural(c"tls-group-sec-bits", &security_bits),
        natural(c"tls-group-is-kem", &0),
        version(c"tls-min-tls", &TLS_1),
        version(c"tls-max-tls", &NO_LIMIT),
        version(c"tls-min-dtls", &DTLS_1),
        version(c"tls-max-dtls", &NO_LIMIT),
        END,
    ];
    // SAFETY: this function's contract; the list and what it leads to live until it returns.
    unsafe { receive(list.as_ptr(), argument) }
}
