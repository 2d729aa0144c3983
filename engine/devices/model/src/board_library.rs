// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The library of a simulated board (hw/board/model/ciphermill_board.h), and safe calls of it.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, Error, Result};
use libloading::Library;
use serde::Deserialize;

use crate::description::{check_clock, parse};
use crate::library::symbol;

/// CIPHERMILL_BOARD_INTERFACE of the header that this file was written from.
const INTERFACE: u32 = 2;

type Handle = *mut c_void;

/// The functions of ciphermill_board.h. They point into the library, which is kept open by
/// [`BoardLibrary`].
struct Functions {
    open: unsafe extern "C" fn(u64, u64) -> Handle,
    close: unsafe extern "C" fn(Handle),
    write: unsafe extern "C" fn(Handle, *const u8, usize),
    read: unsafe extern "C" fn(Handle, *mut u8, usize),
    start: unsafe extern "C" fn(Handle, *const u8, *const u8, usize),
    advance: unsafe extern "C" fn(Handle, u64) -> c_int,
    core_cycles: unsafe extern "C" fn(Handle) -> u64,
    memory_cycles: unsafe extern "C" fn(Handle) -> u64,
}

/// What the library of a board says about itself.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct BoardDescription {
    pub architecture: String,
    pub cores: usize,
    pub banks: usize,
    pub memory_bytes: usize,
    pub clock_mhz: f64,
    pub memory_clock_mhz: f64,
    pub link_mbit_s: f64,
}

/// The library of a board, loaded and checked.
pub(crate) struct BoardLibrary {
    functions: Functions,
    description: BoardDescription,
    /// Dropped last: the functions are in it.
    _library: Library,
}

impl BoardLibrary {
    /// Load a library; `None` where it is not one of a board. As with
    /// [`crate::ModelLibrary::load`], it must be one that the user trusts.
    pub fn load(path: &Path) -> Result<Option<BoardLibrary>> {
        let no_board = |error: &dyn std::fmt::Display| {
            Error::device(format!("{} is not a model: {error}", path.display()))
        };
        // SAFETY: the initialisers are those of the C++ run time and Verilator's; the caller
        // vouches for the file.
        let library = unsafe { Library::new(path) }.map_err(|error| no_board(&error))?;
        // SAFETY: this and every later type is that of the header, for the version of the
        // interface that is checked before any other is called.
        let interface: Option<unsafe extern "C" fn() -> u32> =
            unsafe { symbol(&library, b"ciphermill_board_interface\0") }.ok();
        let Some(interface) = interface else {
            return Ok(None);
        };
        // SAFETY: takes nothing and returns a number in every version.
        let version = unsafe { interface() };
        if version != INTERFACE {
            return Err(no_board(&format!(
                "it has version {version} of the board interface, this program version {INTERFACE}"
            )));
        }
        // SAFETY: the version has been checked, so the types are right.
        let functions = unsafe { functions(&library) }.map_err(|error| no_board(&error))?;
        // SAFETY: as above.
        let describe: unsafe extern "C" fn() -> *const c_char =
            unsafe { symbol(&library, b"ciphermill_board_description\0") }
                .map_err(|error| no_board(&error))?;
        // SAFETY: the function returns a string that lives as long as the library.
        let text = unsafe { CStr::from_ptr(describe()) };
        let description: BoardDescription = parse(&text.to_string_lossy())?;
        check_clock(description.clock_mhz)?;
        check_clock(description.memory_clock_mhz)?;
        if !(description.link_mbit_s.is_finite() && description.link_mbit_s > 0.0) {
            return Err(no_board(&"its link to the host has no rate"));
        }
        if description.memory_bytes < BLOCK_BYTES
            || !description.memory_bytes.is_multiple_of(BLOCK_BYTES)
        {
            return Err(no_board(&"its memory has no whole blocks"));
        }
        Ok(Some(BoardLibrary {
            functions,
            description,
            _library: library,
        }))
    }

    /// What the library says about itself.
    pub fn description(&self) -> &BoardDescription {
        &self.description
    }
}

/// Every function of the library.
///
/// # Safety
/// The library must have version [`INTERFACE`] of the interface.
unsafe fn functions(library: &Library) -> std::result::Result<Functions, libloading::Error> {
    // SAFETY: the types are those of the header, in this version.
    unsafe {
        Ok(Functions {
            open: symbol(library, b"ciphermill_board_open\0")?,
            close: symbol(library, b"ciphermill_board_close\0")?,
            write: symbol(library, b"ciphermill_board_write\0")?,
            read: symbol(library, b"ciphermill_board_read\0")?,
            start: symbol(library, b"ciphermill_board_start\0")?,
            advance: symbol(library, b"ciphermill_board_advance\0")?,
            core_cycles: symbol(library, b"ciphermill_board_core_cycles\0")?,
            memory_cycles: symbol(library, b"ciphermill_board_memory_cycles\0")?,
        })
    }
}

/// A simulated board. Dropped, it erases key and memory.
pub(crate) struct Board {
    handle: NonNull<c_void>,
    library: Arc<BoardLibrary>,
}

// SAFETY: a board has no ties to the thread that opened it; the header only forbids calls from
// two threads at once, which `&mut self` rules out.
unsafe impl Send for Board {}

impl Board {
    /// A board after reset, with these clocks.
    pub fn open(library: &Arc<BoardLibrary>, core_khz: u64, memory_khz: u64) -> Result<Board> {
        // SAFETY: the function takes two numbers.
        let handle = unsafe { (library.functions.open)(core_khz, memory_khz) };
        let handle = NonNull::new(handle)
            .ok_or_else(|| Error::device("the model of the board did not open: out of memory"))?;
        Ok(Board {
            handle,
            library: Arc::clone(library),
        })
    }

    /// Copy a message into memory; what is longer than that is not copied.
    pub fn write(&mut self, data: &[u8]) {
        // SAFETY: the handle is open; the data is valid for its length and copied.
        unsafe { (self.library.functions.write)(self.handle.as_ptr(), data.as_ptr(), data.len()) }
    }

    /// Copy a message out of memory.
    pub fn read(&mut self, data: &mut [u8]) {
        // SAFETY: the handle is open; at most the buffer's length is written to it.
        unsafe {
            (self.library.functions.read)(self.handle.as_ptr(), data.as_mut_ptr(), data.len());
        }
    }

    /// Give the FPGA the message in memory.
    pub fn start(&mut self, key: &[u8; 16], counter: &[u8; BLOCK_BYTES], bytes: usize) {
        let (key, counter) = (key.as_ptr(), counter.as_ptr());
        // SAFETY: the handle is open; key and counter have 16 bytes each, which are copied.
        unsafe { (self.library.functions.start)(self.handle.as_ptr(), key, counter, bytes) }
    }

    /// Let up to so many edges of the clocks pass; whether the FPGA still works on the message.
    pub fn advance(&mut self, edges: u64) -> bool {
        // SAFETY: the handle is open.
        unsafe { (self.library.functions.advance)(self.handle.as_ptr(), edges) != 0 }
    }

    /// Cycles of the cores for the last message.
    pub fn core_cycles(&self) -> u64 {
        // SAFETY: the handle is open.
        unsafe { (self.library.functions.core_cycles)(self.handle.as_ptr()) }
    }

    /// Cycles of the memory for the last message.
    pub fn memory_cycles(&self) -> u64 {
        // SAFETY: the handle is open.
        unsafe { (self.library.functions.memory_cycles)(self.handle.as_ptr()) }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and nothing uses it afterwards.
        unsafe { (self.library.functions.close)(self.handle.as_ptr()) }
    }
}
