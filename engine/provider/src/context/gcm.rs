// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! GCM: messages in chunks; `records` has the records of TLS 1.2, `pipeline` the pipes of a pipeline.
//!
//! A device takes whole messages, which OpenSSL's interface does not announce. A first
//! chunk that is long enough goes to the device as if it were all, and the buffer in which
//! the device gave its output is kept: should more of the message follow, which no record
//! of TLS 1.3 does, software undoes it and takes the message up.

use std::sync::Arc;

use ciphermill::{Allocator, Answer, Buffer, CipherRequest, Direction, Key, KeyBits, Mode, Span};
use ciphermill_cpu::{Direct, DirectGcm};
use subtle::ConstantTimeEq;

use super::values::{Given, Value, check_key_bytes, no_key, no_room, set_key};
use crate::buffers::Buffers;
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::{OnDevice, Provider, Share};
use crate::work::CipherKey;

mod pipeline;
mod records;

/// Longest IV, in bytes, as in OpenSSL's own provider.
const IV_BYTES: usize = 128;
/// The IV length that devices take, and the usual one.
const USUAL_IV_BYTES: usize = 12;
const TAG_BYTES: usize = 16;
/// Header that TLS 1.2 authenticates (RFC 5246, 6.2.3.3).
const TLS_HEADER_BYTES: usize = 13;
/// Longest associated data that is kept for a device.
const ASSOCIATED_BYTES: usize = 4096;
/// Longest first chunk whose output is kept in case more of the message follows.
const KEPT_BYTES: usize = 16 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum IvState {
    /// None was given.
    None,
    /// Given, and no message begun with it.
    Fresh,
    /// A message goes on with it.
    InUse,
    /// A message was ended with it: it must not be used again.
    Spent,
}

/// A message that the device did as a whole.
struct Whole {
    output: Buffer,
    /// That which the device gave or, decrypting, found to be right.
    tag: [u8; TAG_BYTES],
}

/// A context in GCM.
pub(super) struct Gcm {
    provider: Share,
    size: KeyBits,
    direction: Direction,
    key: Option<Arc<Key>>,
    software: Option<DirectGcm>,
    iv: [u8; IV_BYTES],
    iv_bytes: usize,
    iv_state: IvState,
    /// The IV of the message that is in use: `iv` may count on meanwhile.
    message_iv: [u8; IV_BYTES],
    /// The IV's end counts records.
    generates: bool,
    tag: [u8; TAG_BYTES],
    tag_bytes: Option<usize>,
    /// The message's associated data so far; `None` when it is too long for a device or for the
    /// memory.
    associated: Option<Buffer>,
    /// Data has come: no more associated data, nor a device.
    begun: bool,
    whole: Option<Whole>,
    tls_header: Option<[u8; TLS_HEADER_BYTES]>,
    tls_room: usize,
    records: u64,
}

impl Gcm {
    pub(super) fn new(provider: Arc<Provider>, size: KeyBits) -> Gcm {
        Gcm {
            provider: Share::new(provider),
            size,
            direction: Direction::Encrypt,
            key: None,
            software: None,
            iv: [0; IV_BYTES],
            iv_bytes: USUAL_IV_BYTES,
            iv_state: IvState::None,
            message_iv: [0; IV_BYTES],
            generates: false,
            tag: [0; TAG_BYTES],
            tag_bytes: None,
            associated: Some(Buffer::default()),
            begun: false,
            whole: None,
            tls_header: None,
            tls_room: 0,
            records: 0,
        }
    }

    pub(super) fn duplicate(&self) -> Outcome<Gcm> {
        let software = self.software.as_ref().map(DirectGcm::duplicate);
        let associated = self
            .associated
            .as_ref()
            .map(|associated| copied(associated));
        let whole = self.whole.as_ref().map(|Whole { output, tag }| {
            let (output, tag) = (copied(output)?, *tag);
            Ok::<_, Failure>(Whole { output, tag })
        });
        Ok(Gcm {
            provider: self.provider.another(),
            key: self.key.clone(),
            software: software.transpose()?,
            associated: associated.transpose()?,
            whole: whole.transpose()?,
            ..*self
        })
    }

