// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The last two blocks of an XTS data unit that is not whole blocks (IEEE 1619-2018, 5.3.2). They
//! follow from each other, and so the host computes them.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use ciphermill::{BLOCK_BYTES, Direction, Error, Key, Result};

type Block = [u8; BLOCK_BYTES];

/// AES of single blocks on the host.
pub(crate) enum Cipher {
    Aes128(Box<Aes128>),
    Aes192(Box<Aes192>),
    Aes256(Box<Aes256>),
}

impl Cipher {
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for a key of another cipher.
    pub(crate) fn of(key: &Key) -> Result<Cipher> {
        let lengths = |_| Error::unsupported("this device has AES alone");
        let bytes = key.as_bytes();
        Ok(match key.bits() {
            _ if !key.is_aes() => return Err(Error::unsupported("this device has AES alone")),
            128 => Cipher::Aes128(Box::new(Aes128::new_from_slice(bytes).map_err(lengths)?)),
            192 => Cipher::Aes192(Box::new(Aes192::new_from_slice(bytes).map_err(lengths)?)),
            _ => Cipher::Aes256(Box::new(Aes256::new_from_slice(bytes).map_err(lengths)?)),
        })
    }

    pub(crate) fn run(&self, direction: Direction, mut block: Block) -> Block {
        let place = (&mut block).into();
        match (self, direction) {
            (Cipher::Aes128(aes), Direction::Encrypt) => aes.encrypt_block(place),
            (Cipher::Aes128(aes), Direction::Decrypt) => aes.decrypt_block(place),
            (Cipher::Aes192(aes), Direction::Encrypt) => aes.encrypt_block(place),
            (Cipher::Aes192(aes), Direction::Decrypt) => aes.decrypt_block(place),
            (Cipher::Aes256(aes), Direction::Encrypt) => aes.encrypt_block(place),
            (Cipher::Aes256(aes), Direction::Decrypt) => aes.decrypt_block(place),
        }
        block
    }
}

/// The last whole block of a data unit and what follows it, whose encrypted number is this.
pub(crate) fn steal(
    cipher: &Cipher,
    direction: Direction,
    encrypted_number: Block,
    unit: &mut [u8],
) {
    let last = unit.len() / BLOCK_BYTES;
    let mut mask = u128::from_le_bytes(encrypted_number);
    for _ in 1..last {
        mask = times_x(mask);
    }
    let (mut first, mut second) = (mask, times_x(mask));
    if direction == Direction::Decrypt {
        (first, second) = (second, first);
    }
    let masked = |mask: u128, block: Block| {
        let input = (u128::from_le_bytes(block) ^ mask).to_le_bytes();
        (u128::from_le_bytes(cipher.run(direction, input)) ^ mask).to_le_bytes()
    };
    let (whole, rest) = unit[(last - 1) * BLOCK_BYTES..].split_at_mut(BLOCK_BYTES);
    let mut block = [0; BLOCK_BYTES];
    block.copy_from_slice(whole);
    let stolen = masked(first, block);
    let mut block = stolen;
    block[..rest.len()].copy_from_slice(rest);
    rest.copy_from_slice(&stolen[..rest.len()]);
    whole.copy_from_slice(&masked(second, block));
}

fn times_x(element: u128) -> u128 {
    (element << 1) ^ ((element >> 127) * 0x87)
}
