// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The key slots of a ring.

use zeroize::Zeroizing;

use super::registers::accel;

/// Bytes of the KEY registers.
pub(crate) const KEY_BYTES: usize = accel::KEY_WORDS * 4;

/// A key with its size, as CONFIGURATION.key_size has it.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) size: u32,
    pub(crate) bytes: Zeroizing<[u8; KEY_BYTES]>,
}

impl Key {
    /// The bytes of the key of AES; none where AES has no such size.
    pub(crate) fn of_aes(&self) -> Option<&[u8]> {
        match self.size {
            accel::CONFIGURATION_KEY_SIZE_BITS_128 => Some(&self.bytes[..16]),
            accel::CONFIGURATION_KEY_SIZE_BITS_192 => Some(&self.bytes[..24]),
            accel::CONFIGURATION_KEY_SIZE_BITS_256 => Some(&self.bytes[..]),
            _ => None,
        }
    }
}

/// What a slot holds.
#[derive(Clone, Default)]
pub(crate) struct Slot {
    pub(crate) first: Option<Key>,
    pub(crate) tweak: Option<Key>,
}

/// The slots, numbered from 1.
pub(crate) struct Slots(Vec<Slot>);

impl Slots {
    pub(crate) fn new(count: u8) -> Slots {
        Slots(vec![Slot::default(); count.into()])
    }

    /// A slot; none where there is none of this number.
    pub(crate) fn get(&mut self, number: u8) -> Option<&mut Slot> {
        self.0.get_mut(usize::from(number).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_numbered_from_one() {
        let mut slots = Slots::new(2);
        assert!(slots.get(0).is_none());
        assert!(slots.get(1).is_some_and(|slot| slot.first.is_none()));
        assert!(slots.get(2).is_some());
        assert!(slots.get(3).is_none());
        assert!(Slots::new(0).get(1).is_none());
    }
}
