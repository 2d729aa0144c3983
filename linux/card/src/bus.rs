// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a function has, and what it reaches.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use vhost_user_backend::{VringRwLock, VringT};
use virtio_queue::QueueT;
use vm_memory::{Bytes, GuestAddress, GuestAddressSpace, GuestMemoryAtomic, GuestMemoryMmap};

use crate::configuration::{ConfigurationSpace, Delivery};
use crate::message;

pub(crate) type Memory = GuestMemoryAtomic<GuestMemoryMmap>;

/// The registers of a function, in BAR 0.
pub trait Function: Send + Sync {
    /// Read registers. Every read of the host is answered; it waits for at most 40 ms.
    fn read(&mut self, address: u64, data: &mut [u8]);

    /// Write registers. Work that takes long goes on in a thread of the function's own.
    fn write(&mut self, address: u64, data: &[u8], bus: &Bus);
}

/// The way from a function to the host: its memory and its interrupts.
#[derive(Clone)]
pub struct Bus {
    pub(crate) memory: Memory,
    configuration: Arc<Mutex<ConfigurationSpace>>,
    /// Where the host waits for interrupts.
    queue: Arc<OnceLock<VringRwLock>>,
    /// A bit for each vector whose interrupt had no place in the queue, or is masked.
    waiting: Arc<AtomicU32>,
}

impl Bus {
    pub(crate) fn new(memory: Memory, configuration: ConfigurationSpace) -> Bus {
        Bus {
            memory,
            configuration: Arc::new(Mutex::new(configuration)),
            queue: Arc::default(),
            waiting: Arc::default(),
        }
    }

    pub(crate) fn configuration(&self) -> MutexGuard<'_, ConfigurationSpace> {
        self.configuration
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Read the host's memory.
    ///
    /// # Errors
    /// The host has not made the function a bus master, or has no memory there.
    pub fn read_memory(&self, address: u64, data: &mut [u8]) -> io::Result<()> {
        self.check()?;
        let memory = self.memory.memory();
        (memory.read_slice(data, GuestAddress(address))).map_err(io::Error::other)
    }

    /// Write the host's memory.
    ///
    /// # Errors
    /// As [`Bus::read_memory`]; bytes before the first that is not there are written.
    pub fn write_memory(&self, address: u64, data: &[u8]) -> io::Result<()> {
        self.check()?;
        let memory = self.memory.memory();
        (memory.write_slice(data, GuestAddress(address))).map_err(io::Error::other)
    }

    /// Write a word of the host's memory so that the host sees it after everything that was written before.
    ///
    /// # Errors
    /// As [`Bus::read_memory`], and where the address is not that of a word.
    pub fn store_memory(&self, address: u64, word: u32) -> io::Result<()> {
        self.check()?;
        let memory = self.memory.memory();
        (memory.store(word.to_le(), GuestAddress(address), Ordering::Release))
            .map_err(io::Error::other)
    }

    fn check(&self) -> io::Result<()> {
        match self.configuration().is_bus_master() {
            true => Ok(()),
            false => Err(io::Error::other("the function is no bus master")),
        }
    }

    /// Interrupt the host by a vector; nothing happens where the host has not enabled it. One that
    /// finds the host busy is given later, once however often it was asked for.
    pub fn interrupt(&self, vector: u16) {
        if vector < 32 {
            self.waiting.fetch_or(1 << vector, Ordering::AcqRel);
            self.flush();
        }
    }

    /// The queue in which the host waits for interrupts has new places.
    pub(crate) fn offer(&self, queue: &VringRwLock) {
        let _ = self.queue.set(queue.clone());
        self.flush();
    }

    /// Vectors whose interrupts wait, a bit for each.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Acquire)
    }

    /// Give the interrupts that wait, as far as they can be given now.
    pub(crate) fn flush(&self) {
        let Some(queue) = self.queue.get() else {
            return;
        };
        for vector in 0..32 {
            let bit = 1 << vector;
            if self.waiting.fetch_and(!bit, Ordering::AcqRel) & bit == 0 {
                continue;
            }
            // The lock ends here.
            let delivery = self.configuration().interrupt(vector);
            match delivery {
                Delivery::None => {}
                Delivery::Masked => {
                    self.waiting.fetch_or(bit, Ordering::AcqRel);
                }
                Delivery::Write(address, data) => {
                    let message = message::interrupt(address, data);
                    if self.send(queue, &message).is_none() {
                        self.waiting.fetch_or(bit, Ordering::AcqRel);
                        return;
                    }
                }
            }
        }
    }

    /// Put a message into the queue; none where it has no place.
    fn send(&self, queue: &VringRwLock, message: &[u8]) -> Option<()> {
        let memory = self.memory.memory();
        // The queue stays locked: another thread may interrupt too.
        let mut locked = queue.get_mut();
        let mut chain = locked
            .get_queue_mut()
            .pop_descriptor_chain(memory.clone())?;
        let place = chain.next().filter(|place| place.is_write_only())?;
        let fits = place.len() as usize >= message.len();
        let written = fits && memory.write_slice(message, place.addr()).is_ok();
        let length = if written { message.len() as u32 } else { 0 };
        locked.add_used(chain.head_index(), length).ok()?;
        locked.signal_used_queue().ok()
    }
}
