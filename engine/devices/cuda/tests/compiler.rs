// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! NVRTC compiles the kernels without a device. Where there is no NVRTC, the tests say so and pass:
//! `pip install nvidia-cuda-nvrtc-cu12` has it, and LD_LIBRARY_PATH names its folder.

use ciphermill_gpu::{Implementation, Kernel, Shape};

/// Turing, Ampere and Hopper: the oldest that every NVRTC from 12 on compiles for,
/// and two that are common.
const CAPABILITIES: [(u32, u32); 3] = [(7, 5), (8, 0), (9, 0)];

#[test]
fn the_kernels_compile_for_every_capability() {
    for implementation in Implementation::ALL {
        let shape = Shape {
            implementation,
            lanes: 1,
            banks: 32,
            group_items: 128,
            groups: 1,
        };
        for capability in CAPABILITIES {
            match ciphermill_cuda::compile_for(&shape, capability) {
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
