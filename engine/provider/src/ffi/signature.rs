// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! ECDSA as OpenSSL calls it (provider-signature(7)).

use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;

use ciphermill::Request;
use ciphermill_cpu::{DirectDigest, HmacHash, signature_from_der, signature_to_der};

use super::abi::{Algorithm, Dispatch, Parameter, dispatch};
use super::context::{
    Absorb, ContextTable, Free, New, OnContext, Parameters, answer, create, done, duplicate, free,
    get_parameters, octets, on, referred, set_parameters,
};
use super::hashes::{self, Row};
use super::parameters::{Entry, List, tables};
use crate::curve_key::CurveKey;
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::{Provider, Share, State};

type Create = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Initialise = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut Parameter) -> c_int;
type InitialiseDigest =
    unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void, *mut Parameter) -> c_int;
type Sign = unsafe extern "C" fn(
    *mut c_void,
    *mut c_uchar,
    *mut usize,
    usize,
    *const c_uchar,
    usize,
) -> c_int;
type SignFinal = unsafe extern "C" fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;
type Verify =
    unsafe extern "C" fn(*mut c_void, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
type VerifyFinal = unsafe extern "C" fn(*mut c_void, *const c_uchar, usize) -> c_int;

tables! {
    gettable(*mut c_void, *mut c_void): [
        c"algorithm-id" OCTET_STRING 0;
        c"digest" UTF8_STRING 0;
        c"digest-size" UNSIGNED_INTEGER size_of::<usize>();
    ];
    settable(*mut c_void, *mut c_void): [
        c"digest" UTF8_STRING 0;
        c"digest-size" UNSIGNED_INTEGER size_of::<usize>();
    ];
}

static ECDSA: [Dispatch; 18] = dispatch! {
    SIGNATURE_NEWCTX 1: Create = new,
    SIGNATURE_SIGN_INIT 2: Initialise = sign_initialise,
    SIGNATURE_SIGN 3: Sign = sign,
    SIGNATURE_VERIFY_INIT 4: Initialise = verify_initialise,
    SIGNATURE_VERIFY 5: Verify = verify,
    SIGNATURE_DIGEST_SIGN_INIT 8: InitialiseDigest = digest_sign_initialise,
    SIGNATURE_DIGEST_SIGN_UPDATE 9: Absorb = update,
    SIGNATURE_DIGEST_SIGN_FINAL 10: SignFinal = digest_sign_final,
    SIGNATURE_DIGEST_VERIFY_INIT 12: InitialiseDigest = digest_verify_initialise,
    SIGNATURE_DIGEST_VERIFY_UPDATE 13: Absorb = update,
    SIGNATURE_DIGEST_VERIFY_FINAL 14: VerifyFinal = digest_verify_final,
    SIGNATURE_FREECTX 16: Free = free::<Signature>,
    SIGNATURE_DUPCTX 17: New = duplicate::<Signature>,
    SIGNATURE_GET_CTX_PARAMS 18: OnContext = get_parameters::<Signature>,
    SIGNATURE_GETTABLE_CTX_PARAMS 19: ContextTable = gettable,
    SIGNATURE_SET_CTX_PARAMS 20: OnContext = set_parameters::<Signature>,
    SIGNATURE_SETTABLE_CTX_PARAMS 21: ContextTable = settable,
};

/// The algorithms offered.
pub(super) static SIGNATURES: [Algorithm; 2] = [Algorithm::new(c"ECDSA", &ECDSA), Algorithm::END];

/// What a context does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Sign,
    Verify,
}

/// A context of ECDSA.
struct Signature {
    provider: Share,
    key: CurveKey,
    purpose: Option<Purpose>,
    /// The hash of the message, or of the digest that is handed over.
    hash: Option<&'static Row>,
    /// The message so far, where the context hashes it.
    message: Option<DirectDigest>,
}

impl State for Signature {
    fn duplicate(&self) -> Outcome<Signature> {
        let message = self.message.as_ref().map(DirectDigest::duplicate);
        Ok(Signature {
            provider: self.provider.another(),
            key: self.key.clone(),
            message: message.transpose()?,
            ..*self
        })
    }

    fn spoil(&mut self) {
        self.purpose = None;
        self.message = None;
    }
}

impl Parameters for Signature {
    fn give(&mut self, entry: &mut Entry<'_>) -> Outcome<bool> {
        let Some(hash) = self.hash else {
            return Ok(true);
        };
        Ok(match entry.name() {
            b"algorithm-id" if !hash.ecdsa.is_empty() => {
                entry.set_octets(&algorithm_identifier(hash))
            }
            b"digest" => {
                let name = hash.names.split(':').next().unwrap_or_default();
                entry.set_string(name.as_bytes())
            }
            b"digest-size" => entry.set_unsigned(hash.hash.code_bytes() as u64),
            _ => true,
        })
    }

