// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Faults on demand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Define an enumeration whose values have names on the command line.
macro_rules! named {
    ($(#[$about:meta])* $name:ident, $what:literal, {
        $($(#[$doc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<$name, String> {
                let found = $name::ALL.iter().find(|one| one.name() == text);
                found.copied().ok_or_else(|| {
                    let names: Vec<&str> = $name::ALL.iter().map(|one| one.name()).collect();
                    format!("{text:?} is no {}: choose from {}", $what, names.join(", "))
                })
            }
        }
    };
}

named! {
    /// A kind of fault.
    Fault, "fault", {
        /// The message does not end; an abort ends it.
        Hang = "hang",
        /// Nor does an abort end it; a reset does.
        Wedge = "wedge",
        /// Nor does a reset.
        Dead = "dead",
        /// The ring stops with ERROR.hang.
        HangError = "hang-error",
        /// An interrupt is not given.
        LoseInterrupt = "lose-interrupt",
        /// An interrupt is given without a reason.
        SpuriousInterrupt = "spurious-interrupt",
        /// The read of a descriptor fails.
        FetchError = "fetch-error",
        /// The write of a completion fails.
        CompletionError = "completion-error",
        /// A read of data or of a list fails.
        ReadError = "read-error",
        /// A write of data fails.
        WriteError = "write-error",
        /// The completion has another cookie.
        WrongCookie = "wrong-cookie",
        /// The completion has a count beyond the output.
        WrongCount = "wrong-count",
        /// The completion has the phase of the pass before.
        WrongPhase = "wrong-phase",
        /// The card disappears.
        Remove = "remove",
    }
}

named! {
    /// A register, or a field of one, that can lie.
    Lie, "register that can lie", {
        /// IDENTIFICATION of the card.
        Identification = "identification",
        /// VERSION of the card.
        Version = "version",
        /// CAPABILITY.rings.
        Rings = "rings",
        /// CAPABILITY.key_slots.
        KeySlots = "key-slots",
        /// CAPABILITY.log2_entries.
        Log2Entries = "log2-entries",
        /// CAPABILITY.data_bytes.
        DataBytes = "data-bytes",
        /// CLOCK.
        Clock = "clock",
        /// CHANNEL_OFFSET.
        ChannelOffset = "channel-offset",
        /// IDENTIFICATION of the rings.
        RingIdentification = "ring-identification",
        /// VERSION of the rings.
        RingVersion = "ring-version",
        /// IDENTIFICATION of the channels.
        ChannelIdentification = "channel-identification",
        /// VERSION of the channels.
        ChannelVersion = "channel-version",
        /// CAPABILITY of the channels.
        ChannelCapability = "channel-capability",
    }
}

/// At which of its chances a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At none.
    Never,
    /// Once, at the chance of this number, from 1.
    Once(u64),
    /// At each of so many.
    Every(u64),
    /// At one of so many, at random.
    Random(u64),
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<When, String> {
        if text == "never" {
            return Ok(When::Never);
        }
        let (kind, number): (fn(u64) -> When, &str) = match text.split_once(':') {
            None => (When::Once, text),
            Some(("every", number)) => (When::Every, number),
            Some(("random", number)) => (When::Random, number),
            Some((other, _)) => return Err(format!("{other:?} is neither every nor random")),
        };
        match number.parse() {
            Ok(0) | Err(_) => Err(format!("{number:?} is no number from 1")),
            Ok(number) => Ok(kind(number)),
        }
    }
}

/// Read a number, decimal or hexadecimal with 0x.
///
/// # Errors
/// It is none, or has more than 32 bits.
pub fn number(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("{text:?} is no number of 32 bits"))
}

/// Split `NAME=VALUE`.
fn pair(text: &str) -> Result<(&str, &str), String> {
    text.split_once('=')
        .ok_or_else(|| format!("{text:?} is not NAME=VALUE"))
}

struct Plan {
    when: BTreeMap<Fault, (When, u64)>,
    struck: BTreeMap<Fault, u64>,
    lies: BTreeMap<Lie, u32>,
    random: u64,
}

/// The faults of a card. They can change while it runs.
pub struct Faults {
    plan: Mutex<Plan>,
    delay: AtomicU64,
    pub(crate) messages: AtomicU64,
    pub(crate) interrupts: AtomicU64,
}

impl Default for Faults {
    fn default() -> Faults {
        Faults::new(1)
    }
}

