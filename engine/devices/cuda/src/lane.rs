// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A stream with its buffers and events.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

use ciphermill::{DeviceMemory, Error, Result};
use ciphermill_gpu::{Lane, Launch, Place, Times};
use cudarc::driver::{result, sys};

use crate::platform::failed;
use crate::program::Parts;

pub(crate) struct CudaLane {
    parts: Arc<Parts>,
    stream: sys::CUstream,
    places: [Option<Stored>; Place::ALL.len()],
    /// Pairs around each copy and each kernel since the last wait.
    transfers: Vec<Interval>,
    launches: Vec<Interval>,
}

#[derive(Clone, Copy)]
struct Stored {
    start: sys::CUdeviceptr,
    bytes: usize,
    /// From the beginning on, bytes that may be other than zero.
    used: usize,
}

struct Interval {
    start: sys::CUevent,
    end: sys::CUevent,
}

// SAFETY: the driver's handles may be used from any thread; each call makes the context current.
unsafe impl Send for CudaLane {}

impl CudaLane {
    pub(crate) fn new(parts: Arc<Parts>) -> Result<CudaLane> {
        let _entered = parts.enter()?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
        Ok(CudaLane {
            stream: stream.map_err(failed("making a stream"))?,
            parts,
            places: [None; Place::ALL.len()],
            transfers: Vec::new(),
            launches: Vec::new(),
        })
    }

    /// The buffers that are this lane's, to be zeroised and released by it.
    fn own() -> impl Iterator<Item = Place> {
        let mut places = Place::ALL.into_iter();
        std::iter::from_fn(move || places.find(|place| *place != Place::Shared))
    }

    fn place(&mut self, place: Place) -> Result<&mut Stored> {
        let stored = self.places[place as usize].as_mut();
        stored.ok_or_else(|| Error::device(format!("the device has no buffer {place:?}")))
    }

    /// Begin a command between two events.
    fn timed(&self, command: impl FnOnce() -> Result<()>) -> Result<Interval> {
        let interval = Interval::new()?;
        interval.record(interval.start, self.stream)?;
        command()?;
        interval.record(interval.end, self.stream)?;
        Ok(interval)
    }

    /// Begin to zeroise the used part of a buffer.
    fn start_erasing(&mut self, place: Place) -> Result<()> {
        let stream = self.stream;
        let Some(stored) = &mut self.places[place as usize] else {
            return Ok(());
        };
        if stored.used > 0 {
            // SAFETY: the buffer has so many bytes.
            let erased = unsafe { result::memset_d8_async(stored.start, 0, stored.used, stream) };
            erased.map_err(failed("zeroising a buffer"))?;
            stored.used = 0;
        }
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        // SAFETY: the stream lives as long as this object.
        let finished = unsafe { result::stream::synchronize(self.stream) };
        finished.map_err(failed("waiting for the device"))
    }
}

impl Lane for CudaLane {
    fn reserve(&mut self, place: Place, bytes: usize) -> Result<()> {
        let stored = &self.places[place as usize];
        if stored.is_some_and(|stored| stored.bytes >= bytes) {
            return Ok(());
        }
        let _entered = self.parts.enter()?;
        self.release(place)?;
        let bytes = bytes.max(1);
        // SAFETY: the context is current; nothing reads the memory before it is zeroised.
        let start = unsafe { result::malloc_sync(bytes) };
        let start = start.map_err(failed("reserving memory"))?;
        let used = bytes;
        self.places[place as usize] = Some(Stored { start, bytes, used });
        self.start_erasing(place)
    }

    fn release(&mut self, place: Place) -> Result<()> {
        if self.places[place as usize].is_none() {
            return Ok(());
        }
        let _entered = self.parts.enter()?;
        self.start_erasing(place)?;
        self.finish()?;
        if let Some(stored) = self.places[place as usize].take() {
            // SAFETY: it was reserved there, and the stream has no command on it any more.
            unsafe { result::free_sync(stored.start) }.map_err(failed("releasing memory"))?;
        }
        Ok(())
    }

    fn write(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        // SAFETY: the copy is waited for here, also where what follows it fails.
        let started = unsafe { self.start_write(place, 0, bytes) };
        let finished = self.finish();
        started.and(finished)
    }

    fn check_memory(&self, memory: DeviceMemory) -> Result<()> {
        let _entered = self.parts.enter()?;
        self.parts.check_memory(memory)
    }

    fn settle(&mut self) -> Result<()> {
        let _entered = self.parts.enter()?;
        // Lanes' streams do not wait for those of others.
        result::ctx::synchronize().map_err(failed("waiting for the data"))
    }

    unsafe fn lend(&mut self, memory: DeviceMemory) -> Result<()> {
        self.places[Place::Shared as usize] = Some(Stored {
            start: memory.address,
            bytes: memory.bytes,
            used: 0,
        });
        Ok(())
    }

    fn start_copy(&mut self, from: Place, to: Place, offset: usize, bytes: usize) -> Result<()> {
        let _entered = self.parts.enter()?;
        let stream = self.stream;
        let source = self.place(from)?.start;
        let stored = self.place(to)?;
        stored.used = stored.used.max(offset + bytes);
        let target = stored.start + offset as u64;
        let copied = self.timed(|| {
            // SAFETY: both buffers are that long.
            let copied = unsafe { result::memcpy_dtod_async(target, source, bytes, stream) };
            copied.map_err(failed("copying on the device"))
        })?;
        self.transfers.push(copied);
        Ok(())
    }