    fn take(&mut self, list: List<'_>) -> Outcome<()> {
        for entry in list {
            match entry.name() {
                b"digest" if self.message.is_some() => {
                    let message = "the digest cannot change after the message was begun";
                    return Reason::InvalidDigest.fail(message);
                }
                b"digest" => self.hash = Some(hash(entry.text().unwrap_or_default())?),
                b"digest-size" => {
                    let right = self.hash.map(|hash| hash.hash.code_bytes() as u64);
                    if right.is_some() && entry.unsigned() != right {
                        return Reason::InvalidDigestLength.fail("the digest has another length");
                    }
                }
                // Such as "properties", which says where the hash comes from.
                _ => {}
            }
        }
        Ok(())
    }
}

impl Signature {
    fn new(provider: Arc<Provider>) -> Signature {
        Signature {
            provider: Share::new(provider),
            key: CurveKey::default(),
            purpose: None,
            hash: None,
            message: None,
        }
    }

    /// Take a key, or keep the present one, to sign or to verify.
    fn initialise(
        &mut self,
        purpose: Purpose,
        key: Option<&CurveKey>,
        list: List<'_>,
    ) -> Outcome<()> {
        self.spoil();
        if let Some(key) = key {
            self.key = key.clone();
        }
        self.key.curve()?;
        match purpose {
            Purpose::Sign => self.key.private().map(|_| ())?,
            Purpose::Verify => self.key.public().map(|_| ())?,
        }
        self.take(list)?;
        self.purpose = Some(purpose);
        Ok(())
    }

    /// Begin a message.
    fn begin(&mut self, name: Option<&str>) -> Outcome<()> {
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            self.hash = Some(hash(name)?);
        }
        let Some(hash) = self.hash else {
            return Reason::InvalidDigest.fail("no digest was set: name one, such as SHA2-256");
        };
        self.message = Some(DirectDigest::by(hash.hash)?);
        Ok(())
    }

    fn update(&mut self, data: &[u8]) -> Outcome<()> {
        let message = self.message.as_mut().ok_or_else(no_message)?;
        message.update(data)?;
        Ok(())
    }

    fn check(&self, purpose: Purpose) -> Outcome<()> {
        match self.purpose == Some(purpose) {
            true => Ok(()),
            false => Err(no_message()),
        }
    }

    /// Bytes of the longest signature.
    fn longest(&self, purpose: Purpose) -> Outcome<usize> {
        self.check(purpose)?;
        Ok(self.key.curve()?.signature_bytes)
    }

    fn check_digest(&self, digest: &[u8]) -> Outcome<()> {
        let right = self.hash.map(|hash| hash.hash.code_bytes());
        match right {
            Some(right) if right != digest.len() => {
                let given = digest.len();
                let message = format!("the digest has {right} bytes, not {given}");
                Reason::InvalidDigestLength.fail(message)
            }
            _ => Ok(()),
        }
    }

    fn sign(&mut self, digest: &[u8]) -> Outcome<Vec<u8>> {
        self.check_digest(digest)?;
        let (algorithm, private) = (self.key.curve()?.algorithm, self.key.private()?);
        let signature = private.run(
            &mut self.provider,
            |key| Request::Sign(algorithm, key),
            digest,
            |key| Ok(key.sign(digest)?.into()),
            digest.len(),
        )?;
        Ok(signature_to_der(&signature)?)
    }

    /// A signature that does not match is a failure without an error in the queue.
    fn verify(&mut self, digest: &[u8], signature: &[u8]) -> Outcome<()> {
        self.check(Purpose::Verify)?;
        self.check_digest(digest)?;
        let (algorithm, public) = (self.key.curve()?.algorithm, self.key.public()?);
        let Some(integers) = signature_from_der(algorithm, signature) else {
            return Err(Failure::not_authentic());
        };
        let request = || {
            Ok(Request::Verify {
                algorithm,
                public_key: public.to_bytes()?,
                signature: integers,
            })
        };
        let right = match self.provider.on_curve(request, digest)? {
            Some(answer) => answer == [1],
            None => {
                self.provider.count(digest.len());
                public.verify_der(digest, signature)
            }
        };
        match right {
            true => Ok(()),
            false => Err(Failure::not_authentic()),
        }
    }

    /// The digest of the message, which ends it.
    fn digest(&mut self) -> Outcome<Vec<u8>> {
        Ok(self.message.take().ok_or_else(no_message)?.finish()?)
    }
}

fn hash(name: &str) -> Outcome<&'static Row> {
    let choice = hashes::CHOICE;
    // MD5 is there for HMAC alone.
    match hashes::find(name).filter(|row| row.hash != HmacHash::Md5) {
        Some(row) => Ok(row),
        None => Reason::InvalidDigest.fail(format!(
            "ECDSA with digest \"{name:.40}\" is not offered here: choose {choice}, or fetch \
             ECDSA with provider=default"
        )),
    }
}

/// `AlgorithmIdentifier` of ECDSA with this hash, in DER (RFC 5758, 3.2).
fn algorithm_identifier(hash: &Row) -> Vec<u8> {
    // 1.2.840.10045.4
    let arc = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04];
    let identifier = [&arc, hash.ecdsa].concat();
    let bytes = identifier.len() as u8;
    [&[0x30, bytes + 2, 0x06, bytes], &identifier[..]].concat()
}

