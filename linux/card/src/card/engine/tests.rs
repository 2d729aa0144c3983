// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Each mode against published vectors and against other implementations.

use ::aes::cipher::{Array, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit, StreamCipher};
use ::aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::AeadInOut;
use hmac::Mac;
use proptest::prelude::*;
use sha2::digest::DynDigest;
use zeroize::Zeroizing;

use super::*;

const DECRYPT: u32 = accel::CONFIGURATION_DIRECTION_MASK;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let digits = String::from_utf8(digits).unwrap();
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

fn key(bytes: &[u8]) -> Key {
    let mut key = Key {
        size: bytes.len() as u32 / 8 - 2,
        bytes: Zeroizing::default(),
    };
    key.bytes[..bytes.len()].copy_from_slice(bytes);
    key
}

fn descriptor(configuration: u32, iv: &[u8], length: usize, data_unit: u32) -> Descriptor {
    let mut descriptor = Descriptor {
        configuration,
        length: length as u32,
        data_unit,
        ..Descriptor::default()
    };
    descriptor.iv[..iv.len()].copy_from_slice(iv);
    descriptor
}

/// Run a message in pieces of whole blocks.
fn run(descriptor: &Descriptor, slot: &Slot, associated: &[u8], text: &[u8]) -> (Vec<u8>, End) {
    let mut engine = start(descriptor, Some(slot)).unwrap();
    for piece in associated.chunks(32) {
        engine.associated(piece);
    }
    let mut text = text.to_vec();
    for piece in text.chunks_mut(48) {
        engine.text(piece);
    }
    (text, engine.finish())
}

/// Run a cipher in both directions; the plaintext must come back.
fn cipher(mode: u32, first: &[u8], iv: &[u8], text: &[u8]) -> Vec<u8> {
    let slot = Slot {
        first: Some(key(first)),
        tweak: None,
    };
    let (output, _) = run(&descriptor(mode, iv, text.len(), 0), &slot, &[], text);
    let back = descriptor(mode | DECRYPT, iv, text.len(), 0);
    assert_eq!(run(&back, &slot, &[], &output).0, text);
    output
}

fn gcm(first: &[u8], iv: &[u8], associated: &[u8], text: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let slot = Slot {
        first: Some(key(first)),
        tweak: None,
    };
    let mode = accel::CONFIGURATION_MODE_GCM;
    let (output, end) = run(
        &descriptor(mode, iv, text.len(), 0),
        &slot,
        associated,
        text,
    );
    let back = descriptor(mode | DECRYPT, iv, text.len(), 0);
    let (plain, again) = run(&back, &slot, associated, &output);
    assert_eq!((plain.as_slice(), again.tag), (text, end.tag));
    (output, end.tag.unwrap())
}

fn digest(hash: u32, code_key: Option<&[u8]>, text: &[u8]) -> Vec<u8> {
    let mut configuration =
        accel::CONFIGURATION_MODE_DIGEST | hash << accel::CONFIGURATION_HASH_SHIFT;
    if code_key.is_some() {
        configuration |= accel::CONFIGURATION_AUTHENTICATE_MASK;
    }
    let descriptor = descriptor(configuration, &[], text.len(), 0);
    let associated = code_key.unwrap_or_default();
    let (same, end) = run(&descriptor, &Slot::default(), associated, text);
    assert_eq!(same, text);
    end.digest.unwrap()
}

const CTR_32: u32 = accel::CONFIGURATION_MODE_CTR;
const CTR_64: u32 = CTR_32 | 1 << accel::CONFIGURATION_COUNTER_WIDTH_SHIFT;
const CTR_128: u32 = CTR_32 | 2 << accel::CONFIGURATION_COUNTER_WIDTH_SHIFT;

/// The plaintext of SP 800-38A, appendix F.
const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
                     30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710";
const KEYS: [&str; 3] = [
    "2b7e151628aed2a6abf7158809cf4f3c",
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
];

#[test]
fn ecb_of_sp_800_38a() {
    for (first, expected) in KEYS.iter().zip([
        "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf",
        "bd334f1d6e45f25ff712a214571fa5cc 974104846d0ad3ad7734ecb3ecee4eef",
        "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870",
    ]) {
        let output = cipher(accel::CONFIGURATION_MODE_ECB, &hex(first), &[], &hex(PLAIN));
        assert_eq!(output[..32], hex(expected));
    }
}

