// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Which CUDA devices there are.

#![allow(unsafe_code)]

use ciphermill::{Error, Result};
use cudarc::driver::sys::{self, CUdevice_attribute};
use cudarc::driver::{DriverError, result};

/// A CUDA device of this machine.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its place in the driver's list.
    pub number: usize,
    /// The device's name.
    pub device: String,
    /// Its compute capability, such as 9.0.
    pub capability: (u32, u32),
    /// Its clock.
    pub clock_mhz: Option<f64>,
    /// Its multiprocessors.
    pub multiprocessors: usize,
}

/// All CUDA devices here; none where there is no driver.
pub fn list() -> Vec<Found> {
    let Ok(count) = count() else {
        return Vec::new();
    };
    (0..count)
        .filter_map(|number| describe(number).ok())
        .collect()
}

/// The driver's library panics where there is none, so it is asked for first.
fn count() -> Result<usize> {
    // SAFETY: loading the driver's library runs its initialisers alone.
    if !unsafe { sys::is_culib_present() } {
        return Err(absent());
    }
    let count = result::init().and_then(|()| result::device::get_count());
    match count.map_err(failed("asking for devices"))? {
        0 => Err(absent()),
        count => Ok(count as usize),
    }
}

fn describe(number: usize) -> Result<Found> {
    let asked = || {
        let device = result::device::get(number as i32)?;
        // SAFETY: the driver gave this device.
        let ask = |attribute| unsafe { result::device::get_attribute(device, attribute) };
        Ok(Found {
            number,
            device: result::device::get_name(device)?,
            capability: (
                ask(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as u32,
                ask(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as u32,
            ),
            clock_mhz: ask(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
                .ok()
                .filter(|khz| *khz > 0)
                .map(|khz| f64::from(khz) / 1000.0),
            multiprocessors: ask(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?
                .max(1) as usize,
        })
    };
    asked().map_err(failed("asking for a device"))
}

pub(crate) fn find(number: Option<usize>) -> Result<Found> {
    let count = count()?;
    let number = number.unwrap_or(0);
    if number >= count {
        return Err(Error::invalid(format!(
            "there is no CUDA device of this number: there are cuda:0 to cuda:{}",
            count - 1
        )));
    }
    describe(number)
}

fn absent() -> Error {
    Error::device(
        "this machine has no CUDA device: install NVIDIA's driver and the compiler NVRTC (PyPI: \
         nvidia-cuda-nvrtc-cu12), or choose another device",
    )
}

/// The error of a call, for `map_err`.
pub(crate) fn failed(doing: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| match error.0 {
        sys::cudaError_enum::CUDA_ERROR_OUT_OF_MEMORY => Error::io(
            format!("{doing} by CUDA: {error}; set a smaller chunk_bytes"),
            std::io::ErrorKind::OutOfMemory.into(),
        ),
        _ => Error::device(format!("{doing} by CUDA failed: {error}")),
    }
}
