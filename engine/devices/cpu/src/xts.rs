// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! XTS (IEEE 1619-2018, 5.3 and 5.4) out of ECB on the best instructions.

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, DataUnits, Direction, Key, Mode, Request, Result};
use zeroize::Zeroize;

use crate::direct::Direct;

/// Blocks whose tweaks are laid out at once: enough for the widest kernel, few enough to
/// stay in the nearest cache beside their data.
const BLOCKS: usize = 64;

/// The polynomial x^128 + x^7 + x^2 + x + 1, without its first term (IEEE 1619-2018, 5.2).
const POLYNOMIAL: u128 = 0x87;

/// XTS with one pair of keys and one direction, on the best instructions here.
///
/// ```
/// use ciphermill::{Direction, Key, Request};
/// use ciphermill_cpu::DirectXts;
/// let request = |direction| {
///     let (key, tweak_key) = (Key::new(&[1; 32]).unwrap(), Key::new(&[2; 32]).unwrap());
///     Request::xts(direction, key, tweak_key, 0, 512).unwrap()
/// };
/// let mut sector = [7; 512];
/// let number = 40_u128.to_le_bytes();
/// DirectXts::new(&request(Direction::Encrypt)).unwrap().process(number, &mut sector).unwrap();
/// assert_ne!(sector, [7; 512]);
/// DirectXts::new(&request(Direction::Decrypt)).unwrap().process(number, &mut sector).unwrap();
/// assert_eq!(sector, [7; 512]);
/// ```
pub struct DirectXts {
    data: Direct,
    numbers: Direct,
    direction: Direction,
    units: DataUnits,
    /// Secret: they stand between the data and ECB.
    tweaks: [u128; BLOCKS],
}

impl DirectXts {
    /// For data units of this request's length, with its keys and direction.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] where [`Request::xts`] gives it.
    pub fn new(request: &Request) -> Result<DirectXts> {
        DirectXts::on(request, &Direct::new)
    }

    /// As [`DirectXts::new`], with this maker of ECB.
    pub(crate) fn on(
        request: &Request,
        make: &dyn Fn(&Request) -> Result<Direct>,
    ) -> Result<DirectXts> {
        let units = request.check_data_units(BLOCK_BYTES)?.clone();
        let ecb = |direction, key: &Arc<Key>| {
            let key = Arc::clone(key);
            make(&Request::new(Mode::Ecb, direction, key, [0; BLOCK_BYTES]))
        };
        Ok(DirectXts {
            data: ecb(request.direction, &request.key)?,
            numbers: ecb(Direction::Encrypt, &units.tweak_key)?,
            direction: request.direction,
            units,
            tweaks: [0; BLOCKS],
        })
    }

    /// Work in place on data units, the first of which has this number (16 bytes, little
    /// endian). The last may be shorter than the others.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for a unit of less than a block, before it is
    /// touched, and [`ciphermill::ErrorKind::Device`] when the library behind it refuses.
    pub fn process(&mut self, mut number: [u8; BLOCK_BYTES], data: &mut [u8]) -> Result<()> {
        for unit in data.chunks_mut(self.units.bytes) {
            self.unit(number, unit)?;
            number = self.units.following(number, unit.len());
        }
        Ok(())
    }

    fn unit(&mut self, number: [u8; BLOCK_BYTES], unit: &mut [u8]) -> Result<()> {
        if unit.len() < BLOCK_BYTES {
            return Err(ciphermill::Error::invalid(format!(
                "an XTS data unit has {BLOCK_BYTES} bytes or more, not {}",
                unit.len()
            )));
        }
        let mut first = number;
        self.numbers.process(&mut first)?;
        let mut tweak = u128::from_le_bytes(first);
        let left = unit.len() % BLOCK_BYTES;
        // The last whole block waits for the rest that steals from it.
        let straight = match left {
            0 => unit.len(),
            _ => unit.len() - left - BLOCK_BYTES,
        };
        let (blocks, rest) = unit.split_at_mut(straight);
        tweak = self.blocks(tweak, blocks)?;
        if left > 0 {
            self.steal(tweak, rest)?;
        }
        first.zeroize();
        Ok(())
    }