#[test]
fn cbc_of_sp_800_38a() {
    let iv = hex("000102030405060708090a0b0c0d0e0f");
    for (first, expected) in KEYS.iter().zip([
        "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2",
        "4f021db243bc633d7178183a9fa071e8 b4d9ada9ad7dedf4e5e738763f69145a",
        "f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d",
    ]) {
        let output = cipher(accel::CONFIGURATION_MODE_CBC, &hex(first), &iv, &hex(PLAIN));
        assert_eq!(output[..32], hex(expected));
    }
}

#[test]
fn ctr_of_sp_800_38a() {
    let iv = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    for (first, expected) in KEYS.iter().zip([
        "874d6191b620e3261bef6864990db6ce 9806f66b7970fdff8617187bb9fffdff",
        "1abc932417521ca24f2b0459fe7e6e0b 090339ec0aa6faefd5ccc2c6f4ce8e94",
        "601ec313775789a5b7a7f504bbf3d228 f443e3ca4d62b59aca84e990cacaf5c5",
    ]) {
        let output = cipher(CTR_128, &hex(first), &iv, &hex(PLAIN));
        assert_eq!(output[..32], hex(expected));
    }
}

#[test]
fn a_counter_counts_its_bits_alone() {
    let first = hex(KEYS[0]);
    for (mode, next) in [
        (CTR_32, "fffffffffffffffffffffffe00000000"),
        (CTR_64, "ffffffffffffffff0000000000000000"),
        (CTR_128, "00000000000000000000000000000000"),
    ] {
        let mut iv = vec![0xff; 16];
        if mode == CTR_32 {
            iv[11] = 0xfe;
        }
        let long = cipher(mode, &first, &iv, &[0; 32]);
        assert_eq!(long[16..], cipher(mode, &first, &hex(next), &[0; 16]));
    }
}

/// Test cases 2 and 4 of the GCM submission, and the same with 256 bits (14, 16).
#[test]
fn gcm_of_its_authors() {
    assert_eq!(
        gcm(&[0; 16], &[0; 12], &[], &[0; 16]),
        (
            hex("0388dace60b6a392f328c2b971b2fe78"),
            hex("ab6e47d42cec13bdf53a67b21257bddf").try_into().unwrap()
        )
    );
    let plain = hex(
        "d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72
         1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39",
    );
    let associated = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let (iv, half) = (
        hex("cafebabefacedbaddecaf888"),
        "feffe9928665731c6d6a8f9467308308",
    );
    let (output, tag) = gcm(&hex(half), &iv, &associated, &plain);
    assert_eq!(output[..16], hex("42831ec2217774244b7221b784d0d49c"));
    assert_eq!(tag[..], hex("5bc94fbc3221a5db94fae95ae7121a47"));
    let whole = [hex(half), hex(half)].concat();
    let (output, tag) = gcm(&whole, &iv, &associated, &plain);
    assert_eq!(output[..16], hex("522dc1f099567d07f47f37a32a84427d"));
    assert_eq!(tag[..], hex("76fc6ece0f4e1768cddf8853bb2d551b"));
    let (output, tag) = gcm(&[0; 16], &[0; 12], &[], &[]);
    assert_eq!(output, []);
    assert_eq!(tag[..], hex("58e2fccefa7e3061367f1d57a4e7455a"));
}

