// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The functions of libcrypto that are used here, and a safe face over them.
//! Signatures: OpenSSL 3.0, openssl/evp.h and openssl/crypto.h.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_ulong, c_void};
use std::mem::transmute;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use ciphermill::{Direction, Error, KeyBits, Mode, Request, Result};
use zeroize::Zeroizing;

use super::loader::Handle;

/// openssl/crypto.h: the library is not cleaned up at the process's exit, which
/// would run on a thread that is not ours.
const OPENSSL_INIT_NO_ATEXIT: u64 = 0x0008_0000;
/// openssl/crypto.h: full version.
const OPENSSL_VERSION: c_int = 0;
/// openssl/crypto.h: the processor settings in use.
const OPENSSL_INFO_CPU_SETTINGS: c_int = 1008;
/// openssl/evp.h.
const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;
/// openssl/evp.h.
const EVP_CTRL_AEAD_SET_TAG: c_int = 0x11;

/// OpenSSL's own ciphers, whatever its configuration prefers: that may be a provider which
/// comes back here (property(7)).
const PROPERTIES: &CStr = c"provider=default";

/// Opaque: `EVP_CIPHER`, `EVP_CIPHER_CTX`.
type Opaque = *mut c_void;

macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $result:ty)?;)+) => {
        /// Addresses of libcrypto's functions.
        #[derive(Clone, Copy)]
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl Functions {
            fn find(library: Handle) -> Result<Functions> {
                Ok(Functions {
                    // SAFETY: the symbol is libcrypto's function of this name, whose
                    // signature OpenSSL 3 documents so and keeps.
                    $($field: unsafe { transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $result)?>(library.symbol($symbol)?.as_ptr()) },)+
                })
            }
        }
    };
}

functions! {
    initialise = c"OPENSSL_init_crypto": fn(u64, *const c_void) -> c_int;
    version = c"OpenSSL_version": fn(c_int) -> *const c_char;
    info = c"OPENSSL_info": fn(c_int) -> *const c_char;
    clear_errors = c"ERR_clear_error": fn();
    error = c"ERR_get_error": fn() -> c_ulong;
    error_string = c"ERR_error_string_n": fn(c_ulong, *mut c_char, usize);
    fetch = c"EVP_CIPHER_fetch": fn(*mut c_void, *const c_char, *const c_char) -> Opaque;
    context_new = c"EVP_CIPHER_CTX_new": fn() -> Opaque;
    context_free = c"EVP_CIPHER_CTX_free": fn(Opaque);
    start = c"EVP_CipherInit_ex": fn(Opaque, *const c_void, *mut c_void, *const c_uchar, *const c_uchar, c_int) -> c_int;
    padding = c"EVP_CIPHER_CTX_set_padding": fn(Opaque, c_int) -> c_int;
    control = c"EVP_CIPHER_CTX_ctrl": fn(Opaque, c_int, c_int, *mut c_void) -> c_int;
    update = c"EVP_CipherUpdate": fn(Opaque, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    finish = c"EVP_CipherFinal_ex": fn(Opaque, *mut c_uchar, *mut c_int) -> c_int;
}

/// A loaded libcrypto with the ciphers fetched once.
pub(super) struct Crypto {
    functions: Functions,
    /// By mode, then key size.
    ciphers: [[Option<NonNull<c_void>>; 3]; 5],
    version: String,
    settings: String,
}

// SAFETY: an EVP_CIPHER is immutable and reference-counted atomically; OpenSSL's
// functions may be called from any thread (openssl-threads(7)).
unsafe impl Send for Crypto {}
// SAFETY: as above.
unsafe impl Sync for Crypto {}

impl Crypto {
    /// Initialises the library on this thread.
    pub(super) fn new(library: Handle) -> Result<Crypto> {
        let functions = Functions::find(library)?;
        // SAFETY: may be called at any time; settings may be null.
        if unsafe { (functions.initialise)(OPENSSL_INIT_NO_ATEXIT, ptr::null()) } != 1 {
            return Err(Error::device("OpenSSL does not initialise"));
        }
        let mut ciphers = [[None; 3]; 5];
        for (row, mode) in ciphers.iter_mut().zip(Mode::ALL) {
            for (cipher, size) in row.iter_mut().zip(KeyBits::ALL) {
                if (mode, size) == (Mode::Xts, KeyBits::Bits192) {
                    continue;
                }
                let name = format!("AES-{}-{}", size.bits(), mode.name().to_uppercase());
                let c_name = CString::new(name.clone())
                    .map_err(|_| Error::invalid("a cipher's name holds no zero byte"))?;
                // SAFETY: null is the default library context; the strings are C's.
                let fetched = unsafe {
                    (functions.fetch)(ptr::null_mut(), c_name.as_ptr(), PROPERTIES.as_ptr())
                };
                let missing = || Error::device(format!("the OpenSSL here has no {name}"));
                *cipher = Some(NonNull::new(fetched).ok_or_else(missing)?);
            }
        }
        // SAFETY: both functions give null or a static C string for these constants.
        let (version, settings) = unsafe {
            (
                text((functions.version)(OPENSSL_VERSION)),
                text((functions.info)(OPENSSL_INFO_CPU_SETTINGS)),
            )
        };
        Ok(Crypto {
            functions,
            ciphers,
            version,
            settings,
        })
    }

    /// Such as `OpenSSL 3.0.19 27 Jan 2026`.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The processor's capabilities as this copy of the library sees them, such as
    /// `OPENSSL_ia32cap=0xfffa3203578bffff:0x405f46f1bf27ab`.
    pub(super) fn settings(&self) -> &str {
        &self.settings
    }

    fn cipher(&self, mode: Mode, size: KeyBits) -> Result<NonNull<c_void>> {
        let row = match mode {
            Mode::Ecb => 0,
            Mode::Cbc => 1,
            Mode::Ctr => 2,
            Mode::Gcm => 3,
            Mode::Xts => 4,
        };
        let column = match size {
            KeyBits::Bits128 => 0,
            KeyBits::Bits192 => 1,
            KeyBits::Bits256 => 2,
        };
        self.ciphers[row][column].ok_or_else(|| {
            Error::unsupported(format!("OpenSSL has no AES-{} in mode {mode}", size.bits()))
        })
    }

    /// OpenSSL's reason for its last failure on this thread.
    fn failure(&self) -> Error {
        let mut buffer = [0 as c_char; 256];
        // SAFETY: the buffer has the length that is passed, and the function ends the
        // string within it.
        let reason = unsafe {
            let code = (self.functions.error)();
            (self.functions.error_string)(code, buffer.as_mut_ptr(), buffer.len());
            (self.functions.clear_errors)();
            text(buffer.as_ptr())
        };
        Error::device(format!("OpenSSL failed: {reason}"))
    }
}

/// # Safety
/// Null, or a C string that lives as long as this call.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(pointer) }
        .to_string_lossy()
        .into_owned()
}

