// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What went where: counted for the administrator.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$documentation:meta])* $name:ident,)+) => {
        /// Counts of one process.
        #[derive(Default)]
        pub(crate) struct Counters {
            $($(#[$documentation])* pub $name: AtomicU64,)+
        }

        impl Counters {
            /// Names and values, in a fixed order.
            pub(crate) fn values(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name.load(Ordering::Relaxed)),)+]
            }

            /// The value of this name.
            pub(crate) fn value(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($name) => Some(self.$name.load(Ordering::Relaxed)),)+
                    _ => None,
                }
            }
        }
    };
}

counters! {
    /// Updates, messages or records that the device began.
    device_updates,
    /// Bytes that came back from the device.
    device_bytes,
    /// Clocks that the device took, where it counts them.
    device_clocks,
    /// TLS 1.2 records that the device did.
    device_records,
    /// Updates that software did.
    software_updates,
    /// Bytes that software did.
    software_bytes,
    /// TLS 1.2 records that software did.
    software_records,
    /// Times that the device failed.
    device_failures,
}

/// Add to a counter.
pub(crate) fn add(counter: &AtomicU64, amount: usize) {
    counter.fetch_add(amount as u64, Ordering::Relaxed);
}

/// Updates after which a context's own counts are added to the process's: an atomic
/// addition each time would cost a short update a tenth of its speed.
const TALLY_UPDATES: u64 = 256;

/// What one context did in software and has not yet added to the process's counts.
#[derive(Default)]
pub(crate) struct Tally {
    updates: u64,
    bytes: u64,
}

impl Tally {
    /// An update in software. Whether it is time to [`Tally::flush`].
    #[inline]
    pub(crate) fn add(&mut self, bytes: usize) -> bool {
        self.updates += 1;
        self.bytes += bytes as u64;
        self.updates >= TALLY_UPDATES
    }

    /// Add to the process's counts.
    pub(crate) fn flush(&mut self, counters: &Counters) {
        let Tally { updates, bytes } = std::mem::take(self);
        counters
            .software_updates
            .fetch_add(updates, Ordering::Relaxed);
        counters.software_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_added_once() {
        let counters = Counters::default();
        let mut tally = Tally::default();
        let flushes = (0..TALLY_UPDATES).filter(|_| tally.add(16)).count();
        assert_eq!(flushes, 1);
        tally.flush(&counters);
        tally.flush(&counters);
        assert_eq!(counters.value("software_updates"), Some(TALLY_UPDATES));
        assert_eq!(counters.value("software_bytes"), Some(16 * TALLY_UPDATES));
        assert_eq!(counters.value("abacus"), None);
        add(&counters.device_bytes, 5);
        assert!(counters.values().contains(&("device_bytes", 5)));
    }
}
