// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The lanes against AWS-LC, and under Miri, which runs no foreign code, against the examples of
//! FIPS 180-4.

use super::*;

/// Messages of these lengths.
fn messages(lengths: &[usize]) -> Vec<Vec<u8>> {
    let fill = |(number, length): (usize, &usize)| {
        (0..*length)
            .map(|index| (index * (2 * number + 3) + (index >> 7)) as u8)
            .collect()
    };
    lengths.iter().enumerate().map(fill).collect()
}

fn digests(hash: Hash, messages: &[Vec<u8>]) -> Vec<Option<Vec<u8>>> {
    let Some(proof) = Vaes512::detect() else {
        return Vec::new();
    };
    let messages: Vec<_> = messages.iter().map(Vec::as_slice).collect();
    hash.digests(proof, &messages, &|_| true)
}

#[test]
fn the_standard_s_examples() {
    let abc = [b"abc".to_vec(), b"".to_vec()];
    let examples = [
        (
            Hash::Sha224,
            [[0x23, 0x09, 0x7d, 0x22], [0xd1, 0x4a, 0x02, 0x8c]],
        ),
        (
            Hash::Sha384,
            [[0xcb, 0x00, 0x75, 0x3f], [0x38, 0xb0, 0x60, 0xa7]],
        ),
        (
            Hash::Sha256,
            [[0xba, 0x78, 0x16, 0xbf], [0xe3, 0xb0, 0xc4, 0x42]],
        ),
        (
            Hash::Sha512,
            [[0xdd, 0xaf, 0x35, 0xa1], [0xcf, 0x83, 0xe1, 0x35]],
        ),
    ];
    for (hash, starts) in examples {
        for (digest, start) in digests(hash, &abc).into_iter().zip(starts) {
            assert_eq!(digest.unwrap()[..4], start);
        }
    }
}

#[cfg(not(miri))]
fn check(hash: Hash, lengths: &[usize]) {
    let messages = messages(lengths);
    for (digest, message) in digests(hash, &messages).into_iter().zip(&messages) {
        let mut alone = crate::DirectDigest::new(hash.algorithm()).unwrap();
        alone.update(message).unwrap();
        assert_eq!(
            digest.unwrap(),
            alone.finish().unwrap(),
            "{hash:?} {lengths:?}"
        );
    }
}

#[test]
#[cfg(not(miri))]
fn each_length_about_a_block_is_as_by_itself() {
    for hash in Hash::ALL {
        for first in 0..260 {
            let lengths: Vec<_> = (0..hash.lanes()).map(|lane| first + 5 * lane).collect();
            check(hash, &lengths);
        }
        check(hash, &[SLICE_BLOCKS * 64 + 3, 5, SLICE_BLOCKS * 128 + 9]);
    }
}

#[cfg(not(miri))]
proptest::proptest! {
    #[test]
    fn messages_of_any_lengths_are_as_by_themselves(
        lengths in proptest::collection::vec(0usize..5000, 1..17)
    ) {
        for hash in Hash::ALL {
            check(hash, &lengths[..lengths.len().min(hash.lanes())]);
        }
    }
}

#[test]
fn a_stopped_message_gets_no_digest_and_leaves_the_others_alone() {
    let Some(proof) = Vaes512::detect() else {
        return;
    };
    let messages = [b"abc".as_slice(), b"abc"];
    let digests = Hash::Sha256.digests(proof, &messages, &|place| place == 1);
    assert_eq!(digests[0], None);
    assert_eq!(digests[1].as_ref().unwrap()[..4], [0xba, 0x78, 0x16, 0xbf]);
}

#[test]
fn lanes_pay_where_enough_of_them_have_work() {
    assert!(Hash::Sha256.pays(&[100; 6]));
    assert!(!Hash::Sha256.pays(&[100; 5]));
    assert!(!Hash::Sha256.pays(&[1000, 100, 100, 100, 100, 100, 100]));
    assert!(Hash::Sha512.pays(&[100; 3]));
    assert!(Hash::Sha384.pays(&[100; 3]) && !Hash::Sha224.pays(&[100; 5]));
}
