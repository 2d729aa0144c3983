// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device on a driver and a compiler that are simulated on the processor
//! (`simulated/driver.cc`): what the host does, and the kernels' source as C++. Needs g++.

#![allow(unsafe_code)]

use std::path::Path;
use std::process::Command;
use std::{env, fs, ptr};

use ciphermill::process::in_a_child;
use ciphermill::{
    Cancellation, CipherRequest, Device, DeviceMemory, Direction, Error, ErrorKind, Job, Key, Mode,
};
use ciphermill_gpu::{GpuDevice, testing};
use cudarc::driver::{result, sys};

/// Run tests of this file, each with a fault of the driver (`simulated/driver.cc`), in processes of
/// their own: a process has one driver, and finds it when it starts.
fn run(tests: &[(&str, &str)]) {
    if let Err(error) = Command::new("g++").arg("--version").output() {
        println!("skipped: g++ does not start: {error}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulated/build.sh");
    let built = Command::new("sh").args([&build, folder.path()]).status();
    assert!(built.unwrap().success(), "the simulated driver");
    for (test, fault) in tests {
        if *fault == "no compiler" {
            fs::remove_file(folder.path().join("libnvrtc.so")).unwrap();
        }
        let status = Command::new(env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .env("LD_LIBRARY_PATH", folder.path())
            .env("SIMULATED_CUDA", fault)
            .status();
        let status = status.unwrap();
        assert!(status.success(), "{test}: {status}");
    }
}

#[test]
fn the_device_works_on_a_simulated_driver() {
    run(&[("on_the_simulated_driver", "")]);
}

#[test]
fn what_goes_wrong_is_told() {
    run(&[
        ("kernels_that_do_not_compile", "compiler"),
        ("a_driver_that_is_older_than_the_compiler", "driver"),
        ("kernels_with_many_registers", "registers"),
        ("little_memory", "memory=400000"),
        ("too_little_memory", "memory=50000"),
        ("a_device_that_is_lost", "lost=5"),
        ("memory_of_others", "none"),
        ("a_forked_process", "none"),
        ("a_driver_without_compiler", "no compiler"),
    ]);
}

/// Memory of the simulated device.
struct Allocations;

impl testing::TestMemory for Allocations {
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

/// Make the device's primary context that of this thread.
fn enter() {
    // SAFETY: the driver gives the device.
    unsafe {
        let device = result::device::get(0).unwrap();
        result::ctx::set_current(result::primary_ctx::retain(device).unwrap()).unwrap();
    }
}

fn open(settings: &str) -> GpuDevice {
    let options = format!("{settings},chunk_bytes=65536,queues=3").parse();
    ciphermill_cuda::open(None, options.unwrap()).unwrap()
}

fn request(mode: Mode) -> CipherRequest {
    let key = Key::new(&[1; 16]).unwrap();
    CipherRequest::new(mode, Direction::Encrypt, key, [0; 16])
}

/// Why a device opens no queue.
fn refusal(device: &GpuDevice) -> Error {
    let Err(error) = device.open(Cancellation::new()) else {
        panic!("a queue opened");
    };
    error
}

/// What a job of so many bytes in CTR ends with.
fn encrypt(device: &GpuDevice, bytes: usize) -> Result<(), Error> {
    let mut queue = device.open(Cancellation::new())?;
    let (request, data) = (request(Mode::Ctr).into(), vec![0; bytes].into());
    queue.submit(Job {
        token: 1,
        request,
        data,
    })?;
    queue.complete().unwrap().result.map(|_| ())
}

#[test]
#[ignore = "the_device_works_on_a_simulated_driver runs it"]
fn on_the_simulated_driver() {
    assert_eq!(ciphermill_cuda::list().len(), 1);
    assert!(ciphermill_cuda::open(Some(1), Default::default()).is_err());
    assert!(ciphermill_cuda::open(None, "lanes=4".parse().unwrap()).is_err());
    let settings = [
        "kernel=bitsliced,group_items=2",
        "kernel=tables,group_items=16",
    ];
    let devices = settings.map(open);
    testing::modes(&devices);
    testing::data_units(&devices);
    testing::gcm_decryption(&devices);
    testing::order_of_jobs(&devices);
    testing::cancellation(&devices);
    testing::refusals(&devices);
    testing::own_buffers(&devices);
    testing::data_in_memory(&devices, &Allocations);
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn kernels_that_do_not_compile() {
    let error = refusal(&open("group_items=2"));
    assert_eq!(error.kind(), ErrorKind::Device);
    let text = error.to_string();
    assert!(text.contains("log") && text.contains("colour"), "{text}");
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn a_driver_that_is_older_than_the_compiler() {
    let error = refusal(&open("group_items=2"));
    assert_eq!(error.kind(), ErrorKind::Device);
    let text = error.to_string();
    assert!(text.contains("NVRTC 12.9 is newer"), "{text}");
    assert!(text.contains("nvidia-cuda-nvrtc-cu12==12.4.*"), "{text}");
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn a_driver_without_compiler() {
    let error = refusal(&open("group_items=2"));
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(
        error.to_string().contains("nvidia-cuda-nvrtc-cu12"),
        "{error}"
    );
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn kernels_with_many_registers() {
    let error = refusal(&open("group_items=16"));
    assert_eq!(error.kind(), ErrorKind::Invalid, "no device is lost");
    assert!(error.to_string().contains("smaller group_items"), "{error}");
    encrypt(&open("group_items=8"), 1000).unwrap();
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn little_memory() {
    // For chunks of 256 KiB there is none, and for a third queue not even for the shortest.
    let options = "group_items=2,chunk_bytes=262144,queues=3".parse();
    let device = ciphermill_cuda::open(None, options.unwrap()).unwrap();
    encrypt(&device, 1 << 20).unwrap();
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn too_little_memory() {
    let error = encrypt(&open("group_items=2"), 1 << 20).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    assert!(error.to_string().contains("chunk_bytes"), "{error}");
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn a_device_that_is_lost() {
    let device = open("group_items=2");
    for _ in 0..2 {
        let error = encrypt(&device, 1 << 20).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
    }
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn memory_of_others() {
    let device = open("group_items=2");
    let go = |memory: DeviceMemory| {
        // SAFETY: what is not the device's is refused.
        unsafe { device.run_in_memory(&request(Mode::Ctr), memory, &Cancellation::new()) }
    };
    let bytes = 1000;
    let whole = testing::TestMemory::put(&Allocations, &vec![1; bytes]);
    let DeviceMemory { address, .. } = whole;
    let mut other = ptr::null_mut();
    // SAFETY: the device is there, and the context current.
    let foreign = unsafe {
        sys::cuCtxCreate_v2(&raw mut other, 0, 0).result().unwrap();
        result::malloc_sync(bytes).unwrap()
    };
    let mut host = [0u8; 1000];
    for (address, bytes) in [
        (address, bytes + 1),
        (address - 1, bytes),
        (address, usize::MAX),
        (foreign, bytes),
        (host.as_mut_ptr().addr() as u64, bytes),
    ] {
        let error = go(DeviceMemory { address, bytes }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains("cuda:0"), "{error}");
    }
    go(whole).unwrap();
    go(DeviceMemory {
        address: 0,
        bytes: 0,
    })
    .unwrap();
    drop(device.allocator().filled(&host).unwrap());
    drop(device);
    // The caller's context is current as before.
    let mut current = ptr::null_mut();
    // SAFETY: the place is there.
    unsafe { sys::cuCtxGetCurrent(&raw mut current).result().unwrap() };
    assert_eq!(current, other);
}

#[test]
#[ignore = "what_goes_wrong_is_told runs it"]
fn a_forked_process() {
    let device = open("group_items=2");
    encrypt(&device, 1000).unwrap();
    let buffer = device.allocator().filled(&[7; 100]).unwrap();
    let mut queue = device.open(Cancellation::new()).unwrap();
    let (asked, data) = (request(Mode::Ctr).into(), vec![0; 100_000].into());
    let token = 1;
    let job = Job {
        token,
        request: asked,
        data,
    };
    queue.submit(job).unwrap();
    // The simulated driver ends a child that calls it.
    assert!(in_a_child(move || {
        let error = queue.complete().unwrap().result.unwrap_err();
        let own = device.allocator().filled(&[8; 100]).unwrap();
        let refused = refusal(&device);
        drop((queue, buffer, device));
        own == [8; 100]
            && [error, refused]
                .iter()
                .all(|one| one.kind() == ErrorKind::Device)
    }));
}