/// Vectors 1, 2 and 10 of IEEE 1619-2007, annex B.
#[test]
fn xts_of_ieee_1619() {
    let run = |first: &str, tweak: &str, unit: u64, text: &[u8], unit_bytes: u32| {
        let slot = Slot {
            first: Some(key(&hex(first))),
            tweak: Some(key(&hex(tweak))),
        };
        let mode = accel::CONFIGURATION_MODE_XTS;
        let iv = unit.to_le_bytes();
        let output = run(
            &descriptor(mode, &iv, text.len(), unit_bytes),
            &slot,
            &[],
            text,
        )
        .0;
        let back = descriptor(mode | DECRYPT, &iv, text.len(), unit_bytes);
        assert_eq!(super::tests::run(&back, &slot, &[], &output).0, text);
        output
    };
    let (zero, ones, twos) = (
        "00000000000000000000000000000000",
        "11111111111111111111111111111111",
        "22222222222222222222222222222222",
    );
    let expected = "917cf69ebd68b2ec9b9fe9a3eadda692 cd43d2f59598ed858c02c2652fbf922e";
    assert_eq!(run(zero, zero, 0, &[0; 32], 32), hex(expected));
    let expected = "c454185e6a16936e39334038acef838b fb186fff7480adc4289382ecd6d394f0";
    assert_eq!(
        run(ones, twos, 0x33_3333_3333, &[0x44; 32], 32),
        hex(expected)
    );
    let text: Vec<u8> = (0..=255).cycle().take(512).collect();
    let first = "2718281828459045235360287471352662497757247093699959574966967627";
    let tweak = "3141592653589793238462643383279502884197169399375105820974944592";
    let output = run(first, tweak, 0xff, &text, 512);
    assert_eq!(output[..16], hex("1c3b3a102f770386e4836c99e370cf9b"));
    // A message of two data units is one of each; the last may be short.
    let two = run(first, tweak, 7, &text[..80], 64);
    assert_eq!(two[..64], run(first, tweak, 7, &text[..64], 64));
    assert_eq!(two[64..], run(first, tweak, 8, &text[64..80], 64));
}

