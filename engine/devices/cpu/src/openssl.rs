// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The devices `software` and `software+`: the system's OpenSSL 3 without and with AES
//! instructions.
//!
//! libcrypto reads the environment variable `OPENSSL_ia32cap` once, when it is loaded. So a
//! process has one of the two devices: `software` where the variable hides the instructions
//! (or the processor has none), `software+` otherwise.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use ciphermill::{Buffer, Cancellation, Capabilities, Device, Error, Queue, Request, Result};

use crate::cpu;
use crate::evp::{self, Functions, Library};
use crate::instructions::has_aes;
use crate::pool::{Pool, PoolQueue};
use crate::work::Work;

/// The library's name for the dynamic linker: the ABI of every OpenSSL 3.
const LIBCRYPTO: &str = "libcrypto.so.3";

/// Bit of AES-NI in the first word of `OPENSSL_ia32cap` (OPENSSL_ia32cap(3)).
const IA32CAP_AES_NI: u32 = 57;

/// The value of `OPENSSL_ia32cap` that hides AES-NI (bit 57) and PCLMULQDQ (33) in its first
/// word and VAES (41) and VPCLMULQDQ (42) in its second (OPENSSL_ia32cap(3)).
const WITHOUT_AES: &str = "~0x200000200000000:~0x60000000000";

/// openssl/crypto.h: the library is not cleaned up at the process's exit, when a thread of
/// ours may still be in it.
const OPENSSL_INIT_NO_ATEXIT: u64 = 0x0008_0000;
/// openssl/crypto.h: full version.
const OPENSSL_VERSION: c_int = 0;
/// openssl/crypto.h: the processor settings in use.
const OPENSSL_INFO_CPU_SETTINGS: c_int = 1008;

/// OpenSSL's own ciphers, whatever its configuration prefers: that may be a provider which
/// comes back here (property(7)).
const PROPERTIES: &CStr = c"provider=default";

/// libcrypto as this process has it, loaded once and for good.
#[derive(Clone, Copy)]
struct Loaded {
    library: &'static Library,
    /// Such as `OpenSSL 3.0.19 27 Jan 2026`.
    version: &'static str,
    /// The processor's capabilities as the library sees them, such as
    /// `OPENSSL_ia32cap=0xfffa3203578bffff:0x405f46f1bf27ab`.
    settings: &'static str,
}

static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

