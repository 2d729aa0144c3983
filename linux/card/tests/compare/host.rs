// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A card, whichever it is, with a host's memory.

use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ciphermill_card::card::{COMPLETION_BYTES, Card, Host};
use ciphermill_card::model::ModelCard;

use crate::ring;

pub const PAGE: u32 = 4096;
pub const PATIENCE: Duration = Duration::from_secs(20);

pub const BASE: u64 = 0x1_2345_0000;
pub const MEMORY_BYTES: usize = 1 << 20;
/// There is no memory from here on.
pub const NOWHERE: u64 = BASE + MEMORY_BYTES as u64;

/// A host's memory from [`BASE`] on, and its interrupts.
#[derive(Default)]
pub struct Memory(pub Mutex<(Vec<u8>, Vec<u32>)>);

impl Memory {
    fn access(&self, address: u64, bytes: usize, act: impl FnOnce(&mut [u8])) -> io::Result<()> {
        let begin = address.checked_sub(BASE).map(|begin| begin as usize);
        let span = begin.and_then(|begin| Some(begin..begin.checked_add(bytes)?));
        let mut inside = self.0.lock().unwrap();
        let place = span.and_then(|span| inside.0.get_mut(span));
        act(place.ok_or_else(|| io::Error::other("no memory there"))?);
        Ok(())
    }

    pub fn get(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        self.access(address, bytes, |place| data.copy_from_slice(place))
            .unwrap();
        data
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
        self.0.lock().unwrap().1[usize::from(vector)] += 1;
    }
}

/// Either card.
pub trait Device {
    fn read(&mut self, address: u32) -> u32;
    fn write(&mut self, address: u32, value: u32);
}

impl Device for Card {
    fn read(&mut self, address: u32) -> u32 {
        self.read_register(address)
    }

    fn write(&mut self, address: u32, value: u32) {
        self.write_register(address, value);
    }
}

impl Device for ModelCard {
    fn read(&mut self, address: u32) -> u32 {
        self.read_register(address)
    }

    fn write(&mut self, address: u32, value: u32) {
        self.write_register(address, value);
    }
}

/// A card with its memory.
pub struct Side {
    pub name: &'static str,
    pub device: Box<dyn Device>,
    pub memory: Arc<Memory>,
}

impl Side {
    pub fn wait(&mut self, address: u32, mask: u32) -> Result<(), String> {
        let begin = Instant::now();
        while self.device.read(address) & mask != 0 {
            if begin.elapsed() > PATIENCE {
                return Err(format!("{}: register {address:#x} stays", self.name));
            }
            thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    pub fn ring(&mut self, number: u32, register: u32, value: u32) {
        self.device.write((1 + number) * PAGE + register, value);
    }

    pub fn wait_ring(&mut self, number: u32, mask: u32) -> Result<(), String> {
        self.wait((1 + number) * PAGE + ring::STATUS, mask)
    }

    pub fn store(&mut self, number: u32, slot: u8, key: &Key) -> Result<(), String> {
        let size = key.size << ring::KEY_SLOT_KEY_SIZE_MASK.trailing_zeros();
        self.ring(number, ring::KEY_SLOT, u32::from(slot) | size);
        for (bytes, control) in [
            (&key.first, ring::CONTROL_STORE_KEY_MASK),
            (&key.tweak, ring::CONTROL_STORE_TWEAK_KEY_MASK),
        ] {
            if bytes.is_empty() {
                continue;
            }
            for (at, word) in (ring::KEY..).step_by(4).zip(bytes.as_chunks::<4>().0) {
                self.ring(number, at, u32::from_le_bytes(*word));
            }
            self.ring(number, ring::CONTROL, control);
            self.wait_ring(number, ring::STATUS_KEY_BUSY_MASK)?;
        }
        Ok(())
    }
}

/// What is stored in a slot.
#[derive(Clone)]
pub struct Key {
    pub size: u32,
    pub first: Vec<u8>,
    pub tweak: Vec<u8>,
}
