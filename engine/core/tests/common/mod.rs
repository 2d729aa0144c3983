// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the tests share.

#![allow(dead_code, reason = "each test uses some of it")]

use std::io::{self, Read, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Cancellation, DecryptOptions, EncryptOptions, KeyDerivation, Mode, Result, Secret, Summary,
    decrypt, encrypt,
};

pub const KEY: [u8; 32] = [0x42; 32];
pub const HEADER_BYTES: usize = 128;

/// As cheap as it gets.
pub const CHEAP: KeyDerivation = KeyDerivation::Scrypt {
    log_n: 1,
    r: 1,
    p: 1,
};

pub fn key() -> Secret {
    Secret::key(KEY).unwrap()
}

pub fn options(mode: Mode, chunk_bytes: usize) -> EncryptOptions {
    let mut options = EncryptOptions::new(key());
    options.mode = Some(mode);
    options.chunk_bytes = chunk_bytes;
    options
}

pub fn data(bytes: usize) -> Vec<u8> {
    (0..bytes)
        .map(|byte| (byte * 131 + byte / 251) as u8)
        .collect()
}

pub fn encrypt_to<W: Write + Send>(
    data: &[u8],
    writer: W,
    device: &ReferenceDevice,
    options: &EncryptOptions,
) -> Result<Summary> {
    encrypt(
        data,
        writer,
        device,
        options,
        &mut |_| {},
        &Cancellation::new(),
    )
}

/// What was released, and the outcome.
pub fn decrypt_from<R: Read + Send>(
    reader: R,
    device: &ReferenceDevice,
    secret: Secret,
) -> (Vec<u8>, Result<Summary>) {
    let mut released = Vec::new();
    let options = DecryptOptions::new(secret);
    let never = Cancellation::new();
    let outcome = decrypt(reader, &mut released, device, &options, &mut |_| {}, &never);
    (released, outcome)
}

/// Fail, rather than hang, when the work does not end within a minute.
pub fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, ended) = channel();
    std::thread::spawn(move || done.send(work()));
    ended
        .recv_timeout(Duration::from_secs(60))
        .expect("the work hangs, or has panicked")
}

/// Takes so many bytes and then fails.
pub struct FailingWriter {
    pub room: usize,
    pub kind: io::ErrorKind,
}

impl Write for FailingWriter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(self.kind.into());
        }
        let count = buffer.len().min(self.room);
        self.room -= count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives so many bytes and then fails.
pub struct FailingReader {
    pub left: usize,
}

impl Read for FailingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let count = buffer.len().min(self.left).min(37);
        self.left -= count;
        Ok(count)
    }
}
