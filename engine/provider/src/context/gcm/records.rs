// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! GCM: the records of TLS 1.2 (RFC 5288).

use ciphermill::{Direction, Span};
use zeroize::Zeroize;

use super::{Gcm, IV_BYTES, IvState, TAG_BYTES, TLS_HEADER_BYTES, random};
use crate::buffers::Buffers;
use crate::context::values::{Given, no_key, no_room};
use crate::failure::{Outcome, Reason};
use crate::provider::OnDevice;

/// The IV's part that a record carries (RFC 5288, section 3).
const EXPLICIT_IV_BYTES: usize = 8;
const TOO_SHORT: &str = "the record is shorter than its IV and tag: give the whole record";

impl Gcm {
    /// A record of TLS 1.2 (RFC 5288) in place: explicit IV, data, tag.
    pub(super) fn record(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        let header = self.tls_header.take().unwrap_or_default();
        let Buffers::InPlace { buffer, bytes } = buffers else {
            return Reason::InvalidData.fail("a TLS record is worked on in place");
        };
        let record = buffer.get_mut(..bytes).ok_or_else(no_room)?;
        if bytes < EXPLICIT_IV_BYTES + TAG_BYTES {
            return Reason::InvalidData.fail(TOO_SHORT);
        }
        let (explicit, rest) = record.split_at_mut(EXPLICIT_IV_BYTES);
        let (data, tag) = rest.split_at_mut(bytes - EXPLICIT_IV_BYTES - TAG_BYTES);
        self.message_iv = if self.encrypts() {
            let Some(records) = self.records.checked_add(1) else {
                return Reason::TooManyRecords
                    .fail("the key has done all its records: set another");
            };
            self.records = records;
            self.generate_iv(explicit)?
        } else {
            self.tag.copy_from_slice(tag);
            self.tag_bytes = None;
            self.invert_iv(explicit)?;
            self.iv
        };
        self.associated.get_or_insert_default().replace(&header)?;
        let outcome = self.record_data(&header, data, tag);
        self.iv_state = IvState::Spent;
        match outcome {
            Ok(()) if self.encrypts() => Ok(bytes),
            Ok(()) => Ok(data.len()),
            Err(failure) => {
                // Unauthenticated plaintext is erased, never returned.
                data.zeroize();
                Err(failure)
            }
        }
    }

    fn record_data(
        &mut self,
        header: &[u8; TLS_HEADER_BYTES],
        data: &mut [u8],
        tag: &mut [u8],
    ) -> Outcome<()> {
        if let Some(request) = self.request(data.len())?
            && let OnDevice::Done(done) = self
                .provider
                .run_message(request, &mut Span::InPlace(data))?
        {
            self.provider.runtime().recycle(done.data);
            if let (true, Some(given)) = (self.encrypts(), done.tag) {
                tag.copy_from_slice(&given);
            }
            self.provider.count_record(true);
            return Ok(());
        }
        let software = self.software.as_mut().ok_or_else(no_key)?;
        software.start(&self.message_iv[..self.iv_bytes])?;
        software.associate(header)?;
        software.process(data)?;
        match self.direction {
            Direction::Encrypt => tag.copy_from_slice(&software.tag()?),
            Direction::Decrypt => software.verify(&self.tag)?,
        }
        self.provider.count(data.len());
        self.provider.count_record(false);
        Ok(())
    }

    /// The next record's IV, whose end goes into `out`; the IV then counts on.
    pub(super) fn generate_iv(&mut self, out: &mut [u8]) -> Outcome<[u8; IV_BYTES]> {
        if !self.generates || self.key.is_none() {
            return Reason::InvalidData
                .fail("no fixed part of the IV was set: set tlsivfixed first");
        }
        let current = self.iv;
        let start = self.iv_bytes.checked_sub(out.len()).ok_or_else(no_room)?;
        out.copy_from_slice(&current[start..self.iv_bytes]);
        let (_, counter) = self.iv[..self.iv_bytes]
            .split_last_chunk_mut::<EXPLICIT_IV_BYTES>()
            .ok_or_else(no_room)?;
        *counter = u64::from_be_bytes(*counter).wrapping_add(1).to_be_bytes();
        Ok(current)
    }

    /// The end of the IV that a record carries.
    pub(super) fn invert_iv(&mut self, end: &[u8]) -> Outcome<()> {
        if !self.generates || self.encrypts() || end.is_empty() || end.len() > self.iv_bytes {
            return Reason::InvalidData
                .fail("no fixed part of the IV was set: set tlsivfixed first");
        }
        self.iv[self.iv_bytes - end.len()..self.iv_bytes].copy_from_slice(end);
        self.iv_state = IvState::Fresh;
        Ok(())
    }

    pub(super) fn fix_iv(&mut self, given: &Given<'_>) -> Outcome<()> {
        let fixed = given.octets()?;
        if fixed.len() == self.iv_bytes {
            self.iv[..self.iv_bytes].copy_from_slice(fixed);
        } else {
            // At least 4 bytes are fixed, and 8 count (SP 800-38D, 8.2.1).
            if fixed.len() < 4 || fixed.len() + EXPLICIT_IV_BYTES > self.iv_bytes {
                return Reason::InvalidIvLength.fail("the IV needs 4 fixed and 8 counting bytes");
            }
            self.iv[..fixed.len()].copy_from_slice(fixed);
            if self.encrypts() {
                random(&mut self.iv[fixed.len()..self.iv_bytes])?;
            }
        }
        self.generates = true;
        self.iv_state = IvState::Fresh;
        Ok(())
    }

    pub(super) fn set_tls_header(&mut self, given: &Given<'_>) -> Outcome<()> {
        let Ok(mut header) = <[u8; TLS_HEADER_BYTES]>::try_from(given.octets()?) else {
            return Reason::InvalidAad.fail("a TLS header has 13 bytes");
        };
        let [.., high, low] = header;
        // The length counts what the record carries beside the data.
        let extra = match self.direction {
            Direction::Encrypt => EXPLICIT_IV_BYTES,
            Direction::Decrypt => EXPLICIT_IV_BYTES + TAG_BYTES,
        };
        let Some(bytes) = u16::from_be_bytes([high, low]).checked_sub(extra as u16) else {
            return Reason::InvalidAad.fail(TOO_SHORT);
        };
        header[TLS_HEADER_BYTES - 2..].copy_from_slice(&bytes.to_be_bytes());
        self.tls_header = Some(header);
        self.tls_room = TAG_BYTES;
        Ok(())
    }
}
