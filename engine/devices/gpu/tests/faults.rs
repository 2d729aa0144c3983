// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices that lack memory or vanish. The driver is a pretended one, whose kernels copy.

#![allow(unsafe_code)]

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ciphermill::{
    Buffer, Cancellation, CipherRequest, Completion, Device, DeviceMemory, Direction, Error,
    ErrorKind, Job, Key, Mode, Result,
};
use ciphermill_gpu::{Gpu, GpuDevice, Implementation, Lane, Launch, Place, Shape, Times};

/// What the driver is to do, and what it did.
struct Pretended {
    /// Bytes of all buffers together that it has memory for.
    memory_bytes: usize,
    /// Kernels work in the host's memory.
    shares: bool,
    /// Chunks after which the device is lost.
    chunks: AtomicUsize,
    /// Bytes of all buffers.
    used_bytes: AtomicUsize,
    /// Chunks that were begun.
    begun: AtomicUsize,
}

impl Pretended {
    fn new(memory_bytes: usize) -> Pretended {
        Pretended {
            memory_bytes,
            shares: false,
            chunks: usize::MAX.into(),
            used_bytes: 0.into(),
            begun: 0.into(),
        }
    }
}

/// The driver of a device, which the device has too.
struct Shared(Arc<Pretended>);

struct PretendedLane {
    driver: Arc<Pretended>,
    places: [usize; Place::ALL.len()],
    data: Vec<u8>,
}

impl Gpu for Shared {
    fn shape(&self) -> Shape {
        Shape {
            implementation: Implementation::Bitsliced,
            lanes: 1,
            banks: 1,
            group_items: 1,
            groups: 1,
        }
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(PretendedLane {
            driver: Arc::clone(&self.0),
            places: [0; Place::ALL.len()],
            data: Vec::new(),
        }))
    }

    fn pinned(&self, _: usize) -> Option<Buffer> {
        None
    }
}

impl Lane for PretendedLane {
    fn reserve(&mut self, place: Place, bytes: usize) -> Result<()> {
        if self.places[place as usize] >= bytes {
            return Ok(());
        }
        self.release(place)?;
        let used = self.driver.used_bytes.load(Ordering::Relaxed) + bytes;
        if used > self.driver.memory_bytes {
            let source = io::ErrorKind::OutOfMemory.into();
            return Err(Error::io(
                "reserving memory; set a smaller chunk_bytes",
                source,
            ));
        }
        self.driver.used_bytes.store(used, Ordering::Relaxed);
        self.places[place as usize] = bytes;
        Ok(())
    }

