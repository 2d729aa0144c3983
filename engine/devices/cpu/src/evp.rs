// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AWS-LC's ciphers for messages in pieces, and a safe face over them.
//! Signatures: aws-lc-sys; behaviour: AWS-LC, openssl/cipher.h.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use aws_lc_sys::{
    EVP_CIPHER, EVP_CIPHER_CTX, EVP_CIPHER_CTX_copy, EVP_CIPHER_CTX_ctrl, EVP_CIPHER_CTX_free,
    EVP_CIPHER_CTX_iv_length, EVP_CIPHER_CTX_new, EVP_CIPHER_CTX_set_padding,
    EVP_CTRL_AEAD_GET_TAG, EVP_CTRL_AEAD_SET_IVLEN, EVP_CTRL_AEAD_SET_TAG, EVP_CipherFinal_ex,
    EVP_CipherInit_ex, EVP_CipherUpdate, EVP_aes_128_cbc, EVP_aes_128_ctr, EVP_aes_128_ecb,
    EVP_aes_128_gcm, EVP_aes_192_cbc, EVP_aes_192_ctr, EVP_aes_192_ecb, EVP_aes_192_gcm,
    EVP_aes_256_cbc, EVP_aes_256_ctr, EVP_aes_256_ecb, EVP_aes_256_gcm, EVP_aes_256_xts,
};
use ciphermill::{Direction, Error, Key, KeyBits, Mode, Result};
use zeroize::Zeroizing;

/// The most that one call takes: lengths are C's `int`. Whole blocks.
const CALL_BYTES: usize = 1 << 30;

/// A cipher's context: a key, a direction and the state of a message. AWS-LC
/// zeroises it when it is dropped.
pub(crate) struct Context(NonNull<EVP_CIPHER_CTX>);

// SAFETY: a context is plain memory that its owner alone uses; AWS-LC's functions
// may be called from any thread.
unsafe impl Send for Context {}

impl Context {
    /// A key without an IV. ECB and CBC are without padding.
    pub(crate) fn new(mode: Mode, direction: Direction, key: &Key) -> Result<Context> {
        Context::on(cipher(mode, key.size()), direction, key.as_bytes())
    }

    /// The key has the cipher's length.
    fn on(cipher: *const EVP_CIPHER, direction: Direction, key: &[u8]) -> Result<Context> {
        // SAFETY: takes nothing, gives null or a context that is ours.
        let context = NonNull::new(unsafe { EVP_CIPHER_CTX_new() })
            .map(Context)
            .ok_or_else(refused)?;
        let encrypt = c_int::from(direction == Direction::Encrypt);
        let (nothing, key) = (ptr::null(), key.as_ptr());
        // SAFETY: the context and cipher are valid, the key has the cipher's length, and
        // null for the IV means that it comes later.
        let status = unsafe {
            EVP_CipherInit_ex(
                context.0.as_ptr(),
                cipher,
                ptr::null_mut(),
                key,
                nothing,
                encrypt,
            ) & EVP_CIPHER_CTX_set_padding(context.0.as_ptr(), 0)
        };
        checked(status)?;
        Ok(context)
    }

    /// XTS with two keys of 256 bits, the only ones that AWS-LC takes. Each piece that is
    /// processed is a data unit, after a [`Context::start`] with its number.
    pub(crate) fn xts(direction: Direction, key: &Key, tweak_key: &Key) -> Result<Context> {
        let mut keys = Zeroizing::new([0; 64]);
        let (first, second) = keys.split_at_mut(32);
        let (Some(first), Some(second)) = (
            first.get_mut(..key.as_bytes().len()),
            second.get_mut(..tweak_key.as_bytes().len()),
        ) else {
            return Err(refused());
        };
        first.copy_from_slice(key.as_bytes());
        second.copy_from_slice(tweak_key.as_bytes());
        // SAFETY: takes nothing, gives the address of a constant.
        Context::on(unsafe { EVP_aes_256_xts() }, direction, &*keys)
    }