impl Faults {
    /// No faults, and a seed for those at random.
    pub fn new(seed: u64) -> Faults {
        Faults {
            plan: Mutex::new(Plan {
                when: BTreeMap::new(),
                struck: BTreeMap::new(),
                lies: BTreeMap::new(),
                // The generator stays at zero.
                random: seed.max(1),
            }),
            delay: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            interrupts: AtomicU64::new(0),
        }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plan a fault: `KIND=VALUE`.
    ///
    /// # Errors
    /// There is no such fault, or it cannot have this value.
    pub fn set(&self, text: &str) -> Result<(), String> {
        let (kind, value) = pair(text)?;
        if kind == "delay" {
            self.delay.store(number(value)?.into(), Ordering::Relaxed);
            return Ok(());
        }
        let (fault, when) = (kind.parse()?, value.parse()?);
        self.plan().when.insert(fault, (when, 0));
        Ok(())
    }

    /// Let a register lie: `NAME=VALUE`.
    ///
    /// # Errors
    /// There is no such register, or the value is none.
    pub fn lie(&self, text: &str) -> Result<(), String> {
        let (name, value) = pair(text)?;
        let (lie, value) = (name.parse()?, number(value)?);
        self.plan().lies.insert(lie, value);
        Ok(())
    }

    /// No register lies any more.
    pub fn truth(&self) {
        self.plan().lies.clear();
    }

    /// What a register says: the lie, or the truth.
    pub(crate) fn said(&self, lie: Lie, truth: u32) -> u32 {
        self.plan().lies.get(&lie).copied().unwrap_or(truth)
    }

    /// How much longer each message takes.
    pub(crate) fn delay(&self) -> Duration {
        Duration::from_micros(self.delay.load(Ordering::Relaxed))
    }

    /// A chance of a fault: whether it strikes.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        let mut plan = self.plan();
        let plan = &mut *plan;
        let Some((when, chances)) = plan.when.get_mut(&fault) else {
            return false;
        };
        *chances += 1;
        let strikes = match *when {
            When::Never => false,
            When::Once(number) => *chances == number,
            When::Every(number) => chances.is_multiple_of(number),
            When::Random(number) => {
                // Marsaglia, "Xorshift RNGs" (2003), triple 13, 7, 17.
                plan.random ^= plan.random << 13;
                plan.random ^= plan.random >> 7;
                plan.random ^= plan.random << 17;
                (plan.random >> 16).is_multiple_of(number)
            }
        };
        if strikes {
            *plan.struck.entry(fault).or_default() += 1;
        }
        strikes
    }

    /// Messages, interrupts, and how often each fault struck, as `NAME=COUNT` separated by blanks.
    pub fn counts(&self) -> String {
        let mut text = format!(
            "messages={} interrupts={}",
            self.messages.load(Ordering::Relaxed),
            self.interrupts.load(Ordering::Relaxed)
        );
        for (fault, count) in &self.plan().struck {
            let _ = write!(text, " {}={count}", fault.name());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn struck(value: &str, chances: u32) -> Vec<u32> {
        let faults = Faults::new(7);
        faults.set(&format!("hang={value}")).unwrap();
        (1..=chances)
            .filter(|_| faults.strikes(Fault::Hang))
            .collect()
    }

    #[test]
    fn they_strike_when_planned() {
        assert!(struck("never", 20).is_empty());
        assert_eq!(struck("1", 20), [1]);
        assert_eq!(struck("3", 20), [3]);
        assert_eq!(struck("every:7", 20), [7, 14]);
        assert!((50..200).contains(&struck("random:10", 1000).len()));
        assert_eq!(struck("random:10", 1000), struck("random:10", 1000));
        assert_eq!(struck("random:1", 3), [1, 2, 3]);
    }

    #[test]
    fn only_what_is_planned_strikes() {
        let faults = Faults::default();
        faults.set("hang=1").unwrap();
        assert!(!faults.strikes(Fault::Dead));
        assert!(faults.strikes(Fault::Hang));
        assert_eq!(faults.counts(), "messages=0 interrupts=0 hang=1");
        faults.set("delay=250").unwrap();
        assert_eq!(faults.delay(), Duration::from_micros(250));
    }

    #[test]
    fn what_is_none_is_refused() {
        let faults = Faults::default();
        for (text, reason) in [
            ("hang", "not NAME=VALUE"),
            ("hung=1", "choose from hang, wedge"),
            ("hang=0", "no number from 1"),
            ("hang=-1", "no number from 1"),
            ("hang=often:2", "neither every nor random"),
            ("delay=1e9", "no number of 32 bits"),
        ] {
            let error = faults.set(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        assert!(faults.lie("rings=0x1_0").is_err());
        assert!(faults.lie("ring=1").unwrap_err().contains("choose from"));
    }

    #[test]
    fn a_register_lies_until_the_truth() {
        let faults = Faults::default();
        assert_eq!(faults.said(Lie::Rings, 6), 6);
        faults.lie("rings=0").unwrap();
        faults.lie("version=0x020000").unwrap();
        assert_eq!(faults.said(Lie::Rings, 6), 0);
        assert_eq!(faults.said(Lie::Version, 6), 0x2_0000);
        faults.truth();
        assert_eq!(faults.said(Lie::Rings, 6), 6);
    }
}
