// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Everything that can be done to a file of ours is seen, and before anything
//! that it touches is released.

mod common;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    CostLimits, DecryptOptions, EncryptOptions, ErrorKind, KeyDerivation, Mode, Secret, inspect,
    open, seal,
};
use common::{CHEAP, HEADER_BYTES, data, decrypt_from, key, options};
use sha2::{Digest, Sha256};

const CHUNK: usize = 32;

fn sealed(mode: Mode, bytes: usize) -> Vec<u8> {
    seal(&data(bytes), &ReferenceDevice::new(), &options(mode, CHUNK)).unwrap()
}

fn error_kind(sealed: &[u8]) -> ErrorKind {
    let opened = open(sealed, &ReferenceDevice::new(), &DecryptOptions::new(key()));
    opened.expect_err("altered, and yet opened").kind()
}

/// The chunks of a file, each with its length field and tag.
fn chunks(sealed: &[u8], mode: Mode) -> Vec<Vec<u8>> {
    let tag = if mode == Mode::Gcm { 16 } else { 32 };
    let mut rest = &sealed[HEADER_BYTES..];
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let field = u32::from_be_bytes(*rest.first_chunk().unwrap());
        let length = 4 + (field & 0x7fff_ffff) as usize + tag;
        chunks.push(rest[..length].to_vec());
        rest = &rest[length..];
    }
    chunks
}

fn file(header: &[u8], chunks: &[&[u8]]) -> Vec<u8> {
    let mut file = header[..HEADER_BYTES].to_vec();
    for chunk in chunks {
        file.extend_from_slice(chunk);
    }
    file
}

#[test]
fn every_flipped_bit_is_seen() {
    for mode in Mode::MESSAGES {
        let sealed = sealed(mode, 2 * CHUNK + 5);
        for byte in 0..sealed.len() {
            for bit in 0..8 {
                let mut bad = sealed.clone();
                bad[byte] ^= 1 << bit;
                let kind = error_kind(&bad);
                let expected: &[ErrorKind] = match byte {
                    0..96 => &[ErrorKind::Damaged],
                    96..128 => &[ErrorKind::Authentication],
                    _ => &[ErrorKind::Damaged, ErrorKind::Authentication],
                };
                assert!(expected.contains(&kind), "{mode} {byte} {bit}: {kind:?}");
            }
        }
    }
}

#[test]
fn only_whole_checked_chunks_before_the_damage_are_released() {
    let plain = data(4 * CHUNK + 5);
    for mode in Mode::MESSAGES {
        let sealed = sealed(mode, plain.len());
        let starts: Vec<usize> = chunks(&sealed, mode)
            .iter()
            .scan(HEADER_BYTES, |start, chunk| {
                *start += chunk.len();
                Some(*start)
            })
            .collect();
        for byte in (0..sealed.len()).step_by(3) {
            let mut bad = sealed.clone();
            bad[byte] ^= 0x10;
            let (released, outcome) = decrypt_from(&bad[..], &ReferenceDevice::new(), key());
            outcome.unwrap_err();
            let whole = starts.iter().filter(|start| **start <= byte).count();
            assert_eq!(released, plain[..whole * CHUNK], "{mode} {byte}");
        }
    }
}

#[test]
fn every_truncation_is_seen() {
    for mode in Mode::MESSAGES {
        let sealed = sealed(mode, 2 * CHUNK + 5);
        for length in 0..sealed.len() {
            assert_eq!(
                error_kind(&sealed[..length]),
                ErrorKind::Damaged,
                "{mode} {length}"
            );
        }
    }
}

#[test]
fn truncation_that_looks_whole_is_seen() {
    for mode in Mode::MESSAGES {
        let sealed = sealed(mode, 3 * CHUNK);
        let parts = chunks(&sealed, mode);
        // Make the second chunk claim to be the last.
        let mut second = parts[1].clone();
        second[0] |= 0x80;
        assert_ne!(parts.len(), 2);
        error_kind(&file(&sealed, &[&parts[0], &second]));
    }
}

#[test]
fn appended_bytes_are_seen_before_the_last_chunk_is_released() {
    for mode in Mode::MESSAGES {
        let mut sealed = sealed(mode, 2 * CHUNK);
        sealed.push(0);
        let (released, outcome) = decrypt_from(&sealed[..], &ReferenceDevice::new(), key());
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Damaged);
        assert_eq!(released, data(CHUNK));
    }
}

#[test]
fn reordered_repeated_and_missing_chunks_are_seen() {
    for mode in Mode::MESSAGES {
        let sealed = sealed(mode, 4 * CHUNK);
        let parts = chunks(&sealed, mode);
        let [a, b, c, d] = [&parts[0][..], &parts[1], &parts[2], &parts[3]];
        assert!(file(&sealed, &[a, b, c, d]) == sealed);
        for order in [
            &[b, a, c, d][..],
            &[a, c, b, d],
            &[a, a, b, c, d],
            &[a, b, d],
            &[a, b, c, d, d],
            &[d],
            &[b, c, d],
        ] {
            error_kind(&file(&sealed, order));
        }
    }
}

#[test]
fn chunks_and_headers_of_another_file_are_seen() {
    for mode in Mode::MESSAGES {
        // The same key and plaintext: only the salts differ.
        let (one, two) = (sealed(mode, 3 * CHUNK), sealed(mode, 3 * CHUNK));
        let (ones, twos) = (chunks(&one, mode), chunks(&two, mode));
        let spliced = file(&one, &[&ones[0], &twos[1], &ones[2]]);
        assert_eq!(error_kind(&spliced), ErrorKind::Authentication);
        let swapped = file(&two, &[&ones[0], &ones[1], &ones[2]]);
        assert_eq!(error_kind(&swapped), ErrorKind::Authentication);
        let doubled = [&one[..], &two[..]].concat();
        assert_eq!(error_kind(&doubled), ErrorKind::Damaged);
    }
}

