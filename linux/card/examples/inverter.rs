// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A card that inverts bytes in the host's memory: what `make linux` tries the bus with.
//!
//!     inverter SOCKET

use std::io;
use std::path::Path;

use ciphermill_card::{Bus, ConfigurationSpace, Function, Identity, serve};

const IDENTITY: Identity = Identity {
    // QEMU's vendor number for experiments.
    vendor: 0x1234,
    device: 0xc1f0,
    class: 0x10_0000,
    revision: 0,
};
const SOURCE: usize = 0;
const DESTINATION: usize = 8;
const BYTES: usize = 16;
const START: usize = 24;
const STATUS: usize = 32;
const DONE: u64 = 1;
const FAILED: u64 = 2;
const MOST_BYTES: u64 = 1 << 20;

/// Registers of 64 bits: source, destination, bytes, start, status.
struct Inverter([u8; 40]);

impl Inverter {
    fn register(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().expect("eight bytes"))
    }

    fn invert(&self, bus: &Bus) -> io::Result<()> {
        let bytes = self.register(BYTES);
        if bytes > MOST_BYTES {
            return Err(io::Error::other("too many bytes"));
        }
        let mut data = vec![0; bytes as usize];
        bus.read_memory(self.register(SOURCE), &mut data)?;
        data.iter_mut().for_each(|byte| *byte = !*byte);
        bus.write_memory(self.register(DESTINATION), &data)
    }
}

impl Function for Inverter {
    fn read(&mut self, address: u64, data: &mut [u8]) {
        for (place, byte) in (address as usize..).zip(data) {
            *byte = self.0.get(place).copied().unwrap_or(0);
        }
    }

    fn write(&mut self, address: u64, data: &[u8], bus: &Bus) {
        for (place, byte) in (address as usize..STATUS).zip(data) {
            self.0[place] = *byte;
        }
        if address as usize == START {
            let status = if self.invert(bus).is_ok() {
                DONE
            } else {
                FAILED
            };
            self.0[STATUS..].copy_from_slice(&status.to_le_bytes());
            bus.interrupt(0);
        }
    }
}

fn main() -> io::Result<()> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or_else(|| io::Error::other("name the socket: inverter SOCKET"))?;
    let configuration = ConfigurationSpace::new(IDENTITY, 4096, 1);
    serve(Path::new(&path), configuration, Inverter([0; 40]))
}
