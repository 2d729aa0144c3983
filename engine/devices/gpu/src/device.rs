// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device around a driver.

use std::mem;
use std::sync::Arc;

use ciphermill::{
    AES, Ability, Allocator, Buffer, Cancellation, Capabilities, CipherRequest, Device,
    DeviceMemory, Direction, Mode, Queue, Result, Timing,
};

use crate::chunk::Worker;
use crate::queue::GpuQueue;
use crate::spare::Spare;
use crate::{Gpu, Options};

/// What the device has: all but CBC encryption, where each block waits for the one before.
const OPERATIONS: [(Mode, Direction); 9] = [
    (Mode::Ecb, Direction::Encrypt),
    (Mode::Ecb, Direction::Decrypt),
    (Mode::Cbc, Direction::Decrypt),
    (Mode::Ctr, Direction::Encrypt),
    (Mode::Ctr, Direction::Decrypt),
    (Mode::Gcm, Direction::Encrypt),
    (Mode::Gcm, Direction::Decrypt),
    (Mode::Xts, Direction::Encrypt),
    (Mode::Xts, Direction::Decrypt),
];

/// A graphics processor as a device of the engine.
pub struct GpuDevice {
    name: String,
    capabilities: Capabilities,
    gpu: Arc<dyn Gpu>,
    options: Options,
    spare: Arc<Spare>,
}

impl GpuDevice {
    /// The device of this name; `description` is one line for people. `processors` are its
    /// compute units. The driver was opened with the options.
    pub fn new(
        name: impl Into<String>,
        description: &str,
        clock_mhz: Option<f64>,
        processors: Option<usize>,
        gpu: Arc<dyn Gpu>,
        options: Options,
    ) -> GpuDevice {
        let description = format!("{description}, {} kernels", options.implementation);
        let operations = Ability::block_cipher(&AES, &OPERATIONS, AES.key_bits);
        let mut capabilities = Capabilities::new(description, operations);
        capabilities.preferred_chunk_bytes = options.chunk();
        // One on each queue, and one that the next free queue finds at once.
        capabilities.in_flight = options.queues + 1;
        capabilities.clock_mhz = clock_mhz;
        capabilities.any_gcm_iv = true;
        capabilities.processors = processors;
        GpuDevice {
            name: name.into(),
            capabilities,
            gpu,
            spare: Arc::new(Spare::new(options.queues)),
            options,
        }
    }
}

impl Device for GpuDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn allocator(&self) -> Allocator {
        let (gpu, process) = (Arc::clone(&self.gpu), self.spare.process());
        Allocator::new(move |bytes| {
            let pinned = process.is_here().then(|| gpu.pinned(bytes)).flatten();
            pinned.unwrap_or_else(|| Buffer::zeroed(bytes))
        })
    }

    #[allow(unsafe_code)]
    unsafe fn run_in_memory(
        &self,
        request: &CipherRequest,
        data: DeviceMemory,
        cancellation: &Cancellation,
    ) -> Result<(Option<[u8; 16]>, Timing)> {
        let mut queue = self.queue(cancellation.clone())?;
        // SAFETY: this function's contract; the queue is new.
        unsafe { queue.run_in(request, data) }
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        Ok(Box::new(self.queue(cancellation)?))
    }
}

impl GpuDevice {
    fn queue(&self, cancellation: Cancellation) -> Result<GpuQueue> {
        self.spare.check_process()?;
        let worker = |_| match self.spare.take() {
            Some(worker) => Ok(worker),
            None => Ok(Worker::new(self.gpu.lane()?, self.gpu.shape())),
        };
        let workers = (0..self.options.queues)
            .map(worker)
            .collect::<Result<_>>()?;
        let (spare, chunk_bytes) = (Arc::clone(&self.spare), self.options.chunk());
        Ok(GpuQueue::new(workers, spare, chunk_bytes, cancellation))
    }
}

impl Drop for GpuDevice {
    fn drop(&mut self) {
        // In a forked child the driver's threads are missing, and a call may never come back.
        if !self.spare.process().is_here() {
            mem::forget((Arc::clone(&self.gpu), Arc::clone(&self.spare)));
        }
    }
}
