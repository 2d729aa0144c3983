// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! ECB and CBC: whole blocks, with what is left over held back, and padding.

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, Direction, KeyBits, Mode, Span, padding};
use zeroize::Zeroizing;

use super::keyed::Keyed;
use super::tls_cbc::{self, Tls};
use super::{Given, Value, no_room};
use crate::buffers::Buffers;
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::Provider;

/// A context in ECB or CBC.
pub(super) struct Block {
    keyed: Keyed,
    /// Input that is not worked on yet: a part of a block or, decrypting with padding,
    /// the block that may be the last.
    held: Zeroizing<[u8; BLOCK_BYTES]>,
    held_bytes: usize,
    padding: bool,
    iv_set: bool,
    original_iv: [u8; BLOCK_BYTES],
    /// The next chaining value, where a program can see it.
    shown_iv: [u8; BLOCK_BYTES],
    /// Each update is a TLS record.
    tls: Option<Tls>,
    tls_mac_bytes: usize,
}

impl Block {
    pub(super) fn new(provider: Arc<Provider>, mode: Mode, size: KeyBits) -> Block {
        Block {
            keyed: Keyed::new(provider, mode, size),
            held: Zeroizing::default(),
            held_bytes: 0,
            padding: true,
            iv_set: false,
            original_iv: [0; BLOCK_BYTES],
            shown_iv: [0; BLOCK_BYTES],
            tls: None,
            tls_mac_bytes: 0,
        }
    }

    pub(super) fn duplicate(&self) -> Outcome<Block> {
        Ok(Block {
            keyed: self.keyed.duplicate()?,
            held: self.held.clone(),
            tls: self.tls.clone(),
            ..*self
        })
    }

