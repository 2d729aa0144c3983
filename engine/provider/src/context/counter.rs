// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! CTR: a stream of any length, cut anywhere.

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, Direction, KeyBits, Mode, Span};
use zeroize::Zeroizing;

use super::arranged::{Arranged, Subject};
use super::keyed::Keyed;
use super::values::{Given, Value, check_key_bytes, no_room};
use crate::buffers::Buffers;
use crate::failure::{Outcome, Reason};
use crate::provider::Provider;
use crate::work::CipherKey;

/// Blocks of keystream that are made at once for short chunks: as many as the processor
/// works on side by side.
const BATCH_BLOCKS: usize = 8;
const BATCH_BYTES: usize = BATCH_BLOCKS * BLOCK_BYTES;

/// A context in CTR.
pub(super) struct Counter {
    keyed: Keyed,
    /// Keystream; its end is not used yet.
    keystream: Zeroizing<[u8; BATCH_BYTES]>,
    unused: usize,
    original_iv: [u8; BLOCK_BYTES],
    /// The next counter block, where a program can see it.
    shown_iv: [u8; BLOCK_BYTES],
}

impl Counter {
    pub(super) fn new(provider: Arc<Provider>, size: KeyBits) -> Counter {
        Counter {
            keyed: Keyed::new(provider, Mode::Ctr, size),
            keystream: Zeroizing::new([0; BATCH_BYTES]),
            unused: 0,
            original_iv: [0; BLOCK_BYTES],
            shown_iv: [0; BLOCK_BYTES],
        }
    }

    pub(super) fn duplicate(&self) -> Outcome<Counter> {
        Ok(Counter {
            keyed: self.keyed.duplicate()?,
            keystream: self.keystream.clone(),
            ..*self
        })
    }

