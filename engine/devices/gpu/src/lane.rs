// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a driver (OpenCL, CUDA) gives: memory on the device, and commands on it.

#![allow(unsafe_code)]

use std::time::Duration;

use ciphermill::{Buffer, DeviceMemory, Error, Result};

use crate::{Kernel, Shape};

/// A buffer on the device; each lane has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A chunk's data.
    Input,
    /// What a kernel makes of them.
    Output,
    /// The key as the kernels read it.
    Keys,
    /// The key of XTS's tweaks, for encryption.
    TweakKeys,
    /// The numbers of XTS's data units.
    Numbers,
    /// The same, encrypted.
    EncryptedNumbers,
    /// The masks of XTS.
    Masks,
    /// Powers of the key of GHASH.
    HashKeys,
    /// Sums of GHASH.
    Sums,
    /// Sums of the next step.
    NextSums,
    /// Memory that is not the lane's own: the host's ([`Lane::share`]) or the caller's on the device
    /// ([`Lane::lend`]).
    Shared,
}

impl Place {
    /// All of them; `place as usize` is an index.
    pub const ALL: [Place; 11] = [
        Place::Input,
        Place::Output,
        Place::Keys,
        Place::TweakKeys,
        Place::Numbers,
        Place::EncryptedNumbers,
        Place::Masks,
        Place::HashKeys,
        Place::Sums,
        Place::NextSums,
        Place::Shared,
    ];

    /// Those whose lengths grow with the chunk's.
    pub(crate) const OF_A_CHUNK: [Place; 5] = [
        Place::Input,
        Place::Output,
        Place::Numbers,
        Place::EncryptedNumbers,
        Place::Masks,
    ];
}

/// A kernel's arguments, and how many work-items run it.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    /// The kernel.
    pub kernel: Kernel,
    /// Its argument `input`.
    pub input: Place,
    /// Its argument `output`.
    pub output: Place,
    /// Its argument `keys`.
    pub keys: Place,
    /// Its argument `masks`.
    pub masks: Place,
    /// Rounds of AES.
    pub rounds: u32,
    /// Blocks of the chunk.
    pub blocks: u32,
    /// The first counter block's four words, the highest first; other kernels take other numbers.
    pub counter: [u32; 4],
    /// Groups.
    pub groups: usize,
    /// Work-items of a group.
    pub group_items: usize,
}

/// What a chunk took on the device.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// Copies between host and device.
    pub transfer: Duration,
    /// Kernels.
    pub processing: Duration,
}

/// Commands of a device in their order, and buffers of their own. What is in a buffer is zeroised
/// before its memory goes back.
pub trait Lane: Send {
    /// Give the buffer so many bytes or more. What it held is lost where it grows.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Io`] of kind out of memory ([`ciphermill::Error::is_out_of_memory`])
    /// where the device has none left, and whatever the driver reports.
    fn reserve(&mut self, place: Place, bytes: usize) -> Result<()>;

    /// Zeroise a buffer, and give its memory back.
    ///
    /// # Errors
    /// Whatever the driver reports.
    fn release(&mut self, place: Place) -> Result<()>;

    /// Copy to the beginning of a buffer, and wait, also where it fails: nothing reads the bytes
    /// after it.
    ///
    /// # Errors
    /// Whatever the driver reports.
    fn write(&mut self, place: Place, bytes: &[u8]) -> Result<()>;

    /// Whether kernels work in the host's own memory ([`Lane::share`]). By default not: a device
    /// with memory of its own is faster there.
    fn shares(&self) -> bool {
        false
    }

    /// Let kernels work in the host's own memory, as the buffer [`Place::Shared`], until
    /// [`Lane::wait`]. After the kernels, [`Lane::start_read`] to the same bytes gives them back.
    /// Only a lane that [`Lane::shares`] is asked to.
    ///
    /// # Errors
    /// Whatever the driver reports.
    ///
    /// # Safety
    /// The bytes stay where they are, and nobody else touches them, until [`Lane::wait`].
    unsafe fn share(&mut self, _bytes: *mut [u8]) -> Result<()> {
        Err(Error::unsupported(
            "this device does not work in the host's memory",
        ))
    }

    /// Check that the caller's memory is this device's, as far as its driver says. By default a lane
    /// takes no memory of the caller's.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] where it is not, [`ciphermill::ErrorKind::Unsupported`]
    /// where the device takes none, and whatever the driver reports.
    fn check_memory(&self, _memory: DeviceMemory) -> Result<()> {
        Err(no_memory_of_the_caller())
    }

    /// Wait for all commands that others handed to the device's driver.
    ///
    /// # Errors
    /// Whatever the driver reports.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Let commands work in the caller's own memory on the device, as the buffer [`Place::Shared`],
    /// until [`Lane::wait`]. By default a lane cannot.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`], and whatever the driver reports.
    ///
    /// # Safety
    /// The bytes are allocated on this device, and nobody else touches them, until [`Lane::wait`].
    unsafe fn lend(&mut self, _memory: DeviceMemory) -> Result<()> {
        Err(no_memory_of_the_caller())
    }

    /// Begin to copy so many bytes from the beginning of a buffer to another, from this offset on.
    /// Only a lane that can [`Lane::lend`] is asked to.
    ///
    /// # Errors
    /// Whatever the driver reports.
    fn start_copy(
        &mut self,
        _from: Place,
        _to: Place,
        _offset: usize,
        _bytes: usize,
    ) -> Result<()> {
        Err(Error::unsupported(
            "this device copies nothing in its memory",
        ))
    }

    /// Begin to copy to the buffer, from this offset on.
    ///
    /// # Errors
    /// Whatever the driver reports.
    ///
    /// # Safety
    /// The bytes stay where they are, and nobody writes them, until [`Lane::wait`].
    unsafe fn start_write(&mut self, place: Place, offset: usize, bytes: *const [u8])
    -> Result<()>;

    /// Begin to copy from the beginning of the buffer.
    ///
    /// # Errors
    /// Whatever the driver reports.
    ///
    /// # Safety
    /// The bytes stay where they are, and nobody else touches them, until [`Lane::wait`].
    unsafe fn start_read(&mut self, place: Place, bytes: *mut [u8]) -> Result<()>;

    /// Run a kernel.
    ///
    /// # Errors
    /// Whatever the driver reports.
    fn launch(&mut self, launch: &Launch) -> Result<()>;

    /// Wait for all that was begun. Nothing is in flight after it, also where it fails.
    ///
    /// # Errors
    /// Whatever the driver reports; the lane may then be lost.
    fn wait(&mut self) -> Result<Times>;

    /// Zeroise what was written in the buffers. Their memory stays.
    ///
    /// # Errors
    /// Whatever the driver reports; the lane may then be lost.
    fn erase(&mut self) -> Result<()>;
}

fn no_memory_of_the_caller() -> Error {
    Error::unsupported("this device takes no data in its memory: give the bytes, or choose cuda")
}

/// A graphics processor behind a driver.
pub trait Gpu: Send + Sync {
    /// What its kernels are compiled for.
    fn shape(&self) -> Shape;

    /// A lane.
    ///
    /// # Errors
    /// Whatever the driver reports.
    fn lane(&self) -> Result<Box<dyn Lane>>;

    /// Memory of the host that the device copies from and to without a stop in between (pinned),
    /// where there is some.
    fn pinned(&self, bytes: usize) -> Option<Buffer>;
}
