// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! PBKDF2-HMAC-SHA-256 (RFC 8018, section 5.2), which gives up when it is asked to.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroize;

use crate::{Cancellation, Error, Result};

/// Iterations between two looks at the cancellation: some milliseconds at most.
const LOOK_EVERY: u32 = 4096;
const HASH_BYTES: usize = 32;

/// Fill `output` with PBKDF2 of this password and salt.
///
/// # Errors
/// [`crate::ErrorKind::Cancelled`].
pub(crate) fn derive(
    password: &[u8],
    salt: &[u8],
    iterations: u32,
    output: &mut [u8],
    stop: &Cancellation,
) -> Result<()> {
    let keyed = Hmac::<Sha256>::new_from_slice(password)
        .map_err(|_| Error::invalid("the password cannot be used"))?;
    for (part, index) in output.chunks_mut(HASH_BYTES).zip(1u32..) {
        let mut first = keyed.clone();
        first.update(salt);
        first.update(&index.to_be_bytes());
        let mut hash: [u8; HASH_BYTES] = first.finalize().into_bytes().into();
        let mut sum = hash;
        for iteration in 1..iterations {
            if iteration % LOOK_EVERY == 0 {
                stop.check()?;
            }
            let mut next = keyed.clone();
            next.update(&hash);
            hash = next.finalize().into_bytes().into();
            for (byte, hashed) in sum.iter_mut().zip(hash) {
                *byte ^= hashed;
            }
        }
        part.copy_from_slice(&sum[..part.len()]);
        hash.zeroize();
        sum.zeroize();
    }
    Ok(())
}
