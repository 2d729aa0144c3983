// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The library's functions, and safe calls of them.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use ciphermill::{Error, Result};
use ciphermill_accelerator::{Advanced, Received, RegisterFile};
use libloading::Library;

use crate::Description;

/// CIPHERMILL_MODEL_INTERFACE of the header that this file was written from.
const INTERFACE: u32 = 2;

const NEEDS_INPUT: u32 = 2;
const OUTPUT_FULL: u32 = 4;
const INTERRUPT: u32 = 8;

/// Cycles that pass in one wait: long enough to cost no calls, short enough that a
/// cancellation is seen within a fraction of a second.
pub(crate) const WAIT_CYCLES: u64 = 1 << 15;

/// A handle of the library.
type Handle = *mut c_void;

/// The functions of ciphermill_model.h. They point into the library, which is
/// kept open by [`ModelLibrary`].
struct Functions {
    open: unsafe extern "C" fn() -> Handle,
    close: unsafe extern "C" fn(Handle),
    read: unsafe extern "C" fn(Handle, u32, *mut u32) -> c_int,
    write: unsafe extern "C" fn(Handle, u32, u32) -> c_int,
    push: unsafe extern "C" fn(Handle, u32, *const u8, usize, c_int) -> usize,
    pull: unsafe extern "C" fn(Handle, u32, *mut u8, usize, *mut c_int) -> usize,
    queued: unsafe extern "C" fn(Handle, u32) -> usize,
    discard: unsafe extern "C" fn(Handle, u32),
    advance: unsafe extern "C" fn(Handle, u64, *mut u32) -> u64,
    cycles: unsafe extern "C" fn(*const c_void) -> u64,
}

/// A model's library, loaded and checked.
pub struct ModelLibrary {
    functions: Functions,
    description: Description,
    /// Dropped last: the functions are in it.
    _library: Library,
}

impl ModelLibrary {
    /// Load a library.
    ///
    /// Loading runs the library's initialisers, so it must be one that the user
    /// trusts, as any program: `ciphermill build` makes them.
    ///
    /// Fails with [`ciphermill::ErrorKind::Device`] when the file is not a library,
    /// not a model, or one for another version of the interface.
    pub fn load(path: &Path) -> Result<ModelLibrary> {
        let no_model = |error: &dyn std::fmt::Display| {
            Error::device(format!("{} is not a model: {error}", path.display()))
        };
        // SAFETY: the initialisers are those of the C++ run time and Verilator's;
        // the caller vouches for the file.
        let library = unsafe { Library::new(path) }.map_err(|error| no_model(&error))?;
        // SAFETY: this and every later type is that of the header, for the version
        // of the interface that is checked before any of them is called.
        let interface: unsafe extern "C" fn() -> u32 =
            unsafe { symbol(&library, b"ciphermill_model_interface\0") }
                .map_err(|error| no_model(&error))?;
        // SAFETY: takes nothing and returns a number in every version.
        let version = unsafe { interface() };
        if version != INTERFACE {
            return Err(no_model(&format!(
                "it has version {version} of the model interface, this program version {INTERFACE}"
            )));
        }
        // SAFETY: the version has been checked, so the types are right.
        let functions = unsafe { functions(&library) }.map_err(|error| no_model(&error))?;
        // SAFETY: as above.
        let describe: unsafe extern "C" fn() -> *const c_char =
            unsafe { symbol(&library, b"ciphermill_model_description\0") }
                .map_err(|error| no_model(&error))?;
        // SAFETY: the function returns a string that lives as long as the library.
        let text = unsafe { CStr::from_ptr(describe()) };
        let description = Description::parse(&text.to_string_lossy())?;
        Ok(ModelLibrary {
            functions,
            description,
            _library: library,
        })
    }

    /// What the library says about itself.
    pub fn description(&self) -> &Description {
        &self.description
    }
}

/// A function of the library.
///
/// # Safety
/// `T` must be the type of the function of this name.
pub(crate) unsafe fn symbol<T: Copy>(
    library: &Library,
    name: &[u8],
) -> std::result::Result<T, libloading::Error> {
    // SAFETY: the caller knows the type.
    unsafe { library.get::<T>(name) }.map(|symbol| *symbol)
}