    pub(super) fn initialise(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Outcome<()> {
        if let Some(iv) = iv {
            self.check_iv_bytes(iv.len())?;
            // The tag of a message that is given up is not the next one's.
            if self.iv_state == IvState::InUse && !self.encrypts() {
                self.tag_bytes = None;
            }
            self.iv[..iv.len()].copy_from_slice(iv);
            self.iv_bytes = iv.len();
            self.iv_state = IvState::Fresh;
        }
        // The same key again, as programs that set it for each message do, only restarts
        // the count of records.
        if key.is_some() {
            self.records = 0;
        }
        let rekeyed = set_key(&mut self.key, key, self.size)?;
        if let Some(bytes) = &self.key
            && (rekeyed || direction != self.direction)
        {
            self.software = Some(DirectGcm::new(direction, bytes)?);
            // Another key, or the other direction, ends the message. Nothing new leaves it
            // as it is: what the device did of it is needed for what comes next.
            self.whole = None;
            if self.iv_state == IvState::InUse {
                self.iv_state = IvState::Spent;
            }
        }
        if direction != self.direction {
            self.direction = direction;
            self.tag_bytes = None;
        }
        self.tls_header = None;
        Ok(())
    }

    fn check_iv_bytes(&self, bytes: usize) -> Outcome<()> {
        if (1..=IV_BYTES).contains(&bytes) {
            return Ok(());
        }
        let message = format!("an IV has 1 to {IV_BYTES} bytes, not {bytes}");
        Reason::InvalidIvLength.fail(message)
    }

    fn encrypts(&self) -> bool {
        self.direction == Direction::Encrypt
    }

    /// Begin the message, unless it has begun.
    fn ready(&mut self) -> Outcome<&mut DirectGcm> {
        match self.iv_state {
            IvState::InUse => {}
            IvState::Fresh => self.begin(self.iv)?,
            // As OpenSSL does: an encryption without an IV gets a random one.
            IvState::None if self.direction == Direction::Encrypt => {
                random(&mut self.iv[..self.iv_bytes])?;
                self.begin(self.iv)?;
            }
            IvState::None => {
                return Reason::InvalidIvLength
                    .fail("no IV was set: give one to the initialisation");
            }
            IvState::Spent => {
                return Reason::InvalidData
                    .fail("the IV is spent: set another for the next message");
            }
        }
        self.software.as_mut().ok_or_else(no_key)
    }

    /// Begin a message with this IV.
    fn begin(&mut self, iv: [u8; IV_BYTES]) -> Outcome<()> {
        let software = self.software.as_mut().ok_or_else(no_key)?;
        software.start(&iv[..self.iv_bytes])?;
        self.message_iv = iv;
        self.iv_state = IvState::InUse;
        self.associated.get_or_insert_default().truncate(0);
        self.begun = false;
        self.let_go();
        Ok(())
    }

    /// The message that the device did is over: its tag. Its output is the device's buffer
    /// again, which is erased with the others.
    fn let_go(&mut self) -> Option<[u8; TAG_BYTES]> {
        let whole = self.whole.take()?;
        self.provider.runtime().recycle(whole.output);
        Some(whole.tag)
    }

    pub(super) fn associate(&mut self, data: &[u8]) -> Outcome<()> {
        self.ready()?;
        if self.begun {
            return Reason::InvalidAad.fail(
                "associated data comes before the message's first bytes: begin the message again",
            );
        }
        self.ready()?.associate(data)?;
        if let Some(associated) = &mut self.associated
            && associated.len() + data.len() <= ASSOCIATED_BYTES
            && associated.append(data).is_ok()
        {
            return Ok(());
        }
        self.associated = None;
        Ok(())
    }

    #[inline]
    pub(super) fn update(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        if self.tls_header.is_some() {
            return self.record(buffers);
        }
        let bytes = buffers.bytes();
        let span = buffers.span().ok_or_else(no_room)?;
        self.ready()?;
        if bytes > 0 {
            self.work(span)?;
        }
        Ok(bytes)
    }

    fn work(&mut self, mut span: Span<'_>) -> Outcome<()> {
        if !self.begun {
            self.begun = true;
            if self.try_whole(&mut span)? {
                return Ok(());
            }
        } else {
            self.take_up()?;
        }
        self.work_in_software(span)
    }

    /// Take up in software a message that the device took for whole.
    fn take_up(&mut self) -> Outcome<()> {
        if let Some(whole) = self.whole.take() {
            let mut data = whole.output;
            self.undo(&mut data)?;
            self.provider.count(data.len());
            self.ready()?.process(&mut data)?;
        }
        Ok(())
    }

    fn work_in_software(&mut self, span: Span<'_>) -> Outcome<()> {
        self.provider.count(span.len());
        Ok(self.ready()?.work(span)?)
    }

    /// The message's first input out of its output: GCM encrypts data as CTR does, from the
    /// second counter block on (SP 800-38D, 7.1).
    fn undo(&self, data: &mut [u8]) -> Outcome<()> {
        let key = self.key.as_ref().ok_or_else(no_key)?;
        let mut counter = [0; 16];
        counter[..USUAL_IV_BYTES].copy_from_slice(&self.message_iv[..USUAL_IV_BYTES]);
        counter[15] = 2;
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, Arc::clone(key), counter);
        Ok(Direct::new(&request)?.process(data)?)
    }

