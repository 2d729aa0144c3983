// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Any bytes as a file of `openssl enc`: an error or a plaintext that is no
//! longer than the file.

use ciphermill::openssl_format::{OpensslOptions, decrypt};
use ciphermill::testing::ReferenceDevice;
use ciphermill::{Cancellation, Mode, Secret};

/// Run on one input.
pub fn run(data: &[u8]) {
    let mut options = OpensslOptions::new(Secret::password("secret").expect("not empty"));
    options.iterations = 1;
    for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr] {
        options.mode = mode;
        let (device, never) = (ReferenceDevice::new(), Cancellation::new());
        let mut opened = Vec::new();
        let outcome = decrypt(data, &mut opened, &device, &options, &mut |_| {}, &never);
        assert!(opened.len() <= data.len());
        if let Ok(summary) = outcome {
            assert_eq!(summary.bytes_in, data.len() as u64);
        }
    }
}
