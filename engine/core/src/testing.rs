// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A slow software device on RustCrypto's block ciphers, for tests and examples.
//!
//! Its modes are written out from SP 800-38A block by block, so that it serves
//! as the plain counterpart of the fast devices. It can be told to offer less,
//! to take its time, and to fail.

use std::thread;
use std::time::Duration;

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::AeadInOut;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::{AesGcm, Nonce, Tag};

use crate::{
    AES, Ability, BLOCK_BYTES, Cancellation, Capabilities, CipherRequest, Completion, Device,
    Direction, Error, Job, Key, Mode, Queue, Result, SynchronousQueue,
};

/// A software device to test with.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Device, Direction, Mode};
/// let device = ReferenceDevice::new().with_modes(&[Mode::Ctr]);
/// let capabilities = device.capabilities();
/// assert!(capabilities.supports(Mode::Ctr, Direction::Encrypt, 256));
/// assert!(!capabilities.supports(Mode::Gcm, Direction::Encrypt, 256));
/// ```
#[derive(Debug, Clone)]
pub struct ReferenceDevice {
    capabilities: Capabilities,
    behaviour: Behaviour,
}

#[derive(Debug, Clone, Default)]
struct Behaviour {
    delay: Duration,
    fail_after: Option<usize>,
    panic_after: Option<usize>,
    cut_answers: bool,
}

impl ReferenceDevice {
    /// A device with every mode, direction and key size, 64 KiB chunks and three in flight.
    pub fn new() -> ReferenceDevice {
        let directions = [Direction::Encrypt, Direction::Decrypt];
        let modes = Mode::ALL.into_iter();
        let operations: Vec<_> = modes
            .flat_map(|mode| directions.map(|direction| (mode, direction)))
            .collect();
        ReferenceDevice {
            capabilities: Capabilities {
                in_flight: 3,
                sink: true,
                bypass: true,
                ..Capabilities::new(
                    "reference implementation for tests",
                    Ability::block_cipher(&AES, &operations, AES.key_bits),
                )
            },
            behaviour: Behaviour::default(),
        }
    }

    /// Offer these modes only.
    #[must_use]
    pub fn with_modes(mut self, modes: &[Mode]) -> ReferenceDevice {
        self.capabilities
            .operations
            .retain(|ability| ability.mode.is_some_and(|mode| modes.contains(&mode)));
        self
    }

    /// Offer these modes and directions only.
    #[must_use]
    pub fn with_operations(mut self, operations: &[(Mode, Direction)]) -> ReferenceDevice {
        self.capabilities.operations = Ability::block_cipher(&AES, operations, AES.key_bits);
        self
    }

    /// Prefer chunks of so many bytes.
    #[must_use]
    pub fn with_chunk(mut self, bytes: usize) -> ReferenceDevice {
        self.capabilities.preferred_chunk_bytes = bytes;
        self
    }

    /// Ask for so many jobs in flight.
    #[must_use]
    pub fn with_in_flight(mut self, jobs: usize) -> ReferenceDevice {
        self.capabilities.in_flight = jobs;
        self
    }

    /// Wait so long on each job.
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> ReferenceDevice {
        self.behaviour.delay = delay;
        self
    }

    /// Each queue fails after so many jobs, as a device that vanishes does.
    #[must_use]
    pub fn failing_after(mut self, jobs: usize) -> ReferenceDevice {
        self.behaviour.fail_after = Some(jobs);
        self
    }

    /// Each queue's code panics after so many jobs.
    #[must_use]
    pub fn panicking_after(mut self, jobs: usize) -> ReferenceDevice {
        self.behaviour.panic_after = Some(jobs);
        self
    }

    /// Answers miss their last byte.
    #[must_use]
    pub fn cutting_answers(mut self) -> ReferenceDevice {
        self.behaviour.cut_answers = true;
        self
    }
}

impl Default for ReferenceDevice {
    fn default() -> ReferenceDevice {
        ReferenceDevice::new()
    }
}

impl Device for ReferenceDevice {
    fn name(&self) -> &str {
        "reference"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let behaviour = self.behaviour.clone();
        let mut jobs = 0;
        let depth = self.capabilities.in_flight;
        let queue = SynchronousQueue::start(depth, cancellation, move |job, _| {
            thread::sleep(behaviour.delay);
            assert!(
                behaviour.panic_after != Some(jobs),
                "told to panic after {jobs} jobs"
            );
            if behaviour.fail_after.is_some_and(|limit| jobs >= limit) {
                return Completion::failed(job.token, Error::device("the device has vanished"));
            }
            jobs += 1;
            let mut completion = process(job);
            if let (true, Ok(data)) = (behaviour.cut_answers, &mut completion.result) {
                data.truncate(data.len().saturating_sub(1));
            }
            completion
        });
        Ok(Box::new(queue))
    }
}

fn process(job: Job) -> Completion {
    let Job {
        token,
        request,
        mut data,
    } = job;
    let outcome = request.cipher();
    match outcome.and_then(|request| transform(request, &mut data)) {
        Ok(tag) => {
            // Nothing, where the output goes into the sink.
            data.truncate(request.output_bytes(data.len()));
            Completion {
                tag,
                ..Completion::done(token, data)
            }
        }
        Err(error) => Completion::failed(token, error),
    }
}

