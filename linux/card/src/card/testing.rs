// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A host for tests: memory, a count of interrupts, and what a driver does.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::registers::{card, place, ring};
use super::*;

/// A test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);
const MEMORY_BYTES: usize = 1 << 20;
/// Where the host's memory begins.
pub(super) const BASE: u64 = 0x1_2345_0000;

#[derive(Default)]
struct Inside {
    memory: Vec<u8>,
    interrupts: Vec<u16>,
    /// What was written, other than completions.
    writes: Vec<Range<u64>>,
    reads: Vec<Range<u64>>,
}

/// The host's memory from [`BASE`] on, and its interrupts.
#[derive(Default)]
pub(super) struct FakeHost {
    inside: Mutex<Inside>,
    changed: Condvar,
}

fn span(address: u64, bytes: usize) -> io::Result<Range<usize>> {
    let begin = address.checked_sub(BASE).map(|begin| begin as usize);
    let end = begin.and_then(|begin| begin.checked_add(bytes));
    match (begin, end) {
        (Some(begin), Some(end)) if end <= MEMORY_BYTES => Ok(begin..end),
        _ => Err(io::Error::other("no memory there")),
    }
}

impl FakeHost {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap()
    }

    pub(super) fn put(&self, address: u64, data: &[u8]) {
        self.inside().memory[span(address, data.len()).unwrap()].copy_from_slice(data);
    }

    pub(super) fn get(&self, address: u64, bytes: usize) -> Vec<u8> {
        self.inside().memory[span(address, bytes).unwrap()].to_vec()
    }

    pub(super) fn interrupts(&self) -> usize {
        self.inside().interrupts.len()
    }

    /// Wait for an interrupt beyond so many.
    pub(super) fn wait_interrupt(&self, beyond: usize) {
        let inside = self.inside();
        let waited = self
            .changed
            .wait_timeout_while(inside, PATIENCE, |inside| inside.interrupts.len() <= beyond);
        assert!(!waited.unwrap().1.timed_out(), "no interrupt");
    }

    /// Ranges of data that were written, and all that were read.
    pub(super) fn accesses(&self) -> (Vec<Range<u64>>, Vec<Range<u64>>) {
        let mut inside = self.inside();
        (
            std::mem::take(&mut inside.writes),
            std::mem::take(&mut inside.reads),
        )
    }
}

impl Host for FakeHost {
    fn read(&self, address: u64, data: &mut [u8]) -> io::Result<()> {
        let mut inside = self.inside();
        data.copy_from_slice(&inside.memory[span(address, data.len())?]);
        inside.reads.push(address..address + data.len() as u64);
        Ok(())
    }

    fn write(&self, address: u64, data: &[u8]) -> io::Result<()> {
        let mut inside = self.inside();
        inside.memory[span(address, data.len())?].copy_from_slice(data);
        inside.writes.push(address..address + data.len() as u64);
        Ok(())
    }

    fn publish(&self, address: u64, completion: &[u8; COMPLETION_BYTES]) -> io::Result<()> {
        let span = span(address, completion.len())?;
        self.inside().memory[span].copy_from_slice(completion);
        Ok(())
    }

    fn interrupt(&self, vector: u16) {
        self.inside().interrupts.push(vector);
        self.changed.notify_all();
    }
}

/// Where ring n has its descriptors; its completions lie behind.
pub(super) const RINGS: u64 = BASE + 0x1_0000;
const RING_BYTES: u64 = 0x1000;
const COMPLETIONS: u64 = 0x800;

/// A card, its host, and a driver.
pub(super) struct Bench {
    pub(super) card: Card,
    pub(super) host: Arc<FakeHost>,
    pub(super) faults: Arc<Faults>,
    log2: u32,
    given: Vec<u32>,
    seen: Vec<u32>,
}

impl Bench {
    /// A card whose rings are enabled with 2^`log2` entries, interrupts too.
    pub(super) fn new(log2: u32) -> Bench {
        let host = Arc::new(FakeHost::default());
        host.inside().memory = vec![0; MEMORY_BYTES];
        let faults = Arc::new(Faults::default());
        let settings = Settings {
            rings: 3,
            ..Settings::default()
        };
        let mut card = Card::new(settings, Arc::clone(&faults), || {}).unwrap();
        card.attach(host.clone());
        let mut bench = Bench {
            card,
            host,
            faults,
            log2,
            given: vec![],
            seen: vec![],
        };
        for number in 0..3 {
            bench.given.push(0);
            bench.seen.push(0);
            bench.enable(number);
        }
        bench
    }

    pub(super) fn read(&mut self, number: u32, register: u32) -> u32 {
        self.card.read_register((number + 1) * 4096 + register)
    }

