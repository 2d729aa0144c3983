// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! XTS: each update is a data unit, whose number is the IV (IEEE 1619-2018).

use std::sync::Arc;

use ciphermill::{
    BLOCK_BYTES, CipherRequest, Direction, Key, KeyBits, MAXIMUM_DATA_UNIT_BYTES, Mode, Span,
};
use ciphermill_cpu::DirectXts;

use super::arranged::{Arranged, Subject, Work};
use super::values::{Given, Value, block_iv, check_key_bytes, no_key, no_room};
use crate::buffers::Buffers;
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::{OnDevice, Provider, Share};
use crate::work::CipherKey;

/// The request for a data unit with this number and so many bytes.
fn data_unit(request: &CipherRequest, number: [u8; BLOCK_BYTES], bytes: usize) -> CipherRequest {
    let mut request = request.clone();
    request.iv = number;
    if let Some(units) = &mut request.data_units {
        units.bytes = bytes;
    }
    request
}

/// A context in XTS.
pub(super) struct Xts {
    provider: Share,
    size: KeyBits,
    /// Keys and direction, with the longest of data units.
    request: Option<CipherRequest>,
    direct: Option<Box<DirectXts>>,
    direction: Direction,
    iv: Option<[u8; BLOCK_BYTES]>,
}

impl Xts {
    pub(super) fn new(provider: Arc<Provider>, size: KeyBits) -> Xts {
        Xts {
            provider: Share::new(provider),
            size,
            request: None,
            direct: None,
            direction: Direction::Encrypt,
            iv: None,
        }
    }

    pub(super) fn duplicate(&self) -> Outcome<Xts> {
        let mut copy = Xts {
            provider: self.provider.another(),
            request: self.request.clone(),
            direct: None,
            ..*self
        };
        copy.expand()?;
        Ok(copy)
    }

    pub(super) fn initialise(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Outcome<()> {
        if let Some(iv) = iv {
            self.iv = Some(block_iv(iv)?);
        }
        let turned = direction != self.direction;
        self.direction = direction;
        if let Some(keys) = key {
            self.request = None;
            self.direct = None;
            self.request = Some(self.keyed(keys)?);
            return self.expand();
        }
        if turned {
            if let Some(request) = &mut self.request {
                request.direction = direction;
            }
            return self.expand();
        }
        Ok(())
    }

    /// Both keys, one behind the other.
    fn keyed(&self, keys: &[u8]) -> Outcome<CipherRequest> {
        let due = self.key_bytes();
        if keys.len() != due {
            let message = format!("both keys have {due} bytes, not {}", keys.len());
            return Reason::InvalidKeyLength.fail(message);
        }
        let (key, tweak_key) = keys.split_at(due / 2);
        let (key, tweak_key) = (Key::new(key)?, Key::new(tweak_key)?);
        // Of what is asked here only equal keys can be wrong.
        CipherRequest::xts(self.direction, key, tweak_key, 0, MAXIMUM_DATA_UNIT_BYTES)
            .map_err(|error| Failure::new(Reason::XtsDuplicatedKeys, error.to_string()))
    }

    fn key_bytes(&self) -> usize {
        2 * self.size.bytes()
    }

    fn expand(&mut self) -> Outcome<()> {
        self.direct = match &self.request {
            Some(request) => Some(Box::new(DirectXts::new(request)?)),
            None => None,
        };
        Ok(())
    }

    /// A whole data unit.
    pub(super) fn update(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        let bytes = buffers.bytes();
        let number = self.check(bytes)?;
        let mut span = buffers.span().ok_or_else(no_room)?;
        if !self.on_device(number, &mut span)? {
            self.work_in_software(number, span)?;
        }
        Ok(bytes)
    }

    /// The number of a data unit of so many bytes.
    fn check(&self, bytes: usize) -> Outcome<[u8; BLOCK_BYTES]> {
        let Some(number) = self.iv else {
            let message = "no data unit number was set: give it to the initialisation as the IV";
            return Reason::InvalidIvLength.fail(message);
        };
        if bytes > MAXIMUM_DATA_UNIT_BYTES {
            let message =
                format!("a data unit has {MAXIMUM_DATA_UNIT_BYTES} bytes at most: split the data");
            return Reason::XtsDataUnitIsTooLarge.fail(message);
        }
        if bytes < BLOCK_BYTES {
            let message = format!("a data unit has {BLOCK_BYTES} bytes at least, not {bytes}");
            return Reason::InvalidData.fail(message);
        }
        Ok(number)
    }

    fn work_in_software(&mut self, number: [u8; BLOCK_BYTES], span: Span<'_>) -> Outcome<()> {
        self.provider.count(span.len());
        let direct = self.direct.as_mut().ok_or_else(no_key)?;
        Ok(direct.work(number, span)?)
    }

    /// The data unit on the device, where it goes there: ciphertext stealing does not.
    fn on_device(&mut self, number: [u8; BLOCK_BYTES], span: &mut Span<'_>) -> Outcome<bool> {
        let bytes = span.len();
        let request = self.request.as_ref().ok_or_else(no_key)?;
        if !self.provider.may_choose(bytes) || !bytes.is_multiple_of(BLOCK_BYTES) {
            return Ok(false);
        }
        let (mode, direction) = (Mode::Xts, self.direction);
        let chosen = self
            .provider
            .choose(mode, direction, &request.key, bytes)?
            .is_some();
        if !chosen {
            return Ok(false);
        }
        let request = data_unit(request, number, bytes);
        let OnDevice::Done(done) = self.provider.run_message(request, span)? else {
            return Ok(false);
        };
        self.provider.runtime().recycle(done.data);
        Ok(true)
    }

    pub(super) fn subject(&self) -> Outcome<Subject<'_>> {
        Ok(Subject {
            mode: Mode::Xts,
            direction: self.direction,
            key: &self.request.as_ref().ok_or_else(no_key)?.key,
        })
    }