/// One message: an `EVP_CIPHER_CTX`, whose key schedule OpenSSL zeroises when it
/// is freed.
pub(super) struct Context {
    crypto: Arc<Crypto>,
    context: NonNull<c_void>,
}

impl Context {
    /// For this request's message, without padding; in XTS, for its first data unit. The
    /// IV has 16 bytes, of which GCM takes 12.
    pub(super) fn new(crypto: Arc<Crypto>, request: &Request) -> Result<Context> {
        let functions = crypto.functions;
        let cipher = crypto.cipher(request.mode, request.key.size())?;
        // The two keys of XTS are one to OpenSSL (EVP_EncryptInit(3)).
        let mut key = Zeroizing::new([0; 64]);
        let (first, rest) = key.split_at_mut(request.key.size().bytes());
        first.copy_from_slice(request.key.as_bytes());
        if let Some(units) = &request.data_units {
            rest[..units.tweak_key.size().bytes()].copy_from_slice(units.tweak_key.as_bytes());
        }
        // SAFETY: takes nothing.
        let context =
            NonNull::new(unsafe { (functions.context_new)() }).ok_or_else(|| crypto.failure())?;
        let context = Context { crypto, context };
        let encrypt = c_int::from(request.direction == Direction::Encrypt);
        // SAFETY: the key has the cipher's length at least, 64 bytes being the most that
        // a cipher here reads, and so has the IV (16 bytes; 12, the default, in GCM; none
        // in ECB).
        let started = unsafe {
            (functions.start)(
                context.context.as_ptr(),
                cipher.as_ptr(),
                ptr::null_mut(),
                key.as_ptr(),
                request.iv.as_ptr(),
                encrypt,
            )
        };
        // SAFETY: the context is valid.
        let unpadded = unsafe { (functions.padding)(context.context.as_ptr(), 0) };
        if started != 1 || unpadded != 1 {
            return Err(context.crypto.failure());
        }
        Ok(context)
    }