    pub(super) fn initialise(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Outcome<()> {
        self.held_bytes = 0;
        // Without an IV, CBC begins again with the one it had, as OpenSSL does.
        let original = (self.iv_set && self.keyed.mode == Mode::Cbc).then_some(self.original_iv);
        let iv = iv.or(original.as_ref().map(|iv| iv.as_slice()));
        self.keyed.initialise(direction, key, iv)?;
        if iv.is_some() {
            self.original_iv = self.keyed.iv();
            self.iv_set = true;
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn is_quick(&self, bytes: usize) -> bool {
        self.held_bytes == 0
            && bytes.is_multiple_of(BLOCK_BYTES)
            && !self.holds_back()
            && self.tls.is_none()
            && self.keyed.is_quick(bytes)
    }

    #[inline(always)]
    pub(super) fn quick(&mut self, data: &mut [u8]) -> Outcome<()> {
        self.keyed.quick(data)
    }

    pub(super) fn update(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        if self.tls.is_some() {
            return self.record(buffers);
        }
        let bytes = buffers.bytes();
        let holds_back = self.holds_back();
        if self.held_bytes == 0 && bytes.is_multiple_of(BLOCK_BYTES) && !holds_back {
            if bytes > 0 {
                self.keyed.work(buffers.span().ok_or_else(no_room)?)?;
            }
            return Ok(bytes);
        }
        self.update_buffered(buffers, holds_back)
    }

    /// Whether a last whole block waits for what comes after it.
    #[inline(always)]
    fn holds_back(&self) -> bool {
        self.padding && self.keyed.direction == Direction::Decrypt
    }

    #[inline(never)]
    fn update_buffered(&mut self, buffers: Buffers<'_>, holds_back: bool) -> Outcome<usize> {
        self.keyed.check_key()?;
        let bytes = buffers.bytes();
        let total = self.held_bytes + bytes;
        let mut keep = total % BLOCK_BYTES;
        if holds_back && keep == 0 && total > 0 {
            keep = BLOCK_BYTES;
        }
        let emitted = total - keep;
        if emitted > buffers.room() {
            return Err(no_room());
        }
        if emitted == 0 {
            self.held[self.held_bytes..total].copy_from_slice(buffers.input());
            self.held_bytes = total;
            return Ok(0);
        }
        // What was held comes first, then the input but for what is held now (which is
        // never more than a block, and so all of it input unless there was none).
        let taken = emitted - self.held_bytes;
        let mut next = Zeroizing::new([0; BLOCK_BYTES]);
        next[..keep].copy_from_slice(&buffers.input()[taken..]);
        let span = match buffers {
            Buffers::InPlace { buffer, .. } => {
                buffer.copy_within(..taken, self.held_bytes);
                buffer[..self.held_bytes].copy_from_slice(&self.held[..self.held_bytes]);
                Span::InPlace(&mut buffer[..emitted])
            }
            Buffers::Apart { input, output } if self.held_bytes == 0 => {
                Span::Apart(&input[..taken], &mut output[..emitted])
            }
            Buffers::Apart { input, output } => {
                output[..self.held_bytes].copy_from_slice(&self.held[..self.held_bytes]);
                output[self.held_bytes..emitted].copy_from_slice(&input[..taken]);
                Span::InPlace(&mut output[..emitted])
            }
        };
        self.keyed.work(span)?;
        self.held = next;
        self.held_bytes = keep;
        Ok(emitted)
    }

    pub(super) fn finish(&mut self, output: &mut [u8]) -> Outcome<usize> {
        if self.tls.is_some() {
            return Err(Failure::new(
                Reason::InvalidData,
                "TLS records are updates of their own",
            ));
        }
        let held = std::mem::take(&mut self.held_bytes);
        let wrong = || {
            let message = format!("the message ends with {held} bytes of a block");
            Err(Failure::new(Reason::WrongFinalBlockLength, message))
        };
        let encrypts = self.keyed.direction == Direction::Encrypt;
        if encrypts && self.padding {
            let missing = BLOCK_BYTES - held;
            self.held[held..].fill(missing as u8);
        } else if held == 0 && !self.padding {
            return Ok(0);
        } else if held != BLOCK_BYTES {
            return wrong();
        }
        self.keyed.blocks(&mut *self.held)?;
        let bytes = match self.padding && !encrypts {
            true => padding::unpadded_bytes(&*self.held)
                .map_err(|error| Failure::new(Reason::BadDecrypt, error.to_string()))?,
            false => BLOCK_BYTES,
        };
        let room = output.get_mut(..bytes).ok_or_else(no_room)?;
        room.copy_from_slice(&self.held[..bytes]);
        Ok(bytes)
    }

    pub(super) fn raw(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        let bytes = buffers.bytes();
        if !bytes.is_multiple_of(BLOCK_BYTES) {
            let message = format!("{bytes} bytes are not whole blocks");
            return Err(Failure::new(Reason::WrongFinalBlockLength, message));
        }
        self.keyed.work(buffers.span().ok_or_else(no_room)?)?;
        Ok(bytes)
    }

    /// One TLS record in place (RFC 5246, 6.2.3.2): padded, or its padding and MAC taken
    /// off.
    fn record(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        let Buffers::InPlace { buffer, bytes } = buffers else {
            return Err(Failure::new(
                Reason::InvalidData,
                "a TLS record is worked on in place",
            ));
        };
        let Some(tls) = &mut self.tls else {
            return Err(Failure::new(Reason::InvalidData, "not a TLS record"));
        };
        if self.keyed.direction == Direction::Encrypt {
            let bytes = tls_cbc::pad(buffer, bytes).ok_or_else(no_room)?;
            self.keyed.work(Span::InPlace(&mut buffer[..bytes]))?;
            return Ok(bytes);
        }
        if bytes == 0 || !bytes.is_multiple_of(BLOCK_BYTES) {
            let message = format!("a record of {bytes} bytes is not whole blocks");
            return Err(Failure::new(Reason::WrongFinalBlockLength, message));
        }
        let record = buffer.get_mut(..bytes).ok_or_else(no_room)?;
        self.keyed.work(Span::InPlace(record))?;
        tls.open(&mut buffer[..bytes])
            .ok_or_else(Failure::not_authentic)
    }

    pub(super) fn parameter(&mut self, name: &[u8]) -> Outcome<Option<Value<'_>>> {
        let has_iv = self.keyed.mode == Mode::Cbc;
        Ok(Some(match name {
            b"keylen" => Value::Unsigned(self.keyed.size.bytes() as u64),
            b"ivlen" => Value::Unsigned(if has_iv { BLOCK_BYTES as u64 } else { 0 }),
            b"padding" => Value::Unsigned(u64::from(self.padding)),
            b"num" => Value::Unsigned(0),
            b"iv" if has_iv => Value::Kept(&self.original_iv),
            b"updated-iv" if has_iv => {
                self.shown_iv = self.keyed.iv();
                Value::Kept(&self.shown_iv)
            }
            b"tls-mac" => match &self.tls {
                Some(tls) => Value::Kept(tls.mac()),
                None => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    pub(super) fn set_parameter(&mut self, name: &[u8], given: &Given<'_>) -> Outcome<()> {
        let wrong = |reason, message: &str| Err(Failure::new(reason, message));
        match name {
            b"padding" => self.padding = given.unsigned()? != 0,
            b"keylen" if given.unsigned()? != self.keyed.size.bytes() as u64 => {
                return wrong(Reason::InvalidKeyLength, "the cipher has one key length");
            }
            b"tls-version" | b"tls-mac-size" if self.keyed.mode != Mode::Cbc => {
                return wrong(Reason::ValueError, "TLS records are not in ECB");
            }
            b"tls-version" => {
                let version = given.unsigned()?;
                self.tls = match version {
                    0 => None,
                    other => Some(Tls::new(other).ok_or_else(|| {
                        Failure::new(Reason::ValueError, "SSL 3.0 is not supported")
                    })?),
                };
            }
            b"tls-mac-size" => self.tls_mac_bytes = given.unsigned()? as usize,
            _ => return Ok(()),
        }
        if let Some(tls) = &mut self.tls {
            tls.set_mac_bytes(self.tls_mac_bytes).ok_or_else(|| {
                Failure::new(Reason::ValueError, "a TLS MAC has at most 64 bytes")
            })?;
        }
        Ok(())
    }
}
