// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Blocks that follow from one another (CBC encryption, SP 800-38A, 6.2), once for every vector
//! width: several streams side by side, each in a lane with a key of its own.
//!
//! A round of one stream waits for the round before, some four cycles, in which the processor could
//! begin a round of one or two vectors each cycle. So it works on the blocks of other streams
//! meanwhile. A lane is a block of a vector, and has its round keys at the same place of vectors in
//! memory.

use super::schedule::Schedule;

/// The most streams that go side by side.
pub(super) const MAXIMUM_LANES: usize = 32;

/// A block of each lane, side by side as in vectors. Its bytes are in the order of memory; as one
/// number it is zeroised in one step.
pub(super) type Blocks = [u128; MAXIMUM_LANES];

/// Round keys and last ciphertext block, or IV, of each lane; also of those whose stream has ended.
/// Zeroised when dropped.
#[repr(C, align(64))]
pub(super) struct Lanes {
    /// In the order of their use.
    pub(super) keys: [Blocks; 15],
    pub(super) chain: Blocks,
    pub(super) rounds: usize,
    /// Lanes that have had a stream.
    used: usize,
}

impl Lanes {
    /// Without streams yet, for keys with so many rounds. In a place of its own, so that no copy
    /// stays behind when it moves.
    pub(super) fn new(rounds: usize) -> Box<Lanes> {
        Box::new(Lanes {
            keys: [[0; MAXIMUM_LANES]; 15],
            chain: [0; MAXIMUM_LANES],
            rounds,
            used: 0,
        })
    }

    /// A stream with this key and IV begins in a lane.
    pub(super) fn begin(&mut self, lane: usize, schedule: &Schedule, iv: [u8; 16]) {
        assert_eq!(schedule.rounds(), self.rounds, "a key of another length");
        for (keys, key) in self.keys.iter_mut().zip(schedule.keys()) {
            keys[lane] = u128::from_ne_bytes(*key);
        }
        self.chain[lane] = u128::from_ne_bytes(iv);
        self.used = self.used.max(lane + 1);
    }

    /// The stream of a lane has ended: that of another lane takes its place, which may be the
    /// same.
    pub(super) fn replace(&mut self, lane: usize, other: usize) {
        for blocks in self.keys.iter_mut().chain([&mut self.chain]) {
            blocks[lane] = blocks[other];
        }
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        for blocks in self.keys[..=self.rounds]
            .iter_mut()
            .chain([&mut self.chain])
        {
            blocks[..self.used].fill(0);
        }
        zeroize::optimization_barrier(self);
    }
}

/// How far the lanes go: so many passes of as many steps, one or more, each of which is a block in
/// every lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distance {
    pub(super) passes: usize,
    pub(super) steps: usize,
}

/// Where the text of each lane is.
pub(super) type Places = [*mut u8; MAXIMUM_LANES];

