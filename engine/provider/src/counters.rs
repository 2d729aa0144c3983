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
            pub(crate) fn values(&self) -> Values {
                [$((stringify!($name), self.$name.load(Ordering::Relaxed)),)+]
            }
        }

        /// What [`Counters::values`] gives.
        pub(crate) type Values = [(&'static str, u64); [$(stringify!($name)),+].len()];
    };
}

impl Counters {
    /// The value of this name.
    pub(crate) fn value(&self, name: &str) -> Option<u64> {
        let found = self.values().into_iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }
}

/// All of them together: what grows with anything that is counted.
pub(crate) fn total(values: &Values) -> u64 {
    let counts = values.iter().map(|(_, value)| *value);
    counts.fold(0, u64::wrapping_add)
}

counters! {
    /// Updates, messages or records that the device began.
    device_updates,
    /// Bytes that came back from the device.
    device_bytes,
    /// Cycles that the device took, where it counts them.
    device_cycles,
    /// TLS 1.2 records that the device did.
    device_records,
    /// Updates that software did.
    software_updates,
    /// Bytes that software did.
    software_bytes,
    /// TLS 1.2 records that software did.
    software_records,
    /// Updates of a pipe of a pipeline that the device did, or began.
    device_pipes,
    /// Updates of a pipe of a pipeline that software did.
    software_pipes,
    /// Times that the device failed.
    device_failures,
}

/// Add to a counter.
pub(crate) fn add(counter: &AtomicU64, amount: usize) {
    counter.fetch_add(amount as u64, Ordering::Relaxed);
}

/// Most updates after which a context's own counts are added to the process's: an atomic
/// addition each time would cost a short update a tenth of its speed.
const TALLY_UPDATES: u64 = 256;

/// As many bytes take much longer than adding them to the counts.
const TALLY_BYTES: u64 = 256 << 10;

/// What one context did in software and has not yet added to the process's counts.
pub(crate) struct Tally {
    updates: u64,
    bytes: u64,
    /// Updates after which they are added: more and more, so that a context of few updates
    /// that is never freed is counted too.
    limit: u64,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            updates: 0,
            bytes: 0,
            limit: 1,
        }
    }
}

impl Tally {
    /// An update in software. Whether it is time to [`Tally::flush`].
    #[inline]
    pub(crate) fn add(&mut self, bytes: usize) -> bool {
        self.updates += 1;
        self.bytes += bytes as u64;
        self.updates >= self.limit || self.bytes >= TALLY_BYTES
    }

    /// Add to the process's counts.
    pub(crate) fn flush(&mut self, counters: &Counters) {
        if self.updates == 0 {
            return;
        }
        let updates = std::mem::take(&mut self.updates);
        let bytes = std::mem::take(&mut self.bytes);
        self.limit = (2 * self.limit).min(TALLY_UPDATES);
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
    fn a_tally_is_added_once_and_soon() {
        let counters = Counters::default();
        let mut tally = Tally::default();
        let mut flushes = Vec::new();
        for update in 1..=1000 {
            if tally.add(16) {
                flushes.push(update);
                tally.flush(&counters);
                tally.flush(&counters);
            }
        }
        assert_eq!(flushes[..4], [1, 3, 7, 15]);
        assert_eq!(flushes.last(), Some(&767));
        assert_eq!(counters.value("software_updates"), Some(767));
        assert_eq!(counters.value("software_bytes"), Some(16 * 767));
        // One that is long is added at once.
        assert!(tally.add(TALLY_BYTES as usize));
        assert_eq!(counters.value("abacus"), None);
        add(&counters.device_bytes, 5);
        assert!(counters.values().contains(&("device_bytes", 5)));
        assert_eq!(total(&counters.values()), 767 + 16 * 767 + 5);
    }
}
