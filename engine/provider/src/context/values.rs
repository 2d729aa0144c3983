// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Values of a context's parameters, and the errors that all kinds of context give.

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, Key, KeyBits};
use subtle::ConstantTimeEq;

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
            _ => Reason::ValueError.fail("the parameter must be a number"),
        }
    }

    pub(super) fn octets(&self) -> Outcome<&[u8]> {
        match self {
            Given::Octets(octets) => Ok(octets),
            _ => Reason::ValueError.fail("the parameter must be octets"),
        }
    }
}

/// Take a key of this size, where one is given; whether it is another than the present one,
/// compared in constant time. Programs that set the same key for each message need not wait for
/// its expansion.
pub(super) fn set_key(
    present: &mut Option<Arc<Key>>,
    given: Option<&[u8]>,
    size: KeyBits,
) -> Outcome<bool> {
    let is_present = |key: &Arc<Key>, given: &[u8]| key.as_bytes().ct_eq(given).into();
    let given = given.filter(|given| !present.as_ref().is_some_and(|key| is_present(key, given)));
    let Some(given) = given else {
        return Ok(false);
    };
    if given.len() != size.bytes() {
        let message = format!("a key has {} bytes, not {}", size.bytes(), given.len());
        return Reason::InvalidKeyLength.fail(message);
    }
    *present = Some(Arc::new(Key::new(given)?));
    Ok(true)
}

/// A cipher here has one key length, which a program may only set again.
pub(super) fn check_key_bytes(given: &Given<'_>, bytes: usize) -> Outcome<()> {
    match given.unsigned()? == bytes as u64 {
        true => Ok(()),
        false => {
            let message =
                format!("the cipher has keys of {bytes} bytes: fetch the one that has yours");
            Reason::InvalidKeyLength.fail(message)
        }
    }
}

/// The IV of a mode that takes one of a block.
pub(super) fn block_iv(iv: &[u8]) -> Outcome<[u8; BLOCK_BYTES]> {
    iv.try_into().map_err(|_| {
        let message = format!("an IV has {BLOCK_BYTES} bytes, not {}", iv.len());
        Failure::new(Reason::InvalidIvLength, message)
    })
}

pub(super) fn no_key() -> Failure {
    Failure::new(
        Reason::NoKeySet,
        "no key was set: give one to the initialisation",
    )
}

pub(super) fn no_room() -> Failure {
    Failure::new(
        Reason::OutputBufferTooSmall,
        "the output has too little room: give as many bytes as the input has, and a block",
    )
}

/// Parameters of one message, of which a pipeline has several.
pub(super) fn check_shared(name: &[u8]) -> Outcome<()> {
    match name {
        b"iv" | b"updated-iv" | b"num" | b"tag" | b"tlsaad" | b"tlsaadpad" | b"tlsivfixed"
        | b"tlsivgen" | b"tlsivinv" => Reason::NotSupported
            .fail("the parameter is of one message, of which a pipeline has several"),
        _ => Ok(()),
    }
}
