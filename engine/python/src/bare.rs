// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Requests as Python asks for them: words, and one buffer in and one out.
//!
//! So a tag is the last 16 bytes of the ciphertext, and an XTS key is the two keys one after
//! the other, as in OpenSSL.

use ciphermill::{
    AeadRequest, Algorithm, Allocator, BLOCK_BYTES, Buffer, CipherRequest, Direction, Key, Mode,
    Operation, Request, SecretKey, TAG_BYTES,
};
use pyo3::prelude::*;

use crate::errors::{InvalidError, exception};
use crate::options;

/// The arguments of a message besides its data.
pub struct Asked<'a> {
    pub operation: &'a str,
    pub algorithm: &'a str,
    pub mode: Option<&'a str>,
    pub key: Option<&'a [u8]>,
    pub iv: Option<&'a [u8]>,
    pub associated_data: &'a [u8],
    pub data_unit_bytes: Option<usize>,
    pub public_key: Option<&'a [u8]>,
    pub signature: Option<&'a [u8]>,
}

/// The request, and the data that goes with it: in decryption without the tag.
pub fn request(
    asked: &Asked<'_>,
    data: &[u8],
    allocator: &Allocator,
) -> PyResult<(Request, Buffer)> {
    let operation = options::operation(asked.operation)?;
    let algorithm = Algorithm::find(asked.algorithm, operation).map_err(exception)?;
    let cipher = [Part::Mode, Part::Iv, Part::AssociatedData, Part::DataUnits];
    let signed = [Part::PublicKey, Part::Signature];
    let secret_key = || Ok::<_, PyErr>(SecretKey::new(asked.key(algorithm)?));
    if !matches!(operation, Operation::Encrypt | Operation::Decrypt) {
        asked.refuse(algorithm.name, &cipher)?;
    }
    if operation != Operation::Verify {
        asked.refuse(algorithm.name, &signed)?;
    }
    if matches!(
        operation,
        Operation::Digest | Operation::GenerateKey | Operation::Verify
    ) {
        asked.refuse(operation.name(), &[Part::Key])?;
    }
    let data = allocator.filled(data).map_err(exception)?;
    let request = match operation {
        Operation::Encrypt => return cipher_request(asked, algorithm, Direction::Encrypt, data),
        Operation::Decrypt => return cipher_request(asked, algorithm, Direction::Decrypt, data),
        Operation::Authenticate => Request::Authenticate(algorithm, secret_key()?),
        Operation::Sign => Request::Sign(algorithm, secret_key()?.into()),
        Operation::Agree => Request::Agree(algorithm, secret_key()?.into()),
        Operation::Digest => Request::Digest(algorithm),
        Operation::GenerateKey => Request::GenerateKey(algorithm),
        Operation::Verify => Request::Verify {
            algorithm,
            public_key: to_verify(asked.public_key, "public_key")?,
            signature: to_verify(asked.signature, "signature")?,
        },
    };
    Ok((request, data))
}

/// An argument that verification needs.
fn to_verify(argument: Option<&[u8]>, name: &str) -> PyResult<Vec<u8>> {
    match argument {
        Some(bytes) => Ok(bytes.to_vec()),
        None => Err(InvalidError::new_err(format!("verify needs {name}"))),
    }
}

