// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The card of `hw/card` in plain Rust: the specification in executable form, with faults on demand.
//!
//! [`Card`] is the function. Its registers are those of `card.rdl` and `card_ring.rdl`; each ring has a
//! [thread of its own](worker), whose [state] the registers share. A message goes through
//! [`transfer`], which reads [places](scatter) in memory by a [port] and gives them to an [engine].

mod channel;
mod clock;
mod descriptor;
mod engine;
mod fault;
mod host;
mod keys;
mod moderation;
mod port;
pub(crate) mod registers;
mod ring;
mod scatter;
mod settings;
mod state;
mod transfer;
mod worker;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::descriptor::{
    COMPLETION_BYTES, Completion, DESCRIPTOR_BYTES, Descriptor, SEGMENT_BYTES, Segment, flags,
    status,
};
pub use self::fault::{Fault, Faults, Lie, When, number};
pub use self::host::Host;
pub(crate) use self::settings::PAGE_BYTES;
pub use self::settings::Settings;

use self::clock::Clock;
use self::registers::{card, place, version};
use self::ring::{Common, Ring};
use crate::bus::{Bus, Function};
use crate::configuration::Identity;
use crate::words;

/// Bytes of the memory bus, as CAPABILITY says.
const DATA_BYTES: u32 = 16;

/// What the card says it is: QEMU's vendor number for experiments.
pub const IDENTITY: Identity = Identity {
    vendor: 0x1234,
    device: 0xc1f1,
    class: 0x10_0000,
    revision: 0,
};

/// The card.
pub struct Card {
    common: Arc<Common>,
    rings: Vec<Ring>,
    is_attached: bool,
    /// CYCLES_HIGH: the high word at the last read of the low one.
    cycles_high: u32,
}

impl Card {
    /// A card with these faults; the last argument is called when it is to disappear.
    ///
    /// # Errors
    /// There is no such card.
    pub fn new(
        settings: Settings,
        faults: Arc<Faults>,
        removal: impl Fn() + Send + Sync + 'static,
    ) -> Result<Card, String> {
        settings.check()?;
        let common = Arc::new(Common {
            settings,
            faults,
            clock: Clock::new(settings.khz),
            removal: Box::new(removal),
        });
        let rings = (0..settings.rings)
            .map(|number| Ring::new(number, Arc::clone(&common)))
            .collect();
        Ok(Card {
            common,
            rings,
            is_attached: false,
            cycles_high: 0,
        })
    }

    /// Connect the card to its host: the rings begin. Only the first host counts.
    pub fn attach(&mut self, host: Arc<dyn Host>) {
        if !std::mem::replace(&mut self.is_attached, true) {
            for ring in &mut self.rings {
                ring.attach(Arc::clone(&host));
            }
        }
    }

    fn is_resetting(&self) -> bool {
        self.rings.iter().any(|ring| ring.condition().1)
    }

    /// Read a register, a word, at its address in BAR 0.
    pub fn read_register(&mut self, address: u32) -> u32 {
        let (page, offset) = (address / PAGE_BYTES, address % PAGE_BYTES);
        if page == 0 {
            return self.read_page(offset);
        }
        if let Some(ring) = self.rings.get(page as usize - 1) {
            return ring.read(offset);
        }
        let channel = page.checked_sub(self.common.settings.channel_offset() / PAGE_BYTES);
        match channel {
            Some(channel) if channel < self.rings.len() as u32 => {
                let common = &self.common;
                channel::read(&common.settings, &common.faults, channel, offset)
            }
            _ => 0,
        }
    }

    /// Write a register. Registers that are only read, and what is none, take nothing; nor does any
    /// register in a reset.
    pub fn write_register(&mut self, address: u32, value: u32) {
        let (page, offset) = (address / PAGE_BYTES, address % PAGE_BYTES);
        if self.is_resetting() {
            return;
        }
        if page != 0 {
            if let Some(ring) = self.rings.get(page as usize - 1) {
                ring.write(offset, value);
            }
        } else if offset == card::CONTROL && value & card::CONTROL_RESET_MASK != 0 {
            self.common.clock.restart();
            self.cycles_high = 0;
            for ring in &self.rings {
                ring.reset();
            }
        }
    }

    fn read_page(&mut self, offset: u32) -> u32 {
        let common = &self.common;
        let (settings, faults) = (&common.settings, &common.faults);
        match offset {
            card::IDENTIFICATION => {
                faults.said(Lie::Identification, card::IDENTIFICATION_MAGIC_VALUE)
            }
            card::VERSION => faults.said(
                Lie::Version,
                version(
                    card::VERSION_MAJOR_VALUE,
                    card::VERSION_MINOR_VALUE,
                    card::VERSION_PATCH_VALUE,
                ),
            ),
            card::CAPABILITY => {
                let said = |lie, truth: u32, mask| place(faults.said(lie, truth), mask);
                let (slots, log2) = (settings.key_slots.into(), settings.log2_entries.into());
                said(
                    Lie::Rings,
                    settings.rings.into(),
                    card::CAPABILITY_RINGS_MASK,
                ) | said(Lie::KeySlots, slots, card::CAPABILITY_KEY_SLOTS_MASK)
                    | said(Lie::Log2Entries, log2, card::CAPABILITY_LOG2_ENTRIES_MASK)
                    | said(Lie::DataBytes, DATA_BYTES, card::CAPABILITY_DATA_BYTES_MASK)
            }
            card::CLOCK => faults.said(Lie::Clock, settings.khz),
            card::STATUS => {
                let conditions = || self.rings.iter().map(Ring::condition);
                let busy = conditions().any(|(is_active, ..)| is_active);
                let resetting = conditions().any(|(_, is_resetting, _)| is_resetting);
                place(busy.into(), card::STATUS_BUSY_MASK)
                    | place(resetting.into(), card::STATUS_RESETTING_MASK)
            }
            card::ERROR => (0..32)
                .zip(&self.rings)
                .map(|(bit, ring)| u32::from(ring.condition().2 != 0) << bit)
                .sum(),
            card::CHANNEL_OFFSET => faults.said(Lie::ChannelOffset, settings.channel_offset()),
            card::CYCLES_LOW => {
                let cycles = common.clock.cycles();
                self.cycles_high = (cycles >> 32) as u32;
                cycles as u32
            }
            card::CYCLES_HIGH => self.cycles_high,
            _ => 0,
        }
    }
}

impl Function for Card {
    fn read(&mut self, address: u64, data: &mut [u8]) {
        words::read(address, data, |at| self.read_register(at));
    }

    fn write(&mut self, address: u64, data: &[u8], bus: &Bus) {
        if !self.is_attached {
            self.attach(Arc::new(bus.clone()));
        }
        words::write(address, data, |at, word| self.write_register(at, word));
    }
}