#[test]
fn wrong_secrets_are_told_apart_from_damage() {
    let device = ReferenceDevice::new();
    let mut options = EncryptOptions::new(Secret::password("right").unwrap());
    options.key_derivation = CHEAP;
    let sealed = seal(b"secret", &device, &options).unwrap();
    let open = |secret| {
        let opened = open(&sealed, &device, &DecryptOptions::new(secret));
        opened.unwrap_err()
    };
    let wrong = open(Secret::password("wrong").unwrap());
    assert_eq!(wrong.kind(), ErrorKind::Authentication);
    assert!(wrong.to_string().contains("wrong password"), "{wrong}");
    let kind = open(key());
    assert_eq!(kind.kind(), ErrorKind::Invalid);
    assert!(kind.to_string().contains("with a password"), "{kind}");
}

#[test]
fn foreign_files_are_refused() {
    let png = b"\x89PNG\r\n\x1a\n and so on";
    for foreign in [
        &b""[..],
        b"x",
        b"hello, world",
        png,
        &[0; 500],
        b"Salted__12345678",
    ] {
        assert_eq!(error_kind(foreign), ErrorKind::Damaged);
    }
}

/// A header whose SHA-256 is right, as anyone can make.
fn forged(change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut options = EncryptOptions::new(Secret::password("secret").unwrap());
    options.key_derivation = CHEAP;
    let mut sealed = seal(b"secret", &ReferenceDevice::new(), &options).unwrap();
    change(&mut sealed[..64]);
    let hash = Sha256::digest(&sealed[..64]);
    sealed[64..96].copy_from_slice(&hash);
    sealed
}

fn forged_error(change: impl FnOnce(&mut [u8])) -> ciphermill::Error {
    let options = DecryptOptions::new(Secret::password("secret").unwrap());
    open(&forged(change), &ReferenceDevice::new(), &options).unwrap_err()
}

#[test]
fn forged_headers_are_altered_on_purpose() {
    let error = forged_error(|header| header[19] = 0x20);
    assert_eq!(error.kind(), ErrorKind::Authentication);
    assert!(error.to_string().contains("altered on purpose"), "{error}");
    // Another mode or key size, with chunks to match, gives other keys.
    for error in [
        forged_error(|header| header[11] = 3),
        forged_error(|header| header[12..14].copy_from_slice(&128u16.to_be_bytes())),
        forged_error(|header| header[63] ^= 1),
    ] {
        assert_eq!(error.kind(), ErrorKind::Authentication);
    }
}

#[test]
fn costly_headers_are_refused_at_once() {
    let costs: [(u8, [u32; 3]); 12] = [
        (1, [30, 8, 1]),
        (1, [17, 8, 1 << 20]),
        (1, [1, u32::MAX, u32::MAX]),
        (1, [1, 1 << 22, 1]),
        (1, [2, 8, 65]),
        (1, [0, 8, 1]),
        (1, [17, 0, 0]),
        (2, [1 << 30, 1, 1]),
        (2, [1 << 20, u32::MAX, 1]),
        (2, [7, 1, 1]),
        (2, [1 << 16, 1, 257]),
        (3, [u32::MAX, 0, 0]),
    ];
    for (number, parameters) in costs {
        let error = forged_error(|header| {
            header[14] = number;
            for (at, parameter) in parameters.into_iter().enumerate() {
                header[20 + 4 * at..][..4].copy_from_slice(&parameter.to_be_bytes());
            }
        });
        assert_eq!(
            error.kind(),
            ErrorKind::Damaged,
            "{number} {parameters:?} {error}"
        );
    }
}

#[test]
fn what_cannot_be_is_not_inspected_either() {
    for (at, value) in [(23, 0), (23, 64), (23, 255), (19, 8)] {
        let sealed = forged(|header| header[at] = value);
        let error = inspect(&sealed[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{at} {value} {error}");
    }
    // What costs too much to open can be looked at.
    let costly = forged(|header| (header[23], header[27]) = (32, 8));
    let header = inspect(&costly[..]).unwrap();
    let refused = header.check_limits(&CostLimits::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Damaged);
    assert!(
        refused.to_string().contains("--kdf-limit 4093"),
        "{refused}"
    );
}

#[test]
fn limits_can_be_raised_and_lowered() {
    let device = ReferenceDevice::new();
    let secret = Secret::password("secret").unwrap();
    let mut options = EncryptOptions::new(secret.clone());
    options.key_derivation = KeyDerivation::Pbkdf2 { iterations: 1000 };
    let sealed = seal(b"secret", &device, &options).unwrap();
    let mut options = DecryptOptions::new(secret);
    options.limits.iterations = 999;
    let error = open(&sealed, &device, &options).unwrap_err();
    assert!(error.to_string().contains("999 iterations"), "{error}");
    options.limits.iterations = 1000;
    open(&sealed, &device, &options).unwrap();
}

#[test]
fn unknown_fields_and_chunk_sizes_are_refused() {
    for (at, value) in [
        (8, 1),
        (9, 2),
        (10, 0),
        (11, 0),
        (11, 5),
        (13, 1),
        (14, 4),
        (15, 1),
    ] {
        let error = forged_error(|header| header[at] = value);
        assert_eq!(error.kind(), ErrorKind::Damaged, "{at} {error}");
    }
    for chunk in [0, 8, 17, (64 << 20) + 16, u32::MAX] {
        let error = forged_error(|header| header[16..20].copy_from_slice(&chunk.to_be_bytes()));
        assert_eq!(error.kind(), ErrorKind::Damaged, "{chunk} {error}");
    }
}
