// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a hostile host can give the card: writes of registers, then descriptors, lists and data in its
//! memory. The fuzzer and the test `corpus` call it.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ciphermill_card::card::{COMPLETION_BYTES, Card, Faults, Host, Settings};

const MEMORY_BYTES: usize = 1 << 16;
/// Accesses fail beyond, so that no input takes long.
const MOST_BYTES: usize = 1 << 22;
const MOST_WRITES: usize = 32;
const PATIENCE: Duration = Duration::from_secs(15);
/// Registers of the first ring (hw/card/card_ring.rdl).
const RING: u32 = 0x1000;
const SETUP: [(u32, u32); 6] = [
    (0x020, 0),      // RING_LOW
    (0x028, 0x8000), // COMPLETIONS_LOW
    (0x030, 3),      // ENTRIES
    (0x014, 1),      // ENABLE
    (0x048, 1),      // INTERRUPT_ENABLE
    (0x034, 8),      // DOORBELL
];
const STATUS: u32 = 0x018;

struct Memory(Mutex<(Vec<u8>, usize)>);

impl Memory {
    fn inside(&self) -> MutexGuard<'_, (Vec<u8>, usize)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Do something with a span of memory.
    fn access(&self, address: u64, bytes: usize, act: impl FnOnce(&mut [u8])) -> io::Result<()> {
        let mut inside = self.inside();
        inside.1 += bytes;
        let span = usize::try_from(address).ok().and_then(|begin| {
            let span: Range<usize> = begin..begin.checked_add(bytes)?;
            (inside.1 < MOST_BYTES).then_some(span)
        });
        let place = span.and_then(|span| inside.0.get_mut(span));
        act(place.ok_or_else(|| io::Error::other("no memory there"))?);
        Ok(())
    }
}

impl Host for Memory {
    fn read(&self, address: u64, data: &mut [u8]) -> io::Result<()> {
        self.access(address, data.len(), |place| data.copy_from_slice(place))
    }

    fn write(&self, address: u64, data: &[u8]) -> io::Result<()> {
        self.access(address, data.len(), |place| place.copy_from_slice(data))
    }

    fn publish(&self, address: u64, completion: &[u8; COMPLETION_BYTES]) -> io::Result<()> {
        self.write(address, completion)
    }

    fn interrupt(&self, vector: u16) {
        assert_eq!(vector, 0);
    }
}

/// A card of one ring is given the writes of registers that the input begins with, then a ring of eight
/// messages in a memory with the rest of it. It must not panic, and must end. The first byte, modulo 32, is the
/// number of writes: each has an address of two bytes and a value of four, little-endian.
pub fn run(data: &[u8]) {
    let Some((&writes, rest)) = data.split_first() else {
        return;
    };
    let (writes, memory) = rest.split_at(rest.len().min(usize::from(writes) % MOST_WRITES * 6));
    let mut bytes = memory.to_vec();
    bytes.resize(MEMORY_BYTES, 0);
    let host = Arc::new(Memory(Mutex::new((bytes, 0))));
    let settings = Settings {
        rings: 1,
        ..Settings::default()
    };
    let faults = Arc::new(Faults::default());
    let mut card = Card::new(settings, faults, || {}).expect("a card");
    card.attach(host);
    for write in writes.as_chunks::<6>().0 {
        let [low, high, value @ ..] = *write;
        let address = u32::from(u16::from_le_bytes([low, high])) & !3;
        card.write_register(address, u32::from_le_bytes(value));
        card.read_register(address);
    }
    for (register, value) in SETUP {
        card.write_register(RING + register, value);
    }
    let begin = Instant::now();
    while card.read_register(RING + STATUS) & 1 != 0 {
        // A worker that has panicked leaves its ring busy.
        assert!(begin.elapsed() < PATIENCE, "the ring does not end");
        std::thread::yield_now();
    }
}
