// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The state of a ring, and what its registers do to it.

use zeroize::Zeroizing;

use super::descriptor::{COMPLETION_BYTES, DESCRIPTOR_BYTES};
use super::keys::{KEY_BYTES, Key, Slots};
use super::moderation::Moderation;
use super::registers::{field, ring};

/// Where a ring lies in the host's memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Geometry {
    pub(super) ring: u64,
    pub(super) completions: u64,
    /// Base-2 logarithm of the entries.
    pub(super) log2: u32,
}

impl Geometry {
    /// Addresses of the descriptor and of the completion of a message, and its phase. A ring that
    /// would run past 2^64 begins anew at zero.
    pub(super) fn entry(&self, number: u32) -> (u64, u64, bool) {
        let index = u64::from(number & ((1 << self.log2) - 1));
        let at = |base: u64, bytes: usize| base.wrapping_add(index * bytes as u64);
        let phase = (number >> self.log2) & 1 == 0;
        (
            at(self.ring, DESCRIPTOR_BYTES),
            at(self.completions, COMPLETION_BYTES),
            phase,
        )
    }

    fn is_valid(&self, most: u32) -> bool {
        let is_aligned = |base: u64| base.is_multiple_of(64);
        is_aligned(self.ring) && is_aligned(self.completions) && self.log2 <= most
    }
}

/// The state of a ring.
pub(super) struct State {
    pub(super) geometry: Geometry,
    pub(super) enabled: bool,
    /// An abort is in progress, by the host or after an error.
    pub(super) stopping: bool,
    pub(super) resetting: bool,
    /// The card ends.
    pub(super) over: bool,
    pub(super) key_busy: bool,
    pub(super) error: u32,
    /// DOORBELL as it was written last.
    pub(super) doorbell: u32,
    /// The last good one: descriptors given since the ring was enabled.
    pub(super) given: u32,
    pub(super) completed: u32,
    /// ACKNOWLEDGED as it was written last.
    pub(super) acknowledged: u32,
    pub(super) moderation: Moderation,
    pub(super) key_slot: u32,
    key: Zeroizing<[u8; KEY_BYTES]>,
    pub(super) slots: Slots,
}

impl State {
    /// The state after reset.
    pub(super) fn new(key_slots: u8) -> State {
        State {
            geometry: Geometry::default(),
            enabled: false,
            stopping: false,
            resetting: false,
            over: false,
            key_busy: false,
            error: 0,
            doorbell: 0,
            given: 0,
            completed: 0,
            acknowledged: 0,
            moderation: Moderation::default(),
            key_slot: 0,
            key: Zeroizing::default(),
            slots: Slots::new(key_slots),
        }
    }

    /// STATUS.busy.
    pub(super) fn is_busy(&self) -> bool {
        let has_more = self.enabled && self.completed != self.doorbell;
        has_more || self.stopping || self.resetting
    }

    /// Whether the ring is enabled, messages or none, or has not stopped yet.
    pub(super) fn is_active(&self) -> bool {
        self.enabled || self.stopping || self.resetting
    }

    /// Whether the message in progress is to be dropped.
    pub(super) fn drops(&self) -> bool {
        self.stopping || self.resetting || self.over
    }

    /// Whether the next message may begin.
    pub(super) fn has_message(&self) -> bool {
        self.enabled && !self.drops() && self.given != self.completed
    }

    /// Stop the ring with a bit of ERROR.
    pub(super) fn fail(&mut self, error: u32) {
        self.error |= error;
        self.moderation.fail();
        self.stop();
    }

    fn stop(&mut self) {
        self.enabled = false;
        self.stopping = true;
    }

    /// CONTROL was written.
    pub(super) fn control(&mut self, value: u32) {
        if value & ring::CONTROL_ABORT_MASK != 0 {
            self.stop();
        }
        let number = field(self.key_slot, ring::KEY_SLOT_SLOT_MASK) as u8;
        let stores = value & ring::CONTROL_STORE_KEY_MASK != 0;
        let stores_tweak = value & ring::CONTROL_STORE_TWEAK_KEY_MASK != 0;
        let erases = value & ring::CONTROL_ERASE_KEY_MASK != 0;
        if !(stores || stores_tweak || erases) {
            return;
        }
        self.key_busy = true;
        let key = Key {
            size: field(self.key_slot, ring::KEY_SLOT_KEY_SIZE_MASK),
            bytes: self.key.clone(),
        };
        // A slot that is not there takes no key.
        if let Some(slot) = self.slots.get(number) {
            if erases {
                (slot.first, slot.tweak) = (None, None);
            }
            if stores_tweak {
                slot.tweak = Some(key.clone());
            }
            if stores {
                slot.first = Some(key);
            }
        }
        if stores || stores_tweak {
            self.key.fill(0);
        }
    }

    /// ENABLE was written.
    pub(super) fn enable(&mut self, enable: bool, most: u32) {
        if !enable {
            if self.enabled {
                self.stop();
            }
            return;
        }
        // A ring that has not stopped, or whose error stands, does not begin.
        if self.enabled || self.drops() || self.error != 0 {
            return;
        }
        if !self.geometry.is_valid(most) {
            self.error |= ring::ERROR_GEOMETRY_MASK;
            self.moderation.fail();
            return;
        }
        self.enabled = true;
        self.given = 0;
        self.doorbell = 0;
        self.completed = 0;
        self.acknowledged = 0;
        self.moderation.begin();
    }

