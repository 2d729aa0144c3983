// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `linux:`.

use std::sync::Arc;

use ciphermill::{
    Cancellation, Capabilities, Completion, Device, Job, Queue, Result, SynchronousQueue,
};
use ciphermill_accelerator::Identity;

use crate::calls::{Files, Kernel};
use crate::place::{self, Place};
use crate::ring::Ring;
use crate::rings::{self, Rings};

/// Messages of a queue that the driver has at once: the card goes from one to the next without
/// waiting for its host.
const MESSAGES_AT_ONCE: usize = 2;

/// Rings of a card behind the kernel driver. Each queue takes one that is free; whoever asks for one,
/// in this process or another, when all are taken is told that they are busy.
pub struct LinuxDevice {
    name: String,
    place: Place,
    files: Arc<dyn Files>,
    capabilities: Capabilities,
}

impl LinuxDevice {
    /// The device of a place: the text behind `linux:`, empty for any ring of any card, `0` for one of
    /// card 0, `0-3` for its ring 3, `/dev/ciphermill0-3` for a file.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for another text, [`ciphermill::ErrorKind::Device`] when there
    /// is no driver, other processes have all of its rings, or its interface has another version.
    pub fn new(place: &str) -> Result<LinuxDevice> {
        LinuxDevice::with(Arc::new(Kernel), place)
    }

    /// Check the text behind `linux:`. Opens nothing.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for one that is none.
    pub fn check_place(place: &str) -> Result<()> {
        place.parse::<Place>().map(|_| ())
    }

    pub(crate) fn with(files: Arc<dyn Files>, place: &str) -> Result<LinuxDevice> {
        let name = format!("linux:{place}");
        let place: Place = place.parse()?;
        // They are given back at once: a queue takes its own.
        let free = rings::free(&*files, &place)?;
        Ok(LinuxDevice {
            capabilities: capabilities(&free),
            name,
            place,
            files,
        })
    }
}

fn capabilities(rings: &[Ring]) -> Capabilities {
    let clock_mhz = rings.first().and_then(Ring::clock_mhz);
    let identities: Vec<_> = rings.iter().map(|ring| ring.identity().clone()).collect();
    let place = match rings.len() {
        1 => "a ring behind the Linux kernel driver".to_owned(),
        many => format!("{many} rings behind the Linux kernel driver"),
    };
    let mut capabilities = Identity::capabilities_of(&identities, clock_mhz, &place);
    capabilities.channels = rings.len();
    capabilities.in_flight = 2 * MESSAGES_AT_ONCE;
    capabilities
}

/// Whether the kernel driver has files on this machine.
pub fn is_present() -> bool {
    let names = Kernel.names().unwrap_or_default();
    names.iter().any(|name| place::is_ring(name))
}

impl Device for LinuxDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let rings = Rings::new(Arc::clone(&self.files), self.place.clone())?;
        Ok(Box::new(RingQueue::new(Arc::new(rings), cancellation)))
    }
}

/// A queue whose jobs take turns on two threads: while one waits for its message, that of the other
/// is on the card.
struct RingQueue {
    turns: [SynchronousQueue; MESSAGES_AT_ONCE],
    /// The turn of the next job, and of the next completion.
    next: usize,
    oldest: usize,
}

impl RingQueue {
    fn new(rings: Arc<Rings>, cancellation: Cancellation) -> RingQueue {
        let turn = |_| {
            let rings = Arc::clone(&rings);
            let run = move |job, cancellation: &_| run_job(&rings, job, cancellation);
            SynchronousQueue::start(1, cancellation.clone(), run)
        };
        RingQueue {
            turns: std::array::from_fn(turn),
            next: 0,
            oldest: 0,
        }
    }
}

fn run_job(rings: &Rings, job: Job, cancellation: &Cancellation) -> Completion {
    let mut data = job.data;
    let done = rings
        .get(&job.request)
        .and_then(|ring| ring.run(&job.request, &mut data, cancellation));
    match done {
        Ok(tag) => Completion {
            tag,
            ..Completion::done(job.token, data)
        },
        Err(error) => Completion::failed(job.token, error),
    }
}

impl Queue for RingQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        self.turns[self.next].submit(job)?;
        self.next = (self.next + 1) % MESSAGES_AT_ONCE;
        Ok(())
    }

    fn complete(&mut self) -> Option<Completion> {
        let completion = self.turns[self.oldest].complete()?;
        self.oldest = (self.oldest + 1) % MESSAGES_AT_ONCE;
        Some(completion)
    }

    fn in_flight(&self) -> usize {
        self.turns.iter().map(SynchronousQueue::in_flight).sum()
    }
}
