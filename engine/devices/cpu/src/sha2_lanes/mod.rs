// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! SHA-2 of several messages side by side, in the words of 512-bit vectors.
//!
//! A lane is slower than a message by itself, with instructions for SHA or without: lanes pay where
//! enough of them have work ([`Hash::pays`]).

#![allow(unsafe_code)]

mod constants;
mod lanes;
mod sha256;
mod sha512;

#[cfg(test)]
mod tests;

use ciphermill::{Algorithm, SHA_224, SHA_256, SHA_384, SHA_512};
use zeroize::{Zeroize, Zeroizing};

use crate::instructions::Vaes512;

/// Blocks of each lane after which a message may be stopped: some 16 MB in all.
const SLICE_BLOCKS: usize = 1 << 14;

/// A hash that has lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    pub(crate) const ALL: [Hash; 4] = [Hash::Sha224, Hash::Sha256, Hash::Sha384, Hash::Sha512];

    pub(crate) fn of(algorithm: &Algorithm) -> Option<Hash> {
        let mut all = Hash::ALL.into_iter();
        all.find(|hash| hash.algorithm() == algorithm)
    }

    fn algorithm(self) -> &'static Algorithm {
        match self {
            Hash::Sha224 => &SHA_224,
            Hash::Sha256 => &SHA_256,
            Hash::Sha384 => &SHA_384,
            Hash::Sha512 => &SHA_512,
        }
    }

    /// The initial hash value. Words of 32 bits are the upper halves.
    fn initial(self) -> [u64; 8] {
        match self {
            Hash::Sha224 => constants::INITIAL_384.map(|word| word << 32),
            Hash::Sha384 => constants::INITIAL_384,
            Hash::Sha256 | Hash::Sha512 => constants::INITIAL_512,
        }
    }

    /// Bytes of a digest, the first ones of the hash value.
    fn digest_bytes(self) -> usize {
        match self {
            Hash::Sha224 => 28,
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
            Hash::Sha512 => 64,
        }
    }

    /// Messages that go side by side.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Hash::Sha224 | Hash::Sha256 => sha256::LANES,
            Hash::Sha384 | Hash::Sha512 => sha512::LANES,
        }
    }

    /// Whether messages of these lengths, the longest first, are hashed sooner side by side than one
    /// after the other. All lanes take as long as the longest. Measured on Zen 5, a message by
    /// itself is 4.9 (SHA-256, with the instructions for it) and 1.8 (SHA-512) times as fast as a lane.
    pub(crate) fn pays(self, bytes: &[usize]) -> bool {
        let lanes = match self {
            Hash::Sha224 | Hash::Sha256 => 6,
            Hash::Sha384 | Hash::Sha512 => 3,
        };
        let all: usize = bytes.iter().sum();
        bytes.len() >= lanes && all / lanes >= bytes[0]
    }

    /// The digests of as many messages as there are lanes, or fewer. `goes_on` is asked now and
    /// then about a message, by its place; one for which it says no gets no digest.
    pub(crate) fn digests(
        self,
        proof: Vaes512,
        messages: &[&[u8]],
        goes_on: &dyn Fn(usize) -> bool,
    ) -> Vec<Option<Vec<u8>>> {
        let run = match self {
            Hash::Sha224 | Hash::Sha256 => sha256_digests,
            Hash::Sha384 | Hash::Sha512 => sha512_digests,
        };
        let mut digests = run(proof, self.initial(), messages, goes_on);
        for digest in digests.iter_mut().flatten() {
            digest.truncate(self.digest_bytes());
        }
        digests
    }
}

macro_rules! digests {
    ($name:ident, $words:ident, $word:ty) => {
        fn $name(
            proof: Vaes512,
            initial: [u64; 8],
            messages: &[&[u8]],
            goes_on: &dyn Fn(usize) -> bool,
        ) -> Vec<Option<Vec<u8>>> {
            use $words::{BLOCK_BYTES, LANES};

            assert!(messages.len() <= LANES, "there are {LANES} lanes");
            let upper = |word: u64| (word >> (64 - <$word>::BITS)) as $word;
            let mut state = initial.map(|word| [upper(word); LANES]);
            let ends: Vec<_> = messages
                .iter()
                .map(|one| padded_end(one, BLOCK_BYTES))
                .collect();
            let mut digests = vec![None; messages.len()];
            // What is left: whole blocks where the message is, then its end.
            let whole = |one: &&[u8]| one.len() / BLOCK_BYTES * BLOCK_BYTES;
            let mut left: Vec<_> = messages.iter().map(|one| &one[..whole(one)]).collect();
            let mut ended = vec![false; messages.len()];
            let mut over = vec![false; messages.len()];
            loop {
                for lane in 0..messages.len() {
                    if left[lane].is_empty() && !ended[lane] {
                        ended[lane] = true;
                        left[lane] = &ends[lane];
                    }
                    if !over[lane] && left[lane].is_empty() {
                        over[lane] = true;
                        let bytes = state.iter().flat_map(|row| row[lane].to_be_bytes());
                        digests[lane] = Some(bytes.collect());
                    } else if !over[lane] && !goes_on(lane) {
                        over[lane] = true;
                    }
                }
                let active = (0..messages.len()).filter(|lane| !over[*lane]);
                let Some(blocks) = active.map(|lane| left[lane].len() / BLOCK_BYTES).min() else {
                    state.as_flattened_mut().zeroize();
                    return digests;
                };
                let blocks = blocks.min(SLICE_BLOCKS);
                // Lanes without a message take the same block again and again.
                let idle = [0; BLOCK_BYTES];
                let mut places = [(idle.as_ptr(), 0); LANES];
                for lane in (0..messages.len()).filter(|lane| !over[*lane]) {
                    let (now, later) = left[lane].split_at(BLOCK_BYTES * blocks);
                    places[lane] = (now.as_ptr(), BLOCK_BYTES);
                    left[lane] = later;
                }
                // SAFETY: each place has so many blocks, or is one block and has no stride.
                unsafe { $words::compress(proof, &mut state, &places, blocks) };
            }
        }
    };
}

digests!(sha256_digests, sha256, u32);
digests!(sha512_digests, sha512, u64);

/// The last bytes of a message and the padding (FIPS 180-4, 5.1): one block or two. The length has
/// an eighth of a block, at the end.
fn padded_end(message: &[u8], block_bytes: usize) -> Zeroizing<Vec<u8>> {
    let mut end = Zeroizing::new(Vec::with_capacity(2 * block_bytes));
    end.extend_from_slice(&message[message.len() / block_bytes * block_bytes..]);
    end.push(0x80);
    let length = (8 * message.len() as u128).to_be_bytes();
    let length = &length[16 - block_bytes / 8..];
    let padded = (end.len() + length.len()).next_multiple_of(block_bytes);
    end.resize(padded - length.len(), 0);
    end.extend_from_slice(length);
    end
}
