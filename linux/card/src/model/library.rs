// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The library of the simulated card, by its C interface (`hw/card/model/ciphermill_card.h`). All
//! unsafe code of the crate is here.
#![allow(unsafe_code)]

use std::error::Error as _;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use super::Link;
use crate::card::{COMPLETION_BYTES, Host};

/// CIPHERMILL_CARD_INTERFACE of the header that this module was written for.
const INTERFACE: u32 = 1;
const OKAY: c_int = 0;
const DECODE_ERROR: c_int = 3;
const IDLE: u32 = 4;

/// `ciphermill_card_memory`.
#[repr(C)]
struct Memory {
    context: *mut c_void,
    read: extern "C" fn(*mut c_void, u64, *mut u8, usize) -> c_int,
    write: extern "C" fn(*mut c_void, u64, *const u8, usize) -> c_int,
    latency: u32,
    bytes_per_cycle: u32,
}

/// `ciphermill_card`, which is only pointed to.
type Opaque = c_void;

/// The functions of the library, under their names without `ciphermill_card_`.
struct Functions {
    close: unsafe extern "C" fn(*mut Opaque),
    read_register: unsafe extern "C" fn(*mut Opaque, u32, *mut u32) -> c_int,
    write_register: unsafe extern "C" fn(*mut Opaque, u32, u32) -> c_int,
    advance: unsafe extern "C" fn(*mut Opaque, u64, *mut u32) -> u64,
    interrupts: unsafe extern "C" fn(*mut Opaque) -> u32,
    cycles: unsafe extern "C" fn(*const Opaque) -> u64,
    /// Last: the functions are those of the library as long as it is loaded.
    _library: libloading::Library,
}

/// A simulated card that is open.
pub(super) struct Model {
    card: NonNull<Opaque>,
    functions: Functions,
    description: String,
    /// What the card's memory functions are given; it lies still while the card is open.
    _host: Box<Arc<dyn Host>>,
}

// SAFETY: a card may be used by any thread, though by one at a time, which `&mut self` in all
// methods sees to. It has no state of its thread, and its host is one of all threads (`Host`).
unsafe impl Send for Model {}

impl Model {
    /// Load a library and open a card; memory is that of the host.
    ///
    /// # Errors
    /// It is none of these libraries.
    pub(super) fn open(path: &Path, link: Link, host: Arc<dyn Host>) -> Result<Model, String> {
        let failed = |error: libloading::Error| {
            // The loader's own words are behind the library's.
            let reason = error.source().map(|inner| format!(": {inner}"));
            format!("{}: {error}{}", path.display(), reason.unwrap_or_default())
        };
        // SAFETY: whoever names the library trusts it: its code runs as that of this program.
        let library = unsafe { libloading::Library::new(path) }.map_err(failed)?;
        /// The function of this name.
        macro_rules! function {
            ($name:literal) => {{
                let name = concat!("ciphermill_card_", $name);
                // SAFETY: the header has the function with the type that it is given here.
                let found = unsafe { library.get(name) }.map_err(failed)?;
                *found
            }};
        }
        let interface: unsafe extern "C" fn() -> u32 = function!("interface");
        // SAFETY: as the header has it. The types of the others depend on its answer.
        let version = unsafe { interface() };
        if version != INTERFACE {
            return Err(format!(
                "{}: its interface has version {version}, not {INTERFACE}: build it anew",
                path.display()
            ));
        }
        let describe: unsafe extern "C" fn() -> *const c_char = function!("description");
        // SAFETY: it gives a text that ends with a zero and stays.
        let description = unsafe { CStr::from_ptr(describe()) };
        let description = description.to_string_lossy().into_owned();
        let open: unsafe extern "C" fn(*const Memory) -> *mut Opaque = function!("open");
        let functions = Functions {
            close: function!("close"),
            read_register: function!("read_register"),
            write_register: function!("write_register"),
            advance: function!("advance"),
            interrupts: function!("interrupts"),
            cycles: function!("cycles"),
            _library: library,
        };
        let host = Box::new(host);
        let memory = Memory {
            context: (&raw const *host).cast_mut().cast(),
            read,
            write,
            latency: link.latency,
            bytes_per_cycle: link.bytes_per_cycle,
        };
        // SAFETY: the structure is copied; its functions are those that the header asks for, and
        // their context lies still until the card is closed.
        let card = NonNull::new(unsafe { open(&raw const memory) })
            .ok_or_else(|| format!("{}: the card does not start", path.display()))?;
        Ok(Model {
            card,
            functions,
            description,
            _host: host,
        })
    }