/// FIPS 180-4's example message.
#[test]
fn sha_2_of_abc() {
    for (hash, expected) in [
        (
            1,
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        ),
        (
            2,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            3,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed
             8086072ba1e7cc2358baeca134c825a7",
        ),
        (
            4,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
        (
            5,
            "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa",
        ),
        (
            6,
            "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
        ),
    ] {
        assert_eq!(digest(hash, None, b"abc"), hex(expected));
    }
}

/// RFC 4231, test cases 2 and 6.
#[test]
fn hmac_of_rfc_4231() {
    let text = b"what do ya want for nothing?";
    let code = digest(2, Some(b"Jefe"), text);
    assert_eq!(
        code,
        hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    );
    let text = b"Test Using Larger Than Block-Size Key - Hash Key First";
    let code = digest(2, Some(&[0xaa; 131]), text);
    assert_eq!(
        code,
        hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    );
}

#[test]
fn what_the_accelerator_refuses() {
    let (small, middle, large, odd) = (key(&[1; 16]), key(&[1; 24]), key(&[1; 32]), {
        let mut odd = key(&[1; 16]);
        odd.size = 3;
        odd
    });
    let slot = |first: &Key, tweak: Option<&Key>| Slot {
        first: Some(first.clone()),
        tweak: tweak.cloned(),
    };
    let plain = slot(&small, None);
    let length = accel::ERROR_LENGTH_MASK;
    let unsupported = accel::ERROR_UNSUPPORTED_MASK;
    let no_key = accel::ERROR_NO_KEY_MASK;
    let xts = accel::CONFIGURATION_MODE_XTS;
    let hash = |number: u32| 6 | number << accel::CONFIGURATION_HASH_SHIFT;
    for (configuration, bytes, unit, slot, error) in [
        (0, 15, 0, Some(&plain), length),
        (1, 17, 0, Some(&plain), length),
        (0, 16, 0, None, no_key),
        (0, 15, 0, None, no_key | length),
        (3 << 6 | 2, 16, 0, Some(&plain), unsupported),
        (5, 16, 0, Some(&plain), unsupported),
        (7, 16, 0, Some(&plain), unsupported),
        (hash(0), 16, 0, None, unsupported),
        (hash(7), 16, 0, None, unsupported),
        (0, 16, 0, Some(&slot(&odd, None)), unsupported | no_key),
        (xts, 16, 16, Some(&plain), no_key),
        (xts, 16, 16, Some(&slot(&small, Some(&large))), unsupported),
        (
            xts,
            16,
            16,
            Some(&slot(&middle, Some(&middle))),
            unsupported | no_key,
        ),
        (xts, 16, 0, Some(&slot(&small, Some(&small))), length),
        (xts, 16, 24, Some(&slot(&small, Some(&small))), length),
        (xts, 20, 16, Some(&slot(&small, Some(&small))), length),
    ] {
        let descriptor = descriptor(configuration, &[], bytes, unit);
        let refused = start(&descriptor, slot).err();
        assert_eq!(refused, Some(error), "{descriptor:?}");
    }
    // A key of the tweaks changes nothing in other modes.
    assert!(start(&descriptor(0, &[], 16, 0), Some(&slot(&middle, Some(&odd)))).is_ok());
    assert!(start(&descriptor(1 << 8, &[], 15, 0), None).is_ok());
}

proptest! {
    #[test]
    fn modes_agree_with_other_implementations(
        first: [u8; 32],
        iv: [u8; 16],
        text in proptest::collection::vec(any::<u8>(), 0..400),
        associated in proptest::collection::vec(any::<u8>(), 0..100),
    ) {
        let whole = &text[..text.len() / 16 * 16];
        macro_rules! compare {
            ($aes:ty, $bytes:expr) => {{
                let key = &first[..$bytes];
                let fail = |_| TestCaseError::fail("a length");
                let mut expected = whole.to_vec();
                let mut blocks: Vec<_> = whole
                    .as_chunks::<16>().0.iter().map(|block| Array::from(*block)).collect();
                cbc::Encryptor::<$aes>::new_from_slices(key, &iv).unwrap()
                    .encrypt_blocks(&mut blocks);
                let output = cipher(accel::CONFIGURATION_MODE_CBC, key, &iv, whole);
                prop_assert!(output.as_chunks::<16>().0.iter().eq(blocks.iter().map(|block| &block.0)));
                cbc::Decryptor::<$aes>::new_from_slices(key, &iv).unwrap()
                    .decrypt_blocks(&mut blocks);
                prop_assert!(expected.as_chunks::<16>().0.iter().eq(blocks.iter().map(|block| &block.0)));
                expected = text.clone();
                ctr::Ctr128BE::<$aes>::new_from_slices(key, &iv).unwrap()
                    .apply_keystream(&mut expected);
                prop_assert_eq!(&cipher(CTR_128, key, &iv, &text), &expected);
                expected.clone_from(&text);
                ctr::Ctr32BE::<$aes>::new_from_slices(key, &iv).unwrap()
                    .apply_keystream(&mut expected);
                prop_assert_eq!(&cipher(CTR_32, key, &iv, &text), &expected);
                expected.clone_from(&text);
                let nonce: &[u8; 12] = iv.first_chunk().unwrap();
                let tag = aes_gcm::AesGcm::<$aes, ::aes::cipher::consts::U12>::new_from_slice(key)
                    .map_err(|_| TestCaseError::fail("a key"))?
                    .encrypt_inout_detached(
                        &(*nonce).into(),
                        &associated,
                        expected.as_mut_slice().into(),
                    )
                    .map_err(fail)?;
                let (output, given) = gcm(key, &iv[..12], &associated, &text);
                prop_assert_eq!(&output, &expected);
                prop_assert_eq!(given, tag.0);
            }};
        }
        compare!(Aes128, 16);
        compare!(Aes192, 24);
        compare!(Aes256, 32);
    }

    #[test]
    fn codes_agree_with_another_implementation(
        code_key in proptest::collection::vec(any::<u8>(), 0..300),
        text in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(&code_key).unwrap();
        Mac::update(&mut mac, &text);
        prop_assert_eq!(digest(2, Some(&code_key), &text), mac.finalize().into_bytes().to_vec());
        let mut mac = hmac::Hmac::<sha2::Sha384>::new_from_slice(&code_key).unwrap();
        Mac::update(&mut mac, &text);
        prop_assert_eq!(digest(3, Some(&code_key), &text), mac.finalize().into_bytes().to_vec());
    }

    #[test]
    fn digests_in_pieces_are_those_of_the_whole(
        text in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut whole = sha2::Sha512_256::default();
        DynDigest::update(&mut whole, &text);
        prop_assert_eq!(digest(6, None, &text), Box::new(whole).finalize().into_vec());
    }
}