    /// A copy in the same state.
    pub(crate) fn duplicate(&self) -> Result<Context> {
        // SAFETY: as in `new`.
        let copy = NonNull::new(unsafe { EVP_CIPHER_CTX_new() })
            .map(Context)
            .ok_or_else(refused)?;
        // SAFETY: both contexts are valid.
        checked(unsafe { EVP_CIPHER_CTX_copy(copy.0.as_ptr(), self.0.as_ptr()) })?;
        Ok(copy)
    }

    /// The length of GCM's IVs from now on, in bytes.
    pub(crate) fn set_iv_bytes(&mut self, bytes: usize) -> Result<()> {
        let bytes = c_int::try_from(bytes).map_err(|_| refused())?;
        self.control(EVP_CTRL_AEAD_SET_IVLEN, bytes, ptr::null_mut())
    }

    /// Begin a message. The IV has 16 bytes or, in GCM, what [`Context::set_iv_bytes`] said;
    /// in ECB it is not read.
    ///
    /// # Errors
    /// When the IV is shorter.
    pub(crate) fn start(&mut self, iv: &[u8]) -> Result<()> {
        let nothing = ptr::null();
        // SAFETY: the context has a cipher.
        let read = unsafe { EVP_CIPHER_CTX_iv_length(self.0.as_ptr()) };
        if usize::try_from(read).is_ok_and(|read| read > iv.len()) {
            return Err(refused());
        }
        // SAFETY: the context has a cipher and key; nulls leave them, -1 the direction. The
        // IV has as many bytes as the cipher reads.
        checked(unsafe {
            EVP_CipherInit_ex(
                self.0.as_ptr(),
                ptr::null(),
                ptr::null_mut(),
                nothing,
                iv.as_ptr(),
                -1,
            )
        })
    }

    /// GCM: data that is authenticated only.
    pub(crate) fn associate(&mut self, data: &[u8]) -> Result<()> {
        for piece in data.chunks(CALL_BYTES) {
            self.update(ptr::null_mut(), piece.as_ptr(), piece.len())?;
        }
        Ok(())
    }

    /// The message's next bytes, in place: whole blocks in ECB and CBC.
    pub(crate) fn process(&mut self, data: &mut [u8]) -> Result<()> {
        for piece in data.chunks_mut(CALL_BYTES) {
            let start = piece.as_mut_ptr();
            self.update(start, start, piece.len())?;
        }
        Ok(())
    }

    /// As [`Context::process`], from one place to another of the same length.
    pub(crate) fn process_into(&mut self, input: &[u8], output: &mut [u8]) -> Result<()> {
        if input.len() != output.len() {
            return Err(refused());
        }
        let pieces = output.chunks_mut(CALL_BYTES);
        for (output, input) in pieces.zip(input.chunks(CALL_BYTES)) {
            self.update(output.as_mut_ptr(), input.as_ptr(), input.len())?;
        }
        Ok(())
    }

    /// GCM encryption: end the message; its tag.
    pub(crate) fn tag(&mut self) -> Result<[u8; 16]> {
        let mut tag = [0; 16];
        self.finish()?;
        self.control(EVP_CTRL_AEAD_GET_TAG, 16, tag.as_mut_ptr())?;
        Ok(tag)
    }