    fn release(&mut self, place: Place) -> Result<()> {
        let bytes = std::mem::take(&mut self.places[place as usize]);
        self.driver.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn write(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        assert!(bytes.len() <= self.places[place as usize], "{place:?}");
        Ok(())
    }

    fn shares(&self) -> bool {
        self.driver.shares
    }

    unsafe fn share(&mut self, bytes: *mut [u8]) -> Result<()> {
        // SAFETY: this function's contract.
        unsafe { self.start_write(Place::Shared, 0, bytes) }
    }

    fn check_memory(&self, _: DeviceMemory) -> Result<()> {
        Ok(())
    }

    unsafe fn lend(&mut self, _: DeviceMemory) -> Result<()> {
        Ok(())
    }

    fn start_copy(&mut self, _: Place, _: Place, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn start_write(&mut self, _: Place, _: usize, bytes: *const [u8]) -> Result<()> {
        // SAFETY: this function's contract.
        self.data = unsafe { &*bytes }.to_vec();
        let begun = self.driver.begun.fetch_add(1, Ordering::Relaxed);
        match begun < self.driver.chunks.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err(Error::device("the device is lost")),
        }
    }

    unsafe fn start_read(&mut self, _: Place, bytes: *mut [u8]) -> Result<()> {
        // SAFETY: this function's contract.
        let bytes = unsafe { &mut *bytes };
        if bytes.len() == self.data.len() {
            bytes.copy_from_slice(&self.data);
        }
        Ok(())
    }

    fn launch(&mut self, launch: &Launch) -> Result<()> {
        for place in [launch.input, launch.output, launch.keys, launch.masks] {
            let is_there = place == Place::Shared || self.places[place as usize] > 0;
            assert!(is_there, "no buffer {place:?}");
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<Times> {
        Ok(Times::default())
    }

    fn erase(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Drop for PretendedLane {
    fn drop(&mut self) {
        let bytes: usize = self.places.iter().sum();
        self.driver.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

fn device(driver: &Arc<Pretended>, settings: &str) -> GpuDevice {
    let (gpu, options) = (Shared(Arc::clone(driver)), settings.parse().unwrap());
    GpuDevice::new("gpu", "pretended", None, None, Arc::new(gpu), options)
}

fn key(byte: u8) -> Key {
    Key::new(&[byte; 16]).unwrap()
}

fn ctr() -> CipherRequest {
    CipherRequest::new(Mode::Ctr, Direction::Encrypt, key(1), [0; 16])
}

/// Jobs on a device with chunks of 1 MiB, and how many chunks were begun.
fn run(driver: Pretended, jobs: &[(CipherRequest, usize)]) -> (Vec<Completion>, usize) {
    let driver = Arc::new(driver);
    let device = device(&driver, "chunk_bytes=1048576");
    let mut queue = device.open(Cancellation::new()).unwrap();
    for (token, (request, length)) in jobs.iter().enumerate() {
        let (token, data) = (token as u64, vec![token as u8; *length].into());
        let request = request.into();
        queue
            .submit(Job {
                token,
                request,
                data,
            })
            .unwrap();
    }
    let completions = std::iter::from_fn(|| queue.complete()).collect();
    drop(queue);
    drop(device);
    assert_eq!(driver.used_bytes.load(Ordering::Relaxed), 0);
    (completions, driver.begun.load(Ordering::Relaxed))
}

/// The jobs' lengths, in CTR.
fn of_lengths(lengths: &[usize]) -> Vec<(CipherRequest, usize)> {
    lengths.iter().map(|length| (ctr(), *length)).collect()
}

#[test]
fn less_memory_makes_chunks_smaller() {
    // Two buffers of 256 KiB and the keys; the other lane gets nothing, and waits.
    let driver = Pretended::new(600 << 10);
    let (mut completions, begun) = run(driver, &of_lengths(&[1 << 20, 100]));
    let data = completions.remove(0).result.unwrap();
    assert!(data.len() == 1 << 20 && data.iter().all(|byte| *byte == 0));
    assert_eq!(begun, 4 + 1, "chunks of 256 KiB");
    assert_eq!(completions.remove(0).result.unwrap(), [1; 100]);
}

#[test]
fn memory_of_idle_lanes_is_given_to_one_that_lacks_it() {
    // Each lane has two buffers of 64 KiB after the first job, and XTS needs three.
    let units = CipherRequest::xts(Direction::Encrypt, key(1), key(2), 0, 512).unwrap();
    let driver = Pretended::new((4 * 64 + 30) << 10);
    let jobs = [(ctr(), 1 << 20), (units, 128 << 10)];
    let device_memory = Arc::new(driver);
    let device = device(&device_memory, "chunk_bytes=65536");
    let mut queue = device.open(Cancellation::new()).unwrap();
    for (request, length) in jobs {
        let (request, data) = (request.into(), vec![7; length].into());
        queue
            .submit(Job {
                token: 0,
                request,
                data,
            })
            .unwrap();
        let completion = queue.complete().unwrap();
        assert_eq!(completion.result.unwrap(), vec![7; length]);
    }
}

#[test]
fn data_that_are_worked_on_in_place_need_no_buffers() {
    // Of two lanes the keys, and of XTS the numbers of a data unit; a part of a group has buffers of
    // its own.
    let mut driver = Pretended::new(40 << 10);
    driver.shares = true;
    let units = CipherRequest::xts(Direction::Encrypt, key(1), key(2), 0, 4096).unwrap();
    let mut jobs = of_lengths(&[4 << 20, 100]);
    jobs.push((units, 4096));
    let (completions, _) = run(driver, &jobs);
    assert!(completions.iter().all(|one| one.result.is_ok()));
}

#[test]
fn too_little_memory_is_an_error_that_says_so() {
    // Not even the keys, and the keys but no chunk.
    for memory_bytes in [1 << 10, 40 << 10] {
        let driver = Pretended::new(memory_bytes);
        let (completions, begun) = run(driver, &of_lengths(&[1 << 20, 2 << 20]));
        for completion in completions {
            let error = completion.result.unwrap_err();
            assert!(error.is_out_of_memory(), "{error}");
            assert!(error.to_string().contains("chunk_bytes"), "{error}");
        }
        assert_eq!(begun, 0);
    }
}

#[test]
fn a_wrong_tag_is_told_even_where_the_data_cannot_be_zeroised() {
    let mut driver = Pretended::new(1 << 20);
    // Nothing but the zeros is written.
    driver.chunks = 0.into();
    let device = device(&Arc::new(driver), "");
    let mut request = CipherRequest::new(Mode::Gcm, Direction::Decrypt, key(1), [0; 16]);
    request.tag = Some([9; 16]);
    let memory = DeviceMemory {
        address: 4096,
        bytes: 512,
    };
    // SAFETY: the pretended driver touches no memory.
    let outcome = unsafe { device.run_in_memory(&request, memory, &Cancellation::new()) };
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Authentication);
    assert!(error.to_string().contains("do not use them"), "{error}");
}

#[test]
fn a_device_that_is_lost_fails_the_jobs_that_it_had_and_those_behind_them() {
    let mut driver = Pretended::new(8 << 20);
    driver.chunks = 3.into();
    let (completions, begun) = run(driver, &of_lengths(&[2 << 20, 4 << 20, 1 << 20]));
    let outcomes: Vec<_> = completions
        .iter()
        .map(|completion| completion.result.is_ok())
        .collect();
    assert_eq!(outcomes, [true, false, false]);
    for completion in &completions[1..] {
        let error = completion.result.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains("lost"), "{error}");
    }
    assert!(
        begun < 7,
        "{begun} chunks were begun: a failed job's others are left out"
    );
}
