// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Values of a context's parameters, and the errors that all kinds of context give.

use crate::failure::{Failure, Outcome, Reason};

/// A parameter's value on its way out.
pub(crate) enum Value<'a> {
    Unsigned(u64),
    Octets(&'a [u8]),
    /// Octets for which the caller has room though it may not say how much.
    Generated(&'a [u8]),
    /// Octets that a program may keep a pointer to until the next call.
    Kept(&'a [u8]),
}

/// A parameter's value on its way in.
pub(crate) enum Given<'a> {
    Unsigned(u64),
    Octets(&'a [u8]),
    /// A length without contents.
    Length(usize),
}

impl Given<'_> {
    pub(super) fn unsigned(&self) -> Outcome<u64> {
        match self {
            Given::Unsigned(value) => Ok(*value),
            _ => Err(Failure::new(Reason::ValueError, "a number is due")),
        }
    }

    pub(super) fn octets(&self) -> Outcome<&[u8]> {
        match self {
            Given::Octets(octets) => Ok(octets),
            _ => Err(Failure::new(Reason::ValueError, "octets are due")),
        }
    }
}

pub(super) fn no_key() -> Failure {
    Failure::new(Reason::NoKeySet, "no key was set")
}

pub(super) fn no_room() -> Failure {
    Failure::new(
        Reason::OutputBufferTooSmall,
        "the output has not enough room",
    )
}
