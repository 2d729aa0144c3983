// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! GCM (SP 800-38D) with an IV of 96 bits and a tag of 128.

use ghash::GHash;
use ghash::universal_hash::UniversalHash;

use super::aes::{Aes, Block, add};
use super::modes::Ctr;
use super::{End, Engine};

/// GCM.
pub(super) struct Gcm {
    counter: Ctr,
    hash: GHash,
    decrypts: bool,
    /// What the hash is added to: the result of J0.
    mask: Block,
    associated_bytes: u64,
    text_bytes: u64,
}

impl Gcm {
    pub(super) fn new(aes: Aes, decrypts: bool, iv: &Block) -> Gcm {
        let hash = GHash::new(&aes.encrypt_one(Block::default()).into());
        // J0 is the IV and the number 1 (section 7.1).
        let mut first = *iv;
        first[12..].copy_from_slice(&1_u32.to_be_bytes());
        let mut counter = Ctr::new(aes, first, 32);
        let first = counter.next();
        let mask = counter.aes().encrypt_one(first);
        Gcm {
            counter,
            hash,
            decrypts,
            mask,
            associated_bytes: 0,
            text_bytes: 0,
        }
    }
}

impl Engine for Gcm {
    fn associated(&mut self, data: &[u8]) {
        self.associated_bytes += data.len() as u64;
        self.hash.update_padded(data);
    }

    fn text(&mut self, data: &mut [u8]) {
        self.text_bytes += data.len() as u64;
        if self.decrypts {
            self.hash.update_padded(data);
        }
        self.counter.text(data);
        if !self.decrypts {
            self.hash.update_padded(data);
        }
    }

    fn finish(mut self: Box<Self>) -> End {
        let mut lengths = Block::default();
        lengths[..8].copy_from_slice(&(self.associated_bytes * 8).to_be_bytes());
        lengths[8..].copy_from_slice(&(self.text_bytes * 8).to_be_bytes());
        self.hash.update(&[lengths.into()]);
        let mut tag = self.mask;
        add(&mut tag, &self.hash.finalize().into());
        End {
            tag: Some(tag),
            ..End::default()
        }
    }
}
