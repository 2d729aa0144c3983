// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A test program again, in an environment that hides the AES instructions from OpenSSL and
//! AWS-LC, which read it when they are loaded.

use std::process::Command;

const VARIABLE: &str = "OPENSSL_ia32cap";
const WITHOUT_AES: &str = "~0x200000200000000:~0x60000000000";

/// Whether this process is that one.
pub fn is_here() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == WITHOUT_AES)
}

/// Run all tests of this program so, from one of them.
pub fn run() {
    if is_here() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .env(VARIABLE, WITHOUT_AES)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
