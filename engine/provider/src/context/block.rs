// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! ECB and CBC: whole blocks, with what is left over held back, and padding.

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, Direction, KeyBits, Mode, Span, padding};
use zeroize::Zeroizing;

use super::arranged::{Arranged, Subject};
use super::keyed::Keyed;
use super::values::{Given, Value, check_key_bytes, no_room};
use crate::buffers::Buffers;
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::Provider;
use crate::work::CipherKey;

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
        }
    }

    pub(super) fn duplicate(&self) -> Outcome<Block> {
        Ok(Block {
            keyed: self.keyed.duplicate()?,
            held: self.held.clone(),
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
            && self.keyed.is_quick(bytes)
    }

    #[inline(always)]
    pub(super) fn quick(&mut self, data: &mut [u8]) -> Outcome<()> {
        self.keyed.quick(data)
    }

    pub(super) fn update(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        let bytes = buffers.bytes();
        if self.held_bytes == 0 && bytes.is_multiple_of(BLOCK_BYTES) && !self.holds_back() {
            if bytes > 0 {
                self.keyed.work(buffers.span().ok_or_else(no_room)?)?;
            }
            return Ok(bytes);
        }
        let (span, emitted) = self.take_blocks(buffers)?;
        if emitted > 0 {
            self.keyed.work(span)?;
        }
        Ok(emitted)
    }

    pub(super) fn subject(&self) -> Outcome<Subject<'_>> {
        self.keyed.subject()
    }

    pub(super) fn arrange<'a>(
        &mut self,
        buffers: Buffers<'a>,
        chosen: Option<&CipherKey>,
    ) -> Outcome<Arranged<'a>> {
        let (span, written) = self.take_blocks(buffers)?;
        let work = self.keyed.arrange(span, chosen);
        Ok(Arranged::new(work, written))
    }

    pub(super) fn settle(&mut self, arranged: Arranged<'_>) -> Outcome<()> {
        self.keyed.settle(arranged.work)
    }

    /// Whether a last whole block waits for what comes after it.
    #[inline(always)]
    fn holds_back(&self) -> bool {
        self.padding && self.keyed.direction == Direction::Decrypt
    }

    /// Bytes that an update of so many writes.
    pub(super) fn written_bytes(&self, bytes: usize) -> usize {
        let total = self.held_bytes + bytes;
        let mut keep = total % BLOCK_BYTES;
        if self.holds_back() && keep == 0 && total > 0 {
            keep = BLOCK_BYTES;
        }
        total - keep
    }

    /// The blocks that an update works on, in the place of its output, and their bytes. What comes
    /// behind them is held.
    #[inline(never)]
    fn take_blocks<'a>(&mut self, buffers: Buffers<'a>) -> Outcome<(Span<'a>, usize)> {
        self.keyed.check_key()?;
        let bytes = buffers.bytes();
        let total = self.held_bytes + bytes;
        let emitted = self.written_bytes(bytes);
        let keep = total - emitted;
        if emitted > buffers.room() {
            return Err(no_room());
        }
        if emitted == 0 {
            self.held[self.held_bytes..total].copy_from_slice(buffers.input());
            self.held_bytes = total;
            return Ok((Span::InPlace(&mut []), 0));
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
        self.held = next;
        self.held_bytes = keep;
        Ok((span, emitted))
    }

    pub(super) fn finish(&mut self, output: &mut [u8]) -> Outcome<usize> {
        let held = std::mem::take(&mut self.held_bytes);
        let wrong = || {
            let message = format!(
                "the message ends with {held} bytes of a block: give whole blocks, or encrypt with padding"
            );
            Reason::WrongFinalBlockLength.fail(message)
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
            let message = format!("{bytes} bytes are not whole blocks: give a multiple of 16");
            return Reason::WrongFinalBlockLength.fail(message);
        }
        self.keyed.work(buffers.span().ok_or_else(no_room)?)?;
        Ok(bytes)
    }

    pub(super) fn parameter(&mut self, name: &[u8], _: usize) -> Outcome<Option<Value<'_>>> {
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
            _ => return Ok(None),
        }))
    }

    pub(super) fn set_parameter(&mut self, name: &[u8], given: &Given<'_>) -> Outcome<()> {
        match name {
            b"padding" => self.padding = given.unsigned()? != 0,
            b"keylen" => check_key_bytes(given, self.keyed.size.bytes())?,
            // Padding and MAC of such records must come off in constant time, which OpenSSL
            // does (N. AlFardan and K. Paterson, "Lucky Thirteen", 2013).
            b"tls-version" if given.unsigned()? != 0 => {
                return Reason::ValueError.fail(
                    "TLS records in CBC are for OpenSSL's default provider: leave \
                               `cbc = yes` out of the configuration of programs that speak TLS",
                );
            }
            _ => {}
        }
        Ok(())
    }
}
