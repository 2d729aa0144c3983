// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device on a driver and a compiler that are simulated on the processor
//! (`simulated/driver.cc`): what the host does, and the kernels' source as C++. Needs g++.

use std::env;
use std::path::Path;
use std::process::Command;

use ciphermill_gpu::testing;

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
}
