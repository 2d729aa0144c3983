// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! XTS (IEEE 1619-2018, 5.3 and 5.4) out of ECB on the best instructions.

use std::sync::Arc;

use ciphermill::{
    BLOCK_BYTES, CipherRequest, DataUnits, Direction, Error, Key, Mode, Result, Span,
};
use zeroize::{Zeroize, Zeroizing};

use crate::answer::check_lengths;
use crate::direct::Direct;
use crate::evp::{AWS_LC, EvpContext};
use crate::instructions::Instructions;

/// Bytes whose tweaks are laid out at once: enough for the widest kernel, few enough to
/// stay in the nearest cache beside their data.
const CHUNK_BYTES: usize = 64 * BLOCK_BYTES;

/// Tweaks that are followed side by side.
const STRANDS: usize = 8;

/// The polynomial x^128 + x^7 + x^2 + x + 1, without its first term (IEEE 1619-2018, 5.2).
const POLYNOMIAL: u128 = 0x87;

/// XTS with one pair of keys and one direction, on the best instructions here.
///
/// ```
/// use ciphermill::{Direction, Key, CipherRequest};
/// use ciphermill_cpu::DirectXts;
/// let request = |direction| {
///     let (key, tweak_key) = (Key::new(&[1; 32]).unwrap(), Key::new(&[2; 32]).unwrap());
///     CipherRequest::xts(direction, key, tweak_key, 0, 512).unwrap()
/// };
/// let mut sector = [7; 512];
/// let number = 40_u128.to_le_bytes();
/// DirectXts::new(&request(Direction::Encrypt)).unwrap().process(number, &mut sector).unwrap();
/// assert_ne!(sector, [7; 512]);
/// DirectXts::new(&request(Direction::Decrypt)).unwrap().process(number, &mut sector).unwrap();
/// assert_eq!(sector, [7; 512]);
/// ```
pub struct DirectXts {
    /// Does it all where it is there.
    library: Option<EvpContext>,
    data: Direct,
    numbers: Direct,
    direction: Direction,
    units: DataUnits,
    /// Secret: they stand between the data and ECB.
    tweaks: [u8; CHUNK_BYTES],
}

impl DirectXts {
    /// For data units of this request's length, with its keys and direction.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] where [`CipherRequest::xts`] gives it.
    pub fn new(request: &CipherRequest) -> Result<DirectXts> {
        DirectXts::with(Instructions::best(), request)
    }

    /// As [`DirectXts::new`], on chosen instructions where there is a kernel for them. On the
    /// best ones AWS-LC's own XTS is faster, which it has for keys of 256 bits.
    pub(crate) fn with(instructions: Instructions, request: &CipherRequest) -> Result<DirectXts> {
        let units = request.check_data_units(BLOCK_BYTES)?.clone();
        let ecb = |direction, key: &Arc<Key>| {
            let key = Arc::clone(key);
            let ecb = CipherRequest::new(Mode::Ecb, direction, key, [0; BLOCK_BYTES]);
            Direct::with(instructions, &ecb)
        };
        let has_library = request.key.bits() == 256 && instructions == Instructions::best();
        let library = match has_library {
            true => {
                let (key, tweak_key) = (&request.key, Some(&*units.tweak_key));
                let direction = request.direction;
                Some(EvpContext::new(
                    &AWS_LC,
                    Mode::Xts,
                    direction,
                    key,
                    tweak_key,
                )?)
            }
            false => None,
        };
        Ok(DirectXts {
            library,
            data: ecb(request.direction, &request.key)?,
            numbers: ecb(Direction::Encrypt, &units.tweak_key)?,
            direction: request.direction,
            units,
            tweaks: [0; CHUNK_BYTES],
        })
    }

    /// Work in place on data units, the first of which has this number (16 bytes, little
    /// endian). The last may be shorter than the others.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for a unit of less than a block, before it is
    /// touched, and [`ciphermill::ErrorKind::Device`] when the library behind it refuses.
    pub fn process(&mut self, number: [u8; BLOCK_BYTES], data: &mut [u8]) -> Result<()> {
        self.work(number, Span::InPlace(data))
    }

    /// As [`DirectXts::process`], also from one place to another of the same length.
    ///
    /// # Errors
    /// As [`DirectXts::process`], and [`ciphermill::ErrorKind::Invalid`] for other lengths.
    pub fn work(&mut self, mut number: [u8; BLOCK_BYTES], mut span: Span<'_>) -> Result<()> {
        check_lengths(&span)?;
        while span.len() > 0 {
            let bytes = self.units.bytes.min(span.len());
            let (unit, rest) = span.split(bytes);
            self.unit(number, unit)?;
            number = self.units.following(number, bytes);
            span = rest;
        }
        Ok(())
    }

