// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! ECDH as OpenSSL calls it (provider-keyexch(7), EVP_KEYEXCH-ECDH(7)).

use std::ffi::{c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;

use ciphermill::Request;
use ciphermill_cpu::PublicKey;

use super::abi::{Algorithm, Dispatch, Parameter, dispatch};
use super::context::{
    ContextTable, Finish, Free, New, OnContext, Parameters, answer, create, done, duplicate, free,
    get_parameters, on, referred, set_parameters,
};
use super::parameters::{Entry, List, tables};
use crate::curve_key::CurveKey;
use crate::failure::{Outcome, Reason};
use crate::provider::{Share, State};

type Initialise = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut Parameter) -> c_int;
type SetPeer = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

tables! {
    gettable(*mut c_void, *mut c_void): [
        c"ecdh-cofactor-mode" INTEGER size_of::<c_int>();
        c"kdf-type" UTF8_STRING 0;
    ];
    settable(*mut c_void, *mut c_void): [
        c"ecdh-cofactor-mode" INTEGER size_of::<c_int>();
        c"kdf-type" UTF8_STRING 0;
    ];
}

static ECDH: [Dispatch; 11] = dispatch! {
    KEYEXCH_NEWCTX 1: New = new,
    KEYEXCH_INIT 2: Initialise = initialise,
    KEYEXCH_DERIVE 3: Finish = derive,
    KEYEXCH_SET_PEER 4: SetPeer = set_peer,
    KEYEXCH_FREECTX 5: Free = free::<Exchange>,
    KEYEXCH_DUPCTX 6: New = duplicate::<Exchange>,
    KEYEXCH_SET_CTX_PARAMS 7: OnContext = set_parameters::<Exchange>,
    KEYEXCH_SETTABLE_CTX_PARAMS 8: ContextTable = settable,
    KEYEXCH_GET_CTX_PARAMS 9: OnContext = get_parameters::<Exchange>,
    KEYEXCH_GETTABLE_CTX_PARAMS 10: ContextTable = gettable,
};

/// The algorithms offered.
pub(super) static EXCHANGES: [Algorithm; 2] = [Algorithm::new(c"ECDH", &ECDH), Algorithm::END];

/// A context of ECDH.
struct Exchange {
    provider: Share,
    key: CurveKey,
    peer: Option<Arc<PublicKey>>,
}

impl State for Exchange {
    fn duplicate(&self) -> Outcome<Exchange> {
        Ok(Exchange {
            provider: self.provider.another(),
            key: self.key.clone(),
            peer: self.peer.clone(),
        })
    }

    fn spoil(&mut self) {
        self.key = CurveKey::default();
        self.peer = None;
    }
}

impl Parameters for Exchange {
    fn give(&mut self, entry: &mut Entry<'_>) -> Outcome<bool> {
        Ok(match entry.name() {
            // The cofactor of these curves is one, so that both modes are the same.
            b"ecdh-cofactor-mode" => entry.set_unsigned(0),
            b"kdf-type" => entry.set_text(c""),
            _ => true,
        })
    }

    fn take(&mut self, list: List<'_>) -> Outcome<()> {
        for entry in list {
            if entry.name() == b"kdf-type" && entry.text() != Some("") {
                let message = "ECDH gives the secret alone here: derive keys from it by a KDF, or \
                               fetch ECDH with provider=default";
                return Reason::ValueError.fail(message);
            }
        }
        Ok(())
    }
}

impl Exchange {
    fn initialise(&mut self, key: Option<&CurveKey>, list: List<'_>) -> Outcome<()> {
        self.spoil();
        let key = key.cloned().unwrap_or_default();
        key.private()?;
        self.key = key;
        self.take(list)
    }

    fn set_peer(&mut self, peer: Option<&CurveKey>) -> Outcome<()> {
        let peer = peer.cloned().unwrap_or_default();
        if peer.curve()?.name != self.key.curve()?.name {
            let message = "the two keys are of two curves";
            return Reason::MismatchingDomainParameters.fail(message);
        }
        self.peer = Some(Arc::clone(peer.public()?));
        Ok(())
    }
}

/// # Safety
/// The provider's context is ours.
unsafe extern "C" fn new(provider: *mut c_void) -> *mut c_void {
    let make = |provider| {
        Ok(Exchange {
            provider: Share::new(provider),
            key: CurveKey::default(),
            peer: None,
        })
    };
    // SAFETY: this function's contract.
    unsafe { create(provider, make) }
}

/// # Safety
/// The context is ours and in nobody else's use; the key is ours or null, and nobody changes it
/// meanwhile; the list is one.
unsafe extern "C" fn initialise(
    context: *mut c_void,
    key: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(context, |state: &mut Exchange| {
            state.initialise(referred(key), List::new(list))
        })
    }
}

/// # Safety
/// The context is ours and in nobody else's use; the key is ours or null, and nobody changes it
/// meanwhile.
unsafe extern "C" fn set_peer(context: *mut c_void, key: *mut c_void) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(context, |state: &mut Exchange| {
            state.set_peer(referred(key))
        })
    }
}

/// # Safety
/// The context is ours and in nobody else's use; the output is null or has so much room, and the
/// number of bytes a place.
unsafe extern "C" fn derive(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
) -> c_int {
    let derive = |state: &mut Exchange| {
        let bytes = state.key.curve()?.bytes();
        if output.is_null() {
            return Ok(bytes);
        }
        if room < bytes {
            let message = format!("the output has less room than {bytes} bytes");
            return Reason::OutputBufferTooSmall.fail(message);
        }
        let Some(peer) = &state.peer else {
            return Reason::NoKeySet.fail("no peer was set: give its public key");
        };
        let (algorithm, private) = (state.key.curve()?.algorithm, state.key.private()?);
        let secret = private.run(
            &mut state.provider,
            |key| Request::Agree(algorithm, key),
            &peer.to_bytes()?,
            |key| key.agree(peer),
            bytes,
        )?;
        // SAFETY: this function's contract; the room is as long.
        unsafe { ptr::copy_nonoverlapping(secret.as_ptr(), output, bytes) };
        Ok(bytes)
    };
    // SAFETY: this function's contract.
    unsafe { answer(written, on(context, derive)) }
}
