// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Ascon-AEAD128 (SP 800-232), by RustCrypto.

use ascon_aead::AsconAead128;
use ascon_aead::aead::{AeadInOut, KeyInit};
use ciphermill::{Buffer, Cancellation, Direction, Error, Request, Result};

use crate::answer::wrong_tag;

/// Encrypts or decrypts the data in place.
pub(super) fn aead(
    request: &Request,
    data: &mut Buffer,
    _: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let Request::Aead(request) = request else {
        return Err(request.unsupported("device cpu"));
    };
    // The lengths have been checked.
    let wrong = |_| Error::invalid("a key, a nonce and a tag of Ascon-AEAD128 have 16 bytes");
    let cipher = AsconAead128::new_from_slice(request.key.as_bytes())
        .map_err(|_| Error::invalid("a key of Ascon-AEAD128 has 16 bytes"))?;
    let nonce = request.nonce[..].try_into().map_err(wrong)?;
    let associated = &request.associated_data[..];
    match request.direction {
        Direction::Encrypt => cipher
            .encrypt_inout_detached(&nonce, associated, (&mut data[..]).into())
            .map(|tag| Some(tag.into()))
            .map_err(|_| Error::invalid("too long for Ascon-AEAD128")),
        Direction::Decrypt => {
            let tag = request.tag.unwrap_or_default();
            cipher
                .decrypt_inout_detached(&nonce, associated, (&mut data[..]).into(), &tag.into())
                .map(|()| None)
                .map_err(|_| wrong_tag())
        }
    }
}
