// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Keys, signatures and secrets as OpenSSL calls them, with outputs that have room for what is
//! written and no more.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::abi::{Algorithm, OCTET_STRING, Parameter, Receive, UNSIGNED_INTEGER, UTF8_STRING};
use super::core::{Core, Loaded, find};
use super::exchange::EXCHANGES;
use super::key::KEYS;
use super::parameters::{END, filled};
use super::signature::SIGNATURES;
use crate::provider::with_device;
use crate::tests::held_keys::Board;

type New = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Begin = unsafe extern "C" fn(*mut c_void, c_int, *const Parameter) -> *mut c_void;
type Generate = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> *mut c_void;
type Change = unsafe extern "C" fn(*mut c_void, *mut Parameter) -> c_int;
type Import = unsafe extern "C" fn(*mut c_void, c_int, *mut Parameter) -> c_int;
type Export = unsafe extern "C" fn(*const c_void, c_int, Receive, *mut c_void) -> c_int;
type Match = unsafe extern "C" fn(*const c_void, *const c_void, c_int) -> c_int;
type Duplicate = unsafe extern "C" fn(*const c_void, c_int) -> *mut c_void;
type Initialise = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut Parameter) -> c_int;
type SetPeer = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
type Finish = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
type Sign =
    unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
type Verify = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize) -> c_int;

const PUBLIC: c_int = 2 | 4;
const PAIR: c_int = PUBLIC | 1;

/// The function of this number.
fn function<T: Copy>(algorithms: &[Algorithm; 2], number: c_int) -> T {
    // SAFETY: the tables end; the types are those of the numbers.
    unsafe { find(algorithms[0].functions, number) }.expect("it is in the table")
}

fn load(keys: &str) -> Loaded {
    Loaded {
        core: Core::none(),
        provider: with_device(Board::new(4), &[("keys", keys)]),
    }
}

fn address(loaded: &Loaded) -> *mut c_void {
    ptr::from_ref(loaded).cast_mut().cast()
}

/// A generated key.
fn generate(loaded: &Loaded, group: &CStr) -> *mut c_void {
    let name = group.to_bytes();
    let list = [
        filled(c"group", UTF8_STRING, name.as_ptr(), name.len()),
        END,
    ];
    // SAFETY: the provider is loaded, and the list ends.
    unsafe {
        let context = function::<Begin>(&KEYS, 2)(address(loaded), PAIR, list.as_ptr());
        let key = function::<Generate>(&KEYS, 6)(context, ptr::null_mut(), ptr::null_mut());
        function::<Free>(&KEYS, 7)(context);
        assert!(!key.is_null());
        key
    }
}

/// Copies the public and the private part, where they are in the list.
///
/// # Safety
/// The list is one; the argument leads to two vectors.
unsafe extern "C" fn receive(mut list: *const Parameter, argument: *mut c_void) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        let parts = &mut *argument.cast::<[Vec<u8>; 2]>();
        while let Some(entry) = list.as_ref().filter(|entry| !entry.key.is_null()) {
            let place = match CStr::from_ptr(entry.key).to_bytes() {
                b"pub" => Some(0),
                b"priv" => Some(1),
                _ => None,
            };
            if let Some(place) = place {
                let data = std::slice::from_raw_parts(entry.data.cast::<u8>(), entry.data_size);
                parts[place] = data.to_vec();
            }
            list = list.add(1);
        }
    }
    1
}

/// The exported parts, or nothing where that is refused.
fn export(key: *const c_void, selection: c_int) -> Option<[Vec<u8>; 2]> {
    let mut parts = [Vec::new(), Vec::new()];
    let argument = (&raw mut parts).cast();
    // SAFETY: the key is ours, and the function takes the parts.
    let done = unsafe { function::<Export>(&KEYS, 42)(key, selection, receive, argument) };
    (done == 1).then_some(parts)
}

#[test]
fn a_held_key_is_exported_without_its_private_part() {
    for keys in ["yes", "held"] {
        let loaded = load(keys);
        let key = generate(&loaded, c"P-384");
        let [public, private] = export(key, PUBLIC).unwrap();
        assert_eq!((public.len(), private.len()), (97, 0));
        let pair = export(key, PAIR);
        assert_eq!(pair.is_some(), keys == "yes");
        let mut room = [0_u8; 48];
        let entry = filled(c"priv", UNSIGNED_INTEGER, room.as_mut_ptr(), room.len());
        let mut list = [entry, END];
        // SAFETY: the key is ours, and the list ends.
        unsafe {
            let given = function::<Change>(&KEYS, 11)(key, list.as_mut_ptr());
            assert_eq!(given == 1, keys == "yes");
            assert_eq!(room != [0; 48], keys == "yes");
            let copy = function::<Duplicate>(&KEYS, 44)(key, PAIR);
            assert_eq!(function::<Match>(&KEYS, 23)(key, copy, 1), 1);
            function::<Free>(&KEYS, 10)(key);
            assert_eq!(export(copy, PUBLIC).unwrap()[0], public);
            function::<Free>(&KEYS, 10)(copy);
        }
    }
}

