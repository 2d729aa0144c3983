// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Keys of requests other than AES.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::{Algorithm, Error, KeyReference, Result};

/// A secret key of any length, zeroised when the last clone is dropped and never printed.
#[derive(Clone)]
pub struct SecretKey(Arc<Zeroizing<Vec<u8>>>);

impl SecretKey {
    /// A key of these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> SecretKey {
        SecretKey(Arc::new(Zeroizing::new(bytes.into())))
    }

    /// The key's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretKey({} bits)", 8 * self.0.len())
    }
}

/// The private key of a request.
#[derive(Debug, Clone)]
pub enum RequestKey {
    /// Its bytes: an integer as long as the curve's order, big endian.
    Bytes(SecretKey),
    /// A key that the device holds.
    Held(KeyReference),
}

impl RequestKey {
    /// The key's bytes, for a device that holds no keys.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for a reference, which is another device's.
    pub fn bytes(&self, device: &str) -> Result<&SecretKey> {
        match self {
            RequestKey::Bytes(key) => Ok(key),
            RequestKey::Held(key) => Err(key.elsewhere(device)),
        }
    }

    pub(crate) fn check(&self, algorithm: &Algorithm) -> Result<()> {
        match self {
            RequestKey::Bytes(key) => {
                let bytes = key.as_bytes().len();
                check_length(algorithm, "a private key", bytes, algorithm.key_bytes())
            }
            RequestKey::Held(key) if key.algorithm() == algorithm => Ok(()),
            RequestKey::Held(key) => Err(Error::invalid(format!(
                "the request is for {}, and its key is one of {}",
                algorithm.name,
                key.algorithm().name
            ))),
        }
    }
}

impl From<SecretKey> for RequestKey {
    fn from(key: SecretKey) -> RequestKey {
        RequestKey::Bytes(key)
    }
}

impl From<KeyReference> for RequestKey {
    fn from(key: KeyReference) -> RequestKey {
        RequestKey::Held(key)
    }
}

pub(crate) fn check_length(
    algorithm: &Algorithm,
    what: &str,
    bytes: usize,
    right: usize,
) -> Result<()> {
    if bytes == right {
        return Ok(());
    }
    let name = algorithm.name;
    Err(Error::invalid(format!(
        "{name} takes {what} of {right} bytes, not {bytes}"
    )))
}
