// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Requests in the bare modes of operation, as Python asks for them.
//!
//! Python has one buffer for what goes in and one for what comes out. So a GCM tag is the
//! last 16 bytes of the ciphertext, and an XTS key is the two keys one after the other, as
//! in OpenSSL.

use ciphermill::{BLOCK_BYTES, CipherRequest, Direction, Key, Mode};
use pyo3::prelude::*;

use crate::errors::{InvalidError, exception};
use crate::options;

/// What a message needs beside its data.
pub struct Asked<'a> {
    pub mode: &'a str,
    pub direction: &'a str,
    pub key: &'a [u8],
    pub iv: Option<&'a [u8]>,
    pub data_unit_bytes: Option<usize>,
}

/// The request, and the data that goes with it: in GCM decryption without the tag.
pub fn request(asked: &Asked<'_>, data: &[u8]) -> PyResult<(CipherRequest, Vec<u8>)> {
    let mode = options::bare_mode(asked.mode)?;
    let direction = options::direction(asked.direction)?;
    let iv = options::iv(mode, asked.iv)?;
    if mode == Mode::Xts {
        return Ok((xts(asked, direction, iv, data.len())?, data.to_vec()));
    }
    if asked.data_unit_bytes.is_some() {
        return Err(InvalidError::new_err(format!(
            "data_unit_bytes is for xts: {mode} has no data units"
        )));
    }
    let key = Key::new(asked.key).map_err(exception)?;
    let mut request = CipherRequest::new(mode, direction, key, iv);
    let mut data = data.to_vec();
    if mode == Mode::Gcm && direction == Direction::Decrypt {
        let text = data.len().checked_sub(BLOCK_BYTES).ok_or_else(|| {
            InvalidError::new_err("gcm decrypts ciphertext that ends in its tag of 16 bytes")
        })?;
        request.tag = data.split_off(text).try_into().ok();
    }
    Ok((request, data))
}

fn xts(
    asked: &Asked<'_>,
    direction: Direction,
    iv: [u8; BLOCK_BYTES],
    bytes: usize,
) -> PyResult<CipherRequest> {
    let (key, tweak_key) = asked.key.split_at(asked.key.len() / 2);
    if !matches!(asked.key.len(), 32 | 64) {
        return Err(InvalidError::new_err(format!(
            "xts takes two keys, 32 or 64 bytes together, not {}",
            asked.key.len()
        )));
    }
    CipherRequest::xts(
        direction,
        Key::new(key).map_err(exception)?,
        Key::new(tweak_key).map_err(exception)?,
        u128::from_le_bytes(iv),
        asked.data_unit_bytes.unwrap_or(bytes),
    )
    .map_err(exception)
}
