// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The digests as OpenSSL calls them (provider-digest(7)).

use std::ffi::{c_int, c_uchar, c_uint, c_void};
use std::mem::transmute;
use std::ptr;
use std::slice;
use std::sync::Arc;

use ciphermill::{ASCON_HASH256, SHA_256, SHA_512};

use super::abi::{
    Algorithm, DIGEST_DUPCTX, DIGEST_FINAL, DIGEST_FREECTX, DIGEST_GET_PARAMS,
    DIGEST_GETTABLE_PARAMS, DIGEST_INIT, DIGEST_NEWCTX, DIGEST_UPDATE, Dispatch, Function, INTEGER,
    Parameter, UNSIGNED_INTEGER,
};
use super::core::{Core, Loaded};
use super::parameters::{END, List, described};
use crate::digest::Digest;
use crate::failure::{Failure, Outcome, Reason};

/// What OpenSSL passes back to us as a digest's context.
struct Held {
    core: Core,
    digest: Digest,
}

type New = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Initialise = unsafe extern "C" fn(*mut c_void, *const Parameter) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *const c_uchar, usize) -> c_int;
type Finish = unsafe extern "C" fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);
type Describe = unsafe extern "C" fn(*mut Parameter) -> c_int;
type Table = extern "C" fn(*mut c_void) -> *const Parameter;

static GETTABLE: [Parameter; 5] = [
    described(c"blocksize", UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"size", UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"xof", INTEGER, size_of::<c_uint>()),
    described(c"algid-absent", INTEGER, size_of::<c_uint>()),
    END,
];

/// Defines the functions that differ between digests, and the tables.
macro_rules! digests {
    ($($module:ident: $algorithm:ident, $names:literal;)+) => {
        $(mod $module {
            use super::*;

            /// # Safety
            /// The provider's context is ours.
            unsafe extern "C" fn new(provider: *mut c_void) -> *mut c_void {
                // SAFETY: this function's contract.
                let loaded = unsafe { &*provider.cast::<Loaded>() };
                let provider = || Arc::clone(&loaded.provider);
                let digest = loaded.core.guard(|| Ok(Digest::new(provider(), &$algorithm)));
                held(loaded.core, digest)
            }

            /// # Safety
            /// The list is one.
            unsafe extern "C" fn get_parameters(list: *mut Parameter) -> c_int {
                // SAFETY: this function's contract.
                c_int::from(unsafe { describe(List::new(list), &$algorithm) })
            }

            pub(super) static FUNCTIONS: [Dispatch; 9] = functions(
                // SAFETY: OpenSSL calls a function with the signature of its number.
                unsafe { transmute::<New, Function>(new) },
                // SAFETY: as above.
                unsafe { transmute::<Describe, Function>(get_parameters) },
            );
        })+

        /// What is offered.
        pub(super) static DIGESTS: [Algorithm; 4] = [
            $(Algorithm {
                names: $names.as_ptr(),
                properties: c"provider=ciphermill".as_ptr(),
                functions: $module::FUNCTIONS.as_ptr(),
                description: ptr::null(),
            },)+
            Algorithm {
                names: ptr::null(),
                properties: ptr::null(),
                functions: ptr::null(),
                description: ptr::null(),
            },
        ];
    };
}

digests! {
    sha_256: SHA_256, c"SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1";
    sha_512: SHA_512, c"SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3";
    ascon_hash256: ASCON_HASH256, c"ASCON-HASH256";
}

const fn functions(new: Function, describe: Function) -> [Dispatch; 9] {
    const fn entry(number: c_int, function: Function) -> Dispatch {
        Dispatch {
            number,
            function: Some(function),
        }
    }
    // SAFETY: OpenSSL calls a function with the signature of its number.
    unsafe {
        [
            entry(DIGEST_NEWCTX, new),
            entry(DIGEST_GET_PARAMS, describe),
            entry(DIGEST_INIT, transmute::<Initialise, Function>(initialise)),
            entry(DIGEST_UPDATE, transmute::<Update, Function>(update)),
            entry(DIGEST_FINAL, transmute::<Finish, Function>(finish)),
            entry(DIGEST_FREECTX, transmute::<Free, Function>(free)),
            entry(DIGEST_DUPCTX, transmute::<New, Function>(duplicate)),
            entry(
                DIGEST_GETTABLE_PARAMS,
                transmute::<Table, Function>(gettable),
            ),
            Dispatch {
                number: 0,
                function: None,
            },
        ]
    }
}

