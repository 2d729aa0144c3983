// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A command queue with its buffers and kernels.

#![allow(unsafe_code)]

use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use ciphermill::{Error, Result};
use ciphermill_gpu::{Kernel, Lane, Launch, Place, Shape, Times};
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::event::Event;
use opencl3::kernel::{ExecuteKernel, Kernel as Compiled};
use opencl3::memory::{Buffer, CL_MAP_READ, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};

use crate::program::{Parts, failed, out_of_memory};

/// Lengths of buffers are multiples of this.
const GRAIN_BYTES: usize = 64;

pub(crate) struct OpenClLane {
    // Before the parts, of which they are made.
    kernels: Vec<Compiled>,
    places: [Option<Stored>; Place::ALL.len()],
    transfers: Vec<Event>,
    launches: Vec<Event>,
    queue: CommandQueue,
    parts: Arc<Parts>,
}

struct Stored {
    buffer: Buffer<u8>,
    bytes: usize,
    /// From the beginning on, bytes that may be other than zero.
    used: usize,
}

impl OpenClLane {
    pub(crate) fn new(parts: Arc<Parts>, shape: &Shape) -> Result<OpenClLane> {
        let create = |kernel: Kernel| Compiled::create(&parts.program, kernel.name());
        let kernels = Kernel::ALL.into_iter().map(create);
        let kernels: opencl3::Result<Vec<_>> = kernels.collect();
        let kernels = kernels.map_err(failed("finding a kernel"))?;
        for (kernel, compiled) in Kernel::ALL.into_iter().zip(&kernels) {
            let most = compiled.get_work_group_size(parts.context.default_device());
            let most = most.map_err(failed("asking for a kernel's registers"))?;
            shape.check_group(kernel, most)?;
        }
        Ok(OpenClLane {
            kernels,
            queue: queue(&parts)?,
            parts,
            places: Default::default(),
            transfers: Vec::new(),
            launches: Vec::new(),
        })
    }

    fn place(&mut self, place: Place) -> Result<(&mut Stored, &CommandQueue)> {
        match &mut self.places[place as usize] {
            Some(stored) => Ok((stored, &self.queue)),
            None => Err(no_buffer(place)),
        }
    }

    /// Begin to zeroise the used part of a buffer.
    fn start_erasing(&mut self, place: Place) -> opencl3::Result<()> {
        let Some(stored) = &mut self.places[place as usize] else {
            return Ok(());
        };
        let bytes = stored.used.next_multiple_of(GRAIN_BYTES).min(stored.bytes);
        if bytes > 0 {
            // SAFETY: the buffer has so many bytes.
            let filled = unsafe {
                self.queue
                    .enqueue_fill_buffer(&mut stored.buffer, &[0], 0, bytes, &[])
            };
            filled?;
            stored.used = 0;
        }
        Ok(())
    }

    fn erase_now(&mut self, place: Place) -> Result<()> {
        let erased = self.start_erasing(place);
        erased.map_err(failed("zeroising a buffer"))?;
        self.finish()
    }

    fn finish(&self) -> Result<()> {
        self.queue
            .finish()
            .map_err(failed("waiting for the device"))
    }
}

fn no_buffer(place: Place) -> Error {
    Error::device(format!("the device has no buffer {place:?}"))
}

/// A queue that measures its commands and runs them in their order.
pub(crate) fn queue(parts: &Parts) -> Result<CommandQueue> {
    let device = parts.context.default_device();
    // SAFETY: commands run in their order, and so each finds its data whole.
    let queue = unsafe { CommandQueue::create(&parts.context, device, CL_QUEUE_PROFILING_ENABLE) };
    queue.map_err(failed("making a command queue"))
}

impl Lane for OpenClLane {
    fn reserve(&mut self, place: Place, bytes: usize) -> Result<()> {
        let stored = &self.places[place as usize];
        if stored.as_ref().is_some_and(|stored| stored.bytes >= bytes) {
            return Ok(());
        }
        self.release(place)?;
        let bytes = bytes.max(1).next_multiple_of(GRAIN_BYTES);
        // SAFETY: no memory of the host is given.
        let buffer = unsafe {
            Buffer::create(
                &self.parts.context,
                CL_MEM_READ_WRITE,
                bytes,
                ptr::null_mut(),
            )
        };
        let buffer = buffer.map_err(out_of_memory)?;
        let used = bytes;
        self.places[place as usize] = Some(Stored {
            buffer,
            bytes,
            used,
        });
        // Drivers take memory at the first command on it.
        let erased = self.start_erasing(place).and_then(|()| self.queue.finish());
        if erased.is_err() {
            self.places[place as usize] = None;
        }
        erased.map_err(out_of_memory)
    }

    fn release(&mut self, place: Place) -> Result<()> {
        if self.places[place as usize].is_some() {
            self.erase_now(place)?;
            self.places[place as usize] = None;
        }
        Ok(())
    }

    fn write(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        let (stored, queue) = self.place(place)?;
        stored.used = stored.used.max(bytes.len());
        let buffer = &mut stored.buffer;
        // SAFETY: the command is done when the call returns.
        let event = unsafe { queue.enqueue_write_buffer(buffer, CL_BLOCKING, 0, bytes, &[]) };
        self.transfers
            .push(event.map_err(failed("copying to the device"))?);
        Ok(())
    }

