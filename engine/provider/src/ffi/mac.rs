// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Message authentication codes as OpenSSL calls them (provider-mac(7), EVP_MAC-HMAC(7)).

use std::ffi::{c_int, c_uchar, c_void};

use ciphermill::{Allocator, HMAC_SHA_256, Request, SecretKey};
use ciphermill_cpu::{DirectDigest, HmacHash};

use super::abi::{
    Algorithm, Dispatch, MAC_DUPCTX, MAC_FINAL, MAC_FREECTX, MAC_GET_CTX_PARAMS,
    MAC_GETTABLE_CTX_PARAMS, MAC_INIT, MAC_NEWCTX, MAC_SET_CTX_PARAMS, MAC_SETTABLE_CTX_PARAMS,
    MAC_UPDATE, Parameter, dispatch,
};
use super::context::{
    self, Absorb, ContextTable, Finish, Free, Hashes, New, OnContext, State, absorb, create,
    duplicate, free, give_all, octets, on,
};
use super::parameters::{Entry, List, tables};
use crate::failure::{Failure, Outcome, Reason};
use crate::hasher::Hasher;

type Initialise = unsafe extern "C" fn(*mut c_void, *const c_uchar, usize, *mut Parameter) -> c_int;

/// A hash for HMAC: its names in OpenSSL, the bytes of the code, and those of a block.
struct Row {
    hash: HmacHash,
    names: &'static str,
    code_bytes: u64,
    block_bytes: u64,
}

const fn row(hash: HmacHash, code_bytes: u64, block_bytes: u64, names: &'static str) -> Row {
    Row {
        hash,
        names,
        code_bytes,
        block_bytes,
    }
}

/// libssl and OpenSSL's key derivation take HMAC from this provider with whichever hash they
/// need, so the usual ones are here though devices have SHA-256 alone.
static ROWS: [Row; 6] = [
    row(
        HmacHash::Sha256,
        32,
        64,
        "SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1",
    ),
    row(
        HmacHash::Sha384,
        48,
        128,
        "SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2",
    ),
    row(
        HmacHash::Sha512,
        64,
        128,
        "SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3",
    ),
    row(
        HmacHash::Sha224,
        28,
        64,
        "SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4",
    ),
    row(HmacHash::Sha1, 20, 64, "SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26"),
    row(HmacHash::Md5, 16, 64, "MD5:SSL3-MD5:1.2.840.113549.2.5"),
];

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
    MAC_NEWCTX: New = new,
    MAC_DUPCTX: New = duplicate::<Hmac>,
    MAC_FREECTX: Free = free::<Hmac>,
    MAC_INIT: Initialise = initialise,
    MAC_UPDATE: Absorb = absorb::<Hmac>,
    MAC_FINAL: Finish = context::finish::<Hmac>,
    MAC_GET_CTX_PARAMS: OnContext = get_parameters,
    MAC_SET_CTX_PARAMS: OnContext = set_parameters,
    MAC_GETTABLE_CTX_PARAMS: ContextTable = gettable,
    MAC_SETTABLE_CTX_PARAMS: ContextTable = settable,
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

impl Hashes for Hmac {
    fn hasher(&mut self) -> &mut Hasher {
        &mut self.hasher
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
        let is_it = |row: &&Row| {
            row.names
                .split(':')
                .any(|known| known.eq_ignore_ascii_case(name))
        };
        let Some(row) = ROWS.iter().find(is_it) else {
            let message = format!(
                "HMAC with digest \"{name:.40}\" is not offered here: choose SHA2-224, SHA2-256, \
                 SHA2-384, SHA2-512, SHA1 or MD5, or fetch HMAC with provider=default"
            );
            return Err(Failure::new(Reason::ValueError, message));
        };
        if self.row.is_none_or(|present| present.hash != row.hash) {
            self.hasher.set_up(None, None);
            self.row = Some(row);
        }
        Ok(())
    }

    /// Take a key, and begin a message with it.
    fn set_key(&mut self, key: &[u8]) -> Outcome<()> {
        let row = self.row.ok_or_else(|| {
            let message = "no digest was set: give the parameter \"digest\" before the key";
            Failure::new(Reason::ValueError, message)
        })?;
        let ready = DirectDigest::hmac(row.hash, key)?;
        let request = match row.hash {
            HmacHash::Sha256 => {
                let key = SecretKey::new(Allocator::default().filled(key)?.into_vec());
                Some(Request::Authenticate(&HMAC_SHA_256, key))
            }
            _ => None,
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
    let outcome = unsafe {
        let key = (!key.is_null()).then(|| octets(key, key_bytes));
        on(context, |hmac: &mut Hmac| {
            hmac.initialise(key, List::new(list))
        })
    };
    c_int::from(outcome.is_some())
}

/// # Safety
/// The context is ours and in nobody else's use, and the list is one.
unsafe extern "C" fn get_parameters(context: *mut c_void, list: *mut Parameter) -> c_int {
    let get = |hmac: &mut Hmac, list| {
        give_all(list, |entry| {
            let value = match entry.name() {
                b"size" => hmac.row.map_or(0, |row| row.code_bytes),
                b"block-size" => hmac.row.map_or(0, |row| row.block_bytes),
                _ => return Ok(true),
            };
            Ok(entry.set_unsigned(value))
        })
    };
    // SAFETY: this function's contract.
    let outcome = unsafe { on(context, |hmac: &mut Hmac| get(hmac, List::new(list))) };
    c_int::from(outcome.is_some())
}

/// # Safety
/// As [`get_parameters`].
unsafe extern "C" fn set_parameters(context: *mut c_void, list: *mut Parameter) -> c_int {
    let set = |hmac: &mut Hmac, list| match hmac.set_all(list)? {
        Some(key) => hmac.set_key(key),
        None => Ok(()),
    };
    // SAFETY: this function's contract.
    let outcome = unsafe { on(context, |hmac: &mut Hmac| set(hmac, List::new(list))) };
    c_int::from(outcome.is_some())
}