    /// The library's description, a JSON object.
    pub(super) fn description(&self) -> &str {
        &self.description
    }

    /// Read a register of BAR 0; none where there is none, or no answer.
    pub(super) fn read(&mut self, address: u32) -> Option<u32> {
        let mut value = 0;
        // SAFETY: the card is open, and used by nobody else meanwhile.
        let answer =
            unsafe { (self.functions.read_register)(self.card.as_ptr(), address, &raw mut value) };
        (answer == OKAY).then_some(value)
    }

    /// Write a register of BAR 0; whether it was taken.
    pub(super) fn write(&mut self, address: u32, value: u32) -> bool {
        // SAFETY: as for `read`.
        let answer = unsafe { (self.functions.write_register)(self.card.as_ptr(), address, value) };
        answer == OKAY
    }

    /// Let so many cycles pass, fewer where the card interrupts or has nothing to do; whether it
    /// has nothing to do.
    pub(super) fn advance(&mut self, cycles: u64) -> bool {
        let mut reason = 0;
        // SAFETY: as for `read`.
        unsafe { (self.functions.advance)(self.card.as_ptr(), cycles, &raw mut reason) };
        reason & IDLE != 0
    }

    /// Cycles since the card was opened.
    pub(super) fn cycles(&self) -> u64 {
        // SAFETY: as for `read`.
        unsafe { (self.functions.cycles)(self.card.as_ptr()) }
    }

    /// Vectors of the interrupts that were given since this was last asked for, a bit for each.
    pub(super) fn interrupts(&mut self) -> u32 {
        // SAFETY: as for `read`.
        unsafe { (self.functions.interrupts)(self.card.as_ptr()) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the card is open, and nobody uses it after this.
        unsafe { (self.functions.close)(self.card.as_ptr()) };
    }
}

/// Read the host's memory for the card. A panic in here ends the program, as in every function that
/// C calls.
extern "C" fn read(context: *mut c_void, address: u64, data: *mut u8, bytes: usize) -> c_int {
    // SAFETY: the context is that of `Model::open`, which is there while the card is open; the card
    // gives so many bytes of its own, which are initialised and nobody else's.
    let (host, data) = unsafe {
        (
            &*context.cast::<Arc<dyn Host>>(),
            slice::from_raw_parts_mut(data, bytes),
        )
    };
    answer(host.read(address, data))
}

/// Write the host's memory for the card.
extern "C" fn write(context: *mut c_void, address: u64, data: *const u8, bytes: usize) -> c_int {
    // SAFETY: as for `read`.
    let (host, data) = unsafe {
        (
            &*context.cast::<Arc<dyn Host>>(),
            slice::from_raw_parts(data, bytes),
        )
    };
    answer(match data.first_chunk::<COMPLETION_BYTES>() {
        // It may be a completion, whose status the host must not see before the rest.
        Some(completion) if bytes == COMPLETION_BYTES && address.is_multiple_of(4) => {
            host.publish(address, completion)
        }
        _ => host.write(address, data),
    })
}

fn answer(done: std::io::Result<()>) -> c_int {
    match done {
        Ok(()) => OKAY,
        Err(_) => DECODE_ERROR,
    }
}
