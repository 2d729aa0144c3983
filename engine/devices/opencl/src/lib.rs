// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The devices `opencl:NUMBER`: AES on any OpenCL 1.2 device, whose driver is found at run time.
//! `opencl` alone is the first graphics processor, or the first device where there is none.
//!
//! Settings follow behind a comma: `opencl:0,kernel=tables,chunk_bytes=4194304,queues=3`
//! ([`ciphermill_gpu::Options`]).

#![deny(unsafe_code)]

mod driver;
mod lane;
mod pinned;
mod platform;
mod program;

use std::sync::Arc;

use ciphermill::Result;
use ciphermill_gpu::{GpuDevice, Options};

pub use platform::{Found, list};

/// Bytes of a chunk on a processor, whose caches hold it. On one with 2 MiB of second-level cache a
/// core, this was the fastest of 256 KiB to 8 MiB.
const CACHED_CHUNK_BYTES: usize = 512 << 10;

/// The device of this number in [`list`], or the default one, with these settings.
///
/// # Errors
/// [`ciphermill::ErrorKind::Device`] where there is no OpenCL,
/// [`ciphermill::ErrorKind::Invalid`] for a number that no device has. The kernels are compiled when
/// a queue is first opened, which fails with the driver's log where it cannot.
pub fn open(number: Option<usize>, mut options: Options) -> Result<GpuDevice> {
    let found = platform::find(number)?;
    let description = format!("{} by {} (OpenCL)", found.device, found.platform);
    let (name, clock_mhz) = (format!("opencl:{}{options}", found.number), found.clock_mhz);
    if !found.is_gpu {
        options.chunk_bytes.get_or_insert(CACHED_CHUNK_BYTES);
    }
    let compute_units = found.compute_units;
    let driver = Arc::new(driver::Driver::new(found, &options)?);
    Ok(GpuDevice::new(
        name,
        &description,
        clock_mhz,
        compute_units,
        driver,
        options,
    ))
}
