// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The configuration space of a PCI function: a type 0 header with one memory BAR of 64 bits, MSI, and
//! MSI-X with its table in BAR 2 (PCI Local Bus Specification 3.0, sections 6.1, 6.2, 6.8.1 and 6.8.2).

use std::ops::Range;

use crate::table::{TABLE_BYTES, Table};

/// Bytes of the configuration space.
const BYTES: usize = 256;
const COMMAND: usize = 0x04;
const STATUS: usize = 0x06;
const BAR: Range<usize> = 0x10..0x18;
const TABLE_BAR: Range<usize> = 0x18..0x1c;
const CAPABILITIES: usize = 0x34;
const INTERRUPT_LINE: usize = 0x3c;
const MSI: usize = 0x40;
const MSI_CONTROL: usize = MSI + 2;
const MSI_ADDRESS: Range<usize> = MSI + 4..MSI + 12;
const MSI_DATA: Range<usize> = MSI + 12..MSI + 14;

const MSI_X: usize = 0x50;
const MSI_X_CONTROL: usize = MSI_X + 2;
/// Places of the table and of the pending bits in it.
const MSI_X_TABLE: usize = MSI_X + 4;
const MSI_X_PENDING: usize = MSI_X + 8;

const MEMORY_SPACE: u16 = 1 << 1;
const BUS_MASTER: u16 = 1 << 2;
const HAS_CAPABILITIES: u16 = 1 << 4;
/// A memory BAR of 64 bits.
const MEMORY_64: u8 = 0b100;
const MSI_CAPABILITY: u8 = 5;
const MSI_ENABLE: u16 = 1;
const MSI_64: u16 = 1 << 7;
const MSI_X_CAPABILITY: u8 = 0x11;
const MSI_X_ENABLE: u16 = 1 << 15;
const MSI_X_MASK: u16 = 1 << 14;

/// What becomes of an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It is a write of this data to this address.
    Write(u64, u32),
    /// It waits until its vector is no longer masked.
    Masked,
    /// The host has not enabled it.
    None,
}

/// What a function says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Vendor.
    pub vendor: u16,
    /// Device, by its vendor.
    pub device: u16,
    /// Class, subclass and programming interface, from the top: 0x100000 is an encryption controller.
    pub class: u32,
    /// Revision.
    pub revision: u8,
}

/// The configuration space of a function.
#[derive(Debug, Clone)]
pub struct ConfigurationSpace {
    bytes: [u8; BYTES],
    /// Bits that the host may write.
    writable: [u8; BYTES],
    /// The table of MSI-X, where there is one.
    table: Option<Table>,
}

impl ConfigurationSpace {
    /// A function with BAR 0 of this size and with so many MSI vectors.
    ///
    /// # Panics
    /// The size is no power of two of 4 KiB or more, or the vectors are no power of two up to 32.
    pub fn new(identity: Identity, bar_bytes: u64, vectors: u16) -> ConfigurationSpace {
        assert!(bar_bytes.is_power_of_two() && bar_bytes >= 4096);
        assert!(vectors.is_power_of_two() && vectors <= 32);
        let mut space = ConfigurationSpace {
            bytes: [0; BYTES],
            writable: [0; BYTES],
            table: None,
        };
        space.put(0x00, &identity.vendor.to_le_bytes());
        space.put(0x02, &identity.device.to_le_bytes());
        space.put(STATUS, &HAS_CAPABILITIES.to_le_bytes());
        space.put(0x08, &[identity.revision]);
        space.put(0x09, &identity.class.to_le_bytes()[..3]);
        space.put(BAR.start, &[MEMORY_64]);
        space.put(CAPABILITIES, &[MSI as u8]);
        let control = MSI_64 | (vectors.trailing_zeros() as u16) << 1;
        space.put(MSI, &[MSI_CAPABILITY, 0]);
        space.put(MSI_CONTROL, &control.to_le_bytes());
        space.allow(COMMAND, &(MEMORY_SPACE | BUS_MASTER).to_le_bytes());
        space.allow(BAR.start, &(!(bar_bytes - 1)).to_le_bytes());
        space.allow(INTERRUPT_LINE, &[0xff]);
        // Enable, and how many of the vectors are used.
        space.allow(MSI_CONTROL, &(MSI_ENABLE | 0b111 << 4).to_le_bytes());
        space.allow(MSI_ADDRESS.start, &(!0b11_u64).to_le_bytes());
        space.allow(MSI_DATA.start, &[0xff, 0xff]);
        space
    }