    pub(super) fn initialise(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Outcome<()> {
        let next = self.next_iv();
        self.unused = 0;
        self.keyed
            .initialise(direction, key, Some(iv.unwrap_or(&next)))?;
        if iv.is_some() {
            self.original_iv = self.keyed.iv();
        }
        Ok(())
    }

    /// The counter block of the first unused block.
    fn next_iv(&self) -> [u8; BLOCK_BYTES] {
        let ahead = (self.unused / BLOCK_BYTES) as u128;
        let counter = u128::from_be_bytes(self.keyed.iv());
        counter.wrapping_sub(ahead).to_be_bytes()
    }

    /// Bytes of the block before that one which are used; 0: all of them.
    fn used(&self) -> usize {
        (BLOCK_BYTES - self.unused % BLOCK_BYTES) % BLOCK_BYTES
    }

    #[inline(always)]
    pub(super) fn is_quick(&self, bytes: usize) -> bool {
        let from_batch = bytes <= self.unused;
        let in_batches = self.unused == 0 && bytes.is_multiple_of(BATCH_BYTES);
        (from_batch || in_batches) && self.keyed.is_quick(bytes)
    }

    #[inline(always)]
    pub(super) fn quick(&mut self, data: &mut [u8]) -> Outcome<()> {
        if self.unused == 0 {
            return self.keyed.quick(data);
        }
        self.keyed.count(data.len());
        self.mask(Span::InPlace(data));
        Ok(())
    }

    pub(super) fn update(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        self.keyed.check_key()?;
        let bytes = buffers.bytes();
        let span = self.begin(buffers.span().ok_or_else(no_room)?);
        let rest = span.len();
        let may_choose = rest >= BLOCK_BYTES && self.keyed.may_choose(rest);
        let tail = match rest >= BATCH_BYTES || may_choose {
            false => span,
            true => {
                let (blocks, tail) = span.split(rest - rest % BLOCK_BYTES);
                self.keyed.work(blocks)?;
                tail
            }
        };
        self.end(tail)?;
        Ok(bytes)
    }

    /// The beginning of an update by the keystream that is there; what is left.
    fn begin<'a>(&mut self, span: Span<'a>) -> Span<'a> {
        if self.unused == 0 {
            return span;
        }
        let (head, rest) = self.split_unused(span);
        self.keyed.count(head.len());
        self.mask(head);
        rest
    }

    /// The end of an update, shorter than a batch.
    fn end(&mut self, span: Span<'_>) -> Outcome<()> {
        if span.len() == 0 {
            return Ok(());
        }
        if self.unused == 0 {
            self.refill()?;
        }
        // It may be longer than what is left of this batch.
        let (head, tail) = self.split_unused(span);
        self.keyed.count(head.len());
        self.mask(head);
        if tail.len() > 0 {
            self.refill()?;
            self.mask(tail);
        }
        Ok(())
    }

    pub(super) fn subject(&self) -> Outcome<Subject<'_>> {
        self.keyed.subject()
    }

    pub(super) fn arrange<'a>(
        &mut self,
        buffers: Buffers<'a>,
        chosen: Option<&CipherKey>,
    ) -> Outcome<Arranged<'a>> {
        let written = buffers.bytes();
        let span = self.begin(buffers.span().ok_or_else(no_room)?);
        let whole = span.len() - span.len() % BLOCK_BYTES;
        let (blocks, tail) = span.split(whole);
        let work = self.keyed.arrange(blocks, chosen);
        Ok(Arranged {
            tail,
            ..Arranged::new(work, written)
        })
    }

    pub(super) fn settle(&mut self, arranged: Arranged<'_>) -> Outcome<()> {
        self.keyed.settle(arranged.work)?;
        self.end(arranged.tail)
    }

    fn split_unused<'a>(&self, span: Span<'a>) -> (Span<'a>, Span<'a>) {
        let bytes = span.len().min(self.unused);
        span.split(bytes)
    }

    /// Keystream up to the next multiple of a batch, so that whole batches come next.
    fn refill(&mut self) -> Outcome<()> {
        let [.., low] = self.keyed.iv();
        let bytes = (BATCH_BLOCKS - usize::from(low) % BATCH_BLOCKS) * BLOCK_BYTES;
        let fresh = &mut self.keystream[BATCH_BYTES - bytes..];
        fresh.fill(0);
        self.keyed.blocks(fresh)?;
        // Only now is it keystream: before, it is zeros, which hide nothing.
        self.unused = bytes;
        Ok(())
    }

    /// The next bytes of the keystream onto no more data than it has.
    #[inline(always)]
    fn mask(&mut self, part: Span<'_>) {
        let data = part.into_place();
        let start = BATCH_BYTES - self.unused;
        for (byte, key) in data.iter_mut().zip(&self.keystream[start..]) {
            *byte ^= key;
        }
        self.unused -= data.len();
    }

    pub(super) fn finish(&mut self) -> Outcome<usize> {
        Ok(0)
    }

    pub(super) fn parameter(&mut self, name: &[u8], _: usize) -> Outcome<Option<Value<'_>>> {
        Ok(Some(match name {
            b"keylen" => Value::Unsigned(self.keyed.size.bytes() as u64),
            b"ivlen" => Value::Unsigned(BLOCK_BYTES as u64),
            b"padding" => Value::Unsigned(0),
            b"num" => Value::Unsigned(self.used() as u64),
            b"iv" => Value::Kept(&self.original_iv),
            b"updated-iv" => {
                self.shown_iv = self.next_iv();
                Value::Kept(&self.shown_iv)
            }
            _ => return Ok(None),
        }))
    }

    /// `num`: so many bytes of the block before the counter are used, so that a stream
    /// can be taken up again from `updated-iv` and `num`.
    pub(super) fn set_parameter(&mut self, name: &[u8], given: &Given<'_>) -> Outcome<()> {
        match name {
            b"num" => {
                let used = usize::try_from(given.unsigned()?).unwrap_or(usize::MAX);
                if used >= BLOCK_BYTES {
                    return Reason::ValueError
                        .fail("num counts the bytes used of a block: set it to 0 to 15");
                }
                if used != 0 {
                    self.keyed.check_key()?;
                }
                let next = self.next_iv();
                self.unused = 0;
                if used == 0 {
                    return self.keyed.set_iv(next);
                }
                let before = u128::from_be_bytes(next).wrapping_sub(1).to_be_bytes();
                self.keyed.set_iv(before)?;
                self.refill()?;
                self.unused -= used;
                Ok(())
            }
            b"keylen" => check_key_bytes(given, self.keyed.size.bytes()),
            _ => Ok(()),
        }
    }
}