/// The request of encryption and decryption.
fn cipher_request(
    asked: &Asked<'_>,
    algorithm: &'static Algorithm,
    direction: Direction,
    mut data: Buffer,
) -> PyResult<(Request, Buffer)> {
    if algorithm.modes.is_empty() {
        asked.refuse(algorithm.name, &[Part::Mode, Part::DataUnits])?;
        let request = AeadRequest {
            algorithm,
            direction,
            key: SecretKey::new(asked.key(algorithm)?),
            nonce: asked.iv.unwrap_or_default().to_vec(),
            associated_data: asked.associated_data.to_vec(),
            tag: take_tag(algorithm.name, direction, &mut data)?,
        };
        return Ok((request.into(), data));
    }
    let mode: Mode = match asked.mode {
        Some(mode) => mode.parse().map_err(exception)?,
        None => {
            let message = format!("{} needs a mode", algorithm.name);
            return Err(InvalidError::new_err(message));
        }
    };
    let key = asked.key(algorithm)?;
    if mode == Mode::Gcm && algorithm.modes.contains(&mode) {
        asked.refuse(mode.name(), &[Part::DataUnits])?;
        let key = Key::of(algorithm, key).map_err(exception)?;
        let iv = asked.iv.unwrap_or_default();
        let mut request = CipherRequest::gcm(direction, key, iv).map_err(exception)?;
        request.associated_data = asked.associated_data.to_vec();
        request.tag = take_tag(mode.name(), direction, &mut data)?;
        return Ok((request.into(), data));
    }
    let iv = options::iv(algorithm, mode, asked.iv)?;
    if mode == Mode::Xts {
        let unit_bytes = asked.data_unit_bytes.unwrap_or(data.len());
        let request = xts(key, direction, iv, unit_bytes)?;
        return Ok((request.into(), data));
    }
    asked.refuse(mode.name(), &[Part::DataUnits])?;
    let key = Key::of(algorithm, key).map_err(exception)?;
    let mut request = CipherRequest::new(mode, direction, key, iv);
    request.associated_data = asked.associated_data.to_vec();
    Ok((request.into(), data))
}

/// The tag at the end of a ciphertext.
fn take_tag(
    name: &str,
    direction: Direction,
    data: &mut Buffer,
) -> PyResult<Option<[u8; TAG_BYTES]>> {
    if direction == Direction::Encrypt {
        return Ok(None);
    }
    let text = data.len().checked_sub(TAG_BYTES).ok_or_else(|| {
        InvalidError::new_err(format!(
            "{name} decrypts ciphertext that ends in its tag of {TAG_BYTES} bytes"
        ))
    })?;
    let tag = data[text..].try_into().ok();
    data.truncate(text);
    Ok(tag)
}

/// An argument that some algorithms or modes do not take.
enum Part {
    Mode,
    Key,
    Iv,
    AssociatedData,
    DataUnits,
    PublicKey,
    Signature,
}

impl<'a> Asked<'a> {
    fn key(&self, algorithm: &Algorithm) -> PyResult<&'a [u8]> {
        let name = algorithm.name;
        self.key
            .ok_or_else(|| InvalidError::new_err(format!("{name} needs a key")))
    }

    /// Refuse what would silently be ignored.
    fn refuse(&self, name: &str, parts: &[Part]) -> PyResult<()> {
        for part in parts {
            let (given, argument, lack) = match part {
                Part::Mode => (self.mode.is_some(), "mode", "no mode"),
                Part::Key => (self.key.is_some(), "key", "no key"),
                Part::Iv => (self.iv.is_some(), "iv", "no nonce"),
                Part::AssociatedData => (
                    !self.associated_data.is_empty(),
                    "associated_data",
                    "no associated data",
                ),
                Part::DataUnits => (
                    self.data_unit_bytes.is_some(),
                    "data_unit_bytes",
                    "no data units",
                ),
                Part::PublicKey => (self.public_key.is_some(), "public_key", "no public key"),
                Part::Signature => (self.signature.is_some(), "signature", "no signature"),
            };
            if given {
                return Err(InvalidError::new_err(format!(
                    "{name} takes {lack}: leave {argument} out"
                )));
            }
        }
        Ok(())
    }
}

fn xts(
    key: &[u8],
    direction: Direction,
    iv: [u8; BLOCK_BYTES],
    data_unit_bytes: usize,
) -> PyResult<CipherRequest> {
    if !matches!(key.len(), 32 | 64) {
        return Err(InvalidError::new_err(format!(
            "xts takes two keys, 32 or 64 bytes together, not {}",
            key.len()
        )));
    }
    let (key, tweak_key) = key.split_at(key.len() / 2);
    CipherRequest::xts(
        direction,
        Key::new(key).map_err(exception)?,
        Key::new(tweak_key).map_err(exception)?,
        u128::from_le_bytes(iv),
        data_unit_bytes,
    )
    .map_err(exception)
}
