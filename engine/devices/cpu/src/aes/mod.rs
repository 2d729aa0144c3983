// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AES by AES instructions: ECB, CBC and CTR (SP 800-38A) on the widest vectors
//! that the processor has.

mod aesni;
mod modes;
mod schedule;
mod vaes256;
mod vaes512;
mod vector;

#[cfg(test)]
mod emulated;
#[cfg(test)]
mod tests;

use ciphermill::{BLOCK_BYTES, Direction, Key, Mode, Request};
use schedule::Schedule;
use zeroize::Zeroize;

use crate::instructions::{AesNi, Instructions, Vaes256, Vaes512};

/// Instructions that are proven to be there. Wide vectors leave up to a pass of
/// data over, which AES-NI finishes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kernel {
    AesNi(AesNi),
    Vaes256(Vaes256, AesNi),
    Vaes512(Vaes512, AesNi),
}

impl Kernel {
    /// The kernel for these instructions; `None` where the processor lacks them,
    /// and for [`Instructions::Library`], which needs none.
    pub(crate) fn detect(instructions: Instructions) -> Option<Kernel> {
        let narrow = AesNi::detect()?;
        match instructions {
            Instructions::Vaes512 => Vaes512::detect().map(|wide| Kernel::Vaes512(wide, narrow)),
            Instructions::Vaes256 => Vaes256::detect().map(|wide| Kernel::Vaes256(wide, narrow)),
            Instructions::AesNi => Some(Kernel::AesNi(narrow)),
            Instructions::Library => None,
        }
    }

    fn narrow(self) -> AesNi {
        match self {
            Kernel::AesNi(proof) | Kernel::Vaes256(_, proof) | Kernel::Vaes512(_, proof) => proof,
        }
    }
}

/// Which way the blocks depend on each other, and the state that carries over.
enum State {
    EcbEncrypt,
    EcbDecrypt,
    CbcEncrypt([u8; BLOCK_BYTES]),
    CbcDecrypt([u8; BLOCK_BYTES]),
    Ctr(u128),
}

/// One message in ECB, CBC or CTR. The round keys are zeroised when it is dropped.
pub(crate) struct Cipher {
    kernel: Kernel,
    schedule: Schedule,
    state: State,
}

impl Cipher {
    /// For a message with this key, mode, direction and IV; `None` for a mode that
    /// is not one of these three.
    pub(crate) fn new(kernel: Kernel, request: &Request) -> Option<Cipher> {
        let state = match (request.mode, request.direction) {
            (Mode::Ecb, Direction::Encrypt) => State::EcbEncrypt,
            (Mode::Ecb, Direction::Decrypt) => State::EcbDecrypt,
            (Mode::Cbc, Direction::Encrypt) => State::CbcEncrypt(request.iv),
            (Mode::Cbc, Direction::Decrypt) => State::CbcDecrypt(request.iv),
            (Mode::Ctr, _) => State::Ctr(u128::from_be_bytes(request.iv)),
            (Mode::Gcm | Mode::Xts, _) => return None,
        };
        let expand: fn(AesNi, &Key) -> Schedule = match state {
            State::EcbDecrypt | State::CbcDecrypt(_) => Schedule::decryption,
            _ => Schedule::encryption,
        };
        Some(Cipher {
            kernel,
            schedule: expand(kernel.narrow(), &request.key),
            state,
        })
    }

    /// Whether it works on a block an instruction.
    pub(crate) fn is_narrow(&self) -> bool {
        matches!(self.kernel, Kernel::AesNi(_))
    }

    /// The IV from which the next piece would begin a message of its own.
    pub(crate) fn iv(&self) -> [u8; BLOCK_BYTES] {
        match &self.state {
            State::EcbEncrypt | State::EcbDecrypt => [0; BLOCK_BYTES],
            State::CbcEncrypt(chain) | State::CbcDecrypt(chain) => *chain,
            State::Ctr(counter) => counter.to_be_bytes(),
        }
    }

    /// Begin another message with the same key.
    pub(crate) fn set_iv(&mut self, iv: [u8; BLOCK_BYTES]) {
        match &mut self.state {
            State::EcbEncrypt | State::EcbDecrypt => {}
            State::CbcEncrypt(chain) | State::CbcDecrypt(chain) => *chain = iv,
            State::Ctr(counter) => *counter = u128::from_be_bytes(iv),
        }
    }

    /// Works on the message's next bytes in place. All pieces are whole blocks,
    /// but for the last piece in CTR.
    #[inline]
    pub(crate) fn process(&mut self, data: &mut [u8]) {
        let (kernel, schedule) = (self.kernel, &self.schedule);
        match &mut self.state {
            State::EcbEncrypt => ecb_encrypt(kernel, schedule, data),
            State::EcbDecrypt => ecb_decrypt(kernel, schedule, data),
            State::CbcEncrypt(chain) => {
                aesni::cbc_encrypt(kernel.narrow(), schedule, chain, data);
            }
            State::CbcDecrypt(chain) => cbc_decrypt(kernel, schedule, chain, data),
            State::Ctr(counter) => ctr(kernel, schedule, counter, data),
        }
    }
}

