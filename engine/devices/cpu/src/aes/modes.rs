// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The modes that have independent blocks, once for every vector width.
//!
//! A round has a latency of several cycles and a throughput of one or two
//! instructions a cycle, so several vectors go through the rounds side by side.
//! Each function works on as many whole passes (`lanes` vectors) as the data
//! has, in place, and gives back the rest.

/// The modes on one vector width. In scope where it is used must be `Operation`,
/// `Schedule`, `Vector` and the functions `load`, `store`, `broadcast`, `xor`,
/// `encrypt_round`, `encrypt_last`, `decrypt_round`, `decrypt_last` and `shift_in` (the
/// vector of each block's predecessor, from the previous and the current vector).
macro_rules! modes {
    (proof: $proof:ty, features: $features:literal, blocks: $blocks:literal, lanes: $lanes:literal) => {
        /// Bytes of a vector.
        const VECTOR_BYTES: usize = 16 * $blocks;
        /// Blocks of a pass.
        pub(super) const PASS_BLOCKS: usize = $blocks * $lanes;
        /// Bytes of a pass.
        const PASS_BYTES: usize = 16 * PASS_BLOCKS;

        /// `masks`: none, or for ECB as long as the data.
        pub(super) fn process<'a>(
            _proof: $proof,
            operation: Operation,
            schedule: &Schedule,
            masks: &[u8],
            iv: &mut [u8; 16],
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            // SAFETY: the proof says that the processor has these instructions.
            unsafe {
                match operation {
                    Operation::EcbEncrypt => ecb::<false>(schedule, masks, data),
                    Operation::EcbDecrypt => ecb::<true>(schedule, masks, data),
                    Operation::CbcDecrypt => cbc_decrypt(schedule, iv, data),
                    Operation::Ctr => ctr(schedule, iv, data),
                }
            }
        }

        /// Where there are masks, between two additions of the same mask to each block, as in XTS.
        #[target_feature(enable = $features)]
        fn ecb<'a, const DECRYPT: bool>(
            schedule: &Schedule,
            masks: &[u8],
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
            let mut masks = masks.as_chunks::<PASS_BYTES>().0.iter();
            for pass in passes {
                let mut lanes = load_pass(pass);
                let masks = masks.next();
                if let Some(masks) = masks {
                    add(&mut lanes, load_pass(masks));
                }
                // One call, so that it is inlined and the vectors stay in registers.
                let mut lanes = cipher::<DECRYPT>(schedule, lanes);
                if let Some(masks) = masks {
                    add(&mut lanes, load_pass(masks));
                }
                store_pass(pass, lanes);
            }
            rest
        }

        /// `chain`: the IV, then the last ciphertext block.
        #[target_feature(enable = $features)]
        fn cbc_decrypt<'a>(
            schedule: &Schedule,
            chain: &mut [u8; 16],
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            let mut previous = broadcast(chain);
            let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
            for pass in passes {
                let ciphertext = load_pass(pass);
                let mut lanes = cipher::<true>(schedule, ciphertext);
                for (lane, current) in lanes.iter_mut().zip(ciphertext) {
                    *lane = xor(*lane, shift_in(previous, current));
                    previous = current;
                }
                store_pass(pass, lanes);
            }
            let mut last = [0; VECTOR_BYTES];
            store(&mut last, previous);
            chain.copy_from_slice(&last[VECTOR_BYTES - 16..]);
            rest
        }

        /// `next`: the next counter block, a big-endian number. Works only from a counter
        /// that is a multiple of a pass's blocks, and otherwise gives all of the data back.
        #[target_feature(enable = $features)]
        fn ctr<'a>(schedule: &Schedule, next: &mut [u8; 16], data: &'a mut [u8]) -> &'a mut [u8] {
            let mut counter = u128::from_be_bytes(*next);
            if counter % PASS_BLOCKS as u128 != 0 {
                return data;
            }
            let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
            for pass in passes {
                let keystream = cipher::<false>(schedule, counters(counter));
                counter = counter.wrapping_add(PASS_BLOCKS as u128);
                let mut lanes = load_pass(pass);
                add(&mut lanes, keystream);
                store_pass(pass, lanes);
            }
            *next = counter.to_be_bytes();
            rest
        }

        /// The number of each block in a pass, big endian.
        const NUMBERS: [u8; PASS_BYTES] = {
            // Or else two blocks of a pass, or of two passes, would share a counter.
            assert!(PASS_BLOCKS.is_power_of_two() && PASS_BLOCKS <= 256);
            let mut numbers = [0; PASS_BYTES];
            let mut block = 0;
            while block < PASS_BLOCKS {
                numbers[16 * block + 15] = block as u8;
                block += 1;
            }
            numbers
        };

        /// The counter blocks of a pass, the first of them `first`: a multiple of
        /// the pass, so that the others differ in its lowest bits alone.
        #[inline]
        #[target_feature(enable = $features)]
        fn counters(first: u128) -> [Vector; $lanes] {
            let mut lanes = load_pass(&NUMBERS);
            add(&mut lanes, [broadcast(&first.to_be_bytes()); $lanes]);
            lanes
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn add(lanes: &mut [Vector; $lanes], others: [Vector; $lanes]) {
            for (lane, other) in lanes.iter_mut().zip(others) {
                *lane = xor(*lane, other);
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn load_pass(pass: &[u8; PASS_BYTES]) -> [Vector; $lanes] {
            let mut lanes = [broadcast(&[0; 16]); $lanes];
            for (lane, bytes) in lanes.iter_mut().zip(pass.as_chunks::<VECTOR_BYTES>().0) {
                *lane = load(bytes);
            }
            lanes
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn store_pass(pass: &mut [u8; PASS_BYTES], lanes: [Vector; $lanes]) {
            for (lane, bytes) in lanes.iter().zip(pass.as_chunks_mut::<VECTOR_BYTES>().0) {
                store(bytes, *lane);
            }
        }

        /// The cipher (FIPS 197, 5.1), or the equivalent inverse cipher (5.3.5), on vectors
        /// side by side.
        #[inline]
        #[target_feature(enable = $features)]
        fn cipher<const DECRYPT: bool>(
            schedule: &Schedule,
            mut lanes: [Vector; $lanes],
        ) -> [Vector; $lanes] {
            let (first, middle, last) = schedule.split();
            add(&mut lanes, [broadcast(first); $lanes]);
            for key in middle {
                let key = broadcast(key);
                for lane in &mut lanes {
                    *lane = match DECRYPT {
                        true => decrypt_round(*lane, key),
                        false => encrypt_round(*lane, key),
                    };
                }
            }
            let key = broadcast(last);
            for lane in &mut lanes {
                *lane = match DECRYPT {
                    true => decrypt_last(*lane, key),
                    false => encrypt_last(*lane, key),
                };
            }
            lanes
        }
    };
}

pub(super) use modes;