    /// The message's first data on the device as if it were all, where it goes there.
    fn try_whole(&mut self, span: &mut Span<'_>) -> Outcome<bool> {
        let bytes = span.len();
        if bytes > KEPT_BYTES || !self.knows_tag() {
            return Ok(false);
        }
        let Some(request) = self.request(bytes)? else {
            return Ok(false);
        };
        let OnDevice::Done(done) = self.provider.run_message(request, span)? else {
            return Ok(false);
        };
        self.keep_whole(done);
        Ok(true)
    }

    fn keep_whole(&mut self, done: Answer) {
        self.whole = Some(Whole {
            output: done.data,
            tag: match done.tag {
                Some(tag) if self.encrypts() => tag,
                _ => self.tag,
            },
        });
    }

    /// Whether the device can check the tag, which it needs with the data.
    fn knows_tag(&self) -> bool {
        self.encrypts() || self.tag_bytes == Some(TAG_BYTES)
    }

    /// The request to the device, if a message of so many bytes goes there.
    fn request(&self, bytes: usize) -> Outcome<Option<CipherRequest>> {
        let (Some(key), true) = (&self.key, self.has_usual_form()) else {
            return Ok(None);
        };
        let chosen = self.provider.choose(Mode::Gcm, self.direction, key, bytes);
        chosen?.map(|chosen| self.whole_request(chosen)).transpose()
    }

    /// Whether a device takes such IVs and associated data.
    fn has_usual_form(&self) -> bool {
        self.associated.is_some() && self.iv_bytes == USUAL_IV_BYTES
    }

    /// The request to the device for a message whose associated data is known.
    fn whole_request(&self, operation: CipherKey) -> Outcome<CipherRequest> {
        let associated = self.associated.as_ref().ok_or_else(no_room)?;
        let mut iv = [0; 16];
        iv[..USUAL_IV_BYTES].copy_from_slice(&self.message_iv[..USUAL_IV_BYTES]);
        let mut request = CipherRequest::new(Mode::Gcm, operation.direction, operation.key, iv);
        request.associated_data = copied(associated)?.into_vec();
        request.tag = (!self.encrypts()).then_some(self.tag);
        Ok(request)
    }

    pub(super) fn finish(&mut self) -> Outcome<usize> {
        if self.tls_header.is_some() {
            return Reason::InvalidData
                .fail("a TLS record is one update: there is no end to ask for");
        }
        self.ready()?;
        self.iv_state = IvState::Spent;
        let whole = self.let_go();
        if self.encrypts() {
            self.tag = match whole {
                Some(tag) => tag,
                None => self.software.as_mut().ok_or_else(no_key)?.tag()?,
            };
            self.tag_bytes = Some(TAG_BYTES);
            return Ok(0);
        }
        // The tag does not apply to the next message, whatever the outcome.
        let Some(bytes) = self.tag_bytes.take() else {
            return Reason::TagNotSet.fail("decryption needs the tag: set it before the end");
        };
        let tag = &self.tag[..bytes];
        match whole {
            // It may have been set anew since the device found it right.
            Some(found) if found[..bytes].ct_eq(tag).into() => {}
            Some(_) => return Err(Failure::not_authentic()),
            None => self.software.as_mut().ok_or_else(no_key)?.verify(tag)?,
        }
        Ok(0)
    }

