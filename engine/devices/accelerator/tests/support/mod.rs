// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Messages for the behavioural accelerator.

#![allow(dead_code, reason = "not every test program uses all of it")]

pub mod fake;

use std::time::Duration;

use ciphermill::{Buffer, Cancellation, CipherRequest, Direction, Key, Mode};
use ciphermill_accelerator::{Driver, Options};
use fake::FakeAccelerator;

/// The key of every message.
pub const KEY: [u8; 32] = [0x5A; 32];
/// Its IV.
pub const IV: [u8; 16] = [7; 16];

/// A driver's options, with little patience.
pub fn options() -> Options {
    let mut options = Options::default();
    options.clock_mhz = Some(100.0);
    options.patience = Duration::from_millis(50);
    options
}

/// A driver's options, with all the patience that a test needs.
pub fn patient() -> Options {
    let mut options = options();
    options.patience = Duration::from_secs(60);
    options
}

/// A driver that has taken this device over.
pub fn driver(device: FakeAccelerator) -> Driver<FakeAccelerator> {
    Driver::new(device, options()).unwrap()
}

/// An encryption.
pub fn request(mode: Mode) -> CipherRequest {
    CipherRequest::new(mode, Direction::Encrypt, Key::new(&KEY).unwrap(), IV)
}

/// A text of so many bytes.
pub fn bytes(length: usize) -> Buffer {
    let bytes = (0..length).map(|index| (index * 7 + index / 251) as u8);
    bytes.collect::<Vec<_>>().into()
}

/// What a text becomes.
#[allow(dead_code, reason = "not every test program has this key")]
pub fn coded(data: &[u8]) -> Buffer {
    let code = |(position, byte): (_, &u8)| FakeAccelerator::code(*byte, position, &KEY, &IV);
    (0..).zip(data).map(code).collect::<Vec<_>>().into()
}

/// A cancellation that never comes.
pub fn never() -> Cancellation {
    Cancellation::new()
}
