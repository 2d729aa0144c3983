// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One simulated accelerator for several hosts: each has a channel, all share the clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use ciphermill::Result;
use ciphermill_accelerator::{
    Advanced, CHANNEL_BYTES, DataStreams, Received, RegisterFile, Simulation,
};

use crate::library::WAIT_CYCLES;
use crate::{Model, ModelLibrary};

/// Cycles that pass in one wait where other channels are taken: a host reacts to its channel,
/// and a new one begins, at most this much later in simulated time.
const SHARED_WAIT_CYCLES: u64 = 256;

/// A simulated accelerator that hands out its channels.
///
/// A clock cycle passes for all channels at once. Hosts that are at work
/// ([`Accelerator::at_work`]) and wait do so until all of them wait; the last one then lets
/// cycles pass for all. The time that a host spends between its calls therefore costs the
/// others no simulated cycles. No thread belongs to the accelerator.
pub struct Accelerator {
    clock: Mutex<Clock>,
    /// Cycles have passed, or a host has ended its work.
    changed: Condvar,
    /// Hosts at work. Changed without the lock, so that whoever lets cycles pass in a loop sees
    /// that another host wants the lock.
    working: AtomicUsize,
}

struct Clock {
    model: Model,
    /// Which channels are handed out.
    taken: Vec<bool>,
    /// Hosts that wait for cycles to pass.
    waiting: usize,
    /// Waits that have ended.
    waits: u64,
}

impl Accelerator {
    /// An accelerator after reset. Several may be open at once.
    ///
    /// # Errors
    /// As [`Model::open`].
    pub fn open(library: &Arc<ModelLibrary>) -> Result<Arc<Accelerator>> {
        let model = Model::open(library)?;
        let taken = vec![false; model.description().channels as usize];
        let clock = Clock {
            model,
            taken,
            waiting: 0,
            waits: 0,
        };
        Ok(Arc::new(Accelerator {
            clock: Mutex::new(clock),
            changed: Condvar::new(),
            working: AtomicUsize::new(0),
        }))
    }

    /// A channel that nobody has; `None` when all are taken. Dropped, it is free again.
    pub fn take_channel(self: &Arc<Accelerator>) -> Option<Channel> {
        self.take_channel_that(|_| true)
    }

    /// As [`Accelerator::take_channel`], of the channels whose numbers suit.
    pub fn take_channel_that(
        self: &Arc<Accelerator>,
        suits: impl Fn(usize) -> bool,
    ) -> Option<Channel> {
        let mut clock = self.lock();
        let mut channels = clock.taken.iter().enumerate();
        let number = channels.position(|(number, taken)| !taken && suits(number))?;
        clock.taken[number] = true;
        Some(Channel {
            accelerator: Arc::clone(self),
            number: number as u32,
        })
    }

    /// Cycles that have passed since the accelerator was opened.
    pub fn cycles_passed(&self) -> u64 {
        self.lock().model.cycles_passed()
    }

    /// Hold the clock for a host with a message to run: until the result is dropped, no other
    /// host's wait ends while this host does not wait.
    pub fn at_work(&self) -> AtWork<'_> {
        self.working.fetch_add(1, Ordering::SeqCst);
        AtWork { accelerator: self }
    }

    fn lock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Let a host use the model, ahead of those that wait.
    fn access<T>(&self, using: impl FnOnce(&mut Model) -> T) -> T {
        let _working = self.at_work();
        using(&mut self.lock().model)
    }

    fn all_wait(&self, clock: &Clock) -> bool {
        clock.waiting >= self.working.load(Ordering::SeqCst)
    }

    fn wait(&self) {
        let mut clock = self.lock();
        let begun = clock.waits;
        clock.waiting += 1;
        while clock.waits == begun && !self.all_wait(&clock) {
            clock = (self.changed.wait(clock)).unwrap_or_else(PoisonError::into_inner);
        }
        if clock.waits != begun {
            return;
        }
        let alone = clock.taken.iter().filter(|taken| **taken).count() <= 1;
        clock.model.advance(match alone {
            true => WAIT_CYCLES,
            false => SHARED_WAIT_CYCLES,
        });
        clock.waiting = 0;
        clock.waits += 1;
        self.changed.notify_all();
    }
}

/// A host at work on an [`Accelerator`]; dropped, it is not any more.
pub struct AtWork<'accelerator> {
    accelerator: &'accelerator Accelerator,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.accelerator.working.fetch_sub(1, Ordering::SeqCst);
        let clock = self.accelerator.lock();
        if self.accelerator.all_wait(&clock) {
            self.accelerator.changed.notify_all();
        }
    }
}

/// A channel of an [`Accelerator`]: registers and streams of its own.
pub struct Channel {
    accelerator: Arc<Accelerator>,
    number: u32,
}

impl Channel {
    /// The accelerator that the channel belongs to.
    pub fn accelerator(&self) -> &Arc<Accelerator> {
        &self.accelerator
    }

    fn address(&self, offset: u32) -> u32 {
        self.number * CHANNEL_BYTES + offset
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.accelerator.lock().taken[self.number as usize] = false;
    }
}

impl RegisterFile for Channel {
    fn read(&mut self, offset: u32) -> Result<u32> {
        let address = self.address(offset);
        self.accelerator.access(|model| model.read(address))
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<()> {
        let address = self.address(offset);
        self.accelerator.access(|model| model.write(address, value))
    }
}

impl DataStreams for Channel {
    fn send(&mut self, data: &[u8], last: bool) -> Result<usize> {
        let send = |model: &mut Model| model.send_to(self.number, data, last);
        Ok(self.accelerator.access(send))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Received> {
        let receive = |model: &mut Model| model.receive_from(self.number, buffer);
        Ok(self.accelerator.access(receive))
    }

    fn wait(&mut self, _sending: bool) -> Result<()> {
        self.accelerator.wait();
        Ok(())
    }

    fn discard(&mut self) -> Result<()> {
        self.accelerator
            .access(|model| model.discard_of(self.number));
        Ok(())
    }

    fn cycles(&mut self) -> Result<Option<u64>> {
        Ok(Some(self.accelerator.cycles_passed()))
    }
}

/// For one thread that has all channels, which is a host of its own and waits for no other.
impl Simulation for Channel {
    fn advance(&mut self, cycles: u64) -> Result<Advanced> {
        Ok(self.accelerator.access(|model| model.advance(cycles)))
    }
}
