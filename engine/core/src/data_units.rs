// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! XTS's second key and the length of its data units (IEEE 1619-2018; SP 800-38E).

use std::sync::Arc;

use subtle::ConstantTimeEq;

use crate::key::BLOCK_BYTES;
use crate::{Error, Key, Result};

/// Longest data unit in bytes: 2^20 blocks (SP 800-38E, section 4).
pub const MAXIMUM_DATA_UNIT_BYTES: usize = BLOCK_BYTES << 20;

/// How a request's data is cut into data units, such as a disk's sectors, and the key of
/// their tweaks.
///
/// The request's data begins with the data unit whose number its IV has; the numbers count
/// up, modulo 2^128. All units are `bytes` long but for the last, which may be shorter, though
/// not below a block. The output is as long as the input: where a unit is not whole blocks,
/// its last two take ciphertext stealing (IEEE 1619-2018, 5.3.2).
#[derive(Debug, Clone)]
pub struct DataUnits {
    /// The key that encrypts the numbers ("Key 2"), as long as the request's own and different.
    pub tweak_key: Arc<Key>,
    /// Bytes of a data unit: 16 to [`MAXIMUM_DATA_UNIT_BYTES`].
    pub bytes: usize,
}

impl DataUnits {
    /// [`crate::ErrorKind::Invalid`] for keys and lengths that cannot be.
    pub(crate) fn check(&self, key: &Key) -> Result<()> {
        if !key.is_aes() || !self.tweak_key.is_aes() {
            return Err(Error::invalid("XTS takes two keys of AES"));
        }
        if key.bits() != self.tweak_key.bits() || key.bits() == 192 {
            return Err(Error::invalid(format!(
                "XTS takes two keys of 128 or two of 256 bits, not of {} and {}",
                key.bits(),
                self.tweak_key.bits()
            )));
        }
        // FIPS 140-3 implementation guidance C.I; OpenSSL's FIPS provider refuses them too.
        if bool::from(key.as_bytes().ct_eq(self.tweak_key.as_bytes())) {
            return Err(Error::invalid(
                "the two keys of XTS are equal, with which it is not secure: take another",
            ));
        }
        if !(BLOCK_BYTES..=MAXIMUM_DATA_UNIT_BYTES).contains(&self.bytes) {
            return Err(Error::invalid(format!(
                "an XTS data unit has {BLOCK_BYTES} to {MAXIMUM_DATA_UNIT_BYTES} bytes, not {}",
                self.bytes
            )));
        }
        Ok(())
    }

    /// Whether so many bytes of data need ciphertext stealing.
    pub fn steals(&self, bytes: usize) -> bool {
        !bytes.is_multiple_of(BLOCK_BYTES)
            || (bytes > self.bytes && !self.bytes.is_multiple_of(BLOCK_BYTES))
    }

    /// The number of the unit that comes after so many bytes of data that begin with this one.
    pub fn following(&self, number: [u8; BLOCK_BYTES], bytes: usize) -> [u8; BLOCK_BYTES] {
        let units = bytes.div_ceil(self.bytes.max(1)) as u128;
        u128::from_le_bytes(number)
            .wrapping_add(units)
            .to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CipherRequest, Direction, PRESENT};

    fn request(key: &[u8], tweak_key: &[u8], bytes: usize) -> Result<CipherRequest> {
        let (key, tweak_key) = (Key::new(key).unwrap(), Key::new(tweak_key).unwrap());
        CipherRequest::xts(Direction::Decrypt, key, tweak_key, 1, bytes)
    }

    #[test]
    fn keys_that_cannot_be_are_refused() {
        assert!(request(&[1; 16], &[2; 16], 16).is_ok());
        for (key, tweak_key) in [
            (&[1; 24][..], &[2; 24][..]),
            (&[1; 16], &[2; 32]),
            (&[1; 32], &[1; 32]),
        ] {
            let error = request(key, tweak_key, 512).unwrap_err().to_string();
            assert!(error.contains("keys of"), "{error}");
        }
        let mut request = request(&[1; 16], &[2; 16], 16).unwrap();
        let other = Arc::new(Key::of(&PRESENT, &[3; 16]).unwrap());
        request.data_units.as_mut().unwrap().tweak_key = other;
        let error = request.check_data_units(16).unwrap_err().to_string();
        assert!(error.contains("keys of AES"), "{error}");
    }

    #[test]
    fn a_key_that_was_changed_later_is_seen() {
        let mut request = request(&[1; 16], &[2; 16], 512).unwrap();
        request.key = Arc::new(Key::new(&[2; 16]).unwrap());
        assert!(request.check_data_units(512).is_err());
        request.data_units = None;
        assert!(request.check_data_units(512).is_err());
    }

    #[test]
    fn a_unit_has_a_block_at_least_and_a_mebiblock_at_most() {
        for (bytes, right) in [
            (15, false),
            (16, true),
            (MAXIMUM_DATA_UNIT_BYTES, true),
            (MAXIMUM_DATA_UNIT_BYTES + 1, false),
        ] {
            assert_eq!(request(&[1; 32], &[2; 32], bytes).is_ok(), right, "{bytes}");
        }
        let request = request(&[1; 32], &[2; 32], 40).unwrap();
        for (bytes, right, steals) in [
            (0, false, false),
            (15, false, true),
            (32, true, false),
            (40, true, true),
            (55, false, true),
            (80, true, true),
        ] {
            assert_eq!(request.check_data_units(bytes).is_ok(), right, "{bytes}");
            let units = request.data_units.as_ref().unwrap();
            assert_eq!(units.steals(bytes), steals, "{bytes}");
        }
    }

    #[test]
    fn numbers_count_units_little_endian() {
        let request = request(&[1; 32], &[2; 32], 32).unwrap();
        let units = request.data_units.unwrap();
        let after =
            |number: u128, bytes| u128::from_le_bytes(units.following(number.to_le_bytes(), bytes));
        assert_eq!((after(255, 64), after(255, 65)), (257, 258));
        assert_eq!(after(u128::MAX, 32), 0);
    }
}
