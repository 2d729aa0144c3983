// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! TLS records in CBC (RFC 5246, 6.2.3.2; RFC 2246 for TLS 1.0): padding and MAC are taken
//! off in a time that tells nothing of them, since an attacker who learns where a record's
//! padding ends learns its plaintext (N. AlFardan and K. Paterson, "Lucky Thirteen", 2013).
//! The MAC itself is checked by libssl, to which a record with wrong padding shows a random
//! one.

use ciphermill::BLOCK_BYTES;
use subtle::{
    Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater, ConstantTimeLess,
};

/// SSL 3.0, whose padding is not checkable.
const SSL_3_0: u64 = 0x0300;
/// TLS 1.0, whose records have no IV of their own.
const TLS_1_0: u64 = 0x0301;

/// Longest MAC in bytes.
const MAC_BYTES: usize = 64;

/// Longest padding in bytes, with the byte that tells its length.
const PADDING_BYTES: usize = 256;

/// How records look, and the MAC of the last one.
#[derive(Clone)]
pub(super) struct Tls {
    has_iv: bool,
    mac: [u8; MAC_BYTES],
    mac_bytes: usize,
}

impl Tls {
    /// For a version as the record header has it; `None` for SSL 3.0.
    pub(super) fn new(version: u64) -> Option<Tls> {
        (version != SSL_3_0).then_some(Tls {
            has_iv: version != TLS_1_0,
            mac: [0; MAC_BYTES],
            mac_bytes: 0,
        })
    }

    /// The length of the MAC that precedes the padding; 0 with encrypt-then-MAC.
    pub(super) fn set_mac_bytes(&mut self, bytes: usize) -> Option<()> {
        self.mac_bytes = bytes;
        (bytes <= MAC_BYTES).then_some(())
    }

    /// The MAC of the last record.
    pub(super) fn mac(&self) -> &[u8] {
        &self.mac[..self.mac_bytes]
    }

    /// A decrypted record: the length of its contents, which begin after the IV. `None`
    /// where it is wrong in a way that everyone may see.
    pub(super) fn open(&mut self, record: &mut [u8]) -> Option<usize> {
        let iv_bytes = if self.has_iv { BLOCK_BYTES } else { 0 };
        let data = record.get(iv_bytes..)?;
        if data.len() < self.mac_bytes + 1 {
            return None;
        }
        let last = data.len() - 1;
        let padding = u64::from(data[last]);
        let room = (data.len() - self.mac_bytes) as u64;
        let mut good = padding.ct_lt(&room);
        for (distance, byte) in (0u64..).zip(data.iter().rev().take(PADDING_BYTES)) {
            let outside = distance.ct_gt(&padding);
            good &= outside | u64::from(*byte).ct_eq(&padding);
        }
        let removed = u64::conditional_select(&0, &(padding + 1), good);
        let end = data.len() as u64 - removed;
        if self.mac_bytes == 0 {
            return bool::from(good).then_some(usize::try_from(end).ok()?);
        }
        let mut random = [0; MAC_BYTES];
        getrandom::fill(&mut random).ok()?;
        let mac = find_mac(data, end, self.mac_bytes);
        for (index, byte) in self.mac.iter_mut().enumerate() {
            *byte = u8::conditional_select(&random[index], &mac[index], good);
        }
        usize::try_from(end).ok()?.checked_sub(self.mac_bytes)
    }
}

