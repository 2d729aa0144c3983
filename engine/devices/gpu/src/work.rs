// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a job asks for, and how far it is.

use ciphermill::{
    BLOCK_BYTES, Buffer, CipherRequest, DataUnits, Direction, Error, GCM_IV_BYTES, Mode, Output,
    Request, Result,
};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::chunk::Chunk;
use crate::hash::{Hash, HashKey};
use crate::stealing::{Cipher, steal};

type Block = [u8; BLOCK_BYTES];

/// A job's work for the device.
pub(crate) struct Work {
    request: CipherRequest,
    /// Bytes for the device, from the beginning of the data or of `packed`.
    device_bytes: usize,
    /// Bytes of them whose chunks were begun.
    begun: usize,
    /// CBC: the ciphertext block before the next chunk.
    previous: Block,
    /// Blocks of an XTS data unit that the device computes; of a chunk's least part elsewhere.
    unit_blocks: usize,
    /// XTS in data units that are not whole blocks: what the device computes, side by side.
    packed: Option<Packed>,
    authentication: Option<Authentication>,
}

struct Packed {
    bytes: Zeroizing<Vec<u8>>,
    /// Bytes of a data unit.
    unit_bytes: usize,
}

struct Authentication {
    key: HashKey,
    hash: Hash,
    /// The first counter block.
    first_counter: u128,
    /// The first counter block, encrypted.
    mask: Zeroizing<Block>,
    /// Bytes of the message.
    bytes: usize,
    /// Decryption: the ciphertext that is not a whole block. Encryption reads it when it is there.
    rest: Vec<u8>,
}

impl Work {
    /// Check a request, and do what the host does before the device begins.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for what this device does not have, and as
    /// [`CipherRequest::check`].
    pub(crate) fn of(request: &Request, data: &mut Buffer) -> Result<Work> {
        let request = request.cipher()?;
        let bytes = data.len();
        let (mut work, cipher) = Work::begin(request, bytes, rest_of(data))?;
        if request.mode == Mode::Xts {
            let units = request.check_data_units(bytes)?.clone();
            work.begin_xts(&cipher, &units, data)?;
        }
        Ok(work)
    }

    /// As [`Work::of`], for so many bytes in the device's memory. `rest` are the last ones, which are
    /// no whole block; encryption does not look at them.
    ///
    /// # Errors
    /// As [`Work::of`]; XTS takes data units of whole blocks there.
    pub(crate) fn in_memory(request: &CipherRequest, bytes: usize, rest: &[u8]) -> Result<Work> {
        let (mut work, _) = Work::begin(request, bytes, rest)?;
        if request.mode == Mode::Xts {
            let units = request.check_data_units(bytes)?;
            let is_whole = |bytes: usize| bytes.is_multiple_of(BLOCK_BYTES);
            if !is_whole(bytes) || !(is_whole(units.bytes) || bytes <= units.bytes) {
                return Err(Error::unsupported(
                    "data in the device's memory have data units of whole blocks in XTS: give the \
                     bytes instead",
                ));
            }
            work.unit_blocks = units.bytes / BLOCK_BYTES;
        }
        Ok(work)
    }

    fn begin(request: &CipherRequest, bytes: usize, rest: &[u8]) -> Result<(Work, Cipher)> {
        let lacks = |what| Err(Error::unsupported(format!("this device has {what}")));
        if request.bypass {
            return lacks("no bypass");
        }
        if request.output == Output::Sink {
            return lacks("no sink");
        }
        if (request.mode, request.direction) == (Mode::Cbc, Direction::Encrypt) {
            return lacks("no CBC encryption, where each block waits for the one before: use cpu");
        }
        let cipher = Cipher::of(&request.key)?;
        request.check(bytes)?;
        let mut work = Work {
            request: request.clone(),
            device_bytes: bytes,
            begun: 0,
            previous: request.iv,
            unit_blocks: 1,
            packed: None,
            authentication: None,
        };
        if request.mode == Mode::Gcm {
            work.authentication = Some(Authentication::begin(&cipher, request, bytes, rest));
        }
        Ok((work, cipher))
    }

    /// Bytes whose chunks were begun.
    pub(crate) fn begun_bytes(&self) -> usize {
        self.begun
    }

