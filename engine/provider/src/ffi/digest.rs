// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The digests as OpenSSL calls them (provider-digest(7)).

use std::ffi::{CStr, c_int, c_uint, c_void};

use ciphermill::{
    ASCON_HASH256, Request, SHA_224, SHA_256, SHA_384, SHA_512, SHA_512_224, SHA_512_256,
};
use ciphermill_cpu::DirectDigest;

use super::abi::{Algorithm, Dispatch, Parameter, dispatch};
use super::context::{
    self, Absorb, Describe, Finish, Free, New, Table, absorb, create, done, duplicate, free,
};
use super::parameters::{List, tables};
use crate::hasher::Hasher;

type Initialise = unsafe extern "C" fn(*mut c_void, *const Parameter) -> c_int;

tables! {
    gettable(*mut c_void): [
        c"blocksize" UNSIGNED_INTEGER size_of::<usize>();
        c"size" UNSIGNED_INTEGER size_of::<usize>();
        c"xof" INTEGER size_of::<c_uint>();
        c"algid-absent" INTEGER size_of::<c_uint>();
    ];
}

/// A digest and OpenSSL's names for it.
static ROWS: [(&ciphermill::Algorithm, &CStr); 7] = [
    (&SHA_224, c"SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4"),
    (&SHA_256, c"SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1"),
    (&SHA_384, c"SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2"),
    (&SHA_512, c"SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3"),
    (
        &SHA_512_224,
        c"SHA2-512/224:SHA-512/224:SHA512-224:2.16.840.1.101.3.4.2.5",
    ),
    (
        &SHA_512_256,
        c"SHA2-512/256:SHA-512/256:SHA512-256:2.16.840.1.101.3.4.2.6",
    ),
    (&ASCON_HASH256, c"ASCON-HASH256"),
];

/// The algorithms offered.
pub(super) static DIGESTS: [Algorithm; 8] = [
    row::<0>(),
    row::<1>(),
    row::<2>(),
    row::<3>(),
    row::<4>(),
    row::<5>(),
    row::<6>(),
    Algorithm::END,
];

const fn row<const ROW: usize>() -> Algorithm {
    Algorithm::new(ROWS[ROW].1, const { &functions::<ROW>() })
}

const fn functions<const ROW: usize>() -> [Dispatch; 9] {
    dispatch! {
        DIGEST_NEWCTX 1: New = new::<ROW>,
        DIGEST_GET_PARAMS 8: Describe = describe::<ROW>,
        DIGEST_INIT 2: Initialise = initialise,
        DIGEST_UPDATE 3: Absorb = absorb::<Hasher>,
        DIGEST_FINAL 4: Finish = context::finish::<Hasher>,
        DIGEST_FREECTX 6: Free = free::<Hasher>,
        DIGEST_DUPCTX 7: New = duplicate::<Hasher>,
        DIGEST_GETTABLE_PARAMS 11: Table = gettable,
    }
}

/// # Safety
/// The provider's context is ours.
unsafe extern "C" fn new<const ROW: usize>(provider: *mut c_void) -> *mut c_void {
    let make = |provider| {
        let request = Request::Digest(ROWS[ROW].0);
        let mut hasher = Hasher::new(provider);
        hasher.set_up(Some(DirectDigest::of(&request)?), Some(request));
        Ok(hasher)
    };
    // SAFETY: this function's contract.
    unsafe { create(provider, make) }
}

/// # Safety
/// The list is one.
unsafe extern "C" fn describe<const ROW: usize>(list: *mut Parameter) -> c_int {
    let value = |name: &[u8]| {
        Some(match name {
            b"blocksize" => ROWS[ROW].0.block_bytes as u64,
            b"size" => ROWS[ROW].0.digest_bytes as u64,
            b"xof" => 0,
            // As the default provider says of SHA-2: its identifier has no parameters.
            b"algid-absent" => 1,
            _ => return None,
        })
    };
    // SAFETY: this function's contract.
    context::describe(unsafe { List::new(list) }, value)
}

/// # Safety
/// The context is ours and in nobody else's use.
unsafe extern "C" fn initialise(context: *mut c_void, _: *const Parameter) -> c_int {
    // SAFETY: this function's contract.
    unsafe { done(context, Hasher::initialise) }
}
