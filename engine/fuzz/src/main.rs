// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The program that fuzzes the target which `CIPHERMILL_FUZZ_TARGET` names.

#![no_main]

use std::sync::LazyLock;

use ciphermill_fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let wanted = std::env::var("CIPHERMILL_FUZZ_TARGET").unwrap_or_default();
    let found = TARGETS.into_iter().find(|(name, _)| *name == wanted);
    let Some((_, target)) = found else {
        let names = TARGETS.map(|(name, _)| name).join(", ");
        panic!("CIPHERMILL_FUZZ_TARGET is {wanted:?}: choose one of {names}");
    };
    target
});

fuzz_target!(|data: &[u8]| TARGET(data));
