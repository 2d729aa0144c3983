// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The compression function of SHA-2 (FIPS 180-4, 6.2.2 and 6.4.2) on several messages side by
//! side, once for each word size. A vector holds the same word of each message.

/// Lanes of words of one size. In scope where it is used must be `Vector`, and the functions `add`,
/// `rotate`, `shift`, `and`, `or`, `xor`, `broadcast`, `reverse_bytes` and `transpose` (of as many vectors as
/// there are lanes).
macro_rules! lanes {
    (
        word: $word:ty, lanes: $lanes:literal, rounds: $rounds:literal,
        sums: [$($sum0:literal),+], [$($sum1:literal),+],
        schedule: [$r0:literal, $r1:literal, $s0:literal], [$r2:literal, $r3:literal, $s1:literal]
    ) => {
        /// Messages that go side by side.
        pub(super) const LANES: usize = $lanes;
        /// Bytes of a block.
        pub(super) const BLOCK_BYTES: usize = 16 * size_of::<$word>();

        /// Hash values of all lanes, word by word.
        pub(super) type State = [[$word; $lanes]; 8];

        /// Puts so many blocks of each lane into the hash values. A lane's blocks begin at its
        /// place, each so many bytes behind the one before as its stride says.
        ///
        /// # Safety
        /// All of these blocks are readable.
        pub(super) unsafe fn compress(
            _proof: Vaes512,
            state: &mut State,
            places: &[(*const u8, usize); $lanes],
            blocks: usize,
        ) {
            // SAFETY: the proof says that the processor has these instructions. The rest is this
            // function's contract.
            unsafe { compress_blocks(state, places, blocks) }
        }

        /// # Safety
        /// As [`compress`].
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn compress_blocks(
            state: &mut State,
            places: &[(*const u8, usize); $lanes],
            blocks: usize,
        ) {
            // SAFETY: a row is as long as a vector, and plain bytes.
            let load_row = |row: &[$word; $lanes]| load(unsafe { &*row.as_ptr().cast() });
            let mut chain = [load_row(&state[0]); 8];
            for (vector, row) in chain.iter_mut().zip(state.iter()) {
                *vector = load_row(row);
            }
            for block in 0..blocks {
                let mut words = [chain[0]; 16];
                for (part, words) in words.as_chunks_mut::<$lanes>().0.iter_mut().enumerate() {
                    let mut rows = [chain[0]; $lanes];
                    for (row, (place, stride)) in rows.iter_mut().zip(places) {
                        // SAFETY: this function's contract.
                        let bytes = unsafe { &*place.add(stride * block + 64 * part).cast() };
                        *row = reverse_bytes(load(bytes));
                    }
                    *words = transpose(rows);
                }
                let mut values = chain;
                for (group, constants) in ROUNDS[..$rounds].as_chunks::<16>().0.iter().enumerate() {
                    if group > 0 {
                        schedule(&mut words);
                    }
                    // After eight rounds each value is at its place again, so that the compiler
                    // moves none.
                    let eights = words.as_chunks::<8>().0.iter().zip(constants.as_chunks::<8>().0);
                    for (words, constants) in eights {
                        for (word, constant) in words.iter().zip(constants) {
                            // As many of its upper bits as a word has.
                            let constant = (constant >> (64 - <$word>::BITS)) as $word;
                            values = round(values, add(*word, broadcast(constant)));
                        }
                    }
                }
                for (value, other) in chain.iter_mut().zip(values) {
                    *value = add(*value, other);
                }
            }
            for (row, vector) in state.iter_mut().zip(chain) {
                // SAFETY: as above.
                store(unsafe { &mut *row.as_mut_ptr().cast() }, vector);
            }
        }

        /// The next sixteen words of the message schedule.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn schedule(words: &mut [Vector; 16]) {
            for index in 0..16 {
                let (early, late) = (words[(index + 1) % 16], words[(index + 14) % 16]);
                let sigma0 = xor3(rotate::<$r0>(early), rotate::<$r1>(early), shift::<$s0>(early));
                let sigma1 = xor3(rotate::<$r2>(late), rotate::<$r3>(late), shift::<$s1>(late));
                let sum = add(add(words[index], sigma0), add(words[(index + 9) % 16], sigma1));
                words[index] = sum;
            }
        }

        /// One round. The word has the round's constant added.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn round([a, b, c, d, e, f, g, h]: [Vector; 8], word: Vector) -> [Vector; 8] {
            // The compiler makes an instruction of each sum of three, and two of each of these.
            // Miri has no intrinsic for them.
            let choice = xor(g, and(e, xor(f, g)));
            let majority = or(and(a, b), and(c, or(a, b)));
            let first = add(add(add(h, word), choice), xor3($(rotate::<$sum1>(e)),+));
            let second = add(xor3($(rotate::<$sum0>(a)),+), majority);
            [add(first, second), a, b, c, add(d, first), e, f, g]
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        fn xor3(one: Vector, two: Vector, three: Vector) -> Vector {
            xor(one, xor(two, three))
        }
    };
}

pub(super) use lanes;
