// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices that lack memory or vanish. The driver is a pretended one, whose kernels copy.

#![allow(unsafe_code)]

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ciphermill::{
    Buffer, Cancellation, CipherRequest, Completion, Device, Direction, Error, ErrorKind, Job, Key,
    Mode, Result,
};
use ciphermill_gpu::{Gpu, GpuDevice, Implementation, Lane, Launch, Options, Place, Shape, Times};

/// What the driver is to do.
struct Pretended {
    /// Bytes of the longest buffer that it has memory for.
    memory_bytes: usize,
    /// Chunks after which the device is lost.
    chunks: Arc<AtomicUsize>,
    /// Chunks that were begun.
    begun: Arc<AtomicUsize>,
}

struct PretendedLane {
    memory_bytes: usize,
    chunks: Arc<AtomicUsize>,
    begun: Arc<AtomicUsize>,
    data: Vec<u8>,
}

impl Gpu for Pretended {
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
            memory_bytes: self.memory_bytes,
            chunks: Arc::clone(&self.chunks),
            begun: Arc::clone(&self.begun),
            data: Vec::new(),
        }))
    }

    fn pinned(&self, _: usize) -> Option<Buffer> {
        None
    }
}

impl Lane for PretendedLane {
    fn reserve(&mut self, _: Place, bytes: usize) -> Result<()> {
        if bytes > self.memory_bytes {
            let source = io::ErrorKind::OutOfMemory.into();
            return Err(Error::io(
                "reserving memory; set a smaller chunk_bytes",
                source,
            ));
        }
        Ok(())
    }

    fn write(&mut self, _: Place, _: &[u8]) -> Result<()> {
        Ok(())
    }

    unsafe fn share(&mut self, _: *mut [u8]) -> Result<bool> {
        Ok(false)
    }

    unsafe fn start_write(&mut self, _: Place, _: usize, bytes: *const [u8]) -> Result<()> {
        // SAFETY: this function's contract.
        self.data = unsafe { &*bytes }.to_vec();
        self.begun.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    unsafe fn start_read(&mut self, _: Place, bytes: *mut [u8]) -> Result<()> {
        // SAFETY: this function's contract.
        unsafe { &mut *bytes }.copy_from_slice(&self.data);
        Ok(())
    }

    fn launch(&mut self, _: &Launch) -> Result<()> {
        Ok(())
    }

    fn wait(&mut self) -> Result<Times> {
        let lost = |chunks: usize| chunks.checked_sub(1);
        match self
            .chunks
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, lost)
        {
            Ok(_) => Ok(Times::default()),
            Err(_) => Err(Error::device("the device is lost")),
        }
    }

    fn erase(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Jobs of these lengths on a device with so much memory that is lost after so many chunks, and
/// how many chunks were begun.
fn run(memory_bytes: usize, chunks: usize, lengths: &[usize]) -> (Vec<Completion>, usize) {
    let begun = Arc::<AtomicUsize>::default();
    let gpu = Pretended {
        memory_bytes,
        chunks: Arc::new(chunks.into()),
        begun: Arc::clone(&begun),
    };
    let options: Options = "chunk_bytes=1048576".parse().unwrap();
    let device = GpuDevice::new("gpu", "pretended", None, None, Arc::new(gpu), options);
    let mut queue = device.open(Cancellation::new()).unwrap();
    for (token, length) in lengths.iter().enumerate() {
        let key = Key::new(&[1; 16]).unwrap();
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
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
    (completions, begun.load(Ordering::Relaxed))
}

#[test]
fn less_memory_makes_chunks_smaller() {
    let (mut completions, begun) = run(200 << 10, usize::MAX, &[1 << 20, 100]);
    let data = completions.remove(0).result.unwrap();
    assert!(data.len() == 1 << 20 && data.iter().all(|byte| *byte == 0));
    assert_eq!(begun, 8 + 1, "chunks of 128 KiB");
    assert_eq!(completions.remove(0).result.unwrap(), [1; 100]);
}

#[test]
fn too_little_memory_is_an_error_that_says_so() {
    let (completions, begun) = run(1 << 10, usize::MAX, &[1 << 20, 2 << 20]);
    for completion in completions {
        let error = completion.result.unwrap_err();
        assert!(error.is_out_of_memory(), "{error}");
        assert!(error.to_string().contains("chunk_bytes"), "{error}");
    }
    assert_eq!(begun, 0);
}

#[test]
fn a_device_that_is_lost_fails_the_jobs_that_it_had_and_those_behind_them() {
    let (completions, begun) = run(8 << 20, 3, &[2 << 20, 4 << 20, 1 << 20]);
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
