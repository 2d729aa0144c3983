// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Which OpenCL devices there are.

use std::sync::{Mutex, PoisonError};

use ciphermill::{Error, Result};
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::platform::get_platforms;

/// An OpenCL device of this machine.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its place in the list, over all platforms.
    pub number: usize,
    /// The platform's name, that of a driver.
    pub platform: String,
    /// The device's name.
    pub device: String,
    /// Whether it is a graphics processor.
    pub is_gpu: bool,
    /// Its highest clock, where the driver says.
    pub clock_mhz: Option<f64>,
    /// Its compute units, where the driver says.
    pub compute_units: Option<usize>,
    /// Whether it computes in the host's memory, as a processor does.
    pub(crate) shares_memory: bool,
    pub(crate) id: Device,
}

/// All OpenCL devices here that can compile kernels; none where there is no OpenCL.
pub fn list() -> Vec<Found> {
    // Drivers are not all safe to begin in two threads: PoCL 3.1 gives a device whose name is a null
    // pointer while another thread still starts it.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _begun = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let platforms = get_platforms().unwrap_or_default();
    let mut found = Vec::new();
    for platform in platforms {
        let devices = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
        for id in devices.into_iter().map(Device::new) {
            let usable = [id.available(), id.compiler_available()];
            if usable.into_iter().any(|answer| !answer.unwrap_or(false)) {
                continue;
            }
            let name = |answer: opencl3::Result<String>| answer.unwrap_or_default();
            let clock_mhz = id.max_clock_frequency().ok().filter(|clock| *clock > 0);
            let units = id.max_compute_units().ok().filter(|units| *units > 0);
            found.push(Found {
                number: found.len(),
                platform: name(platform.name()),
                device: name(id.name()),
                is_gpu: id
                    .dev_type()
                    .is_ok_and(|kind| kind & CL_DEVICE_TYPE_GPU != 0),
                shares_memory: id.host_unified_memory().unwrap_or(false),
                clock_mhz: clock_mhz.map(f64::from),
                compute_units: units.map(|units| units as usize),
                id,
            });
        }
    }
    found
}

pub(crate) fn find(number: Option<usize>) -> Result<Found> {
    let mut found = list();
    let chosen = match number {
        Some(number) => found.get(number),
        None => found.iter().find(|device| device.is_gpu).or(found.first()),
    };
    match chosen.map(|device| device.number) {
        Some(number) => Ok(found.swap_remove(number)),
        None if found.is_empty() => Err(Error::device(
            "this machine has no OpenCL device: install the driver of one, or PoCL \
             (Debian: pocl-opencl-icd), or choose another device",
        )),
        None => Err(Error::invalid(format!(
            "there is no OpenCL device of this number: there are opencl:0 to opencl:{}",
            found.len() - 1
        ))),
    }
}
