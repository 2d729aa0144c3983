// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The functions of the header for private keys that a device holds.

use std::ffi::{c_char, c_int};

use ciphermill::{
    Algorithm, Buffer, Cancellation, Error, KeyReference, Operation, Request, RequestKey, Result,
    SecretKey,
};

use super::operations::Place;
use super::{bytes, guard, text};
use crate::message::OpenDevice;

/// `ciphermill_key`: a key, and the device that holds it, which stays open as long.
pub struct HeldKey {
    device: OpenDevice,
    key: KeyReference,
}

impl HeldKey {
    fn run(
        &self,
        request: fn(&'static Algorithm, RequestKey) -> Request,
        data: &[u8],
    ) -> Result<Buffer> {
        let request = request(self.key.algorithm(), self.key.clone().into());
        self.device.run_message(request, data)
    }
}

/// # Safety
/// The key is from `ciphermill_hold_key`, for `'a`, or null.
unsafe fn held<'a>(key: *const HeldKey) -> Result<&'a HeldKey> {
    // SAFETY: this function's contract.
    unsafe { key.as_ref() }.ok_or_else(|| Error::invalid("the key: a null pointer"))
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; the name is a C string; the key leads to so many bytes or
/// is null; the held key has a place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_hold_key(
    device: *const OpenDevice,
    algorithm: *const c_char,
    key: *const u8,
    key_bytes: usize,
    held_key: *mut *mut HeldKey,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let (device, algorithm) = (device.as_ref(), text(algorithm)?);
        let (Some(device), Some(algorithm)) = (device, algorithm) else {
            return Err(Error::invalid(
                "the device or the algorithm: a null pointer",
            ));
        };
        if held_key.is_null() {
            return Err(Error::invalid("where the held key goes: a null pointer"));
        }
        let algorithm = Algorithm::find(algorithm, Operation::Sign)?;
        let key = match key.is_null() {
            true if key_bytes == 0 => None,
            _ => Some(SecretKey::new(bytes(key, key_bytes, "the key")?)),
        };
        let never = Cancellation::new();
        let key = device.device().hold_key(algorithm, key.as_ref(), &never)?;
        let device = device.again();
        held_key.write(Box::into_raw(Box::new(HeldKey { device, key })));
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// The key is from `ciphermill_hold_key`; the public key leads to so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_key_public(
    key: *const HeldKey,
    public_key: *mut u8,
    public_key_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe { Place(public_key, public_key_bytes).write(held(key)?.key.public_key()) })
}

/// See the header.
///
/// # Safety
/// The key is from `ciphermill_hold_key`; digest and signature lead to as many bytes as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_key_sign(
    key: *const HeldKey,
    digest: *const u8,
    digest_bytes: usize,
    signature: *mut u8,
    signature_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let digest = bytes(digest, digest_bytes, "the digest")?;
        let output = held(key)?.run(Request::Sign, digest)?;
        Place(signature, signature_bytes).write(&output)
    })
}

/// See the header.
///
/// # Safety
/// The key is from `ciphermill_hold_key`; public key and secret lead to as many bytes as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_key_agree(
    key: *const HeldKey,
    public_key: *const u8,
    public_key_bytes: usize,
    secret: *mut u8,
    secret_bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    guard(|| unsafe {
        let peer = bytes(public_key, public_key_bytes, "the public key")?;
        let output = held(key)?.run(Request::Agree, peer)?;
        Place(secret, secret_bytes).write(&output)
    })
}

/// See the header.
///
/// # Safety
/// The key is from `ciphermill_hold_key` and used no more, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_key_free(key: *mut HeldKey) {
    if !key.is_null() {
        guard(|| {
            // SAFETY: this function's contract.
            drop(unsafe { Box::from_raw(key) });
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no device that holds keys")]
    fn a_key_outlives_its_device_and_signs_over_its_digest() {
        let opened = ciphermill_devices::open("cpu", None).unwrap();
        let device = OpenDevice::new(opened);
        let mut key = ptr::null_mut();
        let mut memory = [7; 64];
        let mut public_key = [0; 64];
        // SAFETY: every pointer leads to as many bytes as it says.
        unsafe {
            let no_key = ptr::null();
            let name = c"p-256".as_ptr();
            assert_eq!(
                ciphermill_hold_key(&raw const device, name, no_key, 0, &raw mut key),
                0
            );
            drop(device);
            let place = memory.as_mut_ptr();
            assert_eq!(ciphermill_key_sign(key, place, 32, place, 64), 0);
            let public = public_key.as_mut_ptr();
            assert_eq!(ciphermill_key_public(key, public, 63), 1);
            assert_eq!(ciphermill_key_public(key, public, 64), 0);
            let status = ciphermill_key_agree(key, public, 64, place, 32);
            assert_eq!(status, 0);
            ciphermill_key_free(key);
            ciphermill_key_free(ptr::null_mut());
            assert_eq!(ciphermill_key_sign(ptr::null(), place, 32, place, 64), 1);
        }
    }
}
