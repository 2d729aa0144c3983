// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Fuzz targets: functions that take any bytes and panic when the engine does something
//! wrong with them.
//!
//! The program `fuzz` (feature `fuzzer`, `scripts/fuzz.sh`) calls them with inputs that
//! LLVM's fuzzing engine makes. The test `replay` calls them with the inputs under `corpus/`,
//! on any toolchain.

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod c_files;
#[allow(unsafe_code)]
mod c_library;
mod container;
mod device_files;
mod input;
#[allow(unsafe_code)]
mod openssl;
mod openssl_format;
#[allow(unsafe_code)]
mod pipelines;
#[allow(unsafe_code)]
mod provider;
#[allow(unsafe_code)]
mod provider_hashes;

/// A function that takes any bytes.
pub type Target = fn(&[u8]);

/// How the message of an error ends that was a panic. The end, since an input may name a
/// device with any words.
const PANIC: &str = "(a panic): please report it";

/// Every target by its name, which is also that of its folder under `corpus/`.
pub const TARGETS: [(&str, Target); 7] = [
    ("container", container::run),
    ("openssl_format", openssl_format::run),
    ("device_files", device_files::run),
    ("provider", provider::run),
    ("provider_hashes", provider_hashes::run),
    ("c_library", c_library::run),
    ("c_files", c_files::run),
];