    fn unit(&mut self, number: [u8; BLOCK_BYTES], unit: Span<'_>) -> Result<()> {
        if unit.len() < BLOCK_BYTES {
            return Err(Error::invalid(format!(
                "an XTS data unit has {BLOCK_BYTES} bytes or more, not {}",
                unit.len()
            )));
        }
        if let Some(library) = &mut self.library {
            library.start(&number)?;
            return library.work(unit);
        }
        // Both are as secret as the tweaks.
        let mut first = Zeroizing::new(number);
        self.numbers.process(&mut *first)?;
        let mut tweak = Zeroizing::new(u128::from_le_bytes(*first));
        let left = unit.len() % BLOCK_BYTES;
        // The last whole block waits for the rest that steals from it.
        let straight = match left {
            0 => unit.len(),
            _ => unit.len() - left - BLOCK_BYTES,
        };
        let (mut blocks, rest) = unit.split(straight);
        while blocks.len() > 0 {
            let bytes = blocks.len().min(CHUNK_BYTES);
            let (chunk, others) = blocks.split(bytes);
            *tweak = self.blocks(*tweak, chunk.into_place())?;
            blocks = others;
        }
        if left > 0 {
            self.steal(*tweak, rest.into_place())?;
        }
        Ok(())
    }

    /// So many whole blocks as there are tweaks for at most, the first with this one; the
    /// next one.
    fn blocks(&mut self, first: u128, chunk: &mut [u8]) -> Result<u128> {
        let (places, _) = self.tweaks.as_chunks_mut::<BLOCK_BYTES>();
        let count = chunk.len() / BLOCK_BYTES;
        // Eight chains side by side, so that none waits for the one before it.
        let mut strands = [first; STRANDS];
        for strand in 1..STRANDS {
            strands[strand] = doubled(strands[strand - 1]);
        }
        for places in places[..count.next_multiple_of(STRANDS)].chunks_exact_mut(STRANDS) {
            for (place, tweak) in places.iter_mut().zip(&mut strands) {
                *place = tweak.to_le_bytes();
                *tweak = times_256(*tweak);
            }
        }
        self.data
            .process_masked(&self.tweaks[..chunk.len()], chunk)?;
        // What comes after the last one, which was laid out unless all strands are used.
        let (places, _) = self.tweaks.as_chunks::<BLOCK_BYTES>();
        Ok(match count.is_multiple_of(STRANDS) {
            true => strands[0],
            false => u128::from_le_bytes(places[count]),
        })
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

/// Times x^8, likewise: what is shifted out, times the polynomial, comes back in.
fn times_256(tweak: u128) -> u128 {
    let out = tweak >> 120;
    (tweak << 8) ^ out ^ (out << 1) ^ (out << 2) ^ (out << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xts(direction: Direction, bytes: usize) -> DirectXts {
        let key = |byte| Key::new(&[byte; 16]).unwrap();
        let request = CipherRequest::xts(direction, key(1), key(2), 0, bytes).unwrap();
        DirectXts::new(&request).unwrap()
    }

    #[test]
    fn doubling_is_in_the_field() {
        assert_eq!(doubled(1), 2);
        assert_eq!(doubled(1 << 127), 0x87);
        assert_eq!(doubled(3 << 126), (1 << 127) ^ 0x87);
        for tweak in [1, 0x80 << 120, u128::MAX, 0x0123_4567_89ab_cdef << 64] {
            let eight = (0..8).fold(tweak, |tweak, _| doubled(tweak));
            assert_eq!(times_256(tweak), eight);
        }
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
                let mut apart = vec![0; length];
                let mut decrypting = xts(Direction::Decrypt, bytes);
                let span = Span::Apart(&place, &mut apart);
                decrypting.work(number, span).unwrap();
                assert_eq!(apart, data[..length], "{length} in units of {bytes}, apart");
                let short = decrypting.work(number, Span::Apart(&place, &mut apart[1..]));
                assert!(short.is_err());
                decrypting.process(number, &mut place).unwrap();
                assert_eq!(place, data[..length], "{length} in units of {bytes}");
            }
        }
    }

    #[test]
    fn the_library_gives_what_the_kernels_give() {
        let key = |byte| Key::new(&[byte; 32]).unwrap();
        let data: Vec<u8> = (0..5000).map(|index: usize| (index >> 3) as u8).collect();
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let request = CipherRequest::xts(direction, key(1), key(2), 0, 1030).unwrap();
            let mut library = DirectXts::new(&request).unwrap();
            assert!(library.library.is_some());
            let mut kernel = DirectXts::new(&request).unwrap();
            kernel.library = None;
            let (mut one, mut other) = (data.clone(), data.clone());
            library.process([0xff; 16], &mut one).unwrap();
            kernel.process([0xff; 16], &mut other).unwrap();
            assert!(one == other, "{direction:?}");
            let span = Span::Apart(&data, &mut other);
            library.work([0xff; 16], span).unwrap();
            assert!(one == other, "{direction:?}, apart");
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
