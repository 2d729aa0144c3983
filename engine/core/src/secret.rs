// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Passwords and keys that users give.

use std::fmt;

use zeroize::Zeroizing;

use crate::{Error, Result};

/// What a user holds to encrypt and decrypt: a password or a key. Zeroised when
/// dropped and never printed.
///
/// ```
/// use ciphermill::Secret;
/// let password = Secret::password("correct horse battery staple").unwrap();
/// assert!(password.is_password());
/// assert!(Secret::key([7; 32]).is_ok());
/// assert!(Secret::key([7; 5]).is_err());
/// ```
#[derive(Clone)]
pub struct Secret {
    bytes: Zeroizing<Vec<u8>>,
    password: bool,
}

impl Secret {
    /// A password: any bytes, used as they are (no change of encoding or case).
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when it is empty.
    pub fn password(bytes: impl Into<Vec<u8>>) -> Result<Secret> {
        let bytes = Zeroizing::new(bytes.into());
        if bytes.is_empty() {
            return Err(Error::invalid("the password is empty"));
        }
        Ok(Secret {
            bytes,
            password: true,
        })
    }

    /// A raw key of 16, 24 or 32 random bytes. Not a password: it is not stretched.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for another length.
    pub fn key(bytes: impl Into<Vec<u8>>) -> Result<Secret> {
        let bytes = Zeroizing::new(bytes.into());
        if ![16, 24, 32].contains(&bytes.len()) {
            return Err(Error::invalid(format!(
                "a key has 16, 24 or 32 bytes, not {}; is it a password?",
                bytes.len()
            )));
        }
        Ok(Secret {
            bytes,
            password: false,
        })
    }

    /// Whether this is a password, rather than a key.
    pub fn is_password(&self) -> bool {
        self.password
    }

    /// The bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// `password` or `key`, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        if self.password { "password" } else { "key" }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secret({})", self.kind())
    }
}
