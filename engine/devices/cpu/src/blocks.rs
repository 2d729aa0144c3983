// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! ECB, CBC and CTR by AWS-LC's functions for AES alone (openssl/aes.h).
//!
//! A cipher context of AWS-LC also handles padding and parts of blocks, and does not tell its IV.
//! That takes a short chunk as long as its AES. These functions choose as a context does: AES
//! instructions, vector permutations (vpaes), or bitsliced code. All three run in constant time:
//! AWS-LC has no AES with look-ups in tables.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use aws_lc_sys::{
    AES_DECRYPT, AES_ENCRYPT, AES_KEY, AES_cbc_encrypt, AES_ctr128_encrypt, AES_ecb_encrypt,
    AES_set_decrypt_key, AES_set_encrypt_key,
};
use ciphermill::{BLOCK_BYTES, CipherRequest, Direction, Key, Mode, Result, Span};
use zeroize::{Zeroize, Zeroizing};

use crate::answer::check_lengths;
use crate::evp::{AWS_LC, Ecb, refused};

/// A message in ECB, CBC or CTR, chunk by chunk.
pub(crate) struct Blocks {
    mode: Mode,
    direction: Direction,
    key: Arc<Key>,
    /// Expanded when there is something to do for it.
    schedule: Option<Box<Schedule>>,
    /// Where the next chunk goes on; zero in ECB.
    iv: [u8; BLOCK_BYTES],
    /// CTR: the keystream of a block that the last chunk used in part.
    keystream: Zeroizing<[u8; BLOCK_BYTES]>,
    /// Bytes of it that are used; 0: all of them.
    used: c_uint,
    /// ECB: works on several blocks side by side, for which there is no function of its own.
    several: Option<Ecb>,
}

impl Blocks {
    /// A message with this request's mode, direction, key and IV. For other modes nothing is
    /// worked on.
    pub(crate) fn new(request: &CipherRequest) -> Blocks {
        let mut blocks = Blocks {
            mode: request.mode,
            direction: request.direction,
            key: Arc::clone(&request.key),
            schedule: None,
            iv: [0; BLOCK_BYTES],
            keystream: Zeroizing::default(),
            used: 0,
            several: None,
        };
        blocks.set_iv(request.iv);
        blocks
    }

    pub(crate) fn key(&self) -> &Key {
        &self.key
    }

    /// The IV from which the next chunk would begin a message; zero in ECB.
    pub(crate) fn iv(&self) -> [u8; BLOCK_BYTES] {
        self.iv
    }

    /// Begin another message, or the same one elsewhere.
    pub(crate) fn set_iv(&mut self, iv: [u8; BLOCK_BYTES]) {
        if self.mode != Mode::Ecb {
            self.iv = iv;
            self.used = 0;
        }
    }

    /// The message's next bytes, in place: whole blocks in ECB and CBC. In CTR a chunk that
    /// ends within a block is the last one.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] for data that is not whole blocks; the data is unchanged.
    #[inline(always)]
    pub(crate) fn process(&mut self, data: &mut [u8]) -> Result<()> {
        let start = data.as_mut_ptr();
        // SAFETY: the data are borrowed mutably.
        unsafe { self.between(start, start, data.len()) }
    }

    /// As [`Blocks::process`], also from one place to another of the same length.
    #[inline]
    pub(crate) fn work(&mut self, span: Span<'_>) -> Result<()> {
        check_lengths(&span)?;
        match span {
            Span::InPlace(data) => self.process(data),
            // SAFETY: both have so many bytes, and the output is borrowed mutably.
            Span::Apart(input, output) => unsafe {
                self.between(output.as_mut_ptr(), input.as_ptr(), input.len())
            },
        }
    }

    /// # Safety
    /// The input is readable and the output writable for so many bytes. They are the same
    /// memory or do not overlap.
    #[inline(always)]
    unsafe fn between(&mut self, output: *mut u8, input: *const u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        if self.schedule.is_none() {
            self.expand()?;
        }
        let Some(schedule) = &self.schedule else {
            return Err(refused(&AWS_LC));
        };
        let is_whole = bytes.is_multiple_of(BLOCK_BYTES);
        let encrypt = match self.direction {
            Direction::Encrypt => AES_ENCRYPT,
            Direction::Decrypt => AES_DECRYPT,
        };
        let (key, iv) = (&raw const schedule.0, self.iv.as_mut_ptr());
        // SAFETY: the schedule is that of the key for this mode and direction, the IV and the
        // keystream have a block, no more of the keystream is used than it has, and the
        // lengths are whole blocks where they must be. The rest is this function's contract.
        unsafe {
            match self.mode {
                Mode::Ecb if bytes == BLOCK_BYTES => AES_ecb_encrypt(input, output, key, encrypt),
                Mode::Ecb if is_whole => return self.several(output, input, bytes),
                Mode::Cbc if is_whole => AES_cbc_encrypt(input, output, bytes, key, iv, encrypt),
                Mode::Ctr => {
                    let (keystream, used) = (self.keystream.as_mut_ptr(), &raw mut self.used);
                    AES_ctr128_encrypt(input, output, bytes, key, iv, keystream, used);
                }
                _ => return Err(refused(&AWS_LC)),
            }
        }
        Ok(())
    }