fn held(core: Core, digest: Option<Digest>) -> *mut c_void {
    match digest {
        Some(digest) => Box::into_raw(Box::new(Held { core, digest })).cast(),
        None => ptr::null_mut(),
    }
}

/// # Safety
/// The context is ours and in nobody else's use.
unsafe fn on_digest<T>(
    context: *mut c_void,
    run: impl FnOnce(&mut Digest) -> Outcome<T>,
) -> Option<T> {
    // SAFETY: this function's contract: a context is one thread's at a time.
    let held = unsafe { &mut *context.cast::<Held>() };
    let outcome = held.core.guard(|| run(&mut held.digest));
    if outcome.is_none() {
        // After a failure, or a panic, there is no message to go on with.
        held.digest.spoil();
    }
    outcome
}

/// # Safety
/// As [`on_digest`].
unsafe extern "C" fn initialise(context: *mut c_void, _: *const Parameter) -> c_int {
    // SAFETY: this function's contract.
    c_int::from(unsafe { on_digest(context, Digest::initialise) }.is_some())
}

/// # Safety
/// As [`on_digest`], and the input has so many bytes.
unsafe extern "C" fn update(context: *mut c_void, input: *const c_uchar, bytes: usize) -> c_int {
    let input = match bytes {
        0 => &[],
        // SAFETY: this function's contract.
        _ => unsafe { slice::from_raw_parts(input, bytes) },
    };
    // SAFETY: this function's contract.
    c_int::from(unsafe { on_digest(context, |digest| digest.update(input)) }.is_some())
}

/// # Safety
/// As [`on_digest`]; the output has so much room, and the number of bytes a place.
unsafe extern "C" fn finish(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
) -> c_int {
    let finish = |digest: &mut Digest| {
        let given = digest.finish()?;
        if output.is_null() || room < given.len() {
            let message = "the output has less room than the digest";
            return Err(Failure::new(Reason::OutputBufferTooSmall, message));
        }
        // SAFETY: this function's contract; the room is as long.
        unsafe { ptr::copy_nonoverlapping(given.as_ptr(), output, given.len()) };
        Ok(given.len())
    };
    // SAFETY: this function's contract.
    let outcome = unsafe { on_digest(context, finish) };
    // SAFETY: this function's contract.
    unsafe { written.write(outcome.unwrap_or(0)) };
    c_int::from(outcome.is_some())
}

/// # Safety
/// The context is ours or null, and OpenSSL uses it no more.
unsafe extern "C" fn free(context: *mut c_void) {
    if !context.is_null() {
        // SAFETY: this function's contract.
        let held = unsafe { Box::from_raw(context.cast::<Held>()) };
        let core = held.core;
        core.guard(|| {
            drop(held);
            Ok(())
        });
    }
}

/// # Safety
/// As [`on_digest`].
unsafe extern "C" fn duplicate(context: *mut c_void) -> *mut c_void {
    // SAFETY: this function's contract.
    let Held { core, digest } = unsafe { &*context.cast::<Held>() };
    held(*core, core.guard(|| digest.duplicate()))
}

extern "C" fn gettable(_: *mut c_void) -> *const Parameter {
    GETTABLE.as_ptr()
}

/// What a digest is, without a context.
fn describe(list: List<'_>, algorithm: &ciphermill::Algorithm) -> bool {
    for mut entry in list {
        let value = match entry.name() {
            b"blocksize" => algorithm.block_bytes as u64,
            b"size" => algorithm.digest_bytes as u64,
            b"xof" => 0,
            // As the default provider says of SHA-2: its identifier has no parameters.
            b"algid-absent" => 1,
            _ => continue,
        };
        if !entry.set_unsigned(value) {
            return false;
        }
    }
    true
}
