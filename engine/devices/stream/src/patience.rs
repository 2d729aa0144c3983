// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! How long the channels of a simulation wait for the client of one of them.

use std::time::{Duration, Instant};

/// How long time stands still for a client that is not ready.
pub(crate) const STARVED_MILLISECONDS: u32 = 20;

const MOST: Duration = Duration::from_millis(STARVED_MILLISECONDS as u64);

/// Of the time in which a client keeps its channel going, the part that it may later hold the
/// others: one in so many.
const EARNS_ONE_IN: u32 = 4;

/// The time for which a channel may hold all others while it waits for its client.
///
/// It is 20 milliseconds at first, and never more. Waiting uses it up. Time in which the channel
/// does not wait gives a quarter of itself back. A client that is a little late therefore costs
/// no cycles, and one that is always late, if only by a byte each time, holds nobody.
pub(crate) struct Patience {
    left: Duration,
    /// The last look at the channel, and whether it waited then.
    looked: Option<(Instant, bool)>,
}

impl Patience {
    pub fn new() -> Patience {
        Patience {
            left: MOST,
            looked: None,
        }
    }

    /// Whether a channel that waits now, or does not, holds the others.
    pub fn lasts(&mut self, waits: bool, now: Instant) -> bool {
        if let Some((before, waited)) = self.looked {
            let passed = now.saturating_duration_since(before);
            self.left = match waited {
                true => self.left.saturating_sub(passed),
                false => (self.left + passed / EARNS_ONE_IN).min(MOST),
            };
        }
        self.looked = Some((now, waits));
        waits && !self.left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn a_client_that_is_late_once_is_waited_for() {
        let (mut patience, start) = (Patience::new(), Instant::now());
        assert!(!patience.lasts(false, start));
        let late = start + 100 * MILLISECOND;
        assert!(patience.lasts(true, late));
        assert!(patience.lasts(true, late + 19 * MILLISECOND));
        assert!(!patience.lasts(true, late + 20 * MILLISECOND));
        assert!(!patience.lasts(true, late + 500 * MILLISECOND));
    }

    #[test]
    fn a_client_that_moves_a_byte_now_and_then_holds_the_others_a_fifth_of_the_time() {
        let (mut patience, mut now) = (Patience::new(), Instant::now());
        let mut held = 0;
        for look in 0..10_000 {
            // Of twenty milliseconds it does not wait in one.
            now += MILLISECOND;
            held += i32::from(patience.lasts(look % 20 != 0, now));
        }
        // 20 at first, and a quarter of the 500 milliseconds in which it does not wait, each
        // rounded up to the next look.
        assert!(
            (100..=1_000).contains(&held),
            "{held} of 10,000 milliseconds"
        );
    }

    #[test]
    fn a_client_that_keeps_up_has_its_time_back() {
        let (mut patience, start) = (Patience::new(), Instant::now());
        patience.lasts(true, start);
        assert!(!patience.lasts(true, start + 30 * MILLISECOND));
        patience.lasts(false, start + 30 * MILLISECOND);
        assert!(patience.lasts(true, start + 110 * MILLISECOND));
        assert!(patience.lasts(true, start + 129 * MILLISECOND));
        assert!(!patience.lasts(true, start + 130 * MILLISECOND));
    }
}
