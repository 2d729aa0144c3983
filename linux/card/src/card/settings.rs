// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The build of a card.

use super::registers::card::CAPABILITY_LOG2_ENTRIES_MASK;
use super::registers::field;

/// Bytes between the pages of BAR 0.
pub(crate) const PAGE_BYTES: u32 = 4096;

/// The build of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Rings, and channels.
    pub rings: u8,
    /// Key slots of each ring.
    pub key_slots: u8,
    /// Base-2 logarithm of the most entries of a ring.
    pub log2_entries: u8,
    /// Frequency of the clock.
    pub khz: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            rings: 6,
            key_slots: 8,
            log2_entries: 10,
            khz: 100_000,
        }
    }
}

impl Settings {
    /// Most rings: each has a vector.
    pub const MOST_RINGS: u8 = 32;

    /// Check the settings.
    ///
    /// # Errors
    /// There is no such card.
    pub fn check(&self) -> Result<(), String> {
        let most = field(!0, CAPABILITY_LOG2_ENTRIES_MASK);
        if self.rings == 0 || self.rings > Settings::MOST_RINGS {
            return Err(format!(
                "a card has 1 to {} rings, not {}",
                Settings::MOST_RINGS,
                self.rings
            ));
        }
        if u32::from(self.log2_entries) > most {
            return Err(format!("a ring has at most 2^{most} entries"));
        }
        if self.khz == 0 {
            return Err("a clock has at least 1 kHz".to_owned());
        }
        Ok(())
    }

    /// CHANNEL_OFFSET.
    pub fn channel_offset(&self) -> u32 {
        (1 + u32::from(self.rings)) * PAGE_BYTES
    }

    /// Bytes of BAR 0.
    pub fn bar_bytes(&self) -> u32 {
        (self.channel_offset() + u32::from(self.rings) * PAGE_BYTES).next_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_channels_lie_behind_those_of_rings() {
        let settings = Settings::default();
        assert_eq!(
            (settings.channel_offset(), settings.bar_bytes()),
            (0x7000, 0x1_0000)
        );
        for rings in 1..=Settings::MOST_RINGS {
            let settings = Settings { rings, ..settings };
            assert_eq!(settings.check(), Ok(()));
            assert!(settings.bar_bytes() >= (1 + 2 * u32::from(rings)) * PAGE_BYTES);
        }
    }

    #[test]
    fn no_card_is_without_rings() {
        for settings in [
            Settings {
                rings: 0,
                ..Settings::default()
            },
            Settings {
                rings: 33,
                ..Settings::default()
            },
            Settings {
                log2_entries: 32,
                ..Settings::default()
            },
            Settings {
                khz: 0,
                ..Settings::default()
            },
        ] {
            assert!(settings.check().is_err(), "{settings:?}");
        }
    }
}