    /// GCM decryption: end the message; whether this is its tag, or the beginning of it.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<bool> {
        let mut copy = [0; 16];
        copy.get_mut(..tag.len())
            .ok_or_else(refused)?
            .copy_from_slice(tag);
        let bytes = c_int::try_from(tag.len()).map_err(|_| refused())?;
        self.control(EVP_CTRL_AEAD_SET_TAG, bytes, copy.as_mut_ptr())?;
        Ok(self.finish().is_ok())
    }

    fn update(&mut self, output: *mut u8, input: *const u8, bytes: usize) -> Result<()> {
        let length = c_int::try_from(bytes).map_err(|_| refused())?;
        let mut written: c_int = 0;
        // SAFETY: the input is readable for so many bytes, and the output, where there is
        // one, is as long and borrowed mutably, the same memory or another: without padding
        // a cipher gives as many bytes as it takes.
        let status =
            unsafe { EVP_CipherUpdate(self.0.as_ptr(), output, &raw mut written, input, length) };
        if written != length {
            return Err(refused());
        }
        checked(status)
    }

    fn finish(&mut self) -> Result<()> {
        let (mut block, mut written) = ([0_u8; 16], 0);
        // SAFETY: the context is valid and the buffer has a block, the most that comes.
        checked(unsafe {
            EVP_CipherFinal_ex(self.0.as_ptr(), block.as_mut_ptr(), &raw mut written)
        })
    }

    fn control(&mut self, command: c_int, argument: c_int, pointer: *mut u8) -> Result<()> {
        // SAFETY: the context is valid, and the pointer, where the command uses one, leads
        // to 16 bytes, the most that a tag has.
        checked(unsafe { EVP_CIPHER_CTX_ctrl(self.0.as_ptr(), command, argument, pointer.cast()) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context came from EVP_CIPHER_CTX_new and is dropped once.
        unsafe { EVP_CIPHER_CTX_free(self.0.as_ptr()) }
    }
}

fn cipher(mode: Mode, size: KeyBits) -> *const EVP_CIPHER {
    // SAFETY: these take nothing and give the addresses of constants.
    unsafe {
        match (mode, size) {
            (Mode::Ecb, KeyBits::Bits128) => EVP_aes_128_ecb(),
            (Mode::Ecb, KeyBits::Bits192) => EVP_aes_192_ecb(),
            (Mode::Ecb, KeyBits::Bits256) => EVP_aes_256_ecb(),
            (Mode::Cbc, KeyBits::Bits128) => EVP_aes_128_cbc(),
            (Mode::Cbc, KeyBits::Bits192) => EVP_aes_192_cbc(),
            (Mode::Cbc, KeyBits::Bits256) => EVP_aes_256_cbc(),
            (Mode::Ctr, KeyBits::Bits128) => EVP_aes_128_ctr(),
            (Mode::Ctr, KeyBits::Bits192) => EVP_aes_192_ctr(),
            (Mode::Ctr, KeyBits::Bits256) => EVP_aes_256_ctr(),
            (Mode::Gcm, KeyBits::Bits128) => EVP_aes_128_gcm(),
            (Mode::Gcm, KeyBits::Bits192) => EVP_aes_192_gcm(),
            (Mode::Gcm, KeyBits::Bits256) => EVP_aes_256_gcm(),
            (Mode::Xts, _) => unreachable!("that is Context::xts"),
        }
    }
}

fn checked(status: c_int) -> Result<()> {
    if status == 1 { Ok(()) } else { Err(refused()) }
}

fn refused() -> Error {
    Error::device("AWS-LC refused the operation")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iv_that_is_too_short_is_refused() {
        let key = Key::new(&[7; 16]).unwrap();
        let context = |mode| Context::new(mode, Direction::Encrypt, &key).unwrap();
        for mode in [Mode::Cbc, Mode::Ctr] {
            assert!(context(mode).start(&[0; 15]).is_err(), "{mode}");
            context(mode).start(&[0; 16]).unwrap();
        }
        let mut gcm = context(Mode::Gcm);
        assert!(gcm.start(&[0; 11]).is_err());
        gcm.start(&[0; 12]).unwrap();
        gcm.set_iv_bytes(60).unwrap();
        assert!(gcm.start(&[0; 59]).is_err());
        gcm.start(&[0; 60]).unwrap();
        context(Mode::Ecb).start(&[]).unwrap();
    }
}
