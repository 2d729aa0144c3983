// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Registers through a memory map.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fs::OpenOptions;
use std::path::Path;
use std::ptr::{NonNull, null_mut};

use ciphermill::{Error, Result};
use ciphermill_accelerator::{CHANNEL_BYTES, RegisterFile};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// What the bytes of a map are a multiple of.
const PAGE_BYTES: usize = 4096;

/// Bytes of a channel that have registers.
const REGISTER_BYTES: usize = 0xAC;

/// The registers of a channel in `registers`, a character device on a board, mapped into memory.
///
/// A device that leaves the bus reads as all ones. (A regular file that shrinks
/// under the map ends the process with SIGBUS; boards have no regular files.)
pub struct MemoryMap {
    base: NonNull<u32>,
    bytes: usize,
    /// Where the channel's registers begin, in bytes.
    first: usize,
}

// SAFETY: the map belongs to the process, not to a thread, and only this value
// refers to it.
unsafe impl Send for MemoryMap {}

impl MemoryMap {
    /// Map the file at this path, for the registers of a channel.
    pub fn open(path: &Path, channel: usize) -> Result<MemoryMap> {
        let first = channel * CHANNEL_BYTES as usize;
        let bytes = (first + REGISTER_BYTES).next_multiple_of(PAGE_BYTES);
        let failed = |what: &dyn std::fmt::Display| {
            Error::device(format!(
                "mapping the registers at {}: {what}",
                path.display()
            ))
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| failed(&error))?;
        let about = file.metadata().map_err(|error| failed(&error))?;
        if about.is_file() && about.len() < (first + REGISTER_BYTES) as u64 {
            return Err(failed(&format!("it has {} bytes only", about.len())));
        }
        // SAFETY: a new map at an address of the system's choice aliases nothing
        // of this program's; it outlives the file descriptor.
        let base = unsafe {
            mmap(
                null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                &file,
                0,
            )
        }
        .map_err(|error| failed(&error))?;
        let base = NonNull::new(base.cast()).ok_or_else(|| failed(&"it is at address zero"))?;
        Ok(MemoryMap { base, bytes, first })
    }

    /// Where the register of this offset is; it must be one of the map's words.
    fn register(&self, offset: u32) -> Result<NonNull<u32>> {
        let word = offset as usize / 4;
        if !offset.is_multiple_of(4) || word >= REGISTER_BYTES / 4 {
            return Err(Error::device(format!(
                "there is no register at offset {offset:#x}"
            )));
        }
        // SAFETY: the map has REGISTER_BYTES behind the first of the channel's words.
        Ok(unsafe { self.base.add(self.first / 4 + word) })
    }
}

impl RegisterFile for MemoryMap {
    fn read(&mut self, offset: u32) -> Result<u32> {
        let register = self.register(offset)?;
        // SAFETY: the register is an aligned word of the map. Volatile, as the
        // device changes it and reading may have effects.
        Ok(u32::from_le(unsafe { register.read_volatile() }))
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<()> {
        let register = self.register(offset)?;
        // SAFETY: as above; volatile, as the write is the effect.
        unsafe { register.write_volatile(value.to_le()) };
        Ok(())
    }
}

impl Drop for MemoryMap {
    fn drop(&mut self) {
        // SAFETY: this is the map of `open`, and nothing refers to it any more.
        // Unmapping what was mapped does not fail.
        let _ = unsafe { munmap(self.base.as_ptr().cast::<c_void>(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn registers_are_words_of_the_file_little_endian() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("registers");
        let mut bytes = vec![0; PAGE_BYTES + 256];
        // Channels 0 and 16, which is behind the first page.
        for first in [0, PAGE_BYTES] {
            bytes[first..first + 4].copy_from_slice(b"CMIL");
        }
        fs::write(&path, &bytes).unwrap();
        for (channel, first) in [(0, 0), (16, PAGE_BYTES)] {
            let mut map = MemoryMap::open(&path, channel).unwrap();
            assert_eq!(map.read(0).unwrap(), 0x4C49_4D43);
            map.write(0x30, 0x0403_0201).unwrap();
            let written = fs::read(&path).unwrap();
            assert_eq!(written[first + 0x30..first + 0x34], [1, 2, 3, 4]);
            assert!(map.read(2).is_err());
            assert!(map.write(0xAC, 0).is_err());
        }
    }

    #[test]
    fn a_file_without_registers_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("registers");
        assert!(MemoryMap::open(&path, 0).is_err());
        fs::write(&path, [0; 256]).unwrap();
        assert!(MemoryMap::open(&path, 0).is_ok());
        let error = MemoryMap::open(&path, 1).err().unwrap();
        assert!(error.to_string().contains("256 bytes only"), "{error}");
    }
}