    /// XTS: begins the data unit of this number, with the same keys.
    pub(super) fn restart(&mut self, number: &[u8; 16]) -> Result<()> {
        // SAFETY: the context has a cipher and a key; nulls leave them, -1 the direction. The
        // IV has the 16 bytes that XTS reads.
        let status = unsafe {
            (self.crypto.functions.start)(
                self.context.as_ptr(),
                ptr::null(),
                ptr::null_mut(),
                ptr::null(),
                number.as_ptr(),
                -1,
            )
        };
        if status != 1 {
            return Err(self.crypto.failure());
        }
        Ok(())
    }

    /// GCM: authenticates data that is not encrypted.
    pub(super) fn authenticate(&mut self, data: &[u8]) -> Result<()> {
        for piece in data.chunks(PIECE_BYTES) {
            let mut written = 0;
            // SAFETY: without an output the input is associated data
            // (EVP_EncryptInit(3), AEAD interface); its length fits an int.
            let status = unsafe {
                (self.crypto.functions.update)(
                    self.context.as_ptr(),
                    ptr::null_mut(),
                    &raw mut written,
                    piece.as_ptr(),
                    piece.len() as c_int,
                )
            };
            if status != 1 {
                return Err(self.crypto.failure());
            }
        }
        Ok(())
    }

    /// The message's next bytes, in place. All pieces are whole blocks, but for
    /// the last one in CTR and GCM; in XTS a piece is a data unit.
    pub(super) fn process(&mut self, data: &mut [u8]) -> Result<()> {
        for piece in data.chunks_mut(PIECE_BYTES) {
            let length = piece.len() as c_int;
            let mut written = 0;
            let bytes = piece.as_mut_ptr();
            // SAFETY: output may be the input (EVP_EncryptInit(3)); without padding, and
            // with whole blocks in ECB and CBC, as many bytes come out as go in; the
            // length fits an int.
            let status = unsafe {
                (self.crypto.functions.update)(
                    self.context.as_ptr(),
                    bytes,
                    &raw mut written,
                    bytes,
                    length,
                )
            };
            if status != 1 {
                return Err(self.crypto.failure());
            }
            if written != length {
                return Err(Error::device(format!(
                    "OpenSSL gave {written} bytes for {length}"
                )));
            }
        }
        Ok(())
    }

    /// GCM encryption: ends the message and gives its tag.
    pub(super) fn tag(mut self) -> Result<[u8; 16]> {
        if self.finish() != 1 {
            return Err(self.crypto.failure());
        }
        let mut tag = [0u8; 16];
        let length = tag.len() as c_int;
        // SAFETY: the tag's buffer has the length that is passed.
        let status = unsafe {
            (self.crypto.functions.control)(
                self.context.as_ptr(),
                EVP_CTRL_AEAD_GET_TAG,
                length,
                tag.as_mut_ptr().cast(),
            )
        };
        if status != 1 {
            return Err(self.crypto.failure());
        }
        Ok(tag)
    }

    /// GCM decryption: ends the message; whether its tag is this one.
    pub(super) fn verify(mut self, mut tag: [u8; 16]) -> Result<bool> {
        let length = tag.len() as c_int;
        // SAFETY: the tag's buffer has the length that is passed.
        let status = unsafe {
            (self.crypto.functions.control)(
                self.context.as_ptr(),
                EVP_CTRL_AEAD_SET_TAG,
                length,
                tag.as_mut_ptr().cast(),
            )
        };
        if status != 1 {
            return Err(self.crypto.failure());
        }
        let matches = self.finish() == 1;
        // SAFETY: takes nothing.
        unsafe { (self.crypto.functions.clear_errors)() };
        Ok(matches)
    }

    fn finish(&mut self) -> c_int {
        let mut block = [0u8; 16];
        let mut written = 0;
        // SAFETY: at most a block comes out, and none without padding.
        unsafe {
            (self.crypto.functions.finish)(
                self.context.as_ptr(),
                block.as_mut_ptr(),
                &raw mut written,
            )
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is valid and is not used again.
        unsafe { (self.crypto.functions.context_free)(self.context.as_ptr()) }
    }
}

/// Most bytes in a call, whose length is an int: whole blocks.
const PIECE_BYTES: usize = 1 << 30;