    /// Whole blocks, the first of which has this tweak; the next one.
    fn blocks(&mut self, mut tweak: u128, data: &mut [u8]) -> Result<u128> {
        for piece in data.chunks_mut(BLOCKS * BLOCK_BYTES) {
            let count = piece.len() / BLOCK_BYTES;
            for place in &mut self.tweaks[..count] {
                *place = tweak;
                tweak = doubled(tweak);
            }
            exclusive_or(piece, &self.tweaks);
            self.data.process(piece)?;
            exclusive_or(piece, &self.tweaks);
        }
        Ok(tweak)
    }

    /// A whole block and the part of one behind it (IEEE 1619-2018, 5.3.2 and 5.4.2).
    fn steal(&mut self, tweak: u128, rest: &mut [u8]) -> Result<()> {
        // A decryption takes the two tweaks the other way round.
        let (first, second) = match self.direction {
            Direction::Encrypt => (tweak, doubled(tweak)),
            Direction::Decrypt => (doubled(tweak), tweak),
        };
        let (block, part) = rest.split_at_mut(BLOCK_BYTES);
        self.blocks(first, block)?;
        // The block's beginning becomes the part, and the part the block's beginning.
        block[..part.len()].swap_with_slice(part);
        self.blocks(second, block)?;
        Ok(())
    }
}

impl Drop for DirectXts {
    fn drop(&mut self) {
        self.tweaks.zeroize();
    }
}

/// Times x, without a branch on what is secret.
fn doubled(tweak: u128) -> u128 {
    (tweak << 1) ^ (POLYNOMIAL & 0_u128.wrapping_sub(tweak >> 127))
}

fn exclusive_or(data: &mut [u8], tweaks: &[u128; BLOCKS]) {
    let (blocks, _) = data.as_chunks_mut::<BLOCK_BYTES>();
    for (block, tweak) in blocks.iter_mut().zip(tweaks) {
        *block = (u128::from_le_bytes(*block) ^ tweak).to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xts(direction: Direction, bytes: usize) -> DirectXts {
        let key = |byte| Key::new(&[byte; 16]).unwrap();
        let request = Request::xts(direction, key(1), key(2), 0, bytes).unwrap();
        DirectXts::new(&request).unwrap()
    }

    #[test]
    fn doubling_is_in_the_field() {
        assert_eq!(doubled(1), 2);
        assert_eq!(doubled(1 << 127), 0x87);
        assert_eq!(doubled(3 << 126), (1 << 127) ^ 0x87);
    }

    #[test]
    fn units_of_every_length_come_back() {
        let data: Vec<u8> = (0..3000).map(|index: usize| (index >> 2) as u8).collect();
        for bytes in [16, 17, 31, 32, 512, 1040, 2999] {
            for length in [16, 33, 511, 2048, 3000] {
                let last = length % bytes;
                if (1..16).contains(&last) {
                    continue;
                }
                let mut place = data[..length].to_vec();
                let number = [0xff; 16];
                xts(Direction::Encrypt, bytes)
                    .process(number, &mut place)
                    .unwrap();
                assert_ne!(place, data[..length]);
                xts(Direction::Decrypt, bytes)
                    .process(number, &mut place)
                    .unwrap();
                assert_eq!(place, data[..length], "{length} in units of {bytes}");
            }
        }
    }

    #[test]
    fn less_than_a_block_is_refused_untouched() {
        let mut data = [5; 15];
        assert!(
            xts(Direction::Encrypt, 512)
                .process([0; 16], &mut data)
                .is_err()
        );
        assert_eq!(data, [5; 15]);
    }
}