/// Every function of the library.
///
/// # Safety
/// The library must have version [`INTERFACE`] of the interface.
unsafe fn functions(library: &Library) -> std::result::Result<Functions, libloading::Error> {
    // SAFETY: the types are those of the header, in this version.
    unsafe {
        Ok(Functions {
            open: symbol(library, b"ciphermill_model_open\0")?,
            close: symbol(library, b"ciphermill_model_close\0")?,
            read: symbol(library, b"ciphermill_model_read_register\0")?,
            write: symbol(library, b"ciphermill_model_write_register\0")?,
            push: symbol(library, b"ciphermill_model_push\0")?,
            pull: symbol(library, b"ciphermill_model_pull\0")?,
            queued: symbol(library, b"ciphermill_model_queued\0")?,
            discard: symbol(library, b"ciphermill_model_discard\0")?,
            advance: symbol(library, b"ciphermill_model_advance\0")?,
            cycles: symbol(library, b"ciphermill_model_cycles\0")?,
        })
    }
}

/// A simulated accelerator.
pub struct Model {
    handle: NonNull<c_void>,
    library: Arc<ModelLibrary>,
}

// SAFETY: a model has no ties to the thread that opened it; the header only
// forbids calls from two threads at once, which `&mut self` rules out.
unsafe impl Send for Model {}

impl Model {
    /// An accelerator after reset. Several may be open at once.
    pub fn open(library: &Arc<ModelLibrary>) -> Result<Model> {
        // SAFETY: the function takes nothing.
        let handle = unsafe { (library.functions.open)() };
        let handle = NonNull::new(handle).ok_or_else(|| {
            Error::device("the model did not open: out of memory, or it does not leave reset")
        })?;
        Ok(Model {
            handle,
            library: Arc::clone(library),
        })
    }

    /// What the model's library says about itself.
    pub fn description(&self) -> &Description {
        &self.library.description
    }

    /// Cycles that have passed since the model was opened.
    pub fn cycles_passed(&self) -> u64 {
        // SAFETY: the handle is open until this is dropped.
        unsafe { (self.library.functions.cycles)(self.handle.as_ptr()) }
    }

    /// Queue input for a channel; returns how many bytes its queue took.
    pub fn send_to(&mut self, channel: u32, data: &[u8], last: bool) -> usize {
        // SAFETY: the handle is open; the data is valid for its length and copied.
        unsafe {
            (self.library.functions.push)(
                self.handle.as_ptr(),
                channel,
                data.as_ptr(),
                data.len(),
                c_int::from(last),
            )
        }
    }

    /// Bytes that wait in front of a channel.
    pub fn queued(&self, channel: u32) -> usize {
        // SAFETY: the handle is open.
        unsafe { (self.library.functions.queued)(self.handle.as_ptr(), channel) }
    }

    /// Take output of a channel into a buffer.
    pub fn receive_from(&mut self, channel: u32, buffer: &mut [u8]) -> Received {
        let mut last = 0;
        // SAFETY: the handle is open; at most the buffer's length is written to it.
        let bytes = unsafe {
            (self.library.functions.pull)(
                self.handle.as_ptr(),
                channel,
                buffer.as_mut_ptr(),
                buffer.len(),
                &raw mut last,
            )
        };
        Received {
            bytes,
            last: Some(last != 0),
        }
    }

    /// Let up to so many core cycles pass, as
    /// [`ciphermill_accelerator::Simulation::advance`] does.
    pub fn advance(&mut self, cycles: u64) -> Advanced {
        let mut reason = 0;
        // SAFETY: the handle is open; the reason is written before the call returns.
        let cycles = unsafe {
            (self.library.functions.advance)(self.handle.as_ptr(), cycles, &raw mut reason)
        };
        Advanced {
            cycles,
            needs_input: reason & NEEDS_INPUT != 0,
            output_full: reason & OUTPUT_FULL != 0,
            interrupt: reason & INTERRUPT != 0,
        }
    }

    /// Drop what is queued for a channel and what it has given.
    pub fn discard_of(&mut self, channel: u32) {
        // SAFETY: the handle is open.
        unsafe { (self.library.functions.discard)(self.handle.as_ptr(), channel) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and nothing uses it afterwards.
        unsafe { (self.library.functions.close)(self.handle.as_ptr()) }
    }
}

/// The response of a register access.
fn answered(response: c_int, offset: u32) -> Result<()> {
    match response {
        0 => Ok(()),
        -1 => Err(Error::device(format!(
            "the model did not answer an access to register {offset:#04x}"
        ))),
        code => Err(Error::device(format!(
            "the model answered an access to register {offset:#04x} with AXI response {code}"
        ))),
    }
}

impl RegisterFile for Model {
    fn read(&mut self, offset: u32) -> Result<u32> {
        let mut value = 0;
        // SAFETY: the handle is open; the value is written before the call returns.
        let response =
            unsafe { (self.library.functions.read)(self.handle.as_ptr(), offset, &raw mut value) };
        answered(response, offset).map(|()| value)
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<()> {
        // SAFETY: the handle is open.
        let response =
            unsafe { (self.library.functions.write)(self.handle.as_ptr(), offset, value) };
        answered(response, offset)
    }
}