    /// Whether the next chunk needs the last block of this one.
    pub(crate) fn is_chained(&self) -> bool {
        self.request.mode == Mode::Cbc
    }

    /// Bytes whose chunks are still to begin.
    pub(crate) fn rest_bytes(&self) -> usize {
        self.device_bytes - self.begun
    }

    /// Bytes of the next chunk, where chunks have so many: whole blocks, whole data units.
    pub(crate) fn chunk_bytes(&self, most: usize) -> usize {
        let unit_bytes = self.unit_blocks * BLOCK_BYTES;
        (most / unit_bytes)
            .max(1)
            .saturating_mul(unit_bytes)
            .min(self.rest_bytes())
            .min(self.bytes_to_wrap())
    }

    /// Bytes until GCM's counter of 32 bits begins anew. Kernels count in 128 bits, and so a chunk
    /// ends there.
    fn bytes_to_wrap(&self) -> usize {
        let Some(part) = &self.authentication else {
            return usize::MAX;
        };
        let begun = (self.begun / BLOCK_BYTES) as u32;
        let counter = (part.first_counter as u32)
            .wrapping_add(begun)
            .wrapping_add(1);
        usize::try_from((1 << 32) - u64::from(counter))
            .map_or(usize::MAX, |blocks| blocks.saturating_mul(BLOCK_BYTES))
    }

    /// The next chunk, before it is begun.
    pub(crate) fn chunk(&self) -> Chunk<'_> {
        Chunk {
            request: &self.request,
            before: self.begun,
            previous: self.previous,
            unit_blocks: self.unit_blocks,
            first_gcm_counter: (self.authentication.as_ref()).map(|part| part.first_counter),
            hash_key: self.authentication.as_ref().map(|part| &part.key),
        }
    }

    /// The bytes of the next chunk.
    pub(crate) fn part<'a>(&'a mut self, data: &'a mut Buffer, bytes: usize) -> &'a mut [u8] {
        let part = self.begun..self.begun + bytes;
        match &mut self.packed {
            Some(packed) => &mut packed.bytes[part],
            None => &mut data[part],
        }
    }

    /// The next chunk, with these bytes' number and last ciphertext block, was begun.
    pub(crate) fn advance(&mut self, bytes: usize, last_block: Block) {
        self.begun += bytes;
        self.previous = last_block;
    }

    /// What the device says of the next blocks, in their order: the sum of GHASH.
    pub(crate) fn append(&mut self, blocks: usize, sum: &Block) {
        if let Some(Authentication { key, hash, .. }) = &mut self.authentication {
            hash.append(key, blocks, sum);
        }
    }

    /// What the host does when the device has done all: the tag of an encryption.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Authentication`] where a decryption's tag does not match.
    pub(crate) fn finish(self, data: &mut Buffer) -> Result<Option<Block>> {
        if let Some(packed) = &self.packed {
            packed.unpack(data);
        }
        self.finish_tag(rest_of(data))
    }

    /// As [`Work::finish`], where the output's last bytes are these, which are no whole block.
    ///
    /// # Errors
    /// As [`Work::finish`].
    pub(crate) fn finish_tag(self, rest: &[u8]) -> Result<Option<Block>> {
        let request = &self.request;
        let Some(authentication) = self.authentication else {
            return Ok(None);
        };
        let tag = authentication.finish(request, rest);
        match &request.tag {
            Some(expected) if request.direction == Direction::Decrypt => {
                if bool::from(tag.ct_eq(expected)) {
                    Ok(None)
                } else {
                    Err(Error::authentication(
                        "the tag does not match: wrong key, or altered data",
                    ))
                }
            }
            _ => Ok(Some(tag)),
        }
    }

    /// The host computes the last two blocks of each data unit that is not whole blocks; the blocks
    /// before them are the device's.
    fn begin_xts(&mut self, cipher: &Cipher, units: &DataUnits, data: &mut Buffer) -> Result<()> {
        self.unit_blocks = units.bytes / BLOCK_BYTES;
        if units.bytes.is_multiple_of(BLOCK_BYTES) || data.len() <= units.bytes {
            if data.len().is_multiple_of(BLOCK_BYTES) {
                return Ok(());
            }
            self.device_bytes = (data.len() / BLOCK_BYTES - 1) * BLOCK_BYTES;
        } else {
            let packed = Packed::of(data, units.bytes);
            self.device_bytes = packed.bytes.len();
            self.packed = Some(packed);
        }
        let tweaks = Cipher::of(&units.tweak_key)?;
        let mut number = self.request.iv;
        for unit in data.chunks_mut(units.bytes) {
            if !unit.len().is_multiple_of(BLOCK_BYTES) {
                let encrypted_number = tweaks.run(Direction::Encrypt, number);
                steal(cipher, self.request.direction, encrypted_number, unit);
            }
            number = units.following(number, unit.len());
        }
        Ok(())
    }
}