impl Loaded {
    fn get() -> Result<Loaded> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(match *loaded {
            Some(loaded) => loaded,
            None => *loaded.insert(Loaded::load(LIBCRYPTO)?),
        })
    }

    fn load(name: &str) -> Result<Loaded> {
        // SAFETY: loading runs libcrypto's constructor, which only asks the processor what it
        // can do.
        let library = unsafe { libloading::Library::new(name) }.map_err(|error| {
            // The dynamic linker's own words are the error's source.
            let reason = std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), ToString::to_string);
            Error::device(format!(
                "cannot load OpenSSL 3: install libssl3 (Debian, Ubuntu) or your system's \
                 OpenSSL 3 ({reason})"
            ))
        })?;
        // Loaded for good: its functions are called as long as the process lives.
        let library: &'static libloading::Library = Box::leak(Box::new(library));

        type Initialise = unsafe extern "C" fn(u64, *const c_void) -> c_int;
        type About = unsafe extern "C" fn(c_int) -> *const c_char;
        type Fetch =
            unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *const c_void;
        // SAFETY: the symbols are libcrypto's functions of these names, whose signatures
        // OpenSSL 3 documents so (openssl/crypto.h, openssl/evp.h) and keeps.
        let (functions, initialise, version, info, fetch) = unsafe {
            (
                Functions {
                    clear_errors: symbol(library, "ERR_clear_error")?,
                    new: symbol(library, "EVP_CIPHER_CTX_new")?,
                    free: symbol(library, "EVP_CIPHER_CTX_free")?,
                    copy: symbol(library, "EVP_CIPHER_CTX_copy")?,
                    start: symbol(library, "EVP_CipherInit_ex")?,
                    set_padding: symbol(library, "EVP_CIPHER_CTX_set_padding")?,
                    iv_length: symbol(library, "EVP_CIPHER_CTX_get_iv_length")?,
                    control: symbol(library, "EVP_CIPHER_CTX_ctrl")?,
                    update: symbol(library, "EVP_CipherUpdate")?,
                    finish: symbol(library, "EVP_CipherFinal_ex")?,
                },
                symbol::<Initialise>(library, "OPENSSL_init_crypto")?,
                symbol::<About>(library, "OpenSSL_version")?,
                symbol::<About>(library, "OPENSSL_info")?,
                symbol::<Fetch>(library, "EVP_CIPHER_fetch")?,
            )
        };
        // SAFETY: may be called at any time; settings may be null.
        if unsafe { initialise(OPENSSL_INIT_NO_ATEXIT, ptr::null()) } != 1 {
            return Err(Error::device("OpenSSL does not initialise"));
        }
        let mut missing = None;
        let library = Library::new("OpenSSL", functions, |name| {
            // SAFETY: null is the default library context; the strings are C's.
            let found = unsafe { fetch(ptr::null_mut(), name.as_ptr(), PROPERTIES.as_ptr()) };
            if found.is_null() {
                missing = Some(name.to_string_lossy().into_owned());
            }
            found.cast()
        });
        if let Some(name) = missing {
            return Err(Error::device(format!("the OpenSSL here has no {name}")));
        }
        // SAFETY: both functions give null or a static C string for these constants.
        let (version, settings) = unsafe {
            (
                text(version(OPENSSL_VERSION)),
                text(info(OPENSSL_INFO_CPU_SETTINGS)),
            )
        };
        Ok(Loaded {
            library: Box::leak(Box::new(library)),
            version,
            settings,
        })
    }

    /// Whether this copy of OpenSSL uses AES instructions, by its own account.
    fn has_aes_instructions(self) -> bool {
        if cfg!(target_arch = "x86_64") {
            return ia32cap(self.settings).is_some_and(|word| word >> IA32CAP_AES_NI & 1 == 1);
        }
        has_aes()
    }
}

/// The address of a function that the library has.
///
/// # Safety
/// `T` is the type of a pointer to the function of this name.
unsafe fn symbol<T: Copy>(library: &'static libloading::Library, name: &str) -> Result<T> {
    // SAFETY: this function's contract.
    unsafe { library.get::<T>(name) }
        .map(|found| *found)
        .map_err(|_| {
            Error::device(format!(
                "the OpenSSL here has no function {name}: install OpenSSL 3.0 or later"
            ))
        })
}

/// # Safety
/// Null, or a C string that lives for ever.
unsafe fn text(pointer: *const c_char) -> &'static str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(pointer) }
        .to_str()
        .unwrap_or_default()
}

