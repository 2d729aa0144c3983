// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Python's words and numbers as the engine's types.

use ciphermill::{Algorithm, BLOCK_BYTES, Direction, KeyBits, Mode, Operation, Secret};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::errors::{InvalidError, exception};

/// The mode of this name.
pub fn mode(name: &str) -> PyResult<Mode> {
    Mode::MESSAGES
        .into_iter()
        .find(|mode| mode.name() == name)
        .ok_or_else(|| {
            InvalidError::new_err(format!("no mode {name:?}: choose gcm, ctr, cbc or ecb"))
        })
}

/// The operation of this name.
pub fn operation(name: &str) -> PyResult<Operation> {
    name.parse().map_err(exception)
}

/// The direction of this name.
pub fn direction(name: &str) -> PyResult<Direction> {
    match name {
        "encrypt" => Ok(Direction::Encrypt),
        "decrypt" => Ok(Direction::Decrypt),
        _ => Err(InvalidError::new_err(format!(
            "no direction {name:?}: choose encrypt or decrypt"
        ))),
    }
}

/// The key size of so many bits.
pub fn key_bits(bits: usize) -> PyResult<KeyBits> {
    KeyBits::ALL
        .into_iter()
        .find(|size| size.bits() == bits)
        .ok_or_else(|| {
            InvalidError::new_err(format!("no AES key of {bits} bits: choose 128, 192 or 256"))
        })
}

/// An initialisation vector: none, 12 bytes (GCM) or a block.
pub fn iv(algorithm: &Algorithm, mode: Mode, bytes: Option<&[u8]>) -> PyResult<[u8; BLOCK_BYTES]> {
    let wanted = algorithm.iv_bytes(mode).map_err(exception)?;
    let bytes = bytes.unwrap_or_default();
    // ECB takes none; one that is given all the same does no harm.
    if mode != Mode::Ecb && bytes.len() != wanted {
        return Err(InvalidError::new_err(format!(
            "{mode} of {} takes an IV of {wanted} bytes, not {}",
            algorithm.name,
            bytes.len()
        )));
    }
    let mut block = [0; BLOCK_BYTES];
    block[..wanted].copy_from_slice(&bytes[..wanted]);
    Ok(block)
}

/// Password or key, exactly one of the two; the copies made here are zeroised.
pub fn secret(password: Option<PyBackedBytes>, key: Option<PyBackedBytes>) -> PyResult<Secret> {
    match (password, key) {
        (Some(password), None) => Secret::password(&*password).map_err(exception),
        (None, Some(key)) => Secret::key(&*key).map_err(exception),
        (Some(_), Some(_)) => Err(InvalidError::new_err("give a password or a key, not both")),
        (None, None) => Err(InvalidError::new_err("give a password or a key")),
    }
}
