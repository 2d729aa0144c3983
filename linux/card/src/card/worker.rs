// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The thread of a ring: it runs messages, writes completions and gives interrupts.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::descriptor::{Completion, Descriptor, flags, status};
use super::fault::Fault;
use super::host::Host;
use super::port::{Failure, Port};
use super::registers::ring;
use super::ring::Shared;
use super::state::{Geometry, State};
use super::transfer;

/// Run a ring until its card ends.
pub(super) fn work(shared: &Shared, host: &dyn Host) {
    let worker = Worker { shared, host };
    while let Some((number, geometry)) = worker.next() {
        let ended = worker.message(number, geometry);
        let mut state = shared.state();
        match ended {
            Ok(at_once) => {
                state.completed = state.completed.wrapping_add(1);
                let now = shared.common.clock.cycles();
                state.moderation.complete(at_once, now);
            }
            Err(Failure::Ring(error)) => state.fail(error),
            Err(Failure::Message(_) | Failure::Dropped) => {}
        }
    }
}

struct Worker<'a> {
    shared: &'a Shared,
    host: &'a dyn Host,
}

impl<'a> Worker<'a> {
    /// Wait for the next message: its number, and its ring. None when the card ends.
    fn next(&self) -> Option<(u32, Geometry)> {
        let mut state = self.shared.state();
        loop {
            if state.over {
                return None;
            }
            if state.resetting {
                *state = State::new(self.shared.common.settings.key_slots);
            }
            state.stopping = false;
            let (after, interrupted) = self.interrupt(state);
            state = after;
            if interrupted {
                continue;
            }
            if state.has_message() {
                return Some((state.completed, state.geometry));
            }
            state = self.wait(state, None);
        }
    }

    /// Give an interrupt that is due, without the lock; whether there was one.
    fn interrupt<'b>(&'b self, mut state: MutexGuard<'b, State>) -> (MutexGuard<'b, State>, bool) {
        let common = &self.shared.common;
        if !state.moderation.take(common.clock.cycles()) {
            return (state, false);
        }
        drop(state);
        if !common.faults.strikes(Fault::LoseInterrupt) {
            self.give_interrupt();
        }
        (self.shared.state(), true)
    }

    fn give_interrupt(&self) {
        let common = &self.shared.common;
        common.faults.interrupts.fetch_add(1, Ordering::Relaxed);
        self.host.interrupt(self.shared.number.into());
    }

    /// Wait for a change, for the time of an interrupt, or until then.
    fn wait<'b>(
        &'b self,
        state: MutexGuard<'b, State>,
        until: Option<Instant>,
    ) -> MutexGuard<'b, State> {
        let clock = &self.shared.common.clock;
        let interrupt = (state.moderation.deadline())
            .map(|deadline| clock.time(deadline.saturating_sub(clock.cycles())));
        let rest = until.map(|until| until.saturating_duration_since(Instant::now()));
        match interrupt.into_iter().chain(rest).min() {
            None => (self.shared.changed.wait(state)).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                (self.shared.changed.wait_timeout(state, time))
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        }
    }

    /// Pause within a message, until a time or for ever, or until the condition holds.
    fn pause(&self, until: Option<Instant>, ends: impl Fn(&State) -> bool) {
        let mut state = self.shared.state();
        while !ends(&state) && until.is_none_or(|until| Instant::now() < until) {
            let (after, interrupted) = self.interrupt(state);
            state = if interrupted {
                after
            } else {
                self.wait(after, until)
            };
        }
    }

    /// Give what interrupts are due within a message; whether it goes on.
    fn goes_on(&self) -> bool {
        let (state, _) = self.interrupt(self.shared.state());
        !state.drops()
    }

    /// Run a message and write its completion; whether it asked for an interrupt.
    fn message(&self, number: u32, geometry: Geometry) -> Result<bool, Failure> {
        let common = &self.shared.common;
        let faults = &*common.faults;
        faults.messages.fetch_add(1, Ordering::Relaxed);
        let goes_on = || self.goes_on();
        let port = Port {
            host: self.host,
            faults,
            goes_on: &goes_on,
        };
        self.strike()?;
        let (from, to, phase) = geometry.entry(number);
        let descriptor = Descriptor::parse(&port.descriptor(from)?);
        let slot = self
            .shared
            .state()
            .slots
            .get(descriptor.key_slot())
            .cloned();
        let mut completion = transfer::run(&descriptor, slot.as_ref(), &port)?;
        self.falsify(&mut completion);
        let phase = phase != faults.strikes(Fault::WrongPhase);
        port.publish(to, &completion.bytes(phase))?;
        if faults.strikes(Fault::SpuriousInterrupt) {
            self.give_interrupt();
        }
        Ok(descriptor.has(flags::INTERRUPT))
    }

    /// The faults that come before a message.
    fn strike(&self) -> Result<(), Failure> {
        let common = &self.shared.common;
        let faults = &common.faults;
        if faults.strikes(Fault::Remove) {
            (common.removal)();
        }
        let delay = faults.delay();
        if delay != Duration::ZERO {
            self.pause(Some(Instant::now() + delay), State::drops);
        }
        if faults.strikes(Fault::HangError) {
            return Err(Failure::Ring(ring::ERROR_HANG_MASK));
        }
        let (hang, wedge, dead) = (
            faults.strikes(Fault::Hang),
            faults.strikes(Fault::Wedge),
            faults.strikes(Fault::Dead),
        );
        if dead {
            self.pause(None, |state| state.over);
        } else if wedge {
            self.pause(None, |state| state.resetting || state.over);
        } else if hang {
            self.pause(None, State::drops);
        }
        Ok(())
    }

    /// The faults of a completion.
    fn falsify(&self, completion: &mut Completion) {
        let faults = &self.shared.common.faults;
        if faults.strikes(Fault::WrongCookie) {
            completion.cookie = completion.cookie.wrapping_add(1);
        }
        if faults.strikes(Fault::WrongCount) && completion.status == status::DONE {
            completion.count = completion.count.wrapping_add(1);
        }
    }
}
