// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Ciphers for messages in chunks, and a safe face over them: those of AWS-LC, and those of
//! OpenSSL, whose functions have the same names and signatures (openssl/evp.h).

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::ptr::{self, NonNull};
use std::sync::LazyLock;

use aws_lc_sys::{
    ENGINE, ERR_clear_error, EVP_CIPHER, EVP_CIPHER_CTX, EVP_CIPHER_CTX_copy, EVP_CIPHER_CTX_ctrl,
    EVP_CIPHER_CTX_free, EVP_CIPHER_CTX_iv_length, EVP_CIPHER_CTX_new, EVP_CIPHER_CTX_set_padding,
    EVP_CTRL_AEAD_GET_TAG, EVP_CTRL_AEAD_SET_IVLEN, EVP_CTRL_AEAD_SET_TAG, EVP_Cipher,
    EVP_CipherFinal_ex, EVP_CipherInit_ex, EVP_CipherUpdate, EVP_get_cipherbyname,
};
use ciphermill::{
    AES, BLOCK_BYTES, Cancellation, CipherRequest, Direction, Error, Key, Mode, Result, Span,
};
use zeroize::Zeroizing;

use crate::answer::{SLICE_BYTES, check_lengths, wrong_tag};

/// The most that one call takes: lengths are C's `int`. Whole blocks.
const CALL_BYTES: usize = 1 << 30;

/// The longest key: both of AES-256-XTS.
const KEY_BYTES: usize = 64;

