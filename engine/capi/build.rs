// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Link options of the shared library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // The number goes up when programs must be compiled anew.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libciphermill_c.so.0");
        // Threads of a device may still run when a program unloads the library.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