#[test]
fn an_imported_key_is_held_too_and_a_wrong_one_refused() {
    let loaded = load("held");
    for (byte, taken) in [(1_u8, 1), (0, 0), (0xff, 0)] {
        let bytes = [byte; 32];
        let name = c"P-256".to_bytes();
        let mut list = [
            filled(c"group", UTF8_STRING, name.as_ptr(), name.len()),
            filled(c"priv", UNSIGNED_INTEGER, bytes.as_ptr(), bytes.len()),
            END,
        ];
        // SAFETY: the provider is loaded, the key is ours, and the list ends.
        unsafe {
            let key = function::<New>(&KEYS, 1)(address(&loaded));
            let done = function::<Import>(&KEYS, 40)(key, PAIR, list.as_mut_ptr());
            assert_eq!(done, taken);
            assert_eq!(export(key, PAIR).is_none(), taken == 1);
            // Nothing of a key that was refused.
            assert_eq!(export(key, PUBLIC).unwrap()[0].is_empty(), taken == 0);
            function::<Free>(&KEYS, 10)(key);
        }
    }
}

#[test]
fn signatures_and_secrets_need_their_own_room_alone() {
    for keys in ["yes", "held"] {
        let loaded = load(keys);
        let [one, other] = [(); 2].map(|()| generate(&loaded, c"P-256"));
        let (mut signature, mut written) = ([0; 72], 0);
        let (digest, no_list) = ([7_u8; 32], ptr::null_mut());
        // SAFETY: contexts and keys are ours, and every pointer leads to as many bytes as it says.
        unsafe {
            let context = function::<Create>(&SIGNATURES, 1)(address(&loaded), ptr::null());
            assert_eq!(
                function::<Initialise>(&SIGNATURES, 2)(context, one, no_list),
                1
            );
            let copy = function::<New>(&SIGNATURES, 17)(context);
            function::<Free>(&SIGNATURES, 16)(context);
            let sign = function::<Sign>(&SIGNATURES, 3);
            let (place, count) = (signature.as_mut_ptr(), &raw mut written);
            assert_eq!(sign(copy, place, count, 71, digest.as_ptr(), 32), 0);
            assert_eq!(sign(copy, place, count, 72, digest.as_ptr(), 32), 1);
            let exact = signature[..written].to_vec();
            assert_eq!(
                function::<Initialise>(&SIGNATURES, 4)(copy, one, no_list),
                1
            );
            let verify = function::<Verify>(&SIGNATURES, 5);
            assert_eq!(
                verify(copy, exact.as_ptr(), exact.len(), digest.as_ptr(), 32),
                1
            );
            assert_eq!(
                verify(copy, exact.as_ptr(), exact.len(), digest.as_ptr(), 31),
                0
            );
            assert_eq!(verify(copy, exact.as_ptr(), 0, digest.as_ptr(), 32), 0);
            function::<Free>(&SIGNATURES, 16)(copy);
            let secrets = [(one, other), (other, one)].map(|(key, peer)| {
                let mut secret = [0_u8; 32];
                let context = function::<New>(&EXCHANGES, 1)(address(&loaded));
                assert_eq!(
                    function::<Initialise>(&EXCHANGES, 2)(context, key, no_list),
                    1
                );
                assert_eq!(function::<SetPeer>(&EXCHANGES, 4)(context, peer), 1);
                let copy = function::<New>(&EXCHANGES, 6)(context);
                function::<Free>(&EXCHANGES, 5)(context);
                let derive = function::<Finish>(&EXCHANGES, 3);
                let mut written = 0;
                let place = secret.as_mut_ptr();
                assert_eq!(derive(copy, place, &raw mut written, 31), 0);
                assert_eq!(derive(copy, place, &raw mut written, 32), 1);
                function::<Free>(&EXCHANGES, 5)(copy);
                secret
            });
            assert_eq!(secrets[0], secrets[1]);
            assert_ne!(secrets[0], [0; 32]);
            for key in [one, other] {
                function::<Free>(&KEYS, 10)(key);
            }
        }
    }
}

#[test]
fn a_point_that_is_set_may_be_refused() {
    let loaded = load("held");
    let key = generate(&loaded, c"P-521");
    let [mut point, _] = export(key, PUBLIC).unwrap();
    for (change, taken) in [(0, 1), (1, 0)] {
        *point.last_mut().unwrap() ^= change;
        let entry = filled(
            c"encoded-pub-key",
            OCTET_STRING,
            point.as_ptr(),
            point.len(),
        );
        let mut list = [entry, END];
        // SAFETY: the key is ours, and the list ends.
        let done = unsafe { function::<Change>(&KEYS, 13)(key, list.as_mut_ptr()) };
        assert_eq!(done, taken);
    }
    // SAFETY: the key is ours, and used no more.
    unsafe { function::<Free>(&KEYS, 10)(key) };
}
