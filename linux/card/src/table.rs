// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The table of MSI-X and its pending bits, in a BAR of their own (PCI Local Bus Specification 3.0,
//! section 6.8.2).

use crate::configuration::Delivery;

/// Bytes of the BAR.
pub(crate) const TABLE_BYTES: u32 = 4096;
const ENTRY_BYTES: usize = 16;
/// Bytes of an entry that hold its address, then its data, then its control.
const DATA: usize = 8;
const CONTROL: usize = 12;
const MASK: u8 = 1;

/// The table.
#[derive(Debug, Clone)]
pub(crate) struct Table(Vec<[u8; ENTRY_BYTES]>);

impl Table {
    /// Where the pending bits begin.
    pub(crate) const PENDING: u64 = 0x800;

    /// All vectors are masked.
    pub(crate) fn new(vectors: u16) -> Table {
        let mut entry = [0; ENTRY_BYTES];
        entry[CONTROL] = MASK;
        Table(vec![entry; vectors.into()])
    }

    /// Read at an offset in the BAR; the pending bits are given.
    pub(crate) fn read(&self, offset: u64, pending: u32, data: &mut [u8]) {
        let table = self.0.as_flattened();
        for (place, byte) in (offset..=u64::MAX).zip(data) {
            let entry = usize::try_from(place)
                .ok()
                .and_then(|place| table.get(place));
            let bits = (place.checked_sub(Table::PENDING))
                .and_then(|place| pending.to_le_bytes().get(place as usize).copied());
            *byte = entry.copied().or(bits).unwrap_or(0);
        }
    }

    /// Write at an offset in the BAR.
    pub(crate) fn write(&mut self, offset: u64, data: &[u8]) {
        let table = self.0.as_flattened_mut();
        for (place, byte) in (offset..=u64::MAX).zip(data) {
            let Some(entry) = (usize::try_from(place).ok()).and_then(|place| table.get_mut(place))
            else {
                return;
            };
            *entry = *byte;
        }
    }

    /// What becomes of the interrupt of a vector.
    pub(crate) fn interrupt(&self, vector: u16) -> Delivery {
        let Some(entry) = self.0.get(usize::from(vector)) else {
            return Delivery::None;
        };
        if entry[CONTROL] & MASK != 0 {
            return Delivery::Masked;
        }
        let [a, b, c, d, e, f, g, h, ..] = *entry;
        let data = entry[DATA..CONTROL].try_into().map(u32::from_le_bytes);
        data.map_or(Delivery::None, |data| {
            Delivery::Write(u64::from_le_bytes([a, b, c, d, e, f, g, h]), data)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pending_bits_are_read() {
        let mut table = Table::new(2);
        let mut data = [1; 8];
        table.read(Table::PENDING, 0x8000_0002, &mut data);
        assert_eq!(data, [2, 0, 0, 0x80, 0, 0, 0, 0]);
        table.read(12, 0, &mut data[..1]);
        assert_eq!(data[0], MASK);
        table.write(16, &[7]);
        table.read(16, 0, &mut data[..1]);
        assert_eq!(data[0], 7);
    }

    proptest! {
        #[test]
        fn any_access_is_answered(accesses in proptest::collection::vec((any::<u64>(), 0_usize..40), 0..20)) {
            let mut table = Table::new(3);
            for (offset, bytes) in accesses {
                for offset in [offset, offset % 64] {
                    table.write(offset, &vec![0xff; bytes]);
                    table.read(offset, !0, &mut vec![0; bytes]);
                }
            }
            prop_assert_eq!(table.0.len(), 3);
        }
    }
}
