// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! GHASH (SP 800-38D, 6.4): what the host computes beside the kernel.

use ciphermill::BLOCK_BYTES;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

type Element = [u8; BLOCK_BYTES];

/// Words of the multiples of one power of H.
pub(crate) const MULTIPLE_WORDS: usize = 128 * 4;

/// Each launch folds so many sums of the one before into one.
const FOLD: usize = 16;

/// The key H.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct HashKey(Element);

/// A hash of whole blocks that goes on.
#[derive(Default, Zeroize, ZeroizeOnDrop)]
pub(crate) struct Hash(Element);

impl HashKey {
    pub(crate) fn new(key: Element) -> HashKey {
        HashKey(key)
    }

    /// H to this power.
    fn power(&self, exponent: usize) -> Zeroizing<Element> {
        // 1 is the element whose first bit is set.
        let mut power = Zeroizing::new([0; BLOCK_BYTES]);
        power[0] = 0x80;
        for bit in (0..usize::BITS).rev() {
            *power = product(&power, &power);
            if exponent >> bit & 1 == 1 {
                *power = product(&power, &self.0);
            }
        }
        power
    }

    /// H to this power times x^0 to x^127, as the kernel reads them.
    pub(crate) fn multiples(&self, exponent: usize) -> Zeroizing<Vec<u32>> {
        let mut words = Zeroizing::new(Vec::with_capacity(MULTIPLE_WORDS));
        let mut element = u128::from_be_bytes(*self.power(exponent));
        for _ in 0..128 {
            words.extend([96, 64, 32, 0].map(|shift| (element >> shift) as u32));
            // x^128 = x^7 + x^2 + x + 1, and the first bit is that of x^0.
            element = (element >> 1) ^ ((element & 1).wrapping_neg() & (0xe1 << 120));
        }
        element.zeroize();
        words
    }
}

impl Hash {
    /// Whole blocks, and a last one that is filled with zeros.
    pub(crate) fn update(&mut self, key: &HashKey, data: &[u8]) {
        for chunk in data.chunks(BLOCK_BYTES) {
            for (byte, next) in self.0.iter_mut().zip(chunk) {
                *byte ^= next;
            }
            self.0 = product(&self.0, &key.0);
        }
    }

    /// So many blocks, whose sum of each times H^(those that follow it) is this.
    pub(crate) fn append(&mut self, key: &HashKey, blocks: usize, sum: &Element) {
        self.0 = product(&self.0, &key.power(blocks));
        let last = product(sum, &key.0);
        for (byte, next) in self.0.iter_mut().zip(last) {
            *byte ^= next;
        }
    }

    /// The hash.
    pub(crate) fn value(&self) -> Element {
        self.0
    }
}

fn product(one: &Element, other: &Element) -> Element {
    let mut hash = GHash::new(one.into());
    hash.update(&[(*other).into()]);
    hash.finalize().into()
}

/// The work-items of the launches that hash so many blocks, where `most` (a power of two) keep the
/// device busy: the last launch has one.
pub(crate) fn launches(most: usize, blocks: usize) -> impl Iterator<Item = usize> {
    levels(most).filter(move |items| *items == 1 || *items <= blocks)
}

/// The numbers of work-items that a launch may have.
pub(crate) fn levels(most: usize) -> impl Iterator<Item = usize> {
    let folded = |items: &usize| (*items > 1).then_some((items / FOLD).max(1));
    std::iter::successors(Some(most), folded)
}
