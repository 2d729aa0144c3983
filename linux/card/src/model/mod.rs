// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The RTL of `hw/card`, simulated: a [library](library) that `scripts/build_card.py` builds, behind
//! the same interface as the card in software. A thread owns it and lets the clock pass while it has work.

mod library;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvError, SyncSender, TryRecvError};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use self::library::Model;
use crate::bus::{Bus, Function};
use crate::card::registers::{card, field};
use crate::card::{COMPLETION_BYTES, Host, PAGE_BYTES};
use crate::words;

/// Register accesses that wait; a host that writes faster waits itself.
const ACCESSES: usize = 64;
/// So long the clock passes before a register access is looked at, unless the least of cycles takes
/// longer: far below the 40 ms that the host waits.
const SLICE: Duration = Duration::from_millis(2);
const LEAST_CYCLES: u64 = 16;
const MOST_CYCLES: u64 = 1 << 14;

/// The link to the host's memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    /// Cycles from a request to its answer; 0 for the library's own.
    pub latency: u32,
    /// Bytes a cycle each way; 0 for the width of the card's bus.
    pub bytes_per_cycle: u32,
}

/// A register access, at its address in BAR 0.
enum Access {
    Read(u32, SyncSender<u32>),
    Write(u32, u32),
}

/// The simulated card.
pub struct ModelCard {
    host: Arc<Late>,
    /// None when the thread is to end.
    accesses: Option<SyncSender<Access>>,
    thread: Option<JoinHandle<()>>,
    description: String,
    cycles: Arc<AtomicU64>,
    rings: u8,
    bar_bytes: u32,
}

impl ModelCard {
    /// Open a card of a library.
    ///
    /// # Errors
    /// It is no library of this interface, or does not start.
    pub fn open(path: &Path, link: Link) -> Result<ModelCard, String> {
        let host = Arc::new(Late::default());
        let mut model = Model::open(path, link, host.clone())?;
        let mut ask = |register| {
            (model.read(register)).ok_or_else(|| format!("{}: no answer", path.display()))
        };
        let capability = ask(card::CAPABILITY)?;
        let offset = ask(card::CHANNEL_OFFSET)?;
        let rings = field(capability, card::CAPABILITY_RINGS_MASK);
        let description = model.description().to_owned();
        let (accesses, asked) = mpsc::sync_channel(ACCESSES);
        let cycles = Arc::default();
        let worker = Worker {
            model,
            host: Arc::clone(&host),
            passed: Arc::clone(&cycles),
            slice: LEAST_CYCLES,
        };
        Ok(ModelCard {
            host,
            accesses: Some(accesses),
            thread: Some(thread::spawn(move || worker.work(&asked))),
            description,
            cycles,
            rings: rings as u8,
            bar_bytes: (offset + rings * PAGE_BYTES).next_power_of_two(),
        })
    }

    /// The library's description, a JSON object (`ciphermill_card.h`).
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The cycles of its clock that have passed; the clock stands still while the card has nothing to do.
    pub fn cycles(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.cycles)
    }

    /// Rings, each with a vector.
    pub fn rings(&self) -> u8 {
        self.rings
    }

    /// Bytes of BAR 0.
    pub fn bar_bytes(&self) -> u32 {
        self.bar_bytes
    }

    /// Connect the card to its host. Only the first host counts.
    pub fn attach(&mut self, host: Arc<dyn Host>) {
        let _ = self.host.0.set(host);
    }

    /// Read a register, a word, at its address in BAR 0. One that is not there reads as zero.
    pub fn read_register(&mut self, address: u32) -> u32 {
        let (answer, answered) = mpsc::sync_channel(1);
        self.give(Access::Read(address, answer));
        // Ones, as from an empty slot, where the thread has ended.
        answered.recv().unwrap_or(u32::MAX)
    }

    /// Write a register; it is written before any later access.
    pub fn write_register(&mut self, address: u32, value: u32) {
        self.give(Access::Write(address, value));
    }

    fn give(&self, access: Access) {
        if let Some(accesses) = &self.accesses {
            let _ = accesses.send(access);
        }
    }
}

impl Function for ModelCard {
    fn read(&mut self, address: u64, data: &mut [u8]) {
        words::read(address, data, |at| self.read_register(at));
    }

    fn write(&mut self, address: u64, data: &[u8], bus: &Bus) {
        if self.host.0.get().is_none() {
            self.attach(Arc::new(bus.clone()));
        }
        words::write(address, data, |at, word| self.write_register(at, word));
    }
}

impl Drop for ModelCard {
    fn drop(&mut self) {
        self.accesses = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The host, which is known only when it first writes a register. Before that there is no memory.
#[derive(Default)]
struct Late(OnceLock<Arc<dyn Host>>);

impl Late {
    fn host(&self) -> io::Result<&dyn Host> {
        let host = self.0.get().map(|host| &**host);
        host.ok_or_else(|| io::Error::other("there is no host yet"))
    }
}

impl Host for Late {
    fn read(&self, address: u64, data: &mut [u8]) -> io::Result<()> {
        self.host()?.read(address, data)
    }

    fn write(&self, address: u64, data: &[u8]) -> io::Result<()> {
        self.host()?.write(address, data)
    }

    fn publish(&self, address: u64, completion: &[u8; COMPLETION_BYTES]) -> io::Result<()> {
        self.host()?.publish(address, completion)
    }

    fn interrupt(&self, vector: u16) {
        if let Ok(host) = self.host() {
            host.interrupt(vector);
        }
    }
}

/// The thread: what owns the simulation.
struct Worker {
    model: Model,
    host: Arc<Late>,
    passed: Arc<AtomicU64>,
    /// Cycles that pass in about a slice.
    slice: u64,
}

impl Worker {
    fn work(mut self, asked: &Receiver<Access>) {
        let mut is_idle = false;
        loop {
            let access = match is_idle {
                true => asked.recv().map_err(|RecvError| TryRecvError::Disconnected),
                false => asked.try_recv(),
            };
            match access {
                Ok(Access::Read(address, answer)) => {
                    let _ = answer.send(self.model.read(address).unwrap_or(0));
                }
                Ok(Access::Write(address, value)) => {
                    self.model.write(address, value);
                }
                Err(TryRecvError::Empty) => {
                    is_idle = self.advance();
                    self.interrupt();
                    continue;
                }
                Err(TryRecvError::Disconnected) => return,
            }
            is_idle = false;
            self.interrupt();
        }
    }

    /// Let the clock pass for a slice; whether the card has nothing to do.
    fn advance(&mut self) -> bool {
        let begin = Instant::now();
        let is_idle = self.model.advance(self.slice);
        let took = begin.elapsed();
        if took > SLICE {
            self.slice = (self.slice / 2).max(LEAST_CYCLES);
        } else if took < SLICE / 2 {
            self.slice = (self.slice * 2).min(MOST_CYCLES);
        }
        is_idle
    }

    /// Give the host its interrupts. What the card wrote before is in its memory.
    fn interrupt(&mut self) {
        self.passed.store(self.model.cycles(), Ordering::Relaxed);
        let vectors = self.model.interrupts();
        for vector in (0..32).filter(|vector| vectors >> vector & 1 != 0) {
            self.host.interrupt(vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_such_library_is_refused() {
        for (path, reason) in [
            ("/nowhere/card.so", "/nowhere"),
            ("libc.so.6", "ciphermill_card_"),
        ] {
            let error = ModelCard::open(Path::new(path), Link::default()).err();
            let error = error.unwrap();
            assert!(error.contains(reason), "{error}");
        }
    }
}
