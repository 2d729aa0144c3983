// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The 256-bit VAES kernel on processors without VAES: a test that runs this test
//! program again under `qemu-x86_64 -cpu max` (package qemu-user), which emulates
//! it. (QEMU emulates no 512-bit vectors; Miri interprets them, see the README.)

use std::process::Command;

use super::tests::{carries, masks, sweep};
use super::{Kernel, vaes256};
use crate::instructions::Instructions;

const CHECKED: &str = "checked VAES-256";
const SKIPPED: &str = "skipped: ";

/// Runs on a processor, or under an emulator, that has VAES; says so if it ran.
#[test]
fn vaes_kernel() {
    let Some(Kernel::Vaes256(proof, _)) = Kernel::detect(Instructions::Vaes256) else {
        println!("{SKIPPED}no VAES here");
        return;
    };
    if !vaes256::instructions_are_right(proof) {
        println!("{SKIPPED}this emulator's VAES mixes up the two blocks, as QEMU 7.2's does");
        return;
    }
    sweep();
    carries();
    masks();
    println!("{CHECKED}");
}

#[test]
#[cfg(not(miri))]
fn vaes_kernel_under_emulation() {
    if Kernel::detect(Instructions::Vaes256).is_some() {
        println!("{SKIPPED}this processor has VAES, so the other tests cover it");
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
            println!("{SKIPPED}no VAES, and no qemu-x86_64 ({error}): install qemu-user");
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    if let Some(reason) = text.lines().find(|line| line.contains(SKIPPED)) {
        println!("{reason} (qemu-x86_64 -cpu max): install QEMU 8.2 or later");
        return;
    }
    assert!(
        output.status.success() && text.contains(CHECKED),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