fn transform(request: &CipherRequest, data: &mut [u8]) -> Result<Option<[u8; 16]>> {
    if request.bypass {
        return Ok(None);
    }
    if request.mode == Mode::Gcm {
        return match request.key.bits() {
            128 => gcm::<AesGcm<Aes128, U12>>(request, data),
            192 => gcm::<AesGcm<Aes192, U12>>(request, data),
            _ => gcm::<AesGcm<Aes256, U12>>(request, data),
        };
    }
    if request.mode.needs_whole_blocks() && !data.len().is_multiple_of(BLOCK_BYTES) {
        return Err(Error::invalid("not whole blocks"));
    }
    if request.mode == Mode::Xts {
        return xts(request, data).map(|()| None);
    }
    let cipher = aes(&request.key);
    let mut chain = request.iv;
    for block in data.chunks_mut(BLOCK_BYTES) {
        match (request.mode, request.direction) {
            (Mode::Ecb, Direction::Encrypt) => cipher.encrypt(block),
            (Mode::Ecb, Direction::Decrypt) => cipher.decrypt(block),
            (Mode::Cbc, Direction::Encrypt) => {
                exclusive_or(block, &chain);
                cipher.encrypt(block);
                chain.copy_from_slice(block);
            }
            (Mode::Cbc, Direction::Decrypt) => {
                let previous = chain;
                chain.copy_from_slice(block);
                cipher.decrypt(block);
                exclusive_or(block, &previous);
            }
            (Mode::Ctr, _) => {
                let mut keystream = chain;
                cipher.encrypt(&mut keystream);
                exclusive_or(block, &keystream);
                chain = u128::from_be_bytes(chain).wrapping_add(1).to_be_bytes();
            }
            (Mode::Gcm | Mode::Xts, _) => unreachable!("handled above"),
        }
    }
    Ok(None)
}

fn gcm<C: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit>(
    request: &CipherRequest,
    data: &mut [u8],
) -> Result<Option<[u8; 16]>> {
    let cipher = C::new_from_slice(request.key.as_bytes())
        .map_err(|_| Error::invalid("wrong key length"))?;
    let nonce = Nonce::try_from(request.gcm_iv_bytes())
        .map_err(|_| Error::unsupported("the reference has IVs of 12 bytes alone"))?;
    let associated = &request.associated_data[..];
    match request.direction {
        Direction::Encrypt => cipher
            .encrypt_inout_detached(&nonce, associated, data.into())
            .map(|tag| Some(tag.into()))
            .map_err(|_| Error::invalid("too long for GCM")),
        Direction::Decrypt => {
            let tag = request
                .tag
                .ok_or_else(|| Error::invalid("GCM decryption needs a tag"))?;
            cipher
                .decrypt_inout_detached(&nonce, associated, data.into(), &Tag::from(tag))
                .map(|()| None)
                .map_err(|_| Error::authentication("the tag does not match"))
        }
    }
}

/// IEEE 1619-2018, 5.3 and 5.4, block by block.
fn xts(request: &CipherRequest, data: &mut [u8]) -> Result<()> {
    let units = request.check_data_units(data.len())?;
    let (cipher, tweak_cipher) = (aes(&request.key), aes(&units.tweak_key));
    let mut number = request.iv;
    for unit in data.chunks_mut(units.bytes) {
        let mut tweak = number;
        tweak_cipher.encrypt(&mut tweak);
        let whole = unit.len() / BLOCK_BYTES;
        let left = unit.len() % BLOCK_BYTES;
        let mut tweaks = Vec::new();
        for _ in 0..=whole {
            tweaks.push(tweak);
            tweak = doubled(tweak);
        }
        if left > 0 && request.direction == Direction::Decrypt {
            tweaks.swap(whole - 1, whole);
        }
        let run = |block: &mut [u8], tweak: &[u8; BLOCK_BYTES]| {
            exclusive_or(block, tweak);
            match request.direction {
                Direction::Encrypt => cipher.encrypt(block),
                Direction::Decrypt => cipher.decrypt(block),
            }
            exclusive_or(block, tweak);
        };
        for (block, tweak) in unit.chunks_exact_mut(BLOCK_BYTES).zip(&tweaks) {
            run(block, tweak);
        }
        if left > 0 {
            let last = &mut unit[(whole - 1) * BLOCK_BYTES..];
            let (block, part) = last.split_at_mut(BLOCK_BYTES);
            block[..left].swap_with_slice(part);
            run(block, &tweaks[whole]);
        }
        number = units.following(number, unit.len());
    }
    Ok(())
}

/// Times alpha, byte by byte (IEEE 1619-2018, 5.2).
fn doubled(tweak: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
    let mut carry = 0;
    let mut result = tweak.map(|byte| {
        let shifted = byte << 1 | carry;
        carry = byte >> 7;
        shifted
    });
    result[0] ^= carry * 0x87;
    result
}

/// AES on single blocks.
trait Blocks {
    fn encrypt(&self, block: &mut [u8]);
    fn decrypt(&self, block: &mut [u8]);
}

impl<C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt> Blocks for C {
    fn encrypt(&self, block: &mut [u8]) {
        self.encrypt_block(block.try_into().expect("a whole block"));
    }

    fn decrypt(&self, block: &mut [u8]) {
        self.decrypt_block(block.try_into().expect("a whole block"));
    }
}

fn aes(key: &Key) -> Box<dyn Blocks> {
    let bytes = key.as_bytes();
    let length = "a key of AES has 128, 192 or 256 bits";
    match key.bits() {
        128 => Box::new(Aes128::new_from_slice(bytes).expect(length)),
        192 => Box::new(Aes192::new_from_slice(bytes).expect(length)),
        _ => Box::new(Aes256::new_from_slice(bytes).expect(length)),
    }
}

fn exclusive_or(block: &mut [u8], other: &[u8; BLOCK_BYTES]) {
    for (byte, mask) in block.iter_mut().zip(other) {
        *byte ^= mask;
    }
}