/// The `bytes` before `end`, wherever in the last 256 places that is.
fn find_mac(data: &[u8], end: u64, bytes: usize) -> [u8; MAC_BYTES] {
    let scan = data.len().saturating_sub(bytes + PADDING_BYTES);
    let start = end - bytes as u64;
    let (mut rotated, mut offset) = ([0u8; MAC_BYTES], 0u64);
    let (mut inside, mut place) = (Choice::from(0), 0);
    for (position, byte) in (scan as u64..).zip(&data[scan..]) {
        let begins = position.ct_eq(&start);
        inside = (inside | begins) & position.ct_lt(&end);
        offset = u64::conditional_select(&offset, &(place as u64), begins);
        rotated[place] |= u8::conditional_select(&0, byte, inside);
        place = (place + 1) % bytes;
    }
    let mut mac = [0; MAC_BYTES];
    for (index, to) in mac[..bytes].iter_mut().enumerate() {
        for (from, byte) in rotated[..bytes].iter().enumerate() {
            // Which place goes here is the secret; that each is looked at is not.
            let wanted = (index as u64 + offset).ct_eq(&(from as u64))
                | (index as u64 + offset).ct_eq(&((from + bytes) as u64));
            *to |= u8::conditional_select(&0, byte, wanted);
        }
    }
    mac
}

/// Fill a record up to whole blocks; its new length, or `None` without room.
pub(super) fn pad(buffer: &mut [u8], bytes: usize) -> Option<usize> {
    let missing = BLOCK_BYTES - bytes % BLOCK_BYTES;
    buffer
        .get_mut(bytes..bytes + missing)?
        .fill(missing as u8 - 1);
    Some(bytes + missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TLS_1_2: u64 = 0x0303;

    /// A record with an IV, so much data, a MAC of ascending numbers and padding.
    fn record(data: usize, mac: usize, padding: usize) -> Vec<u8> {
        let mut record = vec![0xee; BLOCK_BYTES + data];
        record.extend(1..=mac as u8);
        record.extend(vec![padding as u8; padding + 1]);
        record
    }

    #[test]
    fn contents_and_mac_are_found_whatever_the_padding() {
        for mac_bytes in [20, 32, 48] {
            for padding in [0, 1, 15, 100, 255] {
                for data in [0, 1, 77, 1000] {
                    let mut record = record(data, mac_bytes, padding);
                    let mut tls = Tls::new(TLS_1_2).unwrap();
                    tls.set_mac_bytes(mac_bytes).unwrap();
                    assert_eq!(tls.open(&mut record), Some(data), "{mac_bytes} {padding}");
                    let expected: Vec<u8> = (1..=mac_bytes as u8).collect();
                    assert_eq!(tls.mac(), expected);
                }
            }
        }
    }

    #[test]
    fn wrong_padding_gives_a_mac_that_cannot_be_right() {
        for (place, data) in [(1, 40), (7, 40), (1, 0)] {
            let mut record = record(data, 20, 7);
            let bytes = record.len();
            record[bytes - place] ^= 0x80;
            let mut tls = Tls::new(TLS_1_2).unwrap();
            tls.set_mac_bytes(20).unwrap();
            // As if there were no padding at all.
            assert_eq!(tls.open(&mut record), Some(data + 8));
            assert_ne!(tls.mac()[..4], [1, 2, 3, 4]);
        }
    }

    #[test]
    fn without_a_mac_wrong_padding_is_an_error() {
        let mut tls = Tls::new(TLS_1_2).unwrap();
        let mut whole = record(40, 0, 7);
        assert_eq!(tls.open(&mut whole), Some(40));
        whole[60] ^= 1;
        assert_eq!(tls.open(&mut whole), None);
        assert_eq!(tls.open(&mut [0; 16]), None);
    }

    #[test]
    fn padding_tells_its_length_and_needs_room() {
        let mut buffer = [9; 32];
        assert_eq!(pad(&mut buffer, 13), Some(16));
        assert_eq!(buffer[12..17], [9, 2, 2, 2, 9]);
        assert_eq!(pad(&mut buffer, 16), Some(32));
        assert_eq!(buffer[31], 15);
        assert_eq!(pad(&mut buffer, 32), None);
    }

    #[test]
    fn versions_differ_in_the_iv() {
        assert!(Tls::new(SSL_3_0).is_none());
        let mut tls = Tls::new(TLS_1_0).unwrap();
        assert_eq!(tls.open(&mut [5, 1, 1]), Some(1));
    }
}
