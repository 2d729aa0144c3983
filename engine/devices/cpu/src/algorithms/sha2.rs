// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! SHA-2 and HMAC (FIPS 180-4, FIPS 198-1), by AWS-LC.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use aws_lc_sys::{
    EVP_DigestFinal_ex, EVP_DigestInit_ex, EVP_DigestUpdate, EVP_MD, EVP_MD_CTX,
    EVP_MD_CTX_copy_ex, EVP_MD_CTX_free, EVP_MD_CTX_new, EVP_MD_block_size, EVP_MD_size, EVP_md5,
    EVP_sha1, EVP_sha224, EVP_sha256, EVP_sha384, EVP_sha512, EVP_sha512_224, EVP_sha512_256,
    HMAC_CTX, HMAC_CTX_copy_ex, HMAC_CTX_free, HMAC_CTX_new, HMAC_Final, HMAC_Init_ex, HMAC_Update,
};
use ciphermill::{Error, Result};

/// The longest digest.
pub(super) const DIGEST_BYTES: usize = 64;

/// A hash that HMAC is built on, and that a message to sign is hashed by. MD5 is there for HMAC
/// alone, which does not need it to resist collisions (RFC 2104, section 6); SHA-1 for HMAC and for
/// signatures that others made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HmacHash {
    /// MD5 (RFC 1321).
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-224.
    Sha224,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// SHA-512/224.
    Sha512_224,
    /// SHA-512/256.
    Sha512_256,
}

impl HmacHash {
    /// Bytes of a code.
    pub fn code_bytes(self) -> usize {
        // SAFETY: the hash is a constant.
        unsafe { EVP_MD_size(self.functions()) }
    }

    /// Bytes of a block of the hash.
    pub fn block_bytes(self) -> usize {
        // SAFETY: as above.
        unsafe { EVP_MD_block_size(self.functions()) }
    }

    fn functions(self) -> *const EVP_MD {
        // SAFETY: they take nothing and give the addresses of constants.
        unsafe {
            match self {
                HmacHash::Md5 => EVP_md5(),
                HmacHash::Sha1 => EVP_sha1(),
                HmacHash::Sha224 => EVP_sha224(),
                HmacHash::Sha256 => EVP_sha256(),
                HmacHash::Sha384 => EVP_sha384(),
                HmacHash::Sha512 => EVP_sha512(),
                HmacHash::Sha512_224 => EVP_sha512_224(),
                HmacHash::Sha512_256 => EVP_sha512_256(),
            }
        }
    }
}

pub(super) fn checked(status: c_int) -> Result<()> {
    match status {
        1 => Ok(()),
        _ => Err(Error::device("AWS-LC refuses to hash")),
    }
}

pub(super) fn allocated<T>(context: *mut T) -> Result<NonNull<T>> {
    NonNull::new(context).ok_or_else(|| Error::device("no memory to hash in"))
}

/// A hash of a message in slices.
pub(super) struct Digest(NonNull<EVP_MD_CTX>);

// SAFETY: a context belongs to no thread, and only its owner uses it.
unsafe impl Send for Digest {}

impl Digest {
    pub(super) fn new(hash: HmacHash) -> Result<Digest> {
        let digest = Digest::empty()?;
        // SAFETY: the context is valid, and the hash a constant.
        checked(unsafe {
            EVP_DigestInit_ex(digest.0.as_ptr(), hash.functions(), ptr::null_mut())
        })?;
        Ok(digest)
    }

    fn empty() -> Result<Digest> {
        // SAFETY: takes nothing, gives null or a context that is ours.
        allocated(unsafe { EVP_MD_CTX_new() }).map(Digest)
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

    /// Bytes of the digest.
    pub(super) fn finish(&mut self, digest: &mut [u8; DIGEST_BYTES]) -> Result<u32> {
        let mut bytes = 0;
        // SAFETY: the context has a hash, none of which gives more bytes.
        checked(unsafe {
            EVP_DigestFinal_ex(self.0.as_ptr(), digest.as_mut_ptr(), &raw mut bytes)
        })?;
        Ok(bytes)
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        // SAFETY: the context is ours; this zeroises it too.
        unsafe { EVP_MD_CTX_free(self.0.as_ptr()) };
    }
}

/// HMAC of a message in slices.
pub(super) struct Hmac(NonNull<HMAC_CTX>);

// SAFETY: a context belongs to no thread, and only its owner uses it.
unsafe impl Send for Hmac {}

impl Hmac {
    pub(super) fn new(hash: HmacHash, key: &[u8]) -> Result<Hmac> {
        let hmac = Hmac::empty()?;
        // SAFETY: the context is valid, the key has its length, the hash is a constant. The
        // pointer of an empty key is not null, as a slice's never is.
        checked(unsafe {
            let (key, bytes) = (key.as_ptr().cast(), key.len());
            HMAC_Init_ex(
                hmac.0.as_ptr(),
                key,
                bytes,
                hash.functions(),
                ptr::null_mut(),
            )
        })?;
        Ok(hmac)
    }

    fn empty() -> Result<Hmac> {
        // SAFETY: takes nothing, gives null or a context that is ours.
        allocated(unsafe { HMAC_CTX_new() }).map(Hmac)
    }

    /// A copy that goes on by itself.
    pub(super) fn duplicate(&self) -> Result<Hmac> {
        let copy = Hmac::empty()?;
        // SAFETY: both contexts are valid, and this one has a key.
        checked(unsafe { HMAC_CTX_copy_ex(copy.0.as_ptr(), self.0.as_ptr()) })?;
        Ok(copy)
    }

    pub(super) fn update(&mut self, data: &[u8]) -> Result<()> {
        // SAFETY: the context has a key, and the data its length.
        checked(unsafe { HMAC_Update(self.0.as_ptr(), data.as_ptr(), data.len()) })
    }

    /// Bytes of the code.
    pub(super) fn finish(&mut self, code: &mut [u8; DIGEST_BYTES]) -> Result<u32> {
        let mut bytes = 0;
        // SAFETY: the context has a key; the code has room for every hash's.
        checked(unsafe { HMAC_Final(self.0.as_ptr(), code.as_mut_ptr(), &raw mut bytes) })?;
        Ok(bytes)
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: the context is ours; this zeroises it too.
        unsafe { HMAC_CTX_free(self.0.as_ptr()) };
    }
}
