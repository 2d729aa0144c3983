// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! ECB, CBC and CTR (SP 800-38A).

use zeroize::Zeroize;

use super::Engine;
use super::aes::{Aes, Block, add};

/// Blocks of keystream that are made at a time.
const STREAM_BLOCKS: usize = 64;

/// ECB (SP 800-38A, section 6.1).
pub(super) struct Ecb {
    pub(super) aes: Aes,
    pub(super) decrypts: bool,
}

impl Engine for Ecb {
    fn text(&mut self, data: &mut [u8]) {
        let (blocks, _) = data.as_chunks_mut();
        match self.decrypts {
            true => self.aes.decrypt(blocks),
            false => self.aes.encrypt(blocks),
        }
    }
}

/// CBC (section 6.2).
pub(super) struct Cbc {
    aes: Aes,
    decrypts: bool,
    chain: Block,
}

impl Cbc {
    pub(super) fn new(aes: Aes, decrypts: bool, iv: Block) -> Cbc {
        Cbc {
            aes,
            decrypts,
            chain: iv,
        }
    }
}

impl Engine for Cbc {
    fn text(&mut self, data: &mut [u8]) {
        for block in data.as_chunks_mut().0 {
            if self.decrypts {
                let next = *block;
                self.aes.decrypt(std::slice::from_mut(block));
                add(block, &self.chain);
                self.chain = next;
            } else {
                add(block, &self.chain);
                self.aes.encrypt(std::slice::from_mut(block));
                self.chain = *block;
            }
        }
    }
}

/// CTR (section 6.5), whose counter is the last bits of the block.
pub(super) struct Ctr {
    aes: Aes,
    counter: u128,
    mask: u128,
}

impl Ctr {
    /// The width is 32, 64 or 128 bits.
    pub(super) fn new(aes: Aes, first: Block, width: u32) -> Ctr {
        Ctr {
            aes,
            counter: u128::from_be_bytes(first),
            mask: u128::MAX >> (128 - width.min(128)),
        }
    }

    pub(super) fn next(&mut self) -> Block {
        let block = self.counter.to_be_bytes();
        let next = self.counter.wrapping_add(1);
        self.counter = (self.counter & !self.mask) | (next & self.mask);
        block
    }

    pub(super) fn aes(&self) -> &Aes {
        &self.aes
    }
}

impl Engine for Ctr {
    fn text(&mut self, data: &mut [u8]) {
        let mut stream = [Block::default(); STREAM_BLOCKS];
        for part in data.chunks_mut(size_of_val(&stream)) {
            let used = part.len().div_ceil(size_of::<Block>());
            stream[..used].fill_with(|| self.next());
            self.aes.encrypt(&mut stream[..used]);
            for (byte, key) in part.iter_mut().zip(stream.as_flattened()) {
                *byte ^= key;
            }
        }
        stream.zeroize();
    }
}