    /// DOORBELL was written.
    pub(super) fn ring_doorbell(&mut self, value: u32) {
        self.doorbell = value;
        if !self.enabled {
            return;
        }
        // A number behind the last one is almost 2^32 ahead.
        let ahead = value.wrapping_sub(self.completed);
        let gone_back = ahead < self.given.wrapping_sub(self.completed);
        if u64::from(ahead) > 1 << self.geometry.log2 || gone_back {
            self.fail(ring::ERROR_DOORBELL_MASK);
            return;
        }
        self.given = value;
    }

    /// A word of KEY was written.
    pub(super) fn set_key(&mut self, offset: u32, value: u32) {
        let Some(at) = offset.checked_sub(ring::KEY) else {
            return;
        };
        if let Some(word) = self.key.as_chunks_mut::<4>().0.get_mut(at as usize / 4) {
            *word = value.to_le_bytes();
        }
    }

    /// A register of the geometry was written; it holds while the ring is enabled.
    pub(super) fn set_geometry(&mut self, offset: u32, value: u32) {
        if self.enabled {
            return;
        }
        let low = |address: u64| address >> 32 << 32 | u64::from(value);
        let high = |address: u64| address & u64::from(u32::MAX) | u64::from(value) << 32;
        let geometry = &mut self.geometry;
        match offset {
            ring::RING_LOW => geometry.ring = low(geometry.ring),
            ring::RING_HIGH => geometry.ring = high(geometry.ring),
            ring::COMPLETIONS_LOW => geometry.completions = low(geometry.completions),
            ring::COMPLETIONS_HIGH => geometry.completions = high(geometry.completions),
            ring::ENTRIES => geometry.log2 = value & ring::ENTRIES_LOG2_MASK,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_wrap_and_phases_alternate() {
        let geometry = Geometry {
            ring: 0x1_0000,
            completions: 0x2_0000,
            log2: 2,
        };
        assert_eq!(geometry.entry(0), (0x1_0000, 0x2_0000, true));
        assert_eq!(geometry.entry(3), (0x1_00c0, 0x2_0060, true));
        assert_eq!(geometry.entry(4), (0x1_0000, 0x2_0000, false));
        assert_eq!(geometry.entry(8), (0x1_0000, 0x2_0000, true));
        assert_eq!(geometry.entry(u32::MAX), (0x1_00c0, 0x2_0060, false));
        let one = Geometry {
            log2: 0,
            ..geometry
        };
        assert_eq!((one.entry(0).2, one.entry(1).2), (true, false));
    }

    #[test]
    fn a_doorbell_is_at_most_the_entries_ahead() {
        for (value, error) in [
            (4, 0),
            (5, ring::ERROR_DOORBELL_MASK),
            (u32::MAX, ring::ERROR_DOORBELL_MASK),
        ] {
            let mut state = State::new(1);
            state.geometry.log2 = 2;
            state.enable(true, 10);
            state.ring_doorbell(value);
            assert_eq!((state.error, state.enabled), (error, error == 0), "{value}");
        }
        let mut state = State::new(1);
        state.geometry.log2 = 2;
        state.enable(true, 10);
        state.ring_doorbell(3);
        state.completed = 1;
        state.ring_doorbell(2);
        assert_eq!(state.error, ring::ERROR_DOORBELL_MASK);
    }

    #[test]
    fn a_doorbell_passes_the_end_of_its_numbers() {
        let mut state = State::new(1);
        state.geometry.log2 = 2;
        state.enable(true, 10);
        (state.given, state.completed) = (u32::MAX, u32::MAX);
        state.ring_doorbell(2);
        assert_eq!((state.error, state.given), (0, 2));
    }

    #[test]
    fn a_ring_begins_only_with_a_geometry() {
        for (ring, completions, log2) in [(32, 0, 0), (0, 96, 0), (0, 0, 11)] {
            let mut state = State::new(1);
            state.geometry = Geometry {
                ring,
                completions,
                log2,
            };
            state.enable(true, 10);
            assert_eq!(
                (state.error, state.enabled),
                (ring::ERROR_GEOMETRY_MASK, false)
            );
            // The error stands.
            state.geometry = Geometry::default();
            state.enable(true, 10);
            assert!(!state.enabled);
            state.error = 0;
            state.enable(true, 10);
            assert!(state.enabled);
        }
    }

    #[test]
    fn a_ring_that_is_disabled_is_aborted_and_begins_anew() {
        let mut state = State::new(1);
        state.geometry.log2 = 2;
        state.enable(false, 10);
        assert!(!state.stopping);
        state.enable(true, 10);
        state.ring_doorbell(2);
        state.completed = 1;
        state.acknowledged = 1;
        assert!(state.has_message() && state.is_busy());
        state.enable(false, 10);
        assert!(state.stopping && state.drops() && !state.has_message());
        // It begins only when it has stopped.
        state.enable(true, 10);
        assert!(!state.enabled);
        state.stopping = false;
        assert!(!state.is_busy());
        state.enable(true, 10);
        assert!(state.enabled && !state.has_message() && !state.is_busy());
        assert_eq!(
            (state.doorbell, state.completed, state.acknowledged),
            (0, 0, 0)
        );
    }

    #[test]
    fn the_geometry_holds_while_the_ring_is_enabled() {
        let mut state = State::new(1);
        state.set_geometry(ring::RING_LOW, 64);
        state.set_geometry(ring::RING_HIGH, 1);
        assert_eq!(state.geometry.ring, 0x1_0000_0040);
        state.enable(true, 10);
        state.set_geometry(ring::RING_LOW, 128);
        assert_eq!(state.geometry.ring, 0x1_0000_0040);
    }
}