    pub(super) fn write(&mut self, number: u32, register: u32, value: u32) {
        self.card
            .write_register((number + 1) * 4096 + register, value);
    }

    pub(super) fn ring_address(number: u32) -> u64 {
        RINGS + u64::from(number) * RING_BYTES
    }

    /// Set up a ring and enable it.
    pub(super) fn enable(&mut self, number: u32) {
        let descriptors = Self::ring_address(number);
        let completions = descriptors + COMPLETIONS;
        self.host.put(completions, &[0; COMPLETIONS as usize]);
        for (register, value) in [
            (ring::RING_LOW, descriptors as u32),
            (ring::RING_HIGH, (descriptors >> 32) as u32),
            (ring::COMPLETIONS_LOW, completions as u32),
            (ring::COMPLETIONS_HIGH, (completions >> 32) as u32),
            (ring::ENTRIES, self.log2),
            (ring::ENABLE, 1),
            (ring::INTERRUPT_ENABLE, 1),
        ] {
            self.write(number, register, value);
        }
        self.given[number as usize] = 0;
        self.seen[number as usize] = 0;
    }

    /// Write a descriptor, without the doorbell.
    pub(super) fn give(&mut self, number: u32, descriptor: &Descriptor) {
        let given = &mut self.given[number as usize];
        let entry = u64::from(*given & ((1 << self.log2) - 1));
        *given += 1;
        let address = Self::ring_address(number) + entry * DESCRIPTOR_BYTES as u64;
        self.host.put(address, &descriptor.bytes());
    }

    pub(super) fn doorbell(&mut self, number: u32) {
        self.write(number, ring::DOORBELL, self.given[number as usize]);
    }

    /// The next completion, if it is there.
    pub(super) fn poll(&mut self, number: u32) -> Option<Completion> {
        let seen = self.seen[number as usize];
        let entry = u64::from(seen & ((1 << self.log2) - 1));
        let address = Self::ring_address(number) + COMPLETIONS + entry * COMPLETION_BYTES as u64;
        let bytes = self.host.get(address, COMPLETION_BYTES);
        let (completion, phase) = Completion::parse(&bytes.try_into().unwrap());
        if phase != ((seen >> self.log2) & 1 == 0) {
            return None;
        }
        self.seen[number as usize] += 1;
        Some(completion)
    }

    /// Wait for the next completion.
    pub(super) fn completion(&mut self, number: u32) -> Completion {
        let begin = Instant::now();
        loop {
            if let Some(completion) = self.poll(number) {
                return completion;
            }
            assert!(begin.elapsed() < PATIENCE, "no completion");
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// Run a message.
    pub(super) fn run(&mut self, number: u32, descriptor: &Descriptor) -> Completion {
        self.give(number, descriptor);
        self.doorbell(number);
        self.completion(number)
    }

    /// Wait until bits of a register of a ring are zero, or not.
    pub(super) fn wait(&mut self, number: u32, register: u32, mask: u32, is_set: bool) {
        let begin = Instant::now();
        while (self.read(number, register) & mask != 0) != is_set {
            assert!(begin.elapsed() < PATIENCE, "register {register:#x} stays");
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// Wait until a fault has struck: `KIND=COUNT`.
    pub(super) fn wait_fault(&self, count: &str) {
        let begin = Instant::now();
        while !self.faults.counts().ends_with(count) {
            assert!(begin.elapsed() < PATIENCE, "{count} does not come");
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// Store a key; its number of bytes is its size.
    pub(super) fn store(&mut self, number: u32, slot: u8, key: &[u8], control: u32) {
        let size = match key.len() {
            16 => 0,
            24 => 1,
            32 => 2,
            _ => 3,
        };
        let value = place(slot.into(), ring::KEY_SLOT_SLOT_MASK)
            | place(size, ring::KEY_SLOT_KEY_SIZE_MASK);
        self.write(number, ring::KEY_SLOT, value);
        for (at, word) in (ring::KEY..).step_by(4).zip(key.chunks(4)) {
            let mut bytes = [0; 4];
            bytes[..word.len()].copy_from_slice(word);
            self.write(number, at, u32::from_le_bytes(bytes));
        }
        self.write(number, ring::CONTROL, control);
        self.wait(number, ring::STATUS, ring::STATUS_KEY_BUSY_MASK, false);
    }

    /// Reset the card.
    pub(super) fn reset(&mut self) {
        self.card
            .write_register(card::CONTROL, card::CONTROL_RESET_MASK);
        let begin = Instant::now();
        while self.card.read_register(card::STATUS) & card::STATUS_RESETTING_MASK != 0 {
            assert!(begin.elapsed() < PATIENCE, "the reset does not end");
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}