    pub(super) fn parameter(&mut self, name: &[u8], room: usize) -> Outcome<Option<Value<'_>>> {
        Ok(Some(match name {
            b"keylen" => Value::Unsigned(self.size.bytes() as u64),
            b"ivlen" => Value::Unsigned(self.iv_bytes as u64),
            b"taglen" => Value::Unsigned(self.tag_bytes.unwrap_or(TAG_BYTES) as u64),
            b"tlsaadpad" => Value::Unsigned(self.tls_room as u64),
            b"iv" | b"updated-iv" if self.iv_state == IvState::None => {
                return Reason::InvalidIvLength
                    .fail("no IV was set: give one to the initialisation");
            }
            b"iv" | b"updated-iv" => Value::Kept(&self.iv[..self.iv_bytes]),
            b"tag" => {
                if !self.encrypts() || self.tag_bytes.is_none() || !(1..=16).contains(&room) {
                    return Reason::InvalidTag.fail(
                        "a tag is there at the end of an encryption: ask then, for 1 to 16 bytes",
                    );
                }
                Value::Octets(&self.tag[..room])
            }
            b"tlsivgen" => {
                let bytes = match room {
                    0 => self.iv_bytes,
                    _ => room.min(self.iv_bytes),
                };
                let current = self.generate_iv(&mut [0; IV_BYTES][..bytes])?;
                self.begin(current)?;
                Value::Generated(&self.message_iv[self.iv_bytes - bytes..self.iv_bytes])
            }
            _ => return Ok(None),
        }))
    }

    pub(super) fn set_parameter(&mut self, name: &[u8], given: &Given<'_>) -> Outcome<()> {
        match (name, given) {
            (b"tag", Given::Length(bytes)) => self.set_tag_bytes(*bytes),
            (b"tag", _) => {
                let tag = given.octets()?;
                if self.encrypts() {
                    return Reason::TagNotNeeded
                        .fail("an encryption gives a tag: set one for decryption only");
                }
                self.set_tag_bytes(tag.len())?;
                self.tag[..tag.len()].copy_from_slice(tag);
                Ok(())
            }
            (b"ivlen", _) => {
                let bytes = usize::try_from(given.unsigned()?).unwrap_or(usize::MAX);
                self.check_iv_bytes(bytes)?;
                if bytes != self.iv_bytes {
                    self.iv_bytes = bytes;
                    // Not `None`, which would begin another message with a random IV.
                    if self.iv_state != IvState::None {
                        self.iv_state = IvState::Spent;
                    }
                }
                Ok(())
            }
            (b"keylen", _) => check_key_bytes(given, self.size.bytes()),
            (b"tlsaad", _) => self.set_tls_header(given),
            (b"tlsivfixed", _) => self.fix_iv(given),
            (b"tlsivinv", _) => self.invert_iv(given.octets()?),
            _ => Ok(()),
        }
    }

    fn set_tag_bytes(&mut self, bytes: usize) -> Outcome<()> {
        if !(1..=TAG_BYTES).contains(&bytes) {
            let message = format!("a tag has 1 to {TAG_BYTES} bytes, not {bytes}");
            return Reason::InvalidTag.fail(message);
        }
        self.tag_bytes = Some(bytes);
        Ok(())
    }
}

/// These bytes in ordinary memory.
fn copied(bytes: &[u8]) -> Outcome<Buffer> {
    Ok(Allocator::default().filled(bytes)?)
}

fn random(bytes: &mut [u8]) -> Outcome<()> {
    getrandom::fill(bytes).map_err(|error| {
        let message = format!("no random numbers for an IV: {error}");
        Failure::new(Reason::CipherOperationFailed, message)
    })
}