/// The functions of a library. The types are AWS-LC's; they are opaque in OpenSSL too.
pub(crate) struct Functions {
    pub clear_errors: unsafe extern "C" fn(),
    pub new: unsafe extern "C" fn() -> *mut EVP_CIPHER_CTX,
    pub free: unsafe extern "C" fn(*mut EVP_CIPHER_CTX),
    pub copy: unsafe extern "C" fn(*mut EVP_CIPHER_CTX, *const EVP_CIPHER_CTX) -> c_int,
    pub start: unsafe extern "C" fn(
        *mut EVP_CIPHER_CTX,
        *const EVP_CIPHER,
        *mut ENGINE,
        *const u8,
        *const u8,
        c_int,
    ) -> c_int,
    pub set_padding: unsafe extern "C" fn(*mut EVP_CIPHER_CTX, c_int) -> c_int,
    pub iv_length: unsafe extern "C" fn(*const EVP_CIPHER_CTX) -> c_uint,
    pub control: unsafe extern "C" fn(*mut EVP_CIPHER_CTX, c_int, c_int, *mut c_void) -> c_int,
    pub update:
        unsafe extern "C" fn(*mut EVP_CIPHER_CTX, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
    pub finish: unsafe extern "C" fn(*mut EVP_CIPHER_CTX, *mut u8, *mut c_int) -> c_int,
}

/// A library with its ciphers.
pub(crate) struct Library {
    /// For messages.
    name: &'static str,
    functions: Functions,
    /// With mode and bits of the key.
    ciphers: Vec<(Mode, usize, *const EVP_CIPHER)>,
}

// SAFETY: a cipher is immutable, and both libraries' functions may be called from any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// AWS-LC, which is part of this library.
pub(crate) static AWS_LC: LazyLock<Library> = LazyLock::new(|| {
    let functions = Functions {
        clear_errors: ERR_clear_error,
        new: EVP_CIPHER_CTX_new,
        free: EVP_CIPHER_CTX_free,
        copy: EVP_CIPHER_CTX_copy,
        start: EVP_CipherInit_ex,
        set_padding: EVP_CIPHER_CTX_set_padding,
        iv_length: EVP_CIPHER_CTX_iv_length,
        control: EVP_CIPHER_CTX_ctrl,
        update: EVP_CipherUpdate,
        finish: EVP_CipherFinal_ex,
    };
    // SAFETY: the name is a C string, and the ciphers are constants.
    Library::new("AWS-LC", functions, |name| unsafe {
        EVP_get_cipherbyname(name.as_ptr())
    })
});

impl Library {
    /// With the ciphers that `find` gives by names such as `AES-128-GCM`: null, or for good.
    pub(crate) fn new(
        name: &'static str,
        functions: Functions,
        mut find: impl FnMut(&CStr) -> *const EVP_CIPHER,
    ) -> Library {
        let mut ciphers = Vec::new();
        for mode in Mode::ALL {
            // XTS has keys of 128 and 256 bits (IEEE 1619-2018).
            let has = |bits: &usize| (mode, *bits) != (Mode::Xts, 192);
            for bits in AES.key_bits.iter().copied().filter(has) {
                let name = format!("AES-{bits}-{}", mode.name().to_uppercase());
                let cipher = find(&CString::new(name).unwrap_or_default());
                if !cipher.is_null() {
                    ciphers.push((mode, bits, cipher));
                }
            }
        }
        Library {
            name,
            functions,
            ciphers,
        }
    }
}

/// A cipher's context: a key, a direction and the state of a message. The library zeroises
/// it when it is dropped.
pub(crate) struct EvpContext {
    library: &'static Library,
    context: NonNull<EVP_CIPHER_CTX>,
}

// SAFETY: a context is plain memory that its owner alone uses; the libraries' functions may
// be called from any thread.
unsafe impl Send for EvpContext {}

impl EvpContext {
    /// A key without an IV. ECB and CBC are without padding. XTS takes its second key too;
    /// each chunk that is processed is then a data unit, after a [`EvpContext::start`] with its
    /// number.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] where the library has no such cipher.
    pub(crate) fn new(
        library: &'static Library,
        mode: Mode,
        direction: Direction,
        key: &Key,
        tweak_key: Option<&Key>,
    ) -> Result<EvpContext> {
        let bits = key.bits();
        let mut ciphers = library.ciphers.iter();
        let found = ciphers.find(|(known, size, _)| (*known, *size) == (mode, bits));
        let found = found.filter(|_| key.is_aes() && tweak_key.is_some() == (mode == Mode::Xts));
        let &(_, _, cipher) = found.ok_or_else(|| {
            let (library, name) = (library.name, key.algorithm().name.to_uppercase());
            Error::unsupported(format!("{library} has no {name}-{bits} in mode {mode}"))
        })?;
        // To both libraries the two keys of XTS are one.
        let mut keys = Zeroizing::new([0; KEY_BYTES]);
        let (first, second) = keys.split_at_mut(key.as_bytes().len());
        first.copy_from_slice(key.as_bytes());
        if let Some(tweak_key) = tweak_key {
            let second = second.get_mut(..tweak_key.as_bytes().len());
            second
                .ok_or_else(|| refused(library))?
                .copy_from_slice(tweak_key.as_bytes());
        }
        let context = EvpContext::empty(library)?;
        let encrypt = c_int::from(direction == Direction::Encrypt);
        // SAFETY: the context and the cipher are valid, the buffer has as many bytes as the
        // longest key, and null for the IV means that it comes later.
        let status = unsafe {
            (library.functions.start)(
                context.context.as_ptr(),
                cipher,
                ptr::null_mut(),
                keys.as_ptr(),
                ptr::null(),
                encrypt,
            ) & (library.functions.set_padding)(context.context.as_ptr(), 0)
        };
        context.checked(status)?;
        Ok(context)
    }

    fn empty(library: &'static Library) -> Result<EvpContext> {
        // SAFETY: takes nothing, gives null or a context that is ours.
        NonNull::new(unsafe { (library.functions.new)() })
            .map(|context| EvpContext { library, context })
            .ok_or_else(|| refused(library))
    }

    /// A copy in the same state.
    pub(crate) fn duplicate(&self) -> Result<EvpContext> {
        let copy = EvpContext::empty(self.library)?;
        // SAFETY: both contexts are valid.
        let status =
            unsafe { (self.library.functions.copy)(copy.context.as_ptr(), self.context.as_ptr()) };
        self.checked(status)?;
        Ok(copy)
    }

    /// The length of GCM's IVs from now on, in bytes.
    pub(crate) fn set_iv_bytes(&mut self, bytes: usize) -> Result<()> {
        let bytes = c_int::try_from(bytes).map_err(|_| refused(self.library))?;
        self.control(EVP_CTRL_AEAD_SET_IVLEN, bytes, ptr::null_mut())
    }

