// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! SHA-256, SHA-512 and HMAC-SHA-256 (FIPS 180-4, FIPS 198-1), by AWS-LC.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use aws_lc_sys::{
    EVP_DigestFinal_ex, EVP_DigestInit_ex, EVP_DigestUpdate, EVP_MD_CTX, EVP_MD_CTX_copy_ex,
    EVP_MD_CTX_free, EVP_MD_CTX_new, EVP_sha256, EVP_sha512, HMAC_CTX, HMAC_CTX_free, HMAC_CTX_new,
    HMAC_Final, HMAC_Init_ex, HMAC_Update,
};
use ciphermill::{Algorithm, Cancellation, Error, Request, Result, SHA_512};
use zeroize::Zeroize;

use crate::cpu::SLICE_BYTES;

/// The longest digest.
pub(super) const DIGEST_BYTES: usize = 64;

/// The code takes the data's place.
pub(super) fn authenticate(
    request: &Request,
    data: &mut Vec<u8>,
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let Request::Authenticate(algorithm, key) = request else {
        return Err(request.unsupported("device cpu"));
    };
    let mut code = [0; DIGEST_BYTES];
    let mut message = Hmac::new(key.as_bytes())?;
    for slice in data.chunks(SLICE_BYTES) {
        cancellation.check()?;
        message.update(slice)?;
    }
    message.finish(&mut code)?;
    data.zeroize();
    data.extend_from_slice(&code[..algorithm.digest_bytes]);
    Ok(None)
}

fn checked(status: c_int) -> Result<()> {
    match status {
        1 => Ok(()),
        _ => Err(Error::device("AWS-LC refuses to hash")),
    }
}

/// A hash of a message in slices.
pub(super) struct Digest(NonNull<EVP_MD_CTX>);

// SAFETY: a context belongs to no thread, and only its owner uses it.
unsafe impl Send for Digest {}

impl Digest {
    /// SHA-512, or else SHA-256.
    pub(super) fn new(algorithm: &Algorithm) -> Result<Digest> {
        let digest = Digest::empty()?;
        // SAFETY: the hashes' functions take nothing and give the addresses of constants; the
        // context is valid.
        checked(unsafe {
            let hash = match algorithm == &SHA_512 {
                true => EVP_sha512(),
                false => EVP_sha256(),
            };
            EVP_DigestInit_ex(digest.0.as_ptr(), hash, ptr::null_mut())
        })?;
        Ok(digest)
    }

    fn empty() -> Result<Digest> {
        // SAFETY: takes nothing, gives null or a context that is ours.
        let context = NonNull::new(unsafe { EVP_MD_CTX_new() });
        let context = context.ok_or_else(|| Error::device("no memory to hash in"))?;
        Ok(Digest(context))
    }

    /// A copy that goes on by itself.
    pub(super) fn duplicate(&self) -> Result<Digest> {
        let copy = Digest::empty()?;
        // SAFETY: both contexts are valid, and this one has a hash.
        checked(unsafe { EVP_MD_CTX_copy_ex(copy.0.as_ptr(), self.0.as_ptr()) })?;
        Ok(copy)
    }

    pub(super) fn update(&mut self, data: &[u8]) -> Result<()> {
        // SAFETY: the context has a hash, and the data its length.
        checked(unsafe { EVP_DigestUpdate(self.0.as_ptr(), data.as_ptr().cast(), data.len()) })
    }

    pub(super) fn finish(&mut self, digest: &mut [u8; DIGEST_BYTES]) -> Result<()> {
        // SAFETY: the context has a hash, none of which gives more bytes; null is allowed.
        checked(unsafe {
            EVP_DigestFinal_ex(self.0.as_ptr(), digest.as_mut_ptr(), ptr::null_mut())
        })
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        // SAFETY: the context is ours; this zeroises it too.
        unsafe { EVP_MD_CTX_free(self.0.as_ptr()) };
    }
}

/// HMAC-SHA-256 of a message in slices.
struct Hmac(NonNull<HMAC_CTX>);

impl Hmac {
    fn new(key: &[u8]) -> Result<Hmac> {
        // SAFETY: takes nothing, gives null or a context that is ours.
        let context = NonNull::new(unsafe { HMAC_CTX_new() });
        let hmac = Hmac(context.ok_or_else(|| Error::device("no memory to hash in"))?);
        // SAFETY: the context is valid, the key has its length, the hash is a constant. The
        // pointer of an empty key is not null, as a slice's never is.
        checked(unsafe {
            let (key, bytes) = (key.as_ptr().cast(), key.len());
            HMAC_Init_ex(hmac.0.as_ptr(), key, bytes, EVP_sha256(), ptr::null_mut())
        })?;
        Ok(hmac)
    }

    fn update(&mut self, data: &[u8]) -> Result<()> {
        // SAFETY: the context has a key, and the data its length.
        checked(unsafe { HMAC_Update(self.0.as_ptr(), data.as_ptr(), data.len()) })
    }

    fn finish(&mut self, code: &mut [u8; DIGEST_BYTES]) -> Result<()> {
        let mut bytes = 0;
        // SAFETY: the context has a key; the code has room for every hash's.
        checked(unsafe { HMAC_Final(self.0.as_ptr(), code.as_mut_ptr(), &raw mut bytes) })
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: the context is ours; this zeroises it too.
        unsafe { HMAC_CTX_free(self.0.as_ptr()) };
    }
}
