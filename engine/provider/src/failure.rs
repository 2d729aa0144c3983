// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Why an operation failed, in OpenSSL's words.

use ciphermill::{Error, ErrorKind};

/// Result with this room's error.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Reasons of OpenSSL's own providers (openssl/proverr.h), so that programs that look at
/// them find what they know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Reason {
    BadDecrypt = 100,
    CipherOperationFailed = 102,
    InvalidKeyLength = 105,
    OutputBufferTooSmall = 106,
    WrongFinalBlockLength = 107,
    InvalidAad = 108,
    InvalidIvLength = 109,
    InvalidTag = 110,
    NoKeySet = 114,
    InvalidData = 115,
    TagNotSet = 119,
    TagNotNeeded = 120,
    InvalidDigest = 122,
    TooManyRecords = 126,
    NotSupported = 136,
    ValueError = 138,
    XtsDataUnitIsTooLarge = 148,
    XtsDuplicatedKeys = 149,
    InvalidKey = 158,
    InvalidDigestLength = 166,
    InvalidCurve = 176,
    NoParametersSet = 177,
    MismatchingDomainParameters = 203,
    SelfTestFailed = 215,
    NotAPublicKey = 220,
    NotAPrivateKey = 221,
    /// `ERR_R_MALLOC_FAILURE`, which all libraries of OpenSSL share (openssl/err.h).
    MallocFailure = 256 | 3 << 18,
}

impl Reason {
    /// A failure for this reason.
    #[cold]
    pub(crate) fn fail<T>(self, message: impl Into<String>) -> Outcome<T> {
        Err(Failure::new(self, message))
    }

    /// The reason of an error of the engine's.
    pub(crate) fn of(error: &Error) -> Reason {
        match error.is_out_of_memory() {
            true => Reason::MallocFailure,
            false => Reason::CipherOperationFailed,
        }
    }
}

/// A failed operation.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What goes to OpenSSL's error queue; none for a tag that does not match, which
    /// OpenSSL's own providers report by their return value alone: libssl treats what is
    /// in the queue as an error of the connection.
    pub report: Option<Box<(Reason, String)>>,
}

impl Failure {
    #[cold]
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Failure {
        Failure {
            report: Some(Box::new((reason, message.into()))),
        }
    }

    /// As a failure of this pipe of a pipeline.
    #[cold]
    pub(crate) fn in_pipe(mut self, number: usize) -> Failure {
        if let Some(report) = &mut self.report {
            report.1 = format!("pipe {number}, counted from 0: {}", report.1);
        }
        self
    }

    /// Data that is not authentic.
    pub(crate) fn not_authentic() -> Failure {
        Failure { report: None }
    }
}

impl From<Error> for Failure {
    #[cold]
    fn from(error: Error) -> Failure {
        match error.kind() {
            ErrorKind::Authentication => Failure::not_authentic(),
            _ => Failure::new(Reason::of(&error), error.to_string()),
        }
    }
}