    /// Give the function MSI-X too, with so many vectors.
    ///
    /// # Panics
    /// There are none, or more than 32.
    #[must_use]
    pub fn with_table(mut self, vectors: u16) -> ConfigurationSpace {
        assert!((1..=32).contains(&vectors));
        self.table = Some(Table::new(vectors));
        self.put(MSI + 1, &[MSI_X as u8]);
        self.put(MSI_X, &[MSI_X_CAPABILITY, 0]);
        self.put(MSI_X_CONTROL, &(vectors - 1).to_le_bytes());
        // The low bits are the number of the BAR.
        self.put(MSI_X_TABLE, &2_u32.to_le_bytes());
        self.put(MSI_X_PENDING, &(Table::PENDING as u32 | 2).to_le_bytes());
        self.allow(MSI_X_CONTROL, &(MSI_X_ENABLE | MSI_X_MASK).to_le_bytes());
        self.allow(TABLE_BAR.start, &(!(TABLE_BYTES - 1)).to_le_bytes());
        self
    }

    /// The table of MSI-X, in BAR 2.
    pub(crate) fn table(&mut self) -> Option<&mut Table> {
        self.table.as_mut()
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn allow(&mut self, at: usize, bits: &[u8]) {
        self.writable[at..at + bits.len()].copy_from_slice(bits);
    }

    /// Read from an offset; zeros lie behind the end.
    pub fn read(&self, offset: u64, data: &mut [u8]) {
        for (place, byte) in (offset..=u64::MAX).zip(data) {
            *byte = (usize::try_from(place).ok())
                .and_then(|place| self.bytes.get(place))
                .copied()
                .unwrap_or(0);
        }
    }

    /// Write at an offset; bits that the host may not write keep their value.
    pub fn write(&mut self, offset: u64, data: &[u8]) {
        for (place, byte) in (offset..=u64::MAX).zip(data) {
            let Ok(place) = usize::try_from(place) else {
                return;
            };
            let Some(bits) = self.writable.get(place) else {
                return;
            };
            self.bytes[place] = (self.bytes[place] & !bits) | (byte & bits);
        }
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    /// Whether the host lets the function read and write its memory and interrupt it.
    pub fn is_bus_master(&self) -> bool {
        self.word(COMMAND) & BUS_MASTER != 0
    }

    /// What becomes of the interrupt of a vector. Of MSI, where the host uses fewer vectors than there
    /// are, a vector is its number modulo theirs.
    pub fn interrupt(&self, vector: u16) -> Delivery {
        if !self.is_bus_master() {
            return Delivery::None;
        }
        let extended = self.word(MSI_X_CONTROL);
        if let Some(table) = &self.table
            && extended & MSI_X_ENABLE != 0
        {
            return match extended & MSI_X_MASK != 0 {
                true => Delivery::Masked,
                false => table.interrupt(vector),
            };
        }
        let control = self.word(MSI_CONTROL);
        if control & MSI_ENABLE == 0 {
            return Delivery::None;
        }
        let enabled = 1_u16 << ((control >> 4) & 0b111).min(5);
        let address = self.bytes[MSI_ADDRESS].try_into().map(u64::from_le_bytes);
        // The low bits of the data are the vector (section 6.8.3.4).
        let data = (self.word(MSI_DATA.start) & !(enabled - 1)) | (vector % enabled);
        address.map_or(Delivery::None, |address| {
            Delivery::Write(address, data.into())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const IDENTITY: Identity = Identity {
        vendor: 0x1234,
        device: 0xc1f0,
        class: 0x10_0000,
        revision: 7,
    };

    fn read(space: &ConfigurationSpace, offset: u64) -> u32 {
        let mut data = [0; 4];
        space.read(offset, &mut data);
        u32::from_le_bytes(data)
    }

    #[test]
    fn the_header_says_what_it_is() {
        let space = ConfigurationSpace::new(IDENTITY, 1 << 16, 1);
        assert_eq!(read(&space, 0), 0xc1f0_1234);
        assert_eq!(read(&space, 8), 0x1000_0007);
        assert_eq!(read(&space, 254), 0);
        assert_eq!(read(&space, u64::MAX), 0);
    }

    #[test]
    fn a_bar_of_ones_reads_as_its_size() {
        let mut space = ConfigurationSpace::new(IDENTITY, 1 << 16, 1);
        space.write(0x10, &[0xff; 8]);
        assert_eq!((read(&space, 0x10), read(&space, 0x14)), (0xffff_0004, !0));
        space.write(0x10, &0x1_2345_0000_u64.to_le_bytes());
        assert_eq!((read(&space, 0x10), read(&space, 0x14)), (0x2345_0004, 1));
    }

    #[test]
    fn an_interrupt_needs_the_host_s_leave() {
        let mut space = ConfigurationSpace::new(IDENTITY, 4096, 4);
        assert_eq!(read(&space, 0x40) >> 16, 0x84);
        space.write(0x44, &0xa_0000_u64.to_le_bytes());
        space.write(0x4c, &0x40_u16.to_le_bytes());
        assert_eq!(space.interrupt(0), Delivery::None);
        space.write(0x42, &[0x21, 0]);
        assert_eq!(space.interrupt(0), Delivery::None);
        space.write(0x04, &[0x04]);
        assert!(space.is_bus_master());
        assert_eq!(space.interrupt(0), Delivery::Write(0xa_0000, 0x40));
        assert_eq!(space.interrupt(3), Delivery::Write(0xa_0000, 0x43));
        assert_eq!(space.interrupt(6), Delivery::Write(0xa_0000, 0x42));
        space.write(0x42, &[0x01, 0]);
        assert_eq!(space.interrupt(1), Delivery::Write(0xa_0000, 0x40));
    }

    #[test]
    fn a_table_has_a_vector_for_each() {
        let mut space = ConfigurationSpace::new(IDENTITY, 4096, 8).with_table(6);
        assert_eq!(read(&space, 0x40) & 0xffff, 0x5005);
        assert_eq!(read(&space, 0x50), 0x0005_0011);
        assert_eq!((read(&space, 0x54), read(&space, 0x58)), (2, 0x802));
        space.write(0x18, &[0xff; 4]);
        assert_eq!(read(&space, 0x18), 0xffff_f000);
        space.write(0x04, &[0x04]);
        space
            .table()
            .unwrap()
            .write(5 * 16, &[0x40, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(space.interrupt(5), Delivery::None);
        space.write(0x52, &[0, 0xc0]);
        assert_eq!(space.interrupt(5), Delivery::Masked);
        space.write(0x52, &[0, 0x80]);
        assert_eq!(space.interrupt(5), Delivery::Write(0x40, 9));
        assert_eq!(space.interrupt(4), Delivery::Masked);
        assert_eq!(space.interrupt(6), Delivery::None);
    }

    proptest! {
        #[test]
        fn nothing_that_is_written_changes_what_it_is(
            writes in proptest::collection::vec((any::<u64>(), any::<[u8; 8]>()), 0..20),
        ) {
            let mut space = ConfigurationSpace::new(IDENTITY, 4096, 1);
            for (offset, data) in writes {
                space.write(offset % 300, &data);
                let _ = space.interrupt(data[0].into());
            }
            prop_assert_eq!(read(&space, 0), 0xc1f0_1234);
            prop_assert_eq!(read(&space, 0x10) & 0xfff, 4);
            prop_assert_eq!(read(&space, 0x40) & 0xff8e_ffff, 0x0080_0005);
        }
    }
}
