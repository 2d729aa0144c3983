// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! When a ring interrupts: counts of completions and times in cycles, and nothing else.

/// The moderation of a ring's interrupts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moderation {
    /// INTERRUPT_MESSAGES.
    pub(crate) messages: u16,
    /// INTERRUPT_CYCLES.
    pub(crate) cycles: u32,
    enabled: bool,
    /// Completions that the host has seen.
    acknowledged: u32,
    /// Completions written, modulo 2^32.
    completed: u32,
    /// Completions up to which no interrupt is due: those of the last interrupt, or acknowledged since.
    base: u32,
    /// When the first beyond these came, or counts as having come.
    since: u64,
    /// One of these asked for its interrupt.
    at_once: bool,
    /// An error of the ring has no interrupt yet.
    failed: bool,
}

impl Moderation {
    /// The ring begins anew: nothing is completed.
    pub(crate) fn begin(&mut self) {
        self.acknowledged = 0;
        self.completed = 0;
        self.base = 0;
        self.at_once = false;
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled
    }

    fn waiting(&self) -> u32 {
        self.completed.wrapping_sub(self.base)
    }

    /// A completion was written.
    pub(crate) fn complete(&mut self, at_once: bool, now: u64) {
        if self.waiting() == 0 {
            self.since = now;
        }
        self.completed = self.completed.wrapping_add(1);
        self.at_once |= at_once;
    }

    /// The host has seen so many completions: those count no longer.
    pub(crate) fn acknowledge(&mut self, completions: u32, now: u64) {
        self.acknowledged = completions;
        let ahead = completions.wrapping_sub(self.base);
        if self.enabled && ahead != 0 && ahead <= self.waiting() {
            self.count_from(completions, now);
        }
    }

    /// Give interrupts or none. When it becomes one, what the host has not acknowledged comes now.
    pub(crate) fn enable(&mut self, enabled: bool, has_error: bool, now: u64) {
        if enabled && !self.enabled {
            self.count_from(self.acknowledged, now);
            self.failed = has_error;
        }
        self.enabled = enabled;
    }

    fn count_from(&mut self, completions: u32, now: u64) {
        self.base = completions;
        self.since = now;
        self.at_once &= self.waiting() != 0;
    }

    /// The ring has an error.
    pub(crate) fn fail(&mut self) {
        self.failed = true;
    }

    /// When the next interrupt is due if nothing else happens.
    pub(crate) fn deadline(&self) -> Option<u64> {
        if !self.enabled {
            return None;
        }
        let waiting = self.waiting();
        let enough = waiting != 0 && (self.at_once || waiting >= self.messages.into());
        if self.failed || enough {
            return Some(0);
        }
        let timed = waiting != 0 && self.cycles != 0;
        timed.then(|| self.since.saturating_add(self.cycles.into()))
    }