    pub(super) fn arrange<'a>(
        &mut self,
        buffers: Buffers<'a>,
        chosen: Option<&CipherKey>,
    ) -> Outcome<Arranged<'a>> {
        let bytes = buffers.bytes();
        let number = self.check(bytes)?;
        let span = buffers.span().ok_or_else(no_room)?;
        let request = self.request.as_ref().ok_or_else(no_key)?;
        let goes = chosen.is_some() && bytes.is_multiple_of(BLOCK_BYTES);
        let request = goes.then(|| data_unit(request, number, bytes));
        Ok(Arranged::new(Work::of(request, span), bytes))
    }

    pub(super) fn settle(&mut self, arranged: Arranged<'_>) -> Outcome<()> {
        let rest = match arranged.work {
            Work::Software(span) => span,
            Work::Device(flow) => match flow.into_rest() {
                (Some(done), _) => {
                    self.provider.runtime().recycle(done.data);
                    return Ok(());
                }
                (None, rest) => rest,
            },
        };
        let number = self.check(rest.len())?;
        self.work_in_software(number, rest)
    }

    pub(super) fn parameter(&mut self, name: &[u8], _: usize) -> Outcome<Option<Value<'_>>> {
        Ok(Some(match name {
            b"keylen" => Value::Unsigned(self.key_bytes() as u64),
            b"ivlen" => Value::Unsigned(BLOCK_BYTES as u64),
            b"padding" | b"num" => Value::Unsigned(0),
            // An update does not change the number.
            b"iv" | b"updated-iv" => match &self.iv {
                Some(iv) => Value::Kept(iv),
                None => Value::Kept(&[0; BLOCK_BYTES]),
            },
            _ => return Ok(None),
        }))
    }

    pub(super) fn set_parameter(&mut self, name: &[u8], given: &Given<'_>) -> Outcome<()> {
        match name {
            b"keylen" => check_key_bytes(given, self.key_bytes()),
            _ => Ok(()),
        }
    }
}
