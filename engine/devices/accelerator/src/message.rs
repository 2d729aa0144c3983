// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A request as values of the device's registers and streams.

use std::sync::Arc;

use ciphermill::{
    Algorithm, BLOCK_BYTES, CipherRequest, DataUnits, Direction, Error, Key, Mode, Output, Request,
    Result,
};

use crate::identity::SHA2_FUNCTIONS;
use crate::registers::*;

/// Where a message stands between two of its chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainingState {
    /// CBC: the last ciphertext block; CTR: the next counter block.
    pub iv: [u8; BLOCK_BYTES],
    /// CTR: blocks since the IV was loaded; guards against using a counter twice.
    pub blocks: u64,
}

/// Output of the stream for the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gives {
    /// As many bytes.
    AsMuch,
    /// So many bytes, after the last one of the input.
    Digest(usize),
    /// So many bytes, after the last one of the input, unless the operation is refused.
    Results(usize),
    /// Nothing: the device's sink takes it.
    Nothing,
}

/// What becomes of the tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tag {
    /// There is none.
    None,
    /// The device gives it.
    Given,
    /// The device gives it, and the driver compares it with this one.
    ComparedHere([u8; BLOCK_BYTES]),
    /// The device takes this one behind the text, and compares.
    ComparedThere([u8; BLOCK_BYTES]),
}

/// A message, ready for the device.
#[non_exhaustive]
pub struct Message<'a> {
    /// CONFIGURATION without the size of the key and the width of the counter.
    pub configuration: u32,
    /// The key of the cipher, where it has one.
    pub key: Option<Arc<Key>>,
    /// XTS: the data units and their key.
    pub data_units: Option<&'a DataUnits>,
    /// The IV and the count of its blocks, where the mode has them.
    pub state: Option<ChainingState>,
    /// What goes before the text: associated data, or the key of HMAC.
    pub before: &'a [u8],
    /// What it gives for the text.
    pub gives: Gives,
    /// What becomes of its tag.
    pub tag: Tag,
}

impl<'a> Message<'a> {
    /// The message of a request that an accelerator has ([`crate::Identity::check_request`]), but
    /// for operations on elliptic curves.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for an operation on a curve.
    pub fn of(request: &'a Request) -> Result<Message<'a>> {
        match request {
            Request::Cipher(request) => Message::cipher(request, None),
            other => Message::whole(other),
        }
    }

    /// A message of a block cipher, or of the bypass, begun by its IV or continued.
    pub(crate) fn cipher(
        request: &'a CipherRequest,
        state: Option<&ChainingState>,
    ) -> Result<Message<'a>> {
        let gives = match request.output {
            Output::Return => Gives::AsMuch,
            Output::Sink => Gives::Nothing,
            other => return Err(Error::unsupported(format!("no output {other:?} here"))),
        };
        let sink = match gives {
            Gives::Nothing => CONFIGURATION_SINK_MASK,
            _ => 0,
        };
        if request.bypass {
            return Ok(Message {
                configuration: CONFIGURATION_BYPASS_MASK
                    | configured(CONFIGURATION_MODE_CTR, Direction::Encrypt)
                    | sink,
                key: None,
                data_units: None,
                state: None,
                before: &[],
                gives,
                tag: Tag::None,
            });
        }
        let mode = match request.mode {
            Mode::Ecb => CONFIGURATION_MODE_ECB,
            Mode::Cbc => CONFIGURATION_MODE_CBC,
            Mode::Ctr => CONFIGURATION_MODE_CTR,
            Mode::Gcm => CONFIGURATION_MODE_GCM,
            Mode::Xts => CONFIGURATION_MODE_XTS,
        };
        let begin = ChainingState {
            iv: request.iv,
            blocks: 0,
        };
        let tag = match (request.mode, request.direction) {
            (Mode::Gcm, Direction::Encrypt) => Tag::Given,
            (Mode::Gcm, Direction::Decrypt) => Tag::ComparedHere(wanted(request.tag)?),
            _ => Tag::None,
        };
        Ok(Message {
            configuration: configured(mode, request.direction) | sink,
            key: Some(Arc::clone(&request.key)),
            data_units: request.data_units.as_ref(),
            state: (request.mode != Mode::Ecb).then(|| *state.unwrap_or(&begin)),
            before: &request.associated_data,
            gives,
            tag,
        })
    }

    /// An operation on an elliptic curve, with results of so many bytes.
    pub(crate) fn on_curve(configuration: u32, result_bytes: usize) -> Message<'a> {
        Message {
            configuration,
            key: None,
            data_units: None,
            state: None,
            before: &[],
            gives: Gives::Results(result_bytes),
            tag: Tag::None,
        }
    }

    /// A message to hash, behind the key of HMAC; `hash` is what CONFIGURATION has of it.
    fn digest(algorithm: &Algorithm, hash: u32, key: &'a [u8]) -> Message<'a> {
        Message {
            configuration: configured(CONFIGURATION_MODE_DIGEST, Direction::Encrypt) | hash,
            key: None,
            data_units: None,
            state: None,
            before: key,
            gives: Gives::Digest(algorithm.digest_bytes),
            tag: Tag::None,
        }
    }

    /// A message of an algorithm without modes.
    pub(crate) fn whole(request: &'a Request) -> Result<Message<'a>> {
        match request {
            Request::Aead(request) => {
                // The lengths have been checked.
                let iv = request.nonce[..].try_into();
                let iv = iv.map_err(|_| Error::invalid("a nonce has 16 bytes here"))?;
                Ok(Message {
                    configuration: configured(CONFIGURATION_MODE_AEAD, request.direction),
                    key: Some(Arc::new(Key::new(request.key.as_bytes())?)),
                    data_units: None,
                    state: Some(ChainingState { iv, blocks: 0 }),
                    before: &request.associated_data,
                    gives: Gives::AsMuch,
                    tag: match request.direction {
                        Direction::Encrypt => Tag::Given,
                        Direction::Decrypt => Tag::ComparedThere(wanted(request.tag)?),
                    },
                })
            }
            Request::Digest(algorithm) => {
                let sha2 = SHA2_FUNCTIONS.iter().find(|row| row.digest == *algorithm);
                let hash = sha2.map_or(CONFIGURATION_HASH_ASCON_HASH256, |row| row.number);
                Ok(Message::digest(
                    algorithm,
                    hash << CONFIGURATION_HASH_SHIFT,
                    &[],
                ))
            }
            Request::Authenticate(algorithm, key) => {
                let sha2 = SHA2_FUNCTIONS.iter().find(|row| row.hmac == *algorithm);
                let sha2 = sha2.ok_or_else(|| request.unsupported("this accelerator"))?;
                let hash = sha2.number << CONFIGURATION_HASH_SHIFT;
                let hash = hash | CONFIGURATION_AUTHENTICATE_MASK;
                Ok(Message::digest(algorithm, hash, key.as_bytes()))
            }
            other => Err(other.unsupported("this accelerator")),
        }
    }
}

fn configured(mode: u32, direction: Direction) -> u32 {
    let direction = match direction {
        Direction::Encrypt => CONFIGURATION_DIRECTION_ENCRYPT,
        Direction::Decrypt => CONFIGURATION_DIRECTION_DECRYPT,
    };
    mode << CONFIGURATION_MODE_SHIFT | direction << CONFIGURATION_DIRECTION_SHIFT
}

fn wanted(tag: Option<[u8; BLOCK_BYTES]>) -> Result<[u8; BLOCK_BYTES]> {
    tag.ok_or_else(|| Error::invalid("decryption needs the tag that encryption gave"))
}