    fn shares(&self) -> bool {
        self.parts.shares_memory
    }

    unsafe fn share(&mut self, bytes: *mut [u8]) -> Result<()> {
        let (flags, start) = (CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes.cast());
        // SAFETY: this function's contract; `wait` drops the buffer.
        let buffer = unsafe { Buffer::create(&self.parts.context, flags, bytes.len(), start) };
        self.places[Place::Shared as usize] = Some(Stored {
            buffer: buffer.map_err(failed("sharing memory"))?,
            bytes: bytes.len(),
            used: 0,
        });
        Ok(())
    }

    unsafe fn start_write(
        &mut self,
        place: Place,
        offset: usize,
        bytes: *const [u8],
    ) -> Result<()> {
        let (stored, queue) = self.place(place)?;
        stored.used = stored.used.max(offset + bytes.len());
        let buffer = &mut stored.buffer;
        // SAFETY: this function's contract.
        let event =
            unsafe { queue.enqueue_write_buffer(buffer, CL_NON_BLOCKING, offset, &*bytes, &[]) };
        self.transfers
            .push(event.map_err(failed("copying to the device"))?);
        Ok(())
    }

    unsafe fn start_read(&mut self, place: Place, bytes: *mut [u8]) -> Result<()> {
        let (stored, queue) = self.place(place)?;
        let buffer = &stored.buffer;
        let event = if place == Place::Shared {
            let mut start = ptr::null_mut();
            // SAFETY: this function's contract. Mapping lets the host see the kernels' output in
            // its own memory, and nothing uses the map.
            let mapped = unsafe {
                queue.enqueue_map_buffer(
                    buffer,
                    CL_NON_BLOCKING,
                    CL_MAP_READ,
                    0,
                    bytes.len(),
                    &mut start,
                    &[],
                )
            };
            // SAFETY: it is mapped there.
            mapped.and_then(|_| unsafe { queue.enqueue_unmap_mem_object(buffer.get(), start, &[]) })
        } else {
            // SAFETY: this function's contract.
            unsafe { queue.enqueue_read_buffer(buffer, CL_NON_BLOCKING, 0, &mut *bytes, &[]) }
        };
        self.transfers
            .push(event.map_err(failed("copying from the device"))?);
        // The commands of this chunk are all there: let the device begin.
        self.queue.flush().map_err(failed("beginning a chunk"))
    }

    fn launch(&mut self, launch: &Launch) -> Result<()> {
        if let Some(output) = &mut self.places[launch.output as usize] {
            output.used = output.bytes;
        }
        let buffer = |place: Place| {
            let stored = self.places[place as usize].as_ref();
            stored
                .map(|stored| &stored.buffer)
                .ok_or_else(|| no_buffer(place))
        };
        let [input, output, keys, masks] =
            [launch.input, launch.output, launch.keys, launch.masks].map(buffer);
        let (input, output, keys, masks) = (input?, output?, keys?, masks?);
        let mut execute = ExecuteKernel::new(&self.kernels[launch.kernel as usize]);
        // SAFETY: these are the kernels' arguments in their order and with their types
        // (kernels/modes.c), and the buffers are as long as the launch needs.
        let event = unsafe {
            execute
                .set_arg(&input.get())
                .set_arg(&output.get())
                .set_arg(&keys.get())
                .set_arg(&masks.get())
                .set_arg(&launch.rounds)
                .set_arg(&launch.blocks);
            for word in &launch.counter {
                execute.set_arg(word);
            }
            execute
                .set_global_work_size(launch.groups * launch.group_items)
                .set_local_work_size(launch.group_items)
                .enqueue_nd_range(&self.queue)
        };
        self.launches
            .push(event.map_err(failed("running a kernel"))?);
        Ok(())
    }

    fn wait(&mut self) -> Result<Times> {
        let finished = self.finish();
        self.places[Place::Shared as usize] = None;
        let (transfers, launches) = (&mut self.transfers, &mut self.launches);
        let times = [transfers, launches].map(|events| sum(events.drain(..)));
        finished?;
        let [transfer, processing] = times;
        Ok(Times {
            transfer: transfer?,
            processing: processing?,
        })
    }

    fn erase(&mut self) -> Result<()> {
        let mut places = Place::ALL.into_iter();
        let erased = places.try_for_each(|place| self.start_erasing(place));
        erased.map_err(failed("zeroising the buffers"))
    }
}

/// How long the commands took together.
fn sum(events: impl Iterator<Item = Event>) -> Result<Duration> {
    let mut sum = Duration::ZERO;
    for event in events {
        let times = || {
            let status = event.command_execution_status()?;
            if status.0 < 0 {
                return Err(opencl3::error_codes::ClError(status.0));
            }
            let (start, end) = (
                event.profiling_command_start()?,
                event.profiling_command_end()?,
            );
            Ok(Duration::from_nanos(end.saturating_sub(start)))
        };
        sum += times().map_err(failed("a command on the device"))?;
    }
    Ok(sum)
}

impl Drop for OpenClLane {
    fn drop(&mut self) {
        // A device that is lost has no memory to zeroise.
        let _ = self.erase().and_then(|()| self.finish());
    }
}