impl Cipher {
    /// ECB on whole blocks in place, with a mask of 16 bytes added to each of them before
    /// and after. There are as many masks as blocks.
    #[cfg_attr(miri, allow(dead_code))]
    pub(crate) fn process_masked(&mut self, masks: &[u8], mut data: &mut [u8]) {
        let (schedule, decrypt) = match &self.state {
            State::EcbEncrypt => (&self.schedule, false),
            State::EcbDecrypt => (&self.schedule, true),
            _ => unreachable!("masks are for ECB"),
        };
        // The masks of what is left.
        let left = |data: &[u8]| &masks[masks.len() - data.len()..];
        match self.kernel {
            Kernel::AesNi(_) => {}
            Kernel::Vaes256(proof, _) => {
                data = vaes256::masked(proof, schedule, decrypt, left(data), data);
            }
            Kernel::Vaes512(proof, _) => {
                data = vaes512::masked(proof, schedule, decrypt, left(data), data);
            }
        }
        let narrow = self.kernel.narrow();
        data = aesni::eight::masked(narrow, schedule, decrypt, left(data), data);
        aesni::one::masked(narrow, schedule, decrypt, left(data), data);
    }
}

/// Bytes of a pass of AES-NI: shorter pieces go block by block at once.
const NARROW_BYTES: usize = aesni::eight::PASS_BLOCKS * BLOCK_BYTES;

#[inline]
fn ecb_encrypt(kernel: Kernel, schedule: &Schedule, mut data: &mut [u8]) {
    if data.len() < NARROW_BYTES {
        aesni::one::ecb_encrypt(kernel.narrow(), schedule, data);
        return;
    }
    match kernel {
        Kernel::AesNi(_) => {}
        Kernel::Vaes256(proof, _) => data = vaes256::ecb_encrypt(proof, schedule, data),
        Kernel::Vaes512(proof, _) => data = vaes512::ecb_encrypt(proof, schedule, data),
    }
    data = aesni::eight::ecb_encrypt(kernel.narrow(), schedule, data);
    aesni::one::ecb_encrypt(kernel.narrow(), schedule, data);
}

#[inline]
fn ecb_decrypt(kernel: Kernel, schedule: &Schedule, mut data: &mut [u8]) {
    if data.len() < NARROW_BYTES {
        aesni::one::ecb_decrypt(kernel.narrow(), schedule, data);
        return;
    }
    match kernel {
        Kernel::AesNi(_) => {}
        Kernel::Vaes256(proof, _) => data = vaes256::ecb_decrypt(proof, schedule, data),
        Kernel::Vaes512(proof, _) => data = vaes512::ecb_decrypt(proof, schedule, data),
    }
    data = aesni::eight::ecb_decrypt(kernel.narrow(), schedule, data);
    aesni::one::ecb_decrypt(kernel.narrow(), schedule, data);
}

#[inline]
fn cbc_decrypt(kernel: Kernel, schedule: &Schedule, chain: &mut [u8; 16], mut data: &mut [u8]) {
    if data.len() < NARROW_BYTES {
        aesni::one::cbc_decrypt(kernel.narrow(), schedule, chain, data);
        return;
    }
    match kernel {
        Kernel::AesNi(_) => {}
        Kernel::Vaes256(proof, _) => data = vaes256::cbc_decrypt(proof, schedule, chain, data),
        Kernel::Vaes512(proof, _) => data = vaes512::cbc_decrypt(proof, schedule, chain, data),
    }
    data = aesni::eight::cbc_decrypt(kernel.narrow(), schedule, chain, data);
    aesni::one::cbc_decrypt(kernel.narrow(), schedule, chain, data);
}

fn ctr(kernel: Kernel, schedule: &Schedule, counter: &mut u128, mut data: &mut [u8]) {
    match kernel {
        Kernel::AesNi(_) => {}
        Kernel::Vaes256(proof, narrow) => {
            let (lead, rest) = split_at_multiple(vaes256::PASS_BLOCKS, *counter, data);
            ctr_narrow(narrow, schedule, counter, lead);
            data = vaes256::ctr(proof, schedule, counter, rest);
        }
        Kernel::Vaes512(proof, narrow) => {
            let (lead, rest) = split_at_multiple(vaes512::PASS_BLOCKS, *counter, data);
            ctr_narrow(narrow, schedule, counter, lead);
            data = vaes512::ctr(proof, schedule, counter, rest);
        }
    }
    ctr_narrow(kernel.narrow(), schedule, counter, data);
}

/// What comes before the counter is a multiple of so many blocks, and the rest.
fn split_at_multiple(blocks: usize, counter: u128, data: &mut [u8]) -> (&mut [u8], &mut [u8]) {
    let before = counter.wrapping_neg() % blocks as u128;
    let bytes = data.len().min(BLOCK_BYTES * before as usize);
    data.split_at_mut(bytes)
}

fn ctr_narrow(proof: AesNi, schedule: &Schedule, counter: &mut u128, data: &mut [u8]) {
    let (lead, rest) = split_at_multiple(aesni::eight::PASS_BLOCKS, *counter, data);
    ctr_blocks(proof, schedule, counter, lead);
    let rest = aesni::eight::ctr(proof, schedule, counter, rest);
    ctr_blocks(proof, schedule, counter, rest);
}

/// Block by block; a partial block ends the message.
fn ctr_blocks(proof: AesNi, schedule: &Schedule, counter: &mut u128, data: &mut [u8]) {
    let data = aesni::one::ctr(proof, schedule, counter, data);
    if !data.is_empty() {
        // The rest of the last keystream block is discarded (SP 800-38A, 6.5).
        let mut keystream = [0; BLOCK_BYTES];
        aesni::one::ctr(proof, schedule, counter, &mut keystream);
        for (byte, key) in data.iter_mut().zip(keystream) {
            *byte ^= key;
        }
        keystream.zeroize();
    }
}