/// The first word in `OPENSSL_ia32cap=0x…:0x…`.
fn ia32cap(settings: &str) -> Option<u64> {
    let (_, words) = settings.split_once("OPENSSL_ia32cap=0x")?;
    let digits = words.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

/// The system's OpenSSL 3, `software` or `software+`.
pub struct OpenSslDevice {
    name: &'static str,
    capabilities: Capabilities,
    library: &'static Library,
    pool: Arc<Pool>,
}

impl OpenSslDevice {
    /// `software`: OpenSSL without AES instructions (its constant-time code on ordinary
    /// vector instructions).
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where OpenSSL 3 is not installed,
    /// [`ciphermill::ErrorKind::Unsupported`] where it uses AES instructions in this
    /// process. On x86-64 the message says in which environment it does not.
    pub fn without_aes_instructions() -> Result<OpenSslDevice> {
        let loaded = Loaded::get()?;
        if !loaded.has_aes_instructions() {
            return Ok(OpenSslDevice::on(
                loaded,
                "software",
                "without AES instructions",
            ));
        }
        Err(Error::unsupported(match cfg!(target_arch = "x86_64") {
            true => format!(
                "OpenSSL uses AES instructions in this process: start the program with \
                 OPENSSL_ia32cap={WITHOUT_AES} in its environment"
            ),
            false => {
                "OpenSSL can be kept from the AES instructions on x86-64 processors only".to_owned()
            }
        }))
    }

    /// `software+`: OpenSSL as it is, with the AES instructions.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where OpenSSL 3 is not installed,
    /// [`ciphermill::ErrorKind::Unsupported`] where the processor has no AES instructions or
    /// the environment hides them from OpenSSL.
    pub fn with_aes_instructions() -> Result<OpenSslDevice> {
        if !has_aes() {
            return Err(Error::unsupported("this processor has no AES instructions"));
        }
        let loaded = Loaded::get()?;
        if !loaded.has_aes_instructions() {
            return Err(Error::unsupported(format!(
                "the environment hides the AES instructions from OpenSSL: unset OPENSSL_ia32cap ({})",
                loaded.settings
            )));
        }
        Ok(OpenSslDevice::on(
            loaded,
            "software+",
            "with AES instructions",
        ))
    }

    fn on(loaded: Loaded, name: &'static str, which: &str) -> OpenSslDevice {
        let pool = Arc::new(Pool::new(name, Pool::default_threads()));
        OpenSslDevice {
            name,
            capabilities: cpu::capabilities(pool.threads(), format!("{}, {which}", loaded.version)),
            library: loaded.library,
            pool,
        }
    }
}

impl Device for OpenSslDevice {
    fn name(&self) -> &str {
        self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let library = self.library;
        let work = Work::new(
            move |request: &Request, data: &mut Buffer, cancellation: &Cancellation| {
                evp::run(library, request.cipher()?, data, cancellation)
            },
        );
        Ok(Box::new(PoolQueue::new(
            Arc::clone(&self.pool),
            Arc::new(work),
            cancellation,
        )))
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::ErrorKind;

    use super::*;

    #[test]
    fn ia32cap_is_read_from_the_settings() {
        assert_eq!(
            ia32cap("OPENSSL_ia32cap=0x200000000000000:0x0"),
            Some(1 << 57)
        );
        assert_eq!(ia32cap("OPENSSL_ia32cap=0x5:0x0 env:~0x1"), Some(5));
        assert_eq!(ia32cap("OPENSSL_armcap=0x3d"), None);
        assert_eq!(ia32cap(""), None);
    }

    #[test]
    fn a_missing_library_says_what_to_install() {
        let error = Loaded::load("libcrypto.so.none").err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains("install libssl3"), "{error}");
        assert!(error.to_string().contains("libcrypto.so.none"), "{error}");
    }

    #[test]
    fn a_process_has_one_of_the_two_and_says_how_to_get_the_other() {
        let devices = [
            OpenSslDevice::without_aes_instructions(),
            OpenSslDevice::with_aes_instructions(),
        ];
        assert_eq!(devices.iter().filter(|device| device.is_ok()).count(), 1);
        for device in devices {
            match device {
                Ok(device) => assert!(device.capabilities().description.contains("OpenSSL 3")),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Unsupported);
                    let says = error.to_string();
                    let known = ["OPENSSL_ia32cap", "has no AES", "x86-64"];
                    assert!(known.iter().any(|words| says.contains(words)), "{says}");
                }
            }
        }
    }

    #[test]
    fn what_openssl_prefers_is_not_asked_for_ciphers() {
        type SetProperties = unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int;
        // SAFETY: as in `Loaded::load`; the signature in OpenSSL 3.0, openssl/evp.h.
        let set: SetProperties = unsafe {
            let library = Box::leak(Box::new(libloading::Library::new(LIBCRYPTO).unwrap()));
            symbol(library, "EVP_set_default_properties").unwrap()
        };
        // SAFETY: null is the default library context.
        let prefer = |properties: &CStr| unsafe {
            assert_eq!(set(ptr::null_mut(), properties.as_ptr()), 1);
        };
        prefer(c"provider=another");
        let found = Loaded::load(LIBCRYPTO);
        prefer(c"");
        found.unwrap();
    }
}
