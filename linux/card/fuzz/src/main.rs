// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Fuzzes the card (`target.rs`) with LLVM's fuzzing engine. `fuzz/run.sh` runs it.

#![no_main]

mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::run(data));