impl Packed {
    /// Each data unit: where it begins, its whole blocks' bytes, and those of them that are the
    /// device's output.
    fn units(length: usize, unit_bytes: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..length).step_by(unit_bytes).map(move |start| {
            let unit = unit_bytes.min(length - start);
            let whole = unit / BLOCK_BYTES * BLOCK_BYTES;
            let stolen = if unit == whole { 0 } else { BLOCK_BYTES };
            (start, whole, whole - stolen)
        })
    }

    fn of(data: &[u8], unit_bytes: usize) -> Packed {
        let mut bytes = Zeroizing::new(Vec::with_capacity(data.len()));
        for (start, whole, _) in Packed::units(data.len(), unit_bytes) {
            bytes.extend_from_slice(&data[start..start + whole]);
        }
        Packed { bytes, unit_bytes }
    }

    fn unpack(&self, data: &mut [u8]) {
        let mut rest = &self.bytes[..];
        for (start, whole, output) in Packed::units(data.len(), self.unit_bytes) {
            let (unit, following) = rest.split_at(whole);
            data[start..start + output].copy_from_slice(&unit[..output]);
            rest = following;
        }
    }
}

impl Authentication {
    /// The hash of the associated data (SP 800-38D, 7.1).
    fn begin(
        cipher: &Cipher,
        request: &CipherRequest,
        bytes: usize,
        rest: &[u8],
    ) -> Authentication {
        let key = HashKey::new(cipher.run(Direction::Encrypt, [0; BLOCK_BYTES]));
        let first = first_block(&key, request.gcm_iv_bytes());
        let mut hash = Hash::default();
        hash.update(&key, &request.associated_data);
        Authentication {
            hash,
            first_counter: u128::from_be_bytes(first),
            mask: Zeroizing::new(cipher.run(Direction::Encrypt, first)),
            bytes,
            // That of an encryption would be plaintext.
            rest: match request.direction {
                Direction::Encrypt => Vec::new(),
                Direction::Decrypt => rest.to_vec(),
            },
            key,
        }
    }

    /// The tag; the output's last bytes are these, which are no whole block.
    fn finish(mut self, request: &CipherRequest, rest: &[u8]) -> Block {
        let rest = match request.direction {
            Direction::Encrypt => rest,
            Direction::Decrypt => &self.rest,
        };
        self.hash.update(&self.key, rest);
        let bits = |bytes: usize| 8 * bytes as u128;
        let lengths = bits(request.associated_data.len()) << 64 | bits(self.bytes);
        self.hash.update(&self.key, &lengths.to_be_bytes());
        let mut tag = self.hash.value();
        for (byte, mask) in tag.iter_mut().zip(*self.mask) {
            *byte ^= mask;
        }
        tag
    }
}

/// The first counter block of an IV (SP 800-38D, 7.1, step 2).
fn first_block(key: &HashKey, iv: &[u8]) -> Block {
    let mut block = [0; BLOCK_BYTES];
    if iv.len() == GCM_IV_BYTES {
        block[..GCM_IV_BYTES].copy_from_slice(iv);
        block[GCM_IV_BYTES..].copy_from_slice(&1u32.to_be_bytes());
        return block;
    }
    let mut hash = Hash::default();
    hash.update(key, iv);
    hash.update(key, &(8 * iv.len() as u128).to_be_bytes());
    hash.value()
}

/// The last bytes, which are no whole block.
fn rest_of(data: &[u8]) -> &[u8] {
    &data[data.len() / BLOCK_BYTES * BLOCK_BYTES..]
}