fn no_message() -> Failure {
    let message = "the context was not initialised for this, or an earlier operation failed";
    Failure::new(Reason::NoKeySet, message)
}

/// # Safety
/// The provider's context is ours.
unsafe extern "C" fn new(provider: *mut c_void, _: *const c_char) -> *mut c_void {
    // SAFETY: this function's contract.
    unsafe { create(provider, |provider| Ok(Signature::new(provider))) }
}

/// # Safety
/// The context is ours and in nobody else's use; the key is ours or null, and nobody changes it
/// meanwhile; the list is one.
unsafe extern "C" fn sign_initialise(
    context: *mut c_void,
    key: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(context, |state: &mut Signature| {
            state.initialise(Purpose::Sign, referred(key), List::new(list))
        })
    }
}

/// # Safety
/// As [`sign_initialise`].
unsafe extern "C" fn verify_initialise(
    context: *mut c_void,
    key: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(context, |state: &mut Signature| {
            state.initialise(Purpose::Verify, referred(key), List::new(list))
        })
    }
}

/// # Safety
/// As [`sign_initialise`], and the name is a C string or null.
unsafe extern "C" fn digest_sign_initialise(
    context: *mut c_void,
    name: *const c_char,
    key: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe { begin(context, Purpose::Sign, name, key, list) }
}

/// # Safety
/// As [`digest_sign_initialise`].
unsafe extern "C" fn digest_verify_initialise(
    context: *mut c_void,
    name: *const c_char,
    key: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe { begin(context, Purpose::Verify, name, key, list) }
}

/// # Safety
/// As [`digest_sign_initialise`].
unsafe fn begin(
    context: *mut c_void,
    purpose: Purpose,
    name: *const c_char,
    key: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    let begin = |state: &mut Signature| {
        // SAFETY: this function's contract.
        let (name, key, list) = unsafe {
            let name = (!name.is_null()).then(|| CStr::from_ptr(name));
            (name, referred(key), List::new(list))
        };
        let name = name.map(CStr::to_string_lossy);
        state.initialise(purpose, key, list)?;
        state.begin(name.as_deref())
    };
    // SAFETY: this function's contract.
    unsafe { done(context, begin) }
}

/// # Safety
/// The context is ours and in nobody else's use; the data has so many bytes.
unsafe extern "C" fn update(context: *mut c_void, data: *const c_uchar, bytes: usize) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        let data = octets(data, bytes);
        done(context, |state: &mut Signature| state.update(data))
    }
}

/// Give out a signature, or the bytes of the longest one where the output is null.
///
/// # Safety
/// The context is ours and in nobody else's use; the output is null or has so much room, and the
/// number of bytes a place.
unsafe fn give(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
    make: impl FnOnce(&mut Signature) -> Outcome<Vec<u8>>,
) -> c_int {
    let give = |state: &mut Signature| {
        let longest = state.longest(Purpose::Sign)?;
        if output.is_null() {
            return Ok(longest);
        }
        if room < longest {
            let message = format!("the output has less room than {longest} bytes");
            return Reason::OutputBufferTooSmall.fail(message);
        }
        let signature = make(state)?;
        // SAFETY: this function's contract; no signature is longer than the longest.
        unsafe { ptr::copy_nonoverlapping(signature.as_ptr(), output, signature.len()) };
        Ok(signature.len())
    };
    // SAFETY: this function's contract.
    unsafe { answer(written, on(context, give)) }
}

/// # Safety
/// As [`give`], and the digest has so many bytes.
unsafe extern "C" fn sign(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
    digest: *const c_uchar,
    bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        let digest = octets(digest, bytes);
        give(context, output, written, room, |state| state.sign(digest))
    }
}

/// # Safety
/// As [`give`].
unsafe extern "C" fn digest_sign_final(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
) -> c_int {
    let make = |state: &mut Signature| {
        let digest = state.digest()?;
        state.sign(&digest)
    };
    // SAFETY: this function's contract.
    unsafe { give(context, output, written, room, make) }
}

/// # Safety
/// The context is ours and in nobody else's use; signature and digest have so many bytes.
unsafe extern "C" fn verify(
    context: *mut c_void,
    signature: *const c_uchar,
    signature_bytes: usize,
    digest: *const c_uchar,
    digest_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        let signature = octets(signature, signature_bytes);
        let digest = octets(digest, digest_bytes);
        done(context, |state: &mut Signature| {
            state.verify(digest, signature)
        })
    }
}

/// # Safety
/// The context is ours and in nobody else's use; the signature has so many bytes.
unsafe extern "C" fn digest_verify_final(
    context: *mut c_void,
    signature: *const c_uchar,
    bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        let signature = octets(signature, bytes);
        done(context, |state: &mut Signature| {
            state.check(Purpose::Verify)?;
            let digest = state.digest()?;
            state.verify(&digest, signature)
        })
    }
}
