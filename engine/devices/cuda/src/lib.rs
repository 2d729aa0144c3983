// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The devices `cuda:NUMBER`: AES on NVIDIA's graphics processors. The driver and the compiler
//! NVRTC are found at run time; without them the devices are absent. `cuda` alone is the first.
//!
//! Settings follow behind a comma: `cuda:0,kernel=tables,chunk_bytes=4194304,queues=3`
//! ([`ciphermill_gpu::Options`]).

#![deny(unsafe_code)]

mod driver;
mod lane;
mod memory;
mod pinned;
mod platform;
mod program;

use std::sync::Arc;

use ciphermill::{Error, Result};
use ciphermill_gpu::{GpuDevice, Implementation, Options};

pub use platform::{Found, list};

/// The device of this number in [`list`], or the first one, with these settings.
///
/// # Errors
/// [`ciphermill::ErrorKind::Device`] where there is no CUDA driver or no compiler,
/// [`ciphermill::ErrorKind::Invalid`] for a number that no device has, and for `lanes`. The kernels are
/// compiled when a queue is first opened, which fails with the compiler's log where it cannot, and with
/// [`ciphermill::ErrorKind::Invalid`] where `group_items` are too many for a kernel's registers.
pub fn open(number: Option<usize>, options: Options) -> Result<GpuDevice> {
    if options.lanes.is_some_and(|lanes| lanes != 1) {
        return Err(Error::invalid(
            "a work-item of cuda computes one word: leave lanes out",
        ));
    }
    let found = platform::find(number)?;
    let description = format!("{} (CUDA)", found.device);
    let (name, clock_mhz) = (format!("cuda:{}{options}", found.number), found.clock_mhz);
    let multiprocessors = Some(found.multiprocessors);
    let driver = Arc::new(driver::Driver::new(found, &options));
    Ok(GpuDevice::new(
        name,
        &description,
        clock_mhz,
        multiprocessors,
        driver,
        options,
    ))
}

/// The kernels as NVRTC compiles them for a compute capability: PTX, which needs no device.
///
/// # Errors
/// [`ciphermill::ErrorKind::Device`] where there is no compiler, and with its log where it does not
/// compile them.
pub fn compile_for(implementation: Implementation, capability: (u32, u32)) -> Result<String> {
    let mut options = Options::default();
    options.implementation = implementation;
    program::compile(&driver::shape(&options, 1), capability)
}