    unsafe fn start_write(
        &mut self,
        place: Place,
        offset: usize,
        bytes: *const [u8],
    ) -> Result<()> {
        let _entered = self.parts.enter()?;
        let stream = self.stream;
        let stored = self.place(place)?;
        stored.used = stored.used.max(offset + bytes.len());
        let target = stored.start + offset as u64;
        let copied = self.timed(|| {
            // SAFETY: this function's contract.
            let copied = unsafe { result::memcpy_htod_async(target, &*bytes, stream) };
            copied.map_err(failed("copying to the device"))
        })?;
        self.transfers.push(copied);
        Ok(())
    }

    unsafe fn start_read(&mut self, place: Place, bytes: *mut [u8]) -> Result<()> {
        let _entered = self.parts.enter()?;
        let stream = self.stream;
        let source = self.place(place)?.start;
        let copied = self.timed(|| {
            // SAFETY: this function's contract.
            let copied = unsafe { result::memcpy_dtoh_async(&mut *bytes, source, stream) };
            copied.map_err(failed("copying from the device"))
        })?;
        self.transfers.push(copied);
        Ok(())
    }

    fn launch(&mut self, launch: &Launch) -> Result<()> {
        let _entered = self.parts.enter()?;
        let output = self.place(launch.output)?;
        output.used = output.bytes;
        let mut buffers = [0; 4];
        let places = [launch.input, launch.output, launch.keys, launch.masks];
        for (buffer, place) in buffers.iter_mut().zip(places) {
            *buffer = self.place(place)?.start;
        }
        let mut numbers = [launch.rounds, launch.blocks, 0, 0, 0, 0];
        numbers[2..].copy_from_slice(&launch.counter);
        let mut arguments: Vec<*mut c_void> = Vec::with_capacity(10);
        arguments.extend(buffers.iter_mut().map(|buffer| (&raw mut *buffer).cast()));
        arguments.extend(numbers.iter_mut().map(|number| (&raw mut *number).cast()));
        let kernel = self.parts.kernels[launch.kernel as usize];
        let (groups, items) = (launch.groups as u32, launch.group_items as u32);
        let stream = self.stream;
        let ran = self.timed(|| {
            // SAFETY: these are the kernels' arguments in their order and with their types
            // (kernels/modes.c), and the buffers are as long as the launch needs. The driver copies
            // the arguments before the call returns.
            let ran = unsafe {
                result::launch_kernel(
                    kernel,
                    (groups, 1, 1),
                    (items, 1, 1),
                    0,
                    stream,
                    &mut arguments,
                )
            };
            ran.map_err(failed("running a kernel"))
        })?;
        self.launches.push(ran);
        Ok(())
    }

    fn wait(&mut self) -> Result<Times> {
        // A stream is waited for in any context: its commands use the caller's memory.
        let entered = self.parts.enter();
        let finished = self.finish();
        self.places[Place::Shared as usize] = None;
        let (transfers, launches) = (&mut self.transfers, &mut self.launches);
        let [transfer, processing] = [transfers, launches].map(|intervals| {
            let times = intervals.drain(..).map(|interval| interval.elapsed());
            times.sum::<Result<Duration>>()
        });
        let _entered = entered?;
        finished?;
        Ok(Times {
            transfer: transfer?,
            processing: processing?,
        })
    }

    fn erase(&mut self) -> Result<()> {
        let _entered = self.parts.enter()?;
        CudaLane::own().try_for_each(|place| self.start_erasing(place))
    }
}

impl Drop for CudaLane {
    fn drop(&mut self) {
        // A device that is lost has no memory to zeroise or to release.
        let Ok(_entered) = self.parts.enter() else {
            return;
        };
        self.transfers.clear();
        self.launches.clear();
        for place in CudaLane::own() {
            let _ = self.release(place);
        }
        // SAFETY: nothing else has the stream.
        let _ = unsafe { result::stream::destroy(self.stream) };
    }
}

impl Interval {
    fn new() -> Result<Interval> {
        let event = || {
            let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
            event.map_err(failed("making an event"))
        };
        let start = event()?;
        let end = event().inspect_err(|_| destroy(start))?;
        Ok(Interval { start, end })
    }

    fn record(&self, event: sys::CUevent, stream: sys::CUstream) -> Result<()> {
        // SAFETY: both live; the event is one of this pair.
        unsafe { result::event::record(event, stream) }.map_err(failed("recording an event"))
    }

    fn elapsed(&self) -> Result<Duration> {
        // SAFETY: both were recorded, and the stream was waited for.
        let milliseconds = unsafe { result::event::elapsed(self.start, self.end) };
        let milliseconds = milliseconds.map_err(failed("a command on the device"))?;
        Ok(Duration::from_secs_f32(milliseconds.max(0.0) / 1000.0))
    }
}

impl Drop for Interval {
    fn drop(&mut self) {
        destroy(self.start);
        destroy(self.end);
    }
}

fn destroy(event: sys::CUevent) {
    // SAFETY: the event was created here and is destroyed once.
    let _ = unsafe { result::event::destroy(event) };
}