    /// Begin a message. The IV has 16 bytes or, in GCM, what [`EvpContext::set_iv_bytes`] said;
    /// in ECB it is not read.
    ///
    /// # Errors
    /// When the IV is shorter.
    pub(crate) fn start(&mut self, iv: &[u8]) -> Result<()> {
        // SAFETY: the context has a cipher.
        let read = unsafe { (self.library.functions.iv_length)(self.context.as_ptr()) };
        if usize::try_from(read).is_ok_and(|read| read > iv.len()) {
            return Err(refused(self.library));
        }
        // SAFETY: the context has a cipher and key; nulls leave them, -1 the direction. The
        // IV has as many bytes as the cipher reads.
        let status = unsafe {
            (self.library.functions.start)(
                self.context.as_ptr(),
                ptr::null(),
                ptr::null_mut(),
                ptr::null(),
                iv.as_ptr(),
                -1,
            )
        };
        self.checked(status)
    }

    /// GCM: data that is authenticated only.
    pub(crate) fn associate(&mut self, data: &[u8]) -> Result<()> {
        for chunk in data.chunks(CALL_BYTES) {
            self.update(ptr::null_mut(), chunk.as_ptr(), chunk.len())?;
        }
        Ok(())
    }

    /// The message's next bytes: whole blocks in ECB and CBC.
    #[inline]
    pub(crate) fn work(&mut self, span: Span<'_>) -> Result<()> {
        check_lengths(&span)?;
        match span {
            Span::InPlace(data) => {
                for chunk in data.chunks_mut(CALL_BYTES) {
                    let start = chunk.as_mut_ptr();
                    self.update(start, start, chunk.len())?;
                }
            }
            Span::Apart(input, output) => {
                let chunks = output.chunks_mut(CALL_BYTES);
                for (output, input) in chunks.zip(input.chunks(CALL_BYTES)) {
                    self.update(output.as_mut_ptr(), input.as_ptr(), input.len())?;
                }
            }
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

    /// GCM decryption: end the message, and compare its tag, or the beginning of it, in constant
    /// time.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Authentication`] for another tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<()> {
        let mut copy = [0; 16];
        copy.get_mut(..tag.len())
            .ok_or_else(|| refused(self.library))?
            .copy_from_slice(tag);
        let bytes = c_int::try_from(tag.len()).map_err(|_| refused(self.library))?;
        self.control(EVP_CTRL_AEAD_SET_TAG, bytes, copy.as_mut_ptr())?;
        self.finish().map_err(|_| wrong_tag())
    }

    fn update(&mut self, output: *mut u8, input: *const u8, bytes: usize) -> Result<()> {
        let length = c_int::try_from(bytes).map_err(|_| refused(self.library))?;
        let mut written: c_int = 0;
        // SAFETY: the input is readable for so many bytes, and the output, where there is
        // one, is as long and borrowed mutably, the same memory or another: without padding
        // a cipher gives as many bytes as it takes.
        let status = unsafe {
            let context = self.context.as_ptr();
            (self.library.functions.update)(context, output, &raw mut written, input, length)
        };
        if written != length {
            return self.checked(0);
        }
        self.checked(status)
    }

    fn finish(&mut self) -> Result<()> {
        let (mut block, mut written) = ([0_u8; 16], 0);
        // SAFETY: the context is valid and the buffer has a block, the most that comes.
        let status = unsafe {
            let context = self.context.as_ptr();
            (self.library.functions.finish)(context, block.as_mut_ptr(), &raw mut written)
        };
        self.checked(status)
    }

    fn control(&mut self, command: c_int, argument: c_int, pointer: *mut u8) -> Result<()> {
        // SAFETY: the context is valid, and the pointer, where the command uses one, leads
        // to 16 bytes, the most that a tag has.
        let status = unsafe {
            let context = self.context.as_ptr();
            (self.library.functions.control)(context, command, argument, pointer.cast())
        };
        self.checked(status)
    }

    #[inline]
    fn checked(&self, status: c_int) -> Result<()> {
        match status {
            1 => Ok(()),
            _ => Err(self.failed()),
        }
    }

    #[cold]
    fn failed(&self) -> Error {
        // The process may read the thread's queue of errors for reasons of its own.
        // SAFETY: takes nothing.
        unsafe { (self.library.functions.clear_errors)() };
        refused(self.library)
    }
}

impl Drop for EvpContext {
    fn drop(&mut self) {
        // SAFETY: the context came from the library and is dropped once.
        unsafe { (self.library.functions.free)(self.context.as_ptr()) }
    }
}

/// ECB of whole blocks by AWS-LC, without the buffering and the checks of an update.
pub(crate) struct Ecb(EvpContext);

impl Ecb {
    pub(crate) fn new(direction: Direction, key: &Key) -> Result<Ecb> {
        EvpContext::new(&AWS_LC, Mode::Ecb, direction, key, None).map(Ecb)
    }

    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] for data that is not whole blocks; the data is unchanged.
    ///
    /// # Safety
    /// The input is readable and the output writable for so many bytes. They are the same
    /// memory or do not overlap.
    #[inline]
    pub(crate) unsafe fn work(
        &mut self,
        output: *mut u8,
        input: *const u8,
        bytes: usize,
    ) -> Result<()> {
        // Of a part of a block EVP_Cipher would read and write all.
        if !bytes.is_multiple_of(BLOCK_BYTES) {
            return Err(refused(&AWS_LC));
        }
        // SAFETY: the context is AWS-LC's, its cipher is no "custom" one, and the length is
        // whole blocks: so many bytes are read and written, and 1 is success
        // (openssl/cipher.h). The rest is this function's contract.
        let status = unsafe { EVP_Cipher(self.0.context.as_ptr(), output, input, bytes) };
        self.0.checked(status)
    }
}

#[cold]
pub(crate) fn refused(library: &Library) -> Error {
    Error::device(format!("{} refused the operation", library.name))
}

/// Do the whole of a request by a library.
///
/// # Errors
/// [`ciphermill::ErrorKind::Authentication`] for another tag than the message's.
pub(crate) fn run(
    library: &'static Library,
    request: &CipherRequest,
    data: &mut [u8],
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let units = match request.mode {
        Mode::Xts => Some(request.check_data_units(data.len())?),
        _ => None,
    };
    let tweak_key = units.map(|units| &*units.tweak_key);
    let (mode, direction) = (request.mode, request.direction);
    let mut context = EvpContext::new(library, mode, direction, &request.key, tweak_key)?;
    if let Some(units) = units {
        let mut number = request.iv;
        for unit in data.chunks_mut(units.bytes) {
            cancellation.check()?;
            context.start(&number)?;
            context.work(Span::InPlace(unit))?;
            number = units.following(number, unit.len());
        }
        return Ok(None);
    }
    if mode == Mode::Gcm {
        let iv = request.gcm_iv_bytes();
        // OpenSSL takes 128 bytes at most.
        context.set_iv_bytes(iv.len()).map_err(|_| {
            let bytes = iv.len();
            Error::unsupported(format!(
                "{} has no IV of {bytes} bytes in GCM",
                library.name
            ))
        })?;
        context.start(iv)?;
        context.associate(&request.associated_data)?;
    } else {
        context.start(&request.iv)?;
    }
    for slice in data.chunks_mut(SLICE_BYTES) {
        cancellation.check()?;
        context.work(Span::InPlace(slice))?;
    }
    match (mode, direction) {
        (Mode::Gcm, Direction::Encrypt) => context.tag().map(Some),
        (Mode::Gcm, Direction::Decrypt) => {
            let tag = request.tag.unwrap_or_default();
            context.verify(&tag).map(|()| None)
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iv_that_is_too_short_is_refused() {
        let key = Key::new(&[7; 16]).unwrap();
        let context =
            |mode| EvpContext::new(&AWS_LC, mode, Direction::Encrypt, &key, None).unwrap();
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

    #[test]
    fn a_cipher_that_is_not_there_is_unsupported() {
        let key = Key::new(&[7; 16]).unwrap();
        let direction = Direction::Encrypt;
        for (mode, tweak_key) in [
            (Mode::Xts, Some(&key)),
            (Mode::Xts, None),
            (Mode::Ctr, Some(&key)),
        ] {
            let error = EvpContext::new(&AWS_LC, mode, direction, &key, tweak_key).err();
            let kind = error.expect("AWS-LC has none").kind();
            assert_eq!(kind, ciphermill::ErrorKind::Unsupported);
        }
    }
}
