// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Any bytes as a container: an error or a plaintext, never a panic, and never
//! more memory or time than the limits allow. They are tried as they are, with
//! the header's plain SHA-256 made right (as anyone can), and as the chunks after
//! a header that is authentic.

use std::sync::LazyLock;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{DecryptOptions, EncryptOptions, Mode, Secret, inspect, open, seal};
use sha2::{Digest, Sha256};

const HEADER_BYTES: usize = 128;

/// An authentic header for each mode.
static HEADERS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let headers = Mode::MESSAGES.into_iter().map(|mode| {
        let mut options = EncryptOptions::new(key());
        options.mode = Some(mode);
        options.chunk_bytes = 32;
        let mut sealed = seal(b"", &ReferenceDevice::new(), &options).expect("nothing is wrong");
        sealed.truncate(HEADER_BYTES);
        sealed
    });
    headers.collect()
});

fn key() -> Secret {
    Secret::key([7; 32]).expect("32 bytes")
}

fn options(secret: Secret) -> DecryptOptions {
    let mut options = DecryptOptions::new(secret);
    options.limits.memory_bytes = 1 << 20;
    options.limits.traffic_bytes = 1 << 20;
    options.limits.iterations = 100;
    options
}

fn try_open(data: &[u8], secret: Secret) {
    let header = inspect(data);
    let opened = open(data, &ReferenceDevice::new(), &options(secret));
    assert!(opened.is_err() || header.is_ok());
}

/// Run on one input.
pub fn run(data: &[u8]) {
    let password = Secret::password("secret").expect("not empty");
    try_open(data, password.clone());
    if data.len() >= 96 {
        let mut data = data.to_vec();
        let hash = Sha256::digest(&data[..64]);
        data[64..96].copy_from_slice(&hash);
        try_open(&data, password);
    }
    for header in HEADERS.iter() {
        let file = [header, data].concat();
        // No tag is right but by forgery.
        assert!(open(&file, &ReferenceDevice::new(), &options(key())).is_err());
    }
}
