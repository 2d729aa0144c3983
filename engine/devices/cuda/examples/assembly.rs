// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Prints the PTX of the kernels as NVRTC compiles them: `assembly bitsliced 9.0`. It needs the
//! compiler, no device. `ptxas` and `nvdisasm` of CUDA's toolkit make machine code of it.

use std::env;
use std::process::ExitCode;

use ciphermill_gpu::Implementation;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let asked = || {
        let [implementation, capability] = &arguments[..] else {
            return None;
        };
        let implementation: Implementation = implementation.parse().ok()?;
        let (major, minor) = capability.split_once('.')?;
        Some((implementation, (major.parse().ok()?, minor.parse().ok()?)))
    };
    let Some((implementation, capability)) = asked() else {
        eprintln!("usage: assembly bitsliced|tables CAPABILITY, such as 9.0");
        return ExitCode::from(2);
    };
    match ciphermill_cuda::compile_for(implementation, capability) {
        Ok(assembly) => {
            println!("{assembly}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
