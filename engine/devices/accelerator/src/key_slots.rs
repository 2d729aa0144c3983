// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Private keys that stay in an accelerator.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ciphermill::process::PerProcess;
use ciphermill::{
    Algorithm, Buffer, Cancellation, Completion, Error, HeldKey, Job, KeyReference, Queue, Request,
    Result, SecretKey, SynchronousQueue,
};

use crate::curve::{CURVES, Curve};
use crate::{Driver, Finished, Identity, JOBS_IN_FLIGHT, Link};

/// The private keys that an accelerator holds for one device of the engine.
///
/// They are all in the key slots of one channel, which is taken when the first key comes and
/// given back, zeroised, when the last one is dropped. Every queue of the device can use them: a
/// request with such a key runs on their channel. A forked child has none of them.
pub struct KeySlots<L: Link> {
    /// The curves of keys that can be held.
    curves: Vec<&'static Algorithm>,
    channel: PerProcess<Mutex<Weak<Channel<L>>>>,
}

impl<L: Link + 'static> KeySlots<L> {
    /// No keys yet, in an accelerator of this identity.
    pub fn new(identity: &Identity) -> KeySlots<L> {
        let curves = CURVES.iter().map(|curve| curve.algorithm);
        let is_present = |curve: &&_| identity.whole.iter().any(|(one, _)| one == curve);
        KeySlots {
            curves: match identity.key_slots {
                0 => Vec::new(),
                _ => curves.filter(is_present).collect(),
            },
            channel: PerProcess::new(Mutex::default()),
        }
    }

    /// Hold a private key: this one, or one that is generated. `open` gives the driver of a
    /// channel that nobody uses, for the first key.
    ///
    /// # Errors
    /// As [`ciphermill::Device::hold_key`], and what `open` gives.
    pub fn hold(
        &self,
        device: &str,
        algorithm: &'static Algorithm,
        key: Option<&SecretKey>,
        cancellation: &Cancellation,
        open: impl FnOnce() -> Result<Driver<L>>,
    ) -> Result<KeyReference> {
        let able =
            |curve: &&Curve| curve.algorithm == algorithm && self.curves.contains(&algorithm);
        let curve = CURVES.iter().find(able).ok_or_else(|| {
            let name = algorithm.name;
            Error::unsupported(format!(
                "device {device} holds no private key of {name}: give the key's bytes with each \
                 request, or choose another device"
            ))
        })?;
        if key.is_some_and(|key| key.as_bytes().len() != algorithm.key_bytes()) {
            let (name, bytes) = (algorithm.name, algorithm.key_bytes());
            return Err(Error::invalid(format!(
                "a private key of {name} has {bytes} bytes"
            )));
        }
        let channel = self.channel(open)?;
        let (slot, public_key) = channel.lock().fill(device, curve, key, cancellation)?;
        let held = HeldSlot {
            channel,
            curve,
            slot,
        };
        Ok(KeyReference::new(device, algorithm, public_key, held))
    }

    /// A queue on the channel of the keys, for a device that has no other; `None` where it holds
    /// no key.
    pub fn queue(&self, cancellation: Cancellation) -> Option<Box<dyn Queue>> {
        let channel = lock(self.channel.get(|_| Mutex::default())).upgrade()?;
        let run = move |job: Job, cancellation: &_| match job.request.held_key() {
            Some(_) => complete(job, |request, data| {
                run_held::<L>(request, data, cancellation)
            }),
            None => channel.lock().driver.run_job(job, cancellation),
        };
        let depth = JOBS_IN_FLIGHT - 1;
        Some(Box::new(SynchronousQueue::start(depth, cancellation, run)))
    }

    /// The channel of the keys that are held, or a new one.
    fn channel(&self, open: impl FnOnce() -> Result<Driver<L>>) -> Result<Arc<Channel<L>>> {
        let mut current = lock(self.channel.get(|_| Mutex::default()));
        let usable = |channel: &Arc<Channel<L>>| channel.lock().driver.check_usable().is_ok();
        if let Some(channel) = current.upgrade().filter(usable) {
            return Ok(channel);
        }
        let driver = open()?;
        let slots = vec![false; driver.identity().key_slots];
        let channel = Arc::new(Channel(Mutex::new(Slots { driver, slots })));
        *current = Arc::downgrade(&channel);
        Ok(channel)
    }
}

/// A channel that holds keys.
struct Channel<L: Link>(Mutex<Slots<L>>);

struct Slots<L: Link> {
    driver: Driver<L>,
    /// Whether a slot has a key, or may have one.
    slots: Vec<bool>,
}

impl<L: Link> Channel<L> {
    fn lock(&self) -> MutexGuard<'_, Slots<L>> {
        lock(&self.0)
    }
}

impl<L: Link> Slots<L> {
    /// Put a key into a free slot; the slot's number and the public key.
    fn fill(
        &mut self,
        device: &str,
        curve: &Curve,
        key: Option<&SecretKey>,
        cancellation: &Cancellation,
    ) -> Result<(u32, Vec<u8>)> {
        self.driver.check_usable()?;
        let free = self.slots.iter().position(|used| !used);
        let free = free.ok_or_else(|| Error::key_slots_in_use(device))?;
        let slot = free as u32 + 1;
        self.slots[free] = true;
        let filled = self.driver.fill_slot(slot, curve, key, cancellation);
        if filled.is_err() {
            // The key may be there all the same, where its public key was lost on the way.
            self.erase(slot, curve);
        }
        filled.map(|public_key| (slot, public_key))
    }

    /// Empty a slot. One that the device does not empty is not used again.
    fn erase(&mut self, slot: u32, curve: &Curve) {
        self.slots[slot as usize - 1] = self.driver.erase_slot(slot, curve).is_err();
    }
}

/// A key in a slot, which is emptied when this is dropped.
struct HeldSlot<L: Link> {
    channel: Arc<Channel<L>>,
    curve: &'static Curve,
    slot: u32,
}

impl<L: Link + 'static> HeldKey for HeldSlot<L> {}

impl<L: Link> Drop for HeldSlot<L> {
    fn drop(&mut self) {
        self.channel.lock().erase(self.slot, self.curve);
    }
}

/// Run a request whose key is in a slot, on the channel of that slot.
pub(crate) fn run_held<L: Link + 'static>(
    request: &Request,
    data: &mut Buffer,
    cancellation: &Cancellation,
) -> Result<Finished> {
    let key = request.held_key();
    let key = key.ok_or_else(|| request.unsupported("a key slot"))?;
    let held = key.held::<HeldSlot<L>>("this accelerator")?;
    let mut slots = held.channel.lock();
    slots
        .driver
        .run_on_slot(held.slot, held.curve, request, data, cancellation)
}

/// The completion of a job, by what its request gives.
pub(crate) fn complete(
    job: Job,
    run: impl FnOnce(&Request, &mut Buffer) -> Result<Finished>,
) -> Completion {
    let mut data = job.data;
    match run(&job.request, &mut data) {
        Ok(finished) => Completion {
            timing: Some(finished.timing),
            tag: finished.tag,
            ..Completion::done(job.token, data)
        },
        Err(error) => Completion::failed(job.token, error),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
