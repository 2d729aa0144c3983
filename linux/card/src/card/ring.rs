// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A ring: its registers, and the thread that runs its messages.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::clock::Clock;
use super::fault::{Faults, Lie};
use super::host::Host;
use super::registers::{field, place, ring, version};
use super::settings::Settings;
use super::state::State;
use super::worker;

/// What all rings of a card share.
pub(super) struct Common {
    pub(super) settings: Settings,
    pub(super) faults: Arc<Faults>,
    pub(super) clock: Clock,
    /// Called when the card is to disappear.
    pub(super) removal: Box<dyn Fn() + Send + Sync>,
}

/// What a ring's registers and its thread share.
pub(super) struct Shared {
    pub(super) number: u8,
    pub(super) common: Arc<Common>,
    state: Mutex<State>,
    pub(super) changed: Condvar,
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A ring. Its thread ends with it.
pub(super) struct Ring {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Ring {
    pub(super) fn new(number: u8, common: Arc<Common>) -> Ring {
        let state = Mutex::new(State::new(common.settings.key_slots));
        let shared = Arc::new(Shared {
            number,
            common,
            state,
            changed: Condvar::new(),
        });
        Ring {
            shared,
            thread: None,
        }
    }

    /// Begin: the host is there.
    pub(super) fn attach(&mut self, host: Arc<dyn Host>) {
        let shared = Arc::clone(&self.shared);
        self.thread = Some(thread::spawn(move || worker::work(&shared, &*host)));
    }

    /// Whether it runs or stops, whether a reset is in progress, and ERROR.
    pub(super) fn condition(&self) -> (bool, bool, u32) {
        let state = self.shared.state();
        (state.is_active(), state.resetting, state.error)
    }

    /// Begin a reset.
    pub(super) fn reset(&self) {
        self.shared.state().resetting = true;
        self.shared.changed.notify_all();
    }

    /// Read a register.
    pub(super) fn read(&self, offset: u32) -> u32 {
        let faults = &self.shared.common.faults;
        let mut state = self.shared.state();
        match offset {
            ring::IDENTIFICATION => {
                faults.said(Lie::RingIdentification, ring::IDENTIFICATION_MAGIC_VALUE)
            }
            ring::VERSION => faults.said(
                Lie::RingVersion,
                version(
                    ring::VERSION_MAJOR_VALUE,
                    ring::VERSION_MINOR_VALUE,
                    ring::VERSION_PATCH_VALUE,
                ),
            ),
            ring::CAPABILITY => {
                let settings = &self.shared.common.settings;
                let (slots, log2) = (settings.key_slots.into(), settings.log2_entries.into());
                place(self.shared.number.into(), ring::CAPABILITY_INDEX_MASK)
                    | place(
                        faults.said(Lie::KeySlots, slots),
                        ring::CAPABILITY_KEY_SLOTS_MASK,
                    )
                    | place(
                        faults.said(Lie::Log2Entries, log2),
                        ring::CAPABILITY_LOG2_ENTRIES_MASK,
                    )
            }
            ring::ENABLE => state.enabled.into(),
            ring::STATUS => {
                let bit = |is_set: bool, mask: u32| if is_set { mask } else { 0 };
                // A key takes until the register has been read once.
                bit(state.is_busy(), ring::STATUS_BUSY_MASK)
                    | bit(state.stopping, ring::STATUS_STOPPING_MASK)
                    | bit(
                        std::mem::take(&mut state.key_busy),
                        ring::STATUS_KEY_BUSY_MASK,
                    )
            }
            ring::ERROR => state.error,
            ring::RING_LOW => state.geometry.ring as u32,
            ring::RING_HIGH => (state.geometry.ring >> 32) as u32,
            ring::COMPLETIONS_LOW => state.geometry.completions as u32,
            ring::COMPLETIONS_HIGH => (state.geometry.completions >> 32) as u32,
            ring::ENTRIES => state.geometry.log2,
            ring::DOORBELL => state.doorbell,
            ring::COMPLETED => state.completed,
            ring::INTERRUPT_MESSAGES => state.moderation.messages.into(),
            ring::INTERRUPT_CYCLES => state.moderation.cycles,
            ring::INTERRUPT_ENABLE => state.moderation.is_enabled().into(),
            ring::ACKNOWLEDGED => state.acknowledged,
            ring::KEY_SLOT => state.key_slot,
            _ => 0,
        }
    }

    /// Write a register.
    pub(super) fn write(&self, offset: u32, value: u32) {
        let most = self.shared.common.settings.log2_entries.into();
        let now = self.shared.common.clock.cycles();
        let mut state = self.shared.state();
        if state.resetting {
            return;
        }
        match offset {
            ring::CONTROL => state.control(value),
            ring::ENABLE => state.enable(value & ring::ENABLE_ENABLE_MASK != 0, most),
            ring::ERROR => state.error &= !value,
            ring::DOORBELL => state.ring_doorbell(value),
            ring::ACKNOWLEDGED => {
                state.acknowledged = value;
                state.moderation.acknowledge(value, now);
            }
            ring::INTERRUPT_MESSAGES => {
                state.moderation.messages =
                    field(value, ring::INTERRUPT_MESSAGES_MESSAGES_MASK) as u16;
            }
            ring::INTERRUPT_CYCLES => state.moderation.cycles = value,
            ring::INTERRUPT_ENABLE => {
                let has_error = state.error != 0;
                let enabled = value & ring::INTERRUPT_ENABLE_ENABLE_MASK != 0;
                state.moderation.enable(enabled, has_error, now);
            }
            ring::KEY_SLOT => {
                state.key_slot = value & (ring::KEY_SLOT_SLOT_MASK | ring::KEY_SLOT_KEY_SIZE_MASK);
            }
            _ => {
                state.set_key(offset, value);
                state.set_geometry(offset, value);
            }
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        self.shared.state().over = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
