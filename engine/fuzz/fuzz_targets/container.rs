// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Any bytes as a container: an error or a plaintext, never a panic, and never
//! more memory or time than the limits allow.

#![no_main]

use ciphermill::testing::ReferenceDevice;
use ciphermill::{CostLimits, DecryptOptions, Secret, inspect, open};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let header = inspect(data);
    let mut options = DecryptOptions::new(Secret::password("secret").expect("not empty"));
    options.limits = CostLimits {
        memory_bytes: 1 << 20,
        traffic_bytes: 1 << 20,
        iterations: 100,
    };
    let opened = open(data, &ReferenceDevice::new(), &options);
    assert!(opened.is_err() || header.is_ok());
});
