// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device on a driver and a compiler that are simulated on the processor
//! (`simulated/driver.cc`): what the host does, and the kernels' source as C++. Needs g++.

use std::env;
use std::path::Path;
use std::process::Command;
use std::ptr;

use ciphermill::DeviceMemory;
use ciphermill_gpu::testing;
use cudarc::driver::result;

/// A process has one driver, and finds it when it starts.
const INNER: &str = "on_the_simulated_driver";

#[test]
fn the_device_works_on_a_simulated_driver() {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulated/driver.cc");
    let driver = folder.path().join("libcuda.so");
    let compiler = Command::new("g++")
        .args([
            "-std=c++17",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fPIC",
            "-shared",
            "-o",
        ])
        .args([&driver, &source])
        .arg("-ldl")
        .status();
    match compiler {
        Ok(status) => assert!(
            status.success(),
            "g++ does not compile the simulated driver"
        ),
        Err(error) => {
            println!("skipped: g++ does not start: {error}");
            return;
        }
    }
    std::os::unix::fs::symlink(&driver, folder.path().join("libnvrtc.so")).unwrap();
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", INNER, "--ignored", "--nocapture"])
        .env("LD_LIBRARY_PATH", folder.path())
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

/// Memory of the simulated device.
struct Allocations;

impl testing::TestMemory for Allocations {
    #[allow(unsafe_code)]
    fn put(&self, bytes: &[u8]) -> DeviceMemory {
        enter();
        // SAFETY: the context is current, and the memory as long as the bytes.
        let address = unsafe {
            let address = result::malloc_sync(bytes.len().max(1)).unwrap();
            result::memcpy_htod_async(address, bytes, ptr::null_mut()).unwrap();
            address
        };
        DeviceMemory {
            address,
            bytes: bytes.len(),
        }
    }

    #[allow(unsafe_code)]
    fn take(&self, memory: DeviceMemory) -> Vec<u8> {
        enter();
        let mut bytes = vec![0; memory.bytes];
        // SAFETY: `put` allocated it. The simulated driver wants zeros in what is released.
        unsafe {
            result::memcpy_dtoh_async(&mut bytes, memory.address, ptr::null_mut()).unwrap();
            result::memset_d8_async(memory.address, 0, memory.bytes.max(1), ptr::null_mut())
                .unwrap();
            result::free_sync(memory.address).unwrap();
        }
        bytes
    }
}

/// Make the device's context that of this thread.
#[allow(unsafe_code)]
fn enter() {
    // SAFETY: the driver gives the device.
    unsafe {
        let device = result::device::get(0).unwrap();
        result::ctx::set_current(result::primary_ctx::retain(device).unwrap()).unwrap();
    }
}

#[test]
#[ignore = "the other test runs it, beside the simulated driver"]
fn on_the_simulated_driver() {
    assert_eq!(ciphermill_cuda::list().len(), 1);
    assert!(ciphermill_cuda::open(Some(1), Default::default()).is_err());
    let settings = [
        "kernel=bitsliced,group_items=2",
        "kernel=tables,group_items=16",
    ];
    let devices = settings.map(|settings| {
        let options = format!("{settings},chunk_bytes=65536,queues=3").parse();
        ciphermill_cuda::open(None, options.unwrap()).unwrap()
    });
    testing::modes(&devices);
    testing::data_units(&devices);
    testing::gcm_decryption(&devices);
    testing::order_of_jobs(&devices);
    testing::cancellation(&devices);
    testing::refusals(&devices);
    testing::own_buffers(&devices);
    testing::data_in_memory(&devices, &Allocations);
}
