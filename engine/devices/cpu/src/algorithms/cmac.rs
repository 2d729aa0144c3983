// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! CMAC with AES (SP 800-38B), by AWS-LC.

#![allow(unsafe_code)]

use std::ptr::{self, NonNull};

use aws_lc_sys::{
    CMAC_CTX, CMAC_CTX_copy, CMAC_CTX_free, CMAC_CTX_new, CMAC_Final, CMAC_Init, CMAC_Update,
    EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc,
};
use ciphermill::{Error, Result};

use super::sha2::{DIGEST_BYTES, allocated, checked};

/// CMAC of a message in slices.
pub(super) struct Cmac(NonNull<CMAC_CTX>);

// SAFETY: a context belongs to no thread, and only its owner uses it.
unsafe impl Send for Cmac {}

impl Cmac {
    pub(super) fn new(key: &[u8]) -> Result<Cmac> {
        // SAFETY: they take nothing and give the addresses of constants.
        let cipher = unsafe {
            match key.len() {
                16 => EVP_aes_128_cbc(),
                24 => EVP_aes_192_cbc(),
                32 => EVP_aes_256_cbc(),
                bytes => return Err(Error::invalid(format!("AES has no key of {bytes} bytes"))),
            }
        };
        let cmac = Cmac::empty()?;
        // SAFETY: the context is valid, the key has its length, the cipher is a constant.
        checked(unsafe {
            let (key, bytes) = (key.as_ptr().cast(), key.len());
            CMAC_Init(cmac.0.as_ptr(), key, bytes, cipher, ptr::null_mut())
        })?;
        Ok(cmac)
    }

    fn empty() -> Result<Cmac> {
        // SAFETY: takes nothing, gives null or a context that is ours.
        allocated(unsafe { CMAC_CTX_new() }).map(Cmac)
    }

    /// A copy that goes on by itself.
    pub(super) fn duplicate(&self) -> Result<Cmac> {
        let copy = Cmac::empty()?;
        // SAFETY: both contexts are valid, and this one has a key.
        checked(unsafe { CMAC_CTX_copy(copy.0.as_ptr(), self.0.as_ptr()) })?;
        Ok(copy)
    }

    pub(super) fn update(&mut self, data: &[u8]) -> Result<()> {
        // SAFETY: the context has a key, and the data its length.
        checked(unsafe { CMAC_Update(self.0.as_ptr(), data.as_ptr(), data.len()) })
    }

    /// Bytes of the code.
    pub(super) fn finish(&mut self, code: &mut [u8; DIGEST_BYTES]) -> Result<u32> {
        let mut bytes = 0;
        // SAFETY: the context has a key; the code has room for a block.
        checked(unsafe { CMAC_Final(self.0.as_ptr(), code.as_mut_ptr(), &raw mut bytes) })?;
        Ok(bytes as u32)
    }
}

impl Drop for Cmac {
    fn drop(&mut self) {
        // SAFETY: the context is ours; this zeroises it too.
        unsafe { CMAC_CTX_free(self.0.as_ptr()) };
    }
}
