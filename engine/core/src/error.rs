// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Errors: what happened and what to do next.

use std::{fmt, io};

/// Result with the engine's error.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. The message says what to do next; the kind lets a program
/// choose (the command line maps it to an exit code).
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<io::Error>,
}

/// Kinds of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller asked for something that cannot be: a bad length, key or option.
    Invalid,
    /// The device cannot do this operation, mode or key size.
    Unsupported,
    /// A file or stream of the host failed.
    Io,
    /// The device has no room left, such as a free key slot.
    NoRoom,
    /// The device failed, vanished or answered nonsense.
    Device,
    /// The input is not a file of ours, or is damaged.
    Damaged,
    /// Authentication failed: wrong password or key, or altered data.
    Authentication,
    /// Cancelled by the user.
    Cancelled,
}

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// [`ErrorKind::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Invalid, message)
    }

    /// [`ErrorKind::Unsupported`].
    pub fn unsupported(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unsupported, message)
    }

    /// [`ErrorKind::NoRoom`]: all of a device's key slots are in use.
    pub fn key_slots_in_use(device: &str) -> Error {
        let message = format!(
            "all key slots of {device} are in use: drop a key that it holds, or give the key's \
             bytes with each request"
        );
        Error::new(ErrorKind::NoRoom, message)
    }

    /// [`ErrorKind::Device`].
    pub fn device(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Device, message)
    }

    /// [`ErrorKind::Damaged`].
    pub fn damaged(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Damaged, message)
    }

    /// [`ErrorKind::Authentication`].
    pub fn authentication(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Authentication, message)
    }

    /// [`ErrorKind::Cancelled`].
    pub fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "cancelled")
    }

    /// [`ErrorKind::Io`]: what was being done, and the system's answer.
    pub fn io(doing: impl Into<String>, source: io::Error) -> Error {
        Error {
            kind: ErrorKind::Io,
            message: doing.into(),
            source: Some(source),
        }
    }

    /// [`ErrorKind::Io`]: there is no memory for so many bytes.
    pub(crate) fn memory(bytes: usize) -> Error {
        let doing = format!(
            "a buffer needs {bytes} bytes of memory at once, which this process cannot have"
        );
        Error::io(doing, io::ErrorKind::OutOfMemory.into())
    }

    /// Whether too little memory is the reason.
    pub fn is_out_of_memory(&self) -> bool {
        let source = self.source.as_ref();
        source.is_some_and(|source| source.kind() == io::ErrorKind::OutOfMemory)
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(formatter, "{}: {source}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
