// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The devices `software` and `software+`: the system's OpenSSL 3 without and
//! with AES instructions, as the papers compare with.

mod ffi;
mod loader;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use ciphermill::{
    Cancellation, Capabilities, Device, Direction, Error, Mode, Queue, Request, Result,
};
use ffi::{Context, Crypto};

use crate::answer::wrong_tag;
use crate::cpu;
use crate::instructions::has_aes;
use crate::pool::{Pool, PoolQueue, Work};

/// Bytes after which a job looks at its cancellation.
const SLICE_BYTES: usize = 1 << 20;

/// Bit of AES-NI in the first word of `OPENSSL_ia32cap` (OPENSSL_ia32cap(3)).
const IA32CAP_AES_NI: u32 = 57;

/// The setting that hides AES-NI (bit 57) and PCLMULQDQ (33) in its first word
/// and VAES (41) and VPCLMULQDQ (42) in its second (OPENSSL_ia32cap(3)).
const WITHOUT_AES: &std::ffi::CStr = c"~0x200000200000000:~0x60000000000";

/// A copy of libcrypto with the threads that may run it.
///
/// The copy without AES instructions lives in a namespace of its own, and its code
/// must run on no other threads than these (see `loader`). Libraries are kept for
/// the life of the process, so these threads never end.
struct Library {
    crypto: Arc<Crypto>,
    pool: Arc<Pool>,
}

/// `software`: loaded once, for a process has few namespaces.
static SOFTWARE: Mutex<Option<Library>> = Mutex::new(None);
/// `software+`.
static SOFTWARE_PLUS: Mutex<Option<Library>> = Mutex::new(None);

/// The system's OpenSSL 3, `software` or `software+`.
pub struct OpenSslDevice {
    name: &'static str,
    capabilities: Capabilities,
    crypto: Arc<Crypto>,
    pool: Arc<Pool>,
}

impl OpenSslDevice {
    /// `software`: OpenSSL kept from the AES instructions (its constant-time code
    /// on ordinary vector instructions).
    ///
    /// [`ciphermill::ErrorKind::Device`] where OpenSSL 3 is not installed,
    /// [`ciphermill::ErrorKind::Unsupported`] where it cannot be kept from them:
    /// that needs an x86-64 processor and Linux with the GNU C library.
    pub fn without_aes_instructions() -> Result<OpenSslDevice> {
        if !cfg!(target_arch = "x86_64") {
            return Err(Error::unsupported(
                "OpenSSL can be kept from the AES instructions on x86-64 only",
            ));
        }
        let device =
            OpenSslDevice::build("software", "without AES instructions", &SOFTWARE, || {
                loader::load_apart(c"OPENSSL_ia32cap", WITHOUT_AES)
            })?;
        if device.has_aes_instructions() {
            return Err(Error::device(format!(
                "this OpenSSL uses AES instructions all the same ({})",
                device.crypto.settings()
            )));
        }
        Ok(device)
    }

    /// `software+`: OpenSSL as it is, with the AES instructions.
    ///
    /// [`ciphermill::ErrorKind::Device`] where OpenSSL 3 is not installed,
    /// [`ciphermill::ErrorKind::Unsupported`] where the processor has no AES
    /// instructions or the environment hides them from OpenSSL.
    pub fn with_aes_instructions() -> Result<OpenSslDevice> {
        if !has_aes() {
            return Err(Error::unsupported("this processor has no AES instructions"));
        }
        let device = OpenSslDevice::build(
            "software+",
            "with AES instructions",
            &SOFTWARE_PLUS,
            loader::load,
        )?;
        if cfg!(target_arch = "x86_64") && !device.has_aes_instructions() {
            return Err(Error::unsupported(format!(
                "the environment hides the AES instructions from OpenSSL: unset OPENSSL_ia32cap ({})",
                device.crypto.settings()
            )));
        }
        Ok(device)
    }

    fn build(
        name: &'static str,
        which: &str,
        library: &Mutex<Option<Library>>,
        load: fn() -> Result<loader::Handle>,
    ) -> Result<OpenSslDevice> {
        let mut library = library.lock().unwrap_or_else(PoisonError::into_inner);
        if library.is_none() {
            let pool = Arc::new(Pool::new(name, Pool::default_threads()).lasting());
            let crypto = pool.call(move || load().and_then(Crypto::new))??;
            *library = Some(Library {
                crypto: Arc::new(crypto),
                pool,
            });
        }
        let Some(Library { crypto, pool }) = &*library else {
            unreachable!("it was loaded above");
        };
        Ok(OpenSslDevice {
            name,
            capabilities: cpu::capabilities(
                pool.threads(),
                format!("{}, {which}", crypto.version()),
            ),
            crypto: Arc::clone(crypto),
            pool: Arc::clone(pool),
        })
    }

    /// Whether this copy of OpenSSL sees AES-NI, by its own account.
    fn has_aes_instructions(&self) -> bool {
        ia32cap(self.crypto.settings()).is_some_and(|word| word >> IA32CAP_AES_NI & 1 == 1)
    }
}

/// The first word in `OPENSSL_ia32cap=0x…:0x…`.
fn ia32cap(settings: &str) -> Option<u64> {
    let (_, words) = settings.split_once("OPENSSL_ia32cap=0x")?;
    let digits = words.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

impl Device for OpenSslDevice {
    fn name(&self) -> &str {
        self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let crypto = Arc::clone(&self.crypto);
        let work: Arc<Work> = Arc::new(
            move |request: &Request, data: &mut [u8], cancellation: &Cancellation| {
                execute(&crypto, request, data, cancellation)
            },
        );
        Ok(Box::new(PoolQueue::new(
            Arc::clone(&self.pool),
            work,
            cancellation,
        )))
    }
}

fn execute(
    crypto: &Arc<Crypto>,
    request: &Request,
    data: &mut [u8],
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let mut context = Context::new(Arc::clone(crypto), request)?;
    if request.mode == Mode::Xts {
        let units = request.check_data_units(data.len())?;
        let mut number = request.iv;
        for unit in data.chunks_mut(units.bytes) {
            cancellation.check()?;
            context.restart(&number)?;
            context.process(unit)?;
            number = units.following(number, unit.len());
        }
        return Ok(None);
    }
    if request.mode == Mode::Gcm {
        context.authenticate(&request.associated_data)?;
    }
    for slice in data.chunks_mut(SLICE_BYTES) {
        cancellation.check()?;
        context.process(slice)?;
    }
    match (request.mode, request.direction) {
        (Mode::Gcm, Direction::Encrypt) => context.tag().map(Some),
        (Mode::Gcm, Direction::Decrypt) => {
            if context.verify(request.tag.unwrap_or_default())? {
                Ok(None)
            } else {
                Err(wrong_tag())
            }
        }
        _ => Ok(None),
    }
}