/// The lanes on one vector width. In scope where it is used must be `Distance`, `Lanes`, `Places`,
/// `Vector`, and the functions `load`, `store`, `xor`, `encrypt_round`, `encrypt_last` and
/// `transpose` (of as many vectors as a vector has blocks).
macro_rules! lanes {
    (proof: $proof:ty, features: $features:literal, blocks: $blocks:literal, vectors: [$($vectors:literal),+]) => {
        /// Streams that go side by side.
        pub(super) const LANES: usize = {
            let counts = [$($vectors),+];
            $blocks * counts[counts.len() - 1]
        };
        /// Most steps of a pass: so many blocks of each lane are read and written at once.
        pub(super) const STEPS: usize = $blocks;

        /// Lanes that [`chain`] works on for so many streams.
        pub(super) fn lanes_for(streams: usize) -> usize {
            let counts = [$($blocks * $vectors),+].into_iter();
            counts.filter(|lanes| *lanes >= streams).min().unwrap_or(LANES)
        }

        /// Encrypts the text of the first lanes in place: as many as [`lanes_for`] says.
        /// `shared` says that all streams have the same key.
        ///
        /// # Safety
        /// The place of each of these lanes is readable and writable for `STEPS` blocks for
        /// each pass, and nobody else uses it meanwhile. Of these blocks the first `steps` become
        /// ciphertext, and the others are written as they were. Lanes without a stream may share a
        /// place.
        pub(super) unsafe fn chain(
            _proof: $proof,
            lanes: &mut Lanes,
            count: usize,
            shared: bool,
            places: &Places,
            distance: Distance,
        ) {
            let vectors = count.div_ceil($blocks);
            // SAFETY: the proof says that the processor has these instructions. The rest is this
            // function's contract.
            unsafe {
                $(if vectors <= $vectors {
                    return match shared {
                        true => chain_vectors::<$vectors, true>(lanes, places, distance),
                        false => chain_vectors::<$vectors, false>(lanes, places, distance),
                    };
                })+
            }
        }

        /// # Safety
        /// As [`chain`].
        #[target_feature(enable = $features)]
        unsafe fn chain_vectors<const VECTORS: usize, const SHARED: bool>(
            lanes: &mut Lanes,
            places: &Places,
            distance: Distance,
        ) {
            let Lanes {
                keys, chain, rounds, ..
            } = lanes;
            let (first, middle, last) = (&keys[0], &keys[1..*rounds], &keys[*rounds]);
            let mut state = side_by_side::<VECTORS>(chain);
            for pass in 0..distance.passes {
                let offset = 16 * STEPS * pass;
                let mut text = [state; STEPS];
                for vector in 0..VECTORS {
                    let mut rows = [state[0]; $blocks];
                    for (row, place) in rows.iter_mut().zip(&places[$blocks * vector..]) {
                        // SAFETY: this function's contract.
                        *row = load(unsafe { &*place.add(offset).cast() });
                    }
                    for (step, column) in text.iter_mut().zip(transpose(rows)) {
                        step[vector] = column;
                    }
                }
                for (number, step) in text.iter_mut().enumerate() {
                    // There is a first step: without this the compiler keeps its text in registers,
                    // of which AES-NI has too few.
                    if number == 0 || number < distance.steps {
                        // Off the chain first: this sum waits for nothing.
                        let whitened = sums(*step, round_keys::<VECTORS, SHARED>(first));
                        state = sums(state, whitened);
                        for keys in middle {
                            let keys = round_keys::<VECTORS, SHARED>(keys);
                            for (vector, key) in state.iter_mut().zip(keys) {
                                *vector = encrypt_round(*vector, key);
                            }
                        }
                        let keys = round_keys::<VECTORS, SHARED>(last);
                        for (vector, key) in state.iter_mut().zip(keys) {
                            *vector = encrypt_last(*vector, key);
                        }
                        *step = state;
                    }
                }
                for vector in 0..VECTORS {
                    let mut columns = [state[0]; $blocks];
                    for (column, step) in columns.iter_mut().zip(&text) {
                        *column = step[vector];
                    }
                    let rows = transpose(columns);
                    for (row, place) in rows.iter().zip(&places[$blocks * vector..]) {
                        // SAFETY: this function's contract.
                        store(unsafe { &mut *place.add(offset).cast() }, *row);
                    }
                }
            }
            for (blocks, vector) in chain.as_chunks_mut::<$blocks>().0.iter_mut().zip(state) {
                // SAFETY: so many blocks are as long as a vector, and are plain bytes.
                store(unsafe { &mut *blocks.as_mut_ptr().cast() }, vector);
            }
        }

        /// A round's keys of the first lanes, in vectors. Where all have the same key, those of
        /// one vector are loaded for all.
        #[inline]
        #[target_feature(enable = $features)]
        fn round_keys<const VECTORS: usize, const SHARED: bool>(
            keys: &super::lanes::Blocks,
        ) -> [Vector; VECTORS] {
            match SHARED {
                true => [side_by_side::<1>(keys)[0]; VECTORS],
                false => side_by_side(keys),
            }
        }

        /// Blocks of the first lanes, in vectors.
        #[inline]
        #[target_feature(enable = $features)]
        fn side_by_side<const VECTORS: usize>(blocks: &super::lanes::Blocks) -> [Vector; VECTORS] {
            let chunks = blocks.as_chunks::<$blocks>().0;
            // SAFETY: so many blocks are as long as a vector, and are plain bytes.
            let vector = |blocks: &[u128; $blocks]| load(unsafe { &*blocks.as_ptr().cast() });
            let mut vectors = [vector(&chunks[0]); VECTORS];
            for (place, blocks) in vectors.iter_mut().zip(chunks) {
                *place = vector(blocks);
            }
            vectors
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn sums<const VECTORS: usize>(
            mut one: [Vector; VECTORS],
            other: [Vector; VECTORS],
        ) -> [Vector; VECTORS] {
            for (one, other) in one.iter_mut().zip(other) {
                *one = xor(*one, other);
            }
            one
        }
    };
}

pub(super) use lanes;
