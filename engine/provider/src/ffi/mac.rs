// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Message authentication codes as OpenSSL calls them (provider-mac(7), EVP_MAC-HMAC(7)).

use std::ffi::{c_int, c_uchar, c_void};

use ciphermill::{Allocator, Request, SecretKey};
use ciphermill_cpu::DirectDigest;

use super::abi::{Algorithm, Dispatch, Parameter, dispatch};
use super::context::{
    self, Absorb, ContextTable, Finish, Free, New, OnContext, Parameters, absorb, create, done,
    duplicate, free, get_parameters, octets, set_parameters,
};
use super::hashes::{self, Row};
use super::parameters::{Entry, List, tables};
use crate::failure::{Failure, Outcome, Reason};
use crate::hasher::Hasher;
use crate::provider::State;

type Initialise = unsafe extern "C" fn(*mut c_void, *const c_uchar, usize, *mut Parameter) -> c_int;

tables! {
    gettable(*mut c_void, *mut c_void): [
        c"size" UNSIGNED_INTEGER size_of::<usize>();
        c"block-size" UNSIGNED_INTEGER size_of::<usize>();
    ];
    settable(*mut c_void, *mut c_void): [
        c"digest" UTF8_STRING 0;
        c"key" OCTET_STRING 0;
    ];
}

static HMAC: [Dispatch; 11] = dispatch! {
    MAC_NEWCTX 1: New = new,
    MAC_DUPCTX 2: New = duplicate::<Hmac>,
    MAC_FREECTX 3: Free = free::<Hmac>,
    MAC_INIT 4: Initialise = initialise,
    MAC_UPDATE 5: Absorb = absorb::<Hmac>,
    MAC_FINAL 6: Finish = context::finish::<Hmac>,
    MAC_GET_CTX_PARAMS 8: OnContext = get_parameters::<Hmac>,
    MAC_SET_CTX_PARAMS 9: OnContext = set_parameters::<Hmac>,
    MAC_GETTABLE_CTX_PARAMS 11: ContextTable = gettable,
    MAC_SETTABLE_CTX_PARAMS 12: ContextTable = settable,
};

/// The algorithms offered.
pub(super) static MACS: [Algorithm; 2] = [Algorithm::new(c"HMAC", &HMAC), Algorithm::END];

/// A context of HMAC.
struct Hmac {
    hasher: Hasher,
    row: Option<&'static Row>,
}

impl State for Hmac {
    fn duplicate(&self) -> Outcome<Hmac> {
        let (hasher, row) = (self.hasher.duplicate()?, self.row);
        Ok(Hmac { hasher, row })
    }

    fn spoil(&mut self) {
        self.hasher.spoil();
    }
}

impl AsMut<Hasher> for Hmac {
    fn as_mut(&mut self) -> &mut Hasher {
        &mut self.hasher
    }
}

impl Parameters for Hmac {
    fn give(&mut self, entry: &mut Entry<'_>) -> Outcome<bool> {
        let value = match entry.name() {
            b"size" => self.row.map_or(0, |row| row.hash.code_bytes()) as u64,
            b"block-size" => self.row.map_or(0, |row| row.hash.block_bytes()) as u64,
            _ => return Ok(true),
        };
        Ok(entry.set_unsigned(value))
    }

    fn take(&mut self, list: List<'_>) -> Outcome<()> {
        match self.set_all(list)? {
            Some(key) => self.set_key(key),
            None => Ok(()),
        }
    }
}

impl Hmac {
    /// Begin a message with this key, else with the one among the parameters, else with the
    /// present one. A failure ends the message that was begun before.
    fn initialise(&mut self, key: Option<&[u8]>, list: List<'_>) -> Outcome<()> {
        self.hasher.spoil();
        match key.or(self.set_all(list)?) {
            Some(key) => self.set_key(key),
            None => self.hasher.initialise(),
        }
    }

    /// Set the hash; the key that is among the parameters.
    fn set_all<'a>(&mut self, list: List<'a>) -> Outcome<Option<&'a [u8]>> {
        let wrong = |message: String| Failure::new(Reason::ValueError, message);
        let mut key = None;
        for entry in list {
            match entry.name() {
                b"digest" => self.set_hash(&entry)?,
                b"key" => {
                    let given = entry.octets(0);
                    key = Some(given.ok_or_else(|| wrong("the key must be octets".to_owned()))?);
                }
                b"tls-data-size" => {
                    let message = "TLS records in CBC need their MAC computed in constant time, \
                        which is the default provider's work: configure `macs = no`, or choose \
                        cipher suites without CBC";
                    return Err(wrong(message.to_owned()));
                }
                // Such as "properties" and "engine", which say where the hash comes from.
                _ => {}
            }
        }
        Ok(key)
    }

    /// Another hash than the present one needs the key anew.
    fn set_hash(&mut self, entry: &Entry<'_>) -> Outcome<()> {
        let name = entry.text().unwrap_or_default();
        let Some(row) = hashes::find(name) else {
            let choice = hashes::CHOICE;
            let message = format!(
                "HMAC with digest \"{name:.40}\" is not offered here: choose {choice} or MD5, or \
                 fetch HMAC with provider=default"
            );
            return Reason::ValueError.fail(message);
        };
        let before = self.row.replace(row);
        if before.map(|row| row.hash) != Some(row.hash) {
            self.hasher.set_up(None, None);
        }
        Ok(())
    }

    /// Take a key, and begin a message with it.
    fn set_key(&mut self, key: &[u8]) -> Outcome<()> {
        let Some(row) = self.row else {
            let message = "no digest was set: give the parameter \"digest\" before the key";
            return Reason::ValueError.fail(message);
        };
        let ready = DirectDigest::hmac(row.hash, key)?;
        let request = match row.hmac {
            Some(algorithm) => {
                let key = SecretKey::new(Allocator::default().filled(key)?.into_vec());
                Some(Request::Authenticate(algorithm, key))
            }
            None => None,
        };
        self.hasher.set_up(Some(ready), request);
        self.hasher.initialise()
    }
}

/// # Safety
/// The provider's context is ours.
unsafe extern "C" fn new(provider: *mut c_void) -> *mut c_void {
    let make = |provider| {
        let hasher = Hasher::new(provider);
        Ok(Hmac { hasher, row: None })
    };
    // SAFETY: this function's contract.
    unsafe { create(provider, make) }
}

/// # Safety
/// The context is ours and in nobody else's use; the key has so many bytes, or is null; the list
/// is one.
unsafe extern "C" fn initialise(
    context: *mut c_void,
    key: *const c_uchar,
    key_bytes: usize,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        let key = (!key.is_null()).then(|| octets(key, key_bytes));
        done(context, |hmac: &mut Hmac| {
            hmac.initialise(key, List::new(list))
        })
    }
}
