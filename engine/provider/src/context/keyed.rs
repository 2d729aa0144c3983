// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A key in ECB, CBC or CTR: whole blocks in software or on the device.

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, CipherRequest, Direction, Key, KeyBits, Mode, Span};
use ciphermill_cpu::Direct;

use super::arranged::{Subject, Work};
use super::values::{block_iv, no_key, set_key};
use crate::failure::Outcome;
use crate::provider::{OnDevice, Provider, Share};
use crate::work::CipherKey;

/// What ECB, CBC and CTR contexts have in common.
pub(super) struct Keyed {
    pub mode: Mode,
    pub size: KeyBits,
    pub direction: Direction,
    provider: Share,
    key: Option<Arc<Key>>,
    direct: Option<Direct>,
    /// Updates of fewer bytes are for software alone; 0 while there is no key.
    software_below: usize,
}

impl Keyed {
    pub(super) fn new(provider: Arc<Provider>, mode: Mode, size: KeyBits) -> Keyed {
        Keyed {
            mode,
            size,
            direction: Direction::Encrypt,
            provider: Share::new(provider),
            key: None,
            direct: None,
            software_below: 0,
        }
    }

    pub(super) fn duplicate(&self) -> Outcome<Keyed> {
        let mut copy = Keyed {
            provider: self.provider.another(),
            key: self.key.clone(),
            direct: None,
            ..*self
        };
        copy.expand(self.iv())?;
        Ok(copy)
    }

    /// A direction and, where they are given, a key and an IV.
    pub(super) fn initialise(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Outcome<()> {
        let iv = iv.filter(|_| self.mode != Mode::Ecb);
        let iv = iv.map(block_iv).transpose()?;
        let rekeyed = set_key(&mut self.key, key, self.size)?;
        let turned = direction != self.direction;
        self.direction = direction;
        if rekeyed || turned || self.direct.is_none() {
            let iv = iv.unwrap_or_else(|| self.iv());
            self.expand(iv)
        } else if let Some(iv) = iv {
            self.set_iv(iv)
        } else {
            Ok(())
        }
    }

    fn expand(&mut self, iv: [u8; BLOCK_BYTES]) -> Outcome<()> {
        // Without a key yet, a key of zeros keeps the IV; `work` does not use it.
        let key = match &self.key {
            Some(key) => Arc::clone(key),
            None => Arc::new(Key::new(&[0; 32][..self.size.bytes()])?),
        };
        let request = CipherRequest::new(self.mode, self.direction, key, iv);
        self.direct = Some(Direct::new(&request)?);
        self.software_below = match self.key {
            Some(_) => self.provider.shortest(),
            None => 0,
        };
        Ok(())
    }

    /// The IV of what comes next.
    pub(super) fn iv(&self) -> [u8; BLOCK_BYTES] {
        self.direct
            .as_ref()
            .map_or([0; BLOCK_BYTES], |direct| direct.iv())
    }

    pub(super) fn set_iv(&mut self, iv: [u8; BLOCK_BYTES]) -> Outcome<()> {
        match &mut self.direct {
            Some(direct) => Ok(direct.set_iv(iv)?),
            None => self.expand(iv),
        }
    }

    /// Whole blocks, the next of the message.
    #[inline(always)]
    pub(super) fn work(&mut self, span: Span<'_>) -> Outcome<()> {
        if self.may_choose(span.len()) {
            return self.work_long(span);
        }
        self.work_in_software(span)
    }

    /// Nothing is worked on without a key.
    #[inline(always)]
    pub(super) fn check_key(&self) -> Outcome<()> {
        match self.key {
            Some(_) => Ok(()),
            None => Err(no_key()),
        }
    }

    /// Whether there is a key, and so many bytes are something for software alone.
    #[inline(always)]
    pub(super) fn is_quick(&self, bytes: usize) -> bool {
        bytes > 0 && bytes < self.software_below
    }

    /// Whole blocks in place, where [`Keyed::is_quick`].
    #[inline(always)]
    pub(super) fn quick(&mut self, data: &mut [u8]) -> Outcome<()> {
        self.count(data.len());
        match &mut self.direct {
            Some(direct) => Ok(direct.process(data)?),
            None => Err(no_key()),
        }
    }

    /// Whether the device could be asked for so many bytes at all.
    #[inline(always)]
    pub(super) fn may_choose(&self, bytes: usize) -> bool {
        self.provider.may_choose(bytes)
    }

    #[inline(never)]
    fn work_long(&mut self, mut span: Span<'_>) -> Outcome<()> {
        let (Some(key), Some(direct)) = (&self.key, &mut self.direct) else {
            return Err(no_key());
        };
        let (mode, direction, bytes) = (self.mode, self.direction, span.len());
        if let Some(operation) = self.provider.choose(mode, direction, key, bytes)? {
            match self.provider.run(&operation, direct.iv(), &mut span)? {
                OnDevice::Done(iv) => return Ok(direct.set_iv(iv)?),
                OnDevice::Left(broken) => {
                    direct.set_iv(broken.iv)?;
                    span = span.split(broken.bytes).1;
                }
            }
        }
        self.work_in_software(span)
    }

    /// What a pipeline asks the device for.
    pub(super) fn subject(&self) -> Outcome<Subject<'_>> {
        Ok(Subject {
            mode: self.mode,
            direction: self.direction,
            key: self.key.as_ref().ok_or_else(no_key)?,
        })
    }

    /// Whole blocks of a pipe, the next of its message, for the device where it is chosen.
    pub(super) fn arrange<'a>(&self, span: Span<'a>, chosen: Option<&CipherKey>) -> Work<'a> {
        match chosen {
            Some(chosen) if span.len() > 0 => Work::of(Some(chosen.request(self.iv())), span),
            _ => Work::Software(span),
        }
    }

    /// The end of what was arranged: in software what the device has not done.
    pub(super) fn settle(&mut self, work: Work<'_>) -> Outcome<()> {
        let rest = match work {
            Work::Software(span) => span,
            Work::Device(flow) => {
                self.set_iv(flow.iv())?;
                flow.into_rest().1
            }
        };
        match rest.len() {
            0 => Ok(()),
            _ => self.work_in_software(rest),
        }
    }

    fn work_in_software(&mut self, span: Span<'_>) -> Outcome<()> {
        self.count(span.len());
        let (Some(_), Some(direct)) = (&self.key, &mut self.direct) else {
            return Err(no_key());
        };
        Ok(direct.work(span)?)
    }

    /// Count bytes that software works on.
    #[inline(always)]
    pub(super) fn count(&mut self, bytes: usize) {
        self.provider.count(bytes);
    }

    /// Whole blocks in place in software, uncounted: what buffering, padding and partial
    /// blocks need.
    pub(super) fn blocks(&mut self, blocks: &mut [u8]) -> Outcome<()> {
        self.check_key()?;
        let direct = self.direct.as_mut().ok_or_else(no_key)?;
        Ok(direct.process(blocks)?)
    }
}
