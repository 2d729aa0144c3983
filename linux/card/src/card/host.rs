// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the card reaches through its bus.

use std::io;

use super::descriptor::{COMPLETION_BYTES, STATUS_AT};
use crate::bus::Bus;

/// The host: its memory and its interrupts.
pub trait Host: Send + Sync {
    /// Read memory.
    ///
    /// # Errors
    /// The memory answers with an error.
    fn read(&self, address: u64, data: &mut [u8]) -> io::Result<()>;

    /// Write memory.
    ///
    /// # Errors
    /// As [`Host::read`]; a part may be written.
    fn write(&self, address: u64, data: &[u8]) -> io::Result<()>;

    /// Write a completion so that the host sees its status after everything that was written before.
    ///
    /// # Errors
    /// As [`Host::read`].
    fn publish(&self, address: u64, completion: &[u8; COMPLETION_BYTES]) -> io::Result<()>;

    /// Interrupt the host by a vector.
    fn interrupt(&self, vector: u16);
}

impl Host for Bus {
    fn read(&self, address: u64, data: &mut [u8]) -> io::Result<()> {
        self.read_memory(address, data)
    }

    fn write(&self, address: u64, data: &[u8]) -> io::Result<()> {
        self.write_memory(address, data)
    }

    fn publish(&self, address: u64, completion: &[u8; COMPLETION_BYTES]) -> io::Result<()> {
        let (before, rest) = completion.split_at(STATUS_AT);
        let (status, after) = rest.split_at(4);
        // A ring of the last bytes of the address space is no ring.
        let at = |offset: usize| {
            (address.checked_add(offset as u64)).ok_or_else(|| io::Error::other("no such address"))
        };
        self.write_memory(address, before)?;
        self.write_memory(at(STATUS_AT + 4)?, after)?;
        let status = status.first_chunk().copied().unwrap_or_default();
        self.store_memory(at(STATUS_AT)?, u32::from_le_bytes(status))
    }

    fn interrupt(&self, vector: u16) {
        Bus::interrupt(self, vector);
    }
}
