// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! PKCS#7 padding (RFC 5652, section 6.3) to whole AES blocks.

use subtle::{Choice, ConstantTimeEq, ConstantTimeLess};

use crate::{BLOCK_BYTES, Buffer, Error, Result};

/// Fill up to the next whole block; a message of whole blocks gets one more.
///
/// ```
/// let mut data = ciphermill::Buffer::from(b"thirteen byte".to_vec());
/// ciphermill::padding::pad(&mut data).unwrap();
/// assert_eq!(data, b"thirteen byte\x03\x03\x03");
/// assert_eq!(ciphermill::padding::unpadded_bytes(&data).unwrap(), 13);
/// ```
///
/// # Errors
/// As [`Buffer::append`].
pub fn pad(data: &mut Buffer) -> Result<()> {
    let count = BLOCK_BYTES - data.len() % BLOCK_BYTES;
    let value = u8::try_from(count).expect("a block has 16 bytes");
    data.append(&[value; BLOCK_BYTES][..count])
}

/// Length of the message without its padding.
///
/// The padding's bytes are compared in constant time, so that how long this
/// takes does not tell which of them is wrong. Still, look at padding only after
/// the data's tag was checked, where there is one.
///
/// # Errors
/// [`crate::ErrorKind::Damaged`] when the data is not padded.
pub fn unpadded_bytes(data: &[u8]) -> Result<usize> {
    let wrong = || Error::damaged("the padding is wrong");
    if data.is_empty() || !data.len().is_multiple_of(BLOCK_BYTES) {
        return Err(wrong());
    }
    let block = &data[data.len() - BLOCK_BYTES..];
    let count = block[BLOCK_BYTES - 1];
    let mut good: Choice = !count.ct_eq(&0) & count.ct_lt(&(BLOCK_BYTES as u8 + 1));
    for (distance, byte) in (1u8..).zip(block.iter().rev()) {
        let outside = count.ct_lt(&distance);
        good &= outside | byte.ct_eq(&count);
    }
    if good.into() {
        Ok(data.len() - usize::from(count))
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_comes_back() {
        for length in 0..=48 {
            let mut data = Buffer::from(vec![0xa5; length]);
            pad(&mut data).unwrap();
            assert_eq!(data.len() % BLOCK_BYTES, 0);
            assert!(data.len() > length);
            assert_eq!(unpadded_bytes(&data).unwrap(), length);
        }
    }

    #[test]
    fn every_wrong_byte_is_seen() {
        for length in 0..BLOCK_BYTES {
            let mut good = Buffer::from(vec![0xa5; length]);
            pad(&mut good).unwrap();
            for position in length..BLOCK_BYTES {
                let mut bad = good.clone();
                bad[position] ^= 0x80;
                assert!(unpadded_bytes(&bad).is_err(), "{length} {position}");
            }
        }
    }

    #[test]
    fn zero_long_and_partial_padding_is_refused() {
        assert!(unpadded_bytes(&[]).is_err());
        assert!(unpadded_bytes(&[0; 16]).is_err());
        assert!(unpadded_bytes(&[17; 32]).is_err());
        assert!(unpadded_bytes(&[1; 15]).is_err());
    }
}
