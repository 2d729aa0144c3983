// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The modes that have independent blocks, once for every vector width.
//!
//! A round has a latency of several cycles and a throughput of one or two
//! instructions a cycle, so several vectors go through the rounds side by side.
//! Each function works on as many whole passes (`lanes` vectors) as the data
//! has, in place, and gives back the rest.

/// The modes on one vector width. In scope where it is used must be `Vector` and
/// the functions `load`, `store`, `broadcast`, `xor`, `encrypt_round`,
/// `encrypt_last`, `decrypt_round`, `decrypt_last` and `shift_in` (the vector of each
/// block's predecessor, from the previous and the current vector).
macro_rules! modes {
    (proof: $proof:ty, features: $features:literal, blocks: $blocks:literal, lanes: $lanes:literal) => {
        /// Bytes of a vector.
        const VECTOR_BYTES: usize = 16 * $blocks;
        /// Blocks of a pass.
        pub(in crate::aes) const PASS_BLOCKS: usize = $blocks * $lanes;
        /// Bytes of a pass.
        const PASS_BYTES: usize = 16 * PASS_BLOCKS;

        pub(in crate::aes) fn ecb_encrypt<'a>(
            _proof: $proof,
            schedule: &$crate::aes::schedule::Schedule,
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            #[target_feature(enable = $features)]
            fn inner<'a>(
                schedule: &$crate::aes::schedule::Schedule,
                data: &'a mut [u8],
            ) -> &'a mut [u8] {
                let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
                for pass in passes {
                    let lanes = encrypt_lanes(schedule, load_pass(pass));
                    store_pass(pass, lanes);
                }
                rest
            }
            // SAFETY: the proof says that the processor has these instructions.
            unsafe { inner(schedule, data) }
        }

        pub(in crate::aes) fn ecb_decrypt<'a>(
            _proof: $proof,
            schedule: &$crate::aes::schedule::Schedule,
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            #[target_feature(enable = $features)]
            fn inner<'a>(
                schedule: &$crate::aes::schedule::Schedule,
                data: &'a mut [u8],
            ) -> &'a mut [u8] {
                let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
                for pass in passes {
                    let lanes = decrypt_lanes(schedule, load_pass(pass));
                    store_pass(pass, lanes);
                }
                rest
            }
            // SAFETY: the proof says that the processor has these instructions.
            unsafe { inner(schedule, data) }
        }

        /// ECB between two additions of the same mask to each block, as in XTS. There are
        /// masks for all of the data.
        pub(in crate::aes) fn masked<'a>(
            _proof: $proof,
            schedule: &$crate::aes::schedule::Schedule,
            decrypt: bool,
            masks: &[u8],
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            #[target_feature(enable = $features)]
            fn inner<'a>(
                schedule: &$crate::aes::schedule::Schedule,
                decrypt: bool,
                masks: &[u8],
                data: &'a mut [u8],
            ) -> &'a mut [u8] {
                let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
                for (pass, masks) in passes.iter_mut().zip(masks.as_chunks::<PASS_BYTES>().0) {
                    let masks = load_pass(masks);
                    let mut lanes = load_pass(pass);
                    for (lane, mask) in lanes.iter_mut().zip(masks) {
                        *lane = xor(*lane, mask);
                    }
                    lanes = if decrypt {
                        decrypt_lanes(schedule, lanes)
                    } else {
                        encrypt_lanes(schedule, lanes)
                    };
                    for (lane, mask) in lanes.iter_mut().zip(masks) {
                        *lane = xor(*lane, mask);
                    }
                    store_pass(pass, lanes);
                }
                rest
            }
            // SAFETY: the proof says that the processor has these instructions.
            unsafe { inner(schedule, decrypt, masks, data) }
        }

        /// `chain`: the IV, then the last ciphertext block.
        pub(in crate::aes) fn cbc_decrypt<'a>(
            _proof: $proof,
            schedule: &$crate::aes::schedule::Schedule,
            chain: &mut [u8; 16],
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            #[target_feature(enable = $features)]
            fn inner<'a>(
                schedule: &$crate::aes::schedule::Schedule,
                chain: &mut [u8; 16],
                data: &'a mut [u8],
            ) -> &'a mut [u8] {
                let mut previous = broadcast(chain);
                let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
                for pass in passes {
                    let ciphertext = load_pass(pass);
                    let mut lanes = decrypt_lanes(schedule, ciphertext);
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
            // SAFETY: the proof says that the processor has these instructions.
            unsafe { inner(schedule, chain, data) }
        }

        /// `counter`: the next counter block, as the big-endian number that it is.
        /// Works only from a counter that is a multiple of a pass's blocks, and
        /// otherwise gives all of the data back.
        pub(in crate::aes) fn ctr<'a>(
            _proof: $proof,
            schedule: &$crate::aes::schedule::Schedule,
            counter: &mut u128,
            data: &'a mut [u8],
        ) -> &'a mut [u8] {
            #[target_feature(enable = $features)]
            fn inner<'a>(
                schedule: &$crate::aes::schedule::Schedule,
                counter: &mut u128,
                data: &'a mut [u8],
            ) -> &'a mut [u8] {
                if *counter % PASS_BLOCKS as u128 != 0 {
                    return data;
                }
                let (passes, rest) = data.as_chunks_mut::<PASS_BYTES>();
                for pass in passes {
                    let keystream = encrypt_lanes(schedule, counters(*counter));
                    *counter = counter.wrapping_add(PASS_BLOCKS as u128);
                    let mut lanes = load_pass(pass);
                    for (lane, key) in lanes.iter_mut().zip(keystream) {
                        *lane = xor(*lane, key);
                    }
                    store_pass(pass, lanes);
                }
                rest
            }
            // SAFETY: the proof says that the processor has these instructions.
            unsafe { inner(schedule, counter, data) }
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
            let first = broadcast(&first.to_be_bytes());
            let mut lanes = load_pass(&NUMBERS);
            for lane in &mut lanes {
                *lane = xor(*lane, first);
            }
            lanes
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

        /// The cipher (FIPS 197, 5.1) on vectors side by side.
        #[inline]
        #[target_feature(enable = $features)]
        fn encrypt_lanes(
            schedule: &$crate::aes::schedule::Schedule,
            mut lanes: [Vector; $lanes],
        ) -> [Vector; $lanes] {
            let (first, middle, last) = schedule.split();
            let key = broadcast(first);
            for lane in &mut lanes {
                *lane = xor(*lane, key);
            }
            for key in middle {
                let key = broadcast(key);
                for lane in &mut lanes {
                    *lane = encrypt_round(*lane, key);
                }
            }
            let key = broadcast(last);
            for lane in &mut lanes {
                *lane = encrypt_last(*lane, key);
            }
            lanes
        }

        /// The equivalent inverse cipher (FIPS 197, 5.3.5) on vectors side by side.
        #[inline]
        #[target_feature(enable = $features)]
        fn decrypt_lanes(
            schedule: &$crate::aes::schedule::Schedule,
            mut lanes: [Vector; $lanes],
        ) -> [Vector; $lanes] {
            let (first, middle, last) = schedule.split();
            let key = broadcast(first);
            for lane in &mut lanes {
                *lane = xor(*lane, key);
            }
            for key in middle {
                let key = broadcast(key);
                for lane in &mut lanes {
                    *lane = decrypt_round(*lane, key);
                }
            }
            let key = broadcast(last);
            for lane in &mut lanes {
                *lane = decrypt_last(*lane, key);
            }
            lanes
        }
    };
}

pub(super) use modes;