    /// # Safety
    /// As [`Blocks::between`].
    #[inline(never)]
    unsafe fn several(&mut self, output: *mut u8, input: *const u8, bytes: usize) -> Result<()> {
        let ecb = match &mut self.several {
            Some(ecb) => ecb,
            none => none.insert(Ecb::new(self.direction, &self.key)?),
        };
        // SAFETY: this function's contract.
        unsafe { ecb.work(output, input, bytes) }
    }

    #[cold]
    fn expand(&mut self) -> Result<()> {
        let direction = match self.mode {
            Mode::Ctr => Direction::Encrypt,
            _ => self.direction,
        };
        self.schedule = Some(Schedule::new(direction, &self.key)?);
        Ok(())
    }
}

/// An expanded key, zeroised when it is dropped.
struct Schedule(AES_KEY);

impl Schedule {
    /// In a place of its own, so that no copy stays behind when it moves.
    fn new(direction: Direction, key: &Key) -> Result<Box<Schedule>> {
        let mut schedule = Box::new(Schedule(AES_KEY {
            rd_key: [0; 60],
            rounds: 0,
        }));
        let bytes = key.as_bytes().as_ptr();
        // At most 256.
        let bits = key.bits() as c_uint;
        let place = &raw mut schedule.0;
        // SAFETY: the key has so many bits, and the schedule is ours.
        let status: c_int = unsafe {
            match direction {
                Direction::Encrypt => AES_set_encrypt_key(bytes, bits, place),
                Direction::Decrypt => AES_set_decrypt_key(bytes, bits, place),
            }
        };
        match status {
            0 => Ok(schedule),
            _ => Err(refused(&AWS_LC)),
        }
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.0.rd_key.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::{Chain, ErrorKind};

    use super::*;
    use crate::reference;

    fn bytes(count: usize) -> Vec<u8> {
        (0..count)
            .map(|index| ((index * index * 7) >> 3) as u8)
            .collect()
    }

    fn requests() -> impl Iterator<Item = CipherRequest> {
        [Mode::Ecb, Mode::Cbc, Mode::Ctr]
            .into_iter()
            .flat_map(|mode| {
                [Direction::Encrypt, Direction::Decrypt]
                    .into_iter()
                    .flat_map(move |direction| {
                        [16, 24, 32].into_iter().map(move |size| {
                            let key = Key::new(&bytes(size)).unwrap();
                            // The counter's carry goes through all of its bytes.
                            CipherRequest::new(mode, direction, key, [0xff; 16])
                        })
                    })
            })
    }

    fn plainly(request: &CipherRequest, data: &[u8]) -> Vec<u8> {
        let key = request.key.as_bytes();
        reference::unauthenticated(request.mode, request.direction, key, &request.iv, data)
    }

    #[test]
    fn every_length_at_every_offset_is_as_the_reference_has_it() {
        for request in requests() {
            for length in 0..300 {
                let (offset, room) = (length % 17, length + 40);
                let data = bytes(room);
                let range = offset..offset + length;
                let mut in_place = data.clone();
                let outcome = Blocks::new(&request).process(&mut in_place[range.clone()]);
                let mut apart = vec![0xa5; room];
                let to = 5..5 + length;
                let again = Blocks::new(&request)
                    .work(Span::Apart(&data[range.clone()], &mut apart[to.clone()]));
                let what = format!("{} {:?} {length}", request.mode, request.direction);
                let mut expected = (data.clone(), vec![0xa5; room]);
                if request.mode == Mode::Ctr || length % 16 == 0 {
                    outcome.and(again).expect(&what);
                    let output = plainly(&request, &data[range.clone()]);
                    expected.0[range].copy_from_slice(&output);
                    expected.1[to].copy_from_slice(&output);
                } else {
                    for refused in [outcome, again] {
                        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Device, "{what}");
                    }
                }
                assert!((in_place, apart) == expected, "{what}");
            }
        }
    }

    #[test]
    fn chunks_go_on_from_one_another_and_tell_the_iv_between_them() {
        for request in requests() {
            let data = bytes(1600);
            let expected = plainly(&request, &data);
            let (mut blocks, mut chain) = (Blocks::new(&request), Chain::new(&request));
            let mut output = data.clone();
            let mut start = 0;
            for count in [1, 1, 2, 3, 7, 8, 9, 16, 53] {
                let range = start..start + 16 * count;
                if request.mode != Mode::Ecb {
                    assert_eq!(blocks.iv(), chain.next());
                }
                chain.begin(&data[range.clone()]);
                blocks.process(&mut output[range.clone()]).unwrap();
                chain.end(&output[range.clone()]);
                start = range.end;
            }
            assert!(
                output == expected,
                "{} {:?}",
                request.mode,
                request.direction
            );
            // The first chunk once more.
            blocks.set_iv(request.iv);
            let mut first = data[..48].to_vec();
            blocks.process(&mut first).unwrap();
            assert!(first == expected[..48]);
        }
    }

    #[test]
    fn a_message_that_ended_within_a_block_leaves_nothing_for_the_next() {
        let key = Key::new(&[5; 32]).unwrap();
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [7; 16]);
        let mut blocks = Blocks::new(&request);
        for length in [5, 21, 3, 40] {
            let mut data = bytes(length);
            blocks.process(&mut data).unwrap();
            assert_eq!(data, plainly(&request, &bytes(length)));
            blocks.set_iv(request.iv);
        }
    }
}