    /// Whether an interrupt is to be given now; if so, it counts as given.
    pub(crate) fn take(&mut self, now: u64) -> bool {
        let due = self.deadline().is_some_and(|deadline| deadline <= now);
        if due {
            self.base = self.completed;
            self.at_once = false;
            self.failed = false;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn enabled(messages: u16, cycles: u32) -> Moderation {
        let mut moderation = Moderation {
            messages,
            cycles,
            ..Moderation::default()
        };
        moderation.enable(true, false, 0);
        moderation
    }

    #[test]
    fn zero_and_one_interrupt_after_each() {
        for messages in [0, 1] {
            let mut moderation = enabled(messages, 0);
            assert!(!moderation.take(0));
            for now in 0..3 {
                moderation.complete(false, now);
                assert!(moderation.take(now));
                assert!(!moderation.take(now));
            }
        }
    }

    #[test]
    fn it_waits_for_a_number() {
        let mut moderation = enabled(3, 0);
        for turn in 0..4 {
            for _ in 0..2 {
                moderation.complete(false, turn);
                assert!(!moderation.take(u64::MAX));
            }
            moderation.complete(false, turn);
            assert!(moderation.take(turn));
        }
    }

    #[test]
    fn it_waits_no_longer_than_the_time() {
        let mut moderation = enabled(100, 50);
        assert!(!moderation.take(1000));
        moderation.complete(false, 1000);
        moderation.complete(false, 1040);
        assert_eq!(moderation.deadline(), Some(1050));
        assert!(!moderation.take(1049));
        assert!(moderation.take(1050));
        assert!(!moderation.take(5000));
    }

    #[test]
    fn a_descriptor_that_asks_does_not_wait() {
        let mut moderation = enabled(100, 0);
        moderation.complete(false, 0);
        moderation.complete(true, 0);
        assert!(moderation.take(0));
        moderation.complete(false, 0);
        assert!(!moderation.take(0));
    }

    #[test]
    fn enabling_counts_what_is_not_acknowledged_as_new() {
        for (messages, cycles, at_once, due) in [
            (0, 0, false, Some(0)),
            (2, 0, false, Some(0)),
            (3, 0, false, None),
            (3, 50, false, Some(1050)),
            (3, 50, true, Some(0)),
        ] {
            let mut moderation = enabled(messages, cycles);
            moderation.enable(false, false, 0);
            for at_once in [false, false, at_once] {
                moderation.complete(at_once, 10);
            }
            assert_eq!(moderation.deadline(), None);
            moderation.acknowledge(1, 20);
            moderation.enable(true, false, 1000);
            assert_eq!(moderation.deadline(), due);
        }
    }

    #[test]
    fn enabling_gives_none_where_all_is_acknowledged() {
        let mut moderation = enabled(0, 10);
        moderation.enable(false, false, 0);
        moderation.complete(true, 0);
        moderation.acknowledge(1, 0);
        moderation.enable(true, false, 0);
        assert!(!moderation.take(u64::MAX));
        // A write of one where it is one changes nothing.
        moderation.complete(false, 0);
        assert!(moderation.take(0));
        moderation.enable(true, false, 0);
        assert!(!moderation.take(0));
    }

    #[test]
    fn what_is_acknowledged_counts_no_longer() {
        let mut moderation = enabled(3, 50);
        for _ in 0..2 {
            moderation.complete(false, 0);
        }
        moderation.acknowledge(2, 10);
        moderation.complete(false, 20);
        assert_eq!(moderation.deadline(), Some(70));
        // What is behind, or has not come yet, is no acknowledgement.
        for none in [1, 4, u32::MAX] {
            moderation.acknowledge(none, 30);
            assert_eq!(moderation.deadline(), Some(70));
        }
    }

    #[test]
    fn an_error_interrupts_once() {
        let mut moderation = enabled(100, 0);
        moderation.fail();
        assert!(moderation.take(0));
        assert!(!moderation.take(0));
        moderation.enable(false, true, 0);
        moderation.fail();
        assert!(!moderation.take(0));
        moderation.enable(true, true, 0);
        assert!(moderation.take(0));
        moderation.enable(false, true, 0);
        moderation.enable(true, false, 0);
        assert!(!moderation.take(0));
    }

    proptest! {
        /// No completion stays without an interrupt beyond the number and the time, and there is never
        /// more than one interrupt for a completion.
        #[test]
        fn no_completion_is_lost(
            messages in 0_u16..20,
            cycles in 1_u32..100,
            steps in proptest::collection::vec((0_u64..60, any::<bool>()), 1..200),
        ) {
            let mut moderation = enabled(messages, cycles);
            let (mut now, mut waiting, mut first) = (0, 0_u64, 0);
            for (step, at_once) in steps {
                now += step;
                if moderation.take(now) {
                    prop_assert!(waiting > 0);
                    waiting = 0;
                }
                if waiting == 0 {
                    first = now;
                }
                moderation.complete(at_once, now);
                waiting += 1;
                if moderation.take(now) {
                    waiting = 0;
                } else {
                    prop_assert!(!at_once && waiting < messages.into());
                    prop_assert!(now < first + u64::from(cycles));
                }
            }
        }
    }
}
