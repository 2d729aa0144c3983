// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! NVRTC compiles the kernels without a device. `make setup` installs it; where there is none, the
//! tests say so and pass: `pip install nvidia-cuda-nvrtc-cu12` has it, and LD_LIBRARY_PATH names its
//! folder.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use ciphermill_gpu::{Implementation, Kernel};

/// Turing and Hopper: the oldest that every NVRTC from 12 on compiles for, and the one whose
/// instructions are counted (docs/explanation/graphics-kernels.md).
const CAPABILITIES: [(u32, u32); 2] = [(7, 5), (9, 0)];

/// The folder of the compiler that `make setup` installs.
fn installed() -> Option<PathBuf> {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.venv/lib");
    let mut folders = (packages.read_dir().ok()?.flatten())
        .map(|python| python.path().join("site-packages/nvidia/cuda_nvrtc/lib"));
    folders.find(|folder| folder.is_dir())
}

#[test]
fn the_kernels_compile_for_every_capability() {
    let named = env::var_os("LD_LIBRARY_PATH").map(PathBuf::from);
    let folders: Vec<OsString> = named
        .into_iter()
        .chain(installed())
        .map(Into::into)
        .collect();
    // The loader reads the variable when a process starts.
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "with_nvrtc", "--ignored", "--nocapture"])
        .env("LD_LIBRARY_PATH", folders.join(":".as_ref()))
        .status();
    assert!(status.unwrap().success());
}

#[test]
#[ignore = "the other test runs it, with NVRTC's folder"]
fn with_nvrtc() {
    for implementation in Implementation::ALL {
        for capability in CAPABILITIES {
            match ciphermill_cuda::compile_for(implementation, capability) {
                Ok(assembly) => {
                    for kernel in Kernel::ALL {
                        let entry = format!(".entry {}(", kernel.name());
                        assert!(assembly.contains(&entry), "{implementation}: no {entry}");
                    }
                }
                Err(error) if error.to_string().contains("is missing") => {
                    println!("skipped: {error}");
                    return;
                }
                Err(error) => panic!("{implementation} for {capability:?}: {error}"),
            }
        }
    }
}
