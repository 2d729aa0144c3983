// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The 256-bit VAES kernel on processors without VAES: these tests run this test
//! program again under `qemu-x86_64 -cpu max` (package qemu-user), which emulates
//! it. (Nothing there emulates 512-bit vectors: Miri does, see the README.)

use std::process::Command;

use super::Kernel;
use super::tests::{carries, sweep};
use crate::instructions::Instructions;

/// Runs on a processor, or under an emulator, that has VAES; says so if it ran.
#[test]
fn vaes_kernel() {
    if Kernel::detect(Instructions::Vaes256).is_none() {
        println!("skipped: no VAES here");
        return;
    }
    sweep();
    carries();
    println!("checked VAES-256");
}

#[test]
#[cfg(not(miri))]
fn vaes_kernel_under_emulation() {
    if Kernel::detect(Instructions::Vaes256).is_some() {
        println!("skipped: this processor has VAES, so the other tests cover it");
        return;
    }
    let output = Command::new("qemu-x86_64")
        .args(["-cpu", "max"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "aes::emulated::vaes_kernel", "--nocapture"])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            println!(
                "skipped: no VAES here, and no qemu-x86_64 to emulate it ({error}): install qemu-user"
            );
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("skipped: no VAES here") {
        println!("skipped: this qemu-x86_64 emulates no VAES: install 7.2 or later");
        return;
    }
    assert!(
        output.status.success() && text.contains("checked VAES-256"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
