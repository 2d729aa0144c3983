// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Link options of the shared library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // OpenSSL unloads providers at exit, when threads of a device may still run.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
