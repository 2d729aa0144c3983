// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The functions of the header whose output has a fixed length: digests, authentication codes,
//! and operations with a public or a private key.

use std::ffi::{c_char, c_int};
use std::ptr;

use ciphermill::{Algorithm, Buffer, Error, Operation, Request, Result, SecretKey};

use super::{bytes, guard, overlap, text};
use crate::message::OpenDevice;

/// Somewhere that an output goes, with its length.
#[derive(Clone, Copy)]
pub(super) struct Place(pub *mut u8, pub usize);

impl Place {
    /// Whether an output of so many bytes has its place here.
    pub fn check(self, given: usize) -> Result<()> {
        if self.0.is_null() {
            return Err(Error::invalid("the output: a null pointer"));
        }
        if self.1 != given {
            let place = self.1;
            return Err(Error::invalid(format!(
                "the output has {given} bytes: its place has {place}"
            )));
        }
        Ok(())
    }

    /// # Safety
    /// The place leads to as many bytes as it says.
    pub unsafe fn write(self, output: &[u8]) -> Result<()> {
        self.check(output.len())?;
        // SAFETY: this function's contract; the output is a copy of our own.
        unsafe { ptr::copy_nonoverlapping(output.as_ptr(), self.0, self.1) };
        Ok(())
    }
}

/// Run an operation on an input, which is copied before any output is written: that may lie over
/// it.
///
/// # Safety
/// The device is from `ciphermill_open` or null, the name is a C string or null, and the input
/// leads to as many bytes as it says.
unsafe fn run(
    device: *const OpenDevice,
    algorithm: *const c_char,
    operation: Operation,
    (input, count): (*const u8, usize),
    request: impl FnOnce(&'static Algorithm) -> Request,
) -> Result<Buffer> {
    // SAFETY: this function's contract.
    let (device, algorithm) = unsafe { (device.as_ref(), text(algorithm)?) };
    let (Some(device), Some(algorithm)) = (device, algorithm) else {
        return Err(Error::invalid(
            "the device or the algorithm: a null pointer",
        ));
    };
    let request = request(Algorithm::find(algorithm, operation)?);
    // SAFETY: this function's contract.
    device.run_message(request, unsafe { bytes(input, count, "the input")? })
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the name is a C string; input and digest lead to as
/// many bytes as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_digest(
    device: *const OpenDevice,
    algorithm: *const c_char,
    input: *const u8,
    count: usize,
    digest: *mut u8,
    digest_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let input = (input, count);
        let output = run(device, algorithm, Operation::Digest, input, Request::Digest)?;
        Place(digest, digest_bytes).write(&output)
    })
}

/// See the header.
///
/// # Safety
/// As [`ciphermill_digest`], and the key leads to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_authenticate(
    device: *const OpenDevice,
    algorithm: *const c_char,
    key: *const u8,
    key_bytes: usize,
    input: *const u8,
    count: usize,
    code: *mut u8,
    code_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let key = SecretKey::new(bytes(key, key_bytes, "the key")?);
        let request = |algorithm| Request::Authenticate(algorithm, key);
        let operation = Operation::Authenticate;
        let output = run(device, algorithm, operation, (input, count), request)?;
        Place(code, code_bytes).write(&output)
    })
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the name is a C string; both keys lead to as many bytes
/// as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_generate_key(
    device: *const OpenDevice,
    algorithm: *const c_char,
    key: *mut u8,
    key_bytes: usize,
    public_key: *mut u8,
    public_key_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        if overlap(key, key_bytes, public_key, public_key_bytes) {
            return Err(Error::invalid(
                "the two keys overlap: give each a place of its own",
            ));
        }
        let operation = Operation::GenerateKey;
        let input = (ptr::null(), 0);
        let pair = run(device, algorithm, operation, input, Request::GenerateKey)?;
        // A public key is two integers as long as the private one.
        let (private, public) = pair.split_at(pair.len() / 3);
        let place = Place(public_key, public_key_bytes);
        place.check(public.len())?;
        Place(key, key_bytes).write(private)?;
        place.write(public)
    })
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the name is a C string; key, digest and signature lead
/// to as many bytes as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_sign(
    device: *const OpenDevice,
    algorithm: *const c_char,
    key: *const u8,
    key_bytes: usize,
    digest: *const u8,
    digest_bytes: usize,
    signature: *mut u8,
    signature_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let key = SecretKey::new(bytes(key, key_bytes, "the key")?);
        let request = |algorithm| Request::Sign(algorithm, key.into());
        let digest = (digest, digest_bytes);
        let output = run(device, algorithm, Operation::Sign, digest, request)?;
        Place(signature, signature_bytes).write(&output)
    })
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the name is a C string; key, digest and signature lead
/// to as many bytes as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_verify(
    device: *const OpenDevice,
    algorithm: *const c_char,
    public_key: *const u8,
    public_key_bytes: usize,
    digest: *const u8,
    digest_bytes: usize,
    signature: *const u8,
    signature_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let public_key = bytes(public_key, public_key_bytes, "the public key")?.to_vec();
        let signature = bytes(signature, signature_bytes, "the signature")?.to_vec();
        let request = |algorithm| Request::Verify {
            algorithm,
            public_key,
            signature,
        };
        let digest = (digest, digest_bytes);
        let answer = run(device, algorithm, Operation::Verify, digest, request)?;
        match answer[..] == [1] {
            true => Ok(()),
            false => Err(Error::authentication("the signature does not match")),
        }
    })
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the name is a C string; both keys and the secret lead to
/// as many bytes as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_agree(
    device: *const OpenDevice,
    algorithm: *const c_char,
    key: *const u8,
    key_bytes: usize,
    public_key: *const u8,
    public_key_bytes: usize,
    secret: *mut u8,
    secret_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let key = SecretKey::new(bytes(key, key_bytes, "the key")?);
        let request = |algorithm| Request::Agree(algorithm, key.into());
        let peer = (public_key, public_key_bytes);
        let output = run(device, algorithm, Operation::Agree, peer, request)?;
        Place(secret, secret_bytes).write(&output)
    })
}
