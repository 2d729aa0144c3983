// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Tests of the container's internals: fixed salts, the plain path, the last indices.

use std::fmt::Write as _;

use super::keys::MAXIMUM_CHUNKS;
use super::*;
use crate::chunk::Sink as _;
use crate::testing::ReferenceDevice;
use crate::{ErrorKind, Secret};

const KEY: [u8; 32] = [0x11; 32];

fn options(mode: Mode, chunk_bytes: usize) -> EncryptOptions {
    EncryptOptions {
        mode: Some(mode),
        chunk_bytes,
        ..EncryptOptions::new(Secret::key(KEY).unwrap())
    }
}

fn encrypted(options: &EncryptOptions, salt: [u8; 32], data: &[u8], overlap: bool) -> Vec<u8> {
    let device = ReferenceDevice::new();
    let mut sealed = Vec::new();
    let stop = Cancellation::new();
    NewFile::prepare(&device, options, salt, &stop)
        .unwrap()
        .encrypt(data, &mut sealed, &device, &mut |_| {}, &stop, overlap)
        .unwrap();
    sealed
}

fn decrypted(secret: &Secret, sealed: &[u8], overlap: bool) -> Result<Vec<u8>> {
    let device = ReferenceDevice::new();
    let options = DecryptOptions::new(secret.clone());
    let mut opened = Vec::new();
    let stop = Cancellation::new();
    decrypt_any(
        sealed,
        &mut opened,
        &device,
        &options,
        &mut |_| {},
        &stop,
        overlap,
    )?;
    Ok(opened)
}

#[test]
fn overlapped_and_plain_path_agree() {
    let data: Vec<u8> = (0..=255).cycle().take(2000).collect();
    let secret = Secret::key(KEY).unwrap();
    for mode in Mode::MESSAGES {
        let options = options(mode, 64);
        for length in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1999, 2000] {
            let data = &data[..length];
            let plain = encrypted(&options, [3; 32], data, false);
            assert_eq!(
                plain,
                encrypted(&options, [3; 32], data, true),
                "{mode} {length}"
            );
            for overlap in [false, true] {
                assert_eq!(decrypted(&secret, &plain, overlap).unwrap(), data);
            }
        }
    }
}

#[test]
fn chunk_count_has_an_end() {
    for mode in Mode::MESSAGES {
        let device = ReferenceDevice::new();
        let file =
            NewFile::prepare(&device, &options(mode, 64), [3; 32], &Cancellation::new()).unwrap();
        let mut chunk = Chunk {
            index: MAXIMUM_CHUNKS - 1,
            ..Chunk::default()
        };
        file.keys.label(&mut chunk).unwrap();
        chunk.index += 1;
        let error = file.keys.label(&mut chunk).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}

#[test]
fn xts_is_not_for_files() {
    let error = NewFile::prepare(
        &ReferenceDevice::new(),
        &options(Mode::Xts, 64),
        [3; 32],
        &Cancellation::new(),
    );
    let error = error.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("choose gcm"), "{error}");
}

#[test]
fn ivs_never_meet() {
    let device = ReferenceDevice::new();
    let iv = |mode, salt: u8, index| {
        let file = NewFile::prepare(
            &device,
            &options(mode, 64),
            [salt; 32],
            &Cancellation::new(),
        )
        .unwrap();
        let mut chunk = Chunk {
            index,
            ..Chunk::default()
        };
        file.keys.label(&mut chunk).unwrap();
        chunk.iv
    };
    // Counter blocks of the largest chunks do not reach the next chunk's.
    let blocks = (MAXIMUM_CHUNK_BYTES / 16) as u128;
    for index in [0, 1, MAXIMUM_CHUNKS - 2] {
        let this = u128::from_be_bytes(iv(Mode::Ctr, 1, index));
        let next = u128::from_be_bytes(iv(Mode::Ctr, 1, index + 1));
        assert!(this + blocks <= next);
    }
    assert_ne!(iv(Mode::Gcm, 1, 0), iv(Mode::Gcm, 1, 1));
    assert_eq!(iv(Mode::Gcm, 1, MAXIMUM_CHUNKS - 1)[12..], [0; 4]);
    // CBC's depend on a key of the file.
    assert_ne!(iv(Mode::Cbc, 1, 0), iv(Mode::Cbc, 1, 1));
    assert_ne!(iv(Mode::Cbc, 1, 0), iv(Mode::Cbc, 2, 0));
}

#[test]
fn keys_differ_by_purpose_and_salt() {
    let device = ReferenceDevice::new();
    let key = |salt| {
        let file =
            NewFile::prepare(&device, &options(Mode::Gcm, 64), salt, &Cancellation::new()).unwrap();
        file.keys.encryption.as_bytes().to_vec()
    };
    assert_ne!(key([1; 32]), key([2; 32]));
    assert_eq!(key([1; 32]), key([1; 32]));
    assert_ne!(key([1; 32]), KEY);
}

/// Authentic, but nothing that a writer of this format makes.
#[test]
fn malformed_chunks_are_refused() {
    let sink = |mode, index, data: &[u8]| {
        let device = ReferenceDevice::new();
        let file =
            NewFile::prepare(&device, &options(mode, 32), [3; 32], &Cancellation::new()).unwrap();
        let chunk = Chunk {
            index,
            data: data.to_vec().into(),
            last: true,
            ..Chunk::default()
        };
        PlainSink::new(std::io::sink(), &file.raw.header).take(&chunk)
    };
    let kind = |outcome: Result<()>| outcome.unwrap_err().kind();
    sink(Mode::Gcm, 0, &[]).unwrap();
    assert_eq!(kind(sink(Mode::Gcm, 1, &[])), ErrorKind::Damaged);
    sink(Mode::Cbc, 0, &[16; 16]).unwrap();
    assert_eq!(kind(sink(Mode::Cbc, 1, &[16; 16])), ErrorKind::Damaged);
    assert_eq!(kind(sink(Mode::Cbc, 0, &[0; 16])), ErrorKind::Damaged);
    // A block of padding may make the last chunk longer, but only padding may.
    sink(Mode::Cbc, 1, &[16; 48]).unwrap();
    assert_eq!(kind(sink(Mode::Cbc, 1, &[1; 48])), ErrorKind::Damaged);
}

/// The vectors beside the specification are what this code writes. Write them
/// anew with `CIPHERMILL_WRITE_VECTORS=1 cargo test -p ciphermill vectors`.
#[test]
fn vectors_are_what_is_written() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/container-vectors/version-1.json"
    );
    if !std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs")).is_dir() {
        return; // a crate by itself, without the specification
    }
    let vectors = vectors();
    if std::env::var_os("CIPHERMILL_WRITE_VECTORS").is_some() {
        std::fs::write(path, &vectors).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap() == vectors,
        "the container's format has changed"
    );
}

fn vectors() -> String {
    let scrypt = KeyDerivation::Scrypt {
        log_n: 4,
        r: 8,
        p: 2,
    };
    let argon2id = KeyDerivation::Argon2id {
        memory_kib: 64,
        passes: 2,
        lanes: 2,
    };
    let pbkdf2 = KeyDerivation::Pbkdf2 { iterations: 1000 };
    let raw = KeyDerivation::RawKey;
    let cases = [
        ("gcm", Mode::Gcm, 256, raw, 70),
        ("gcm, 128-bit key", Mode::Gcm, 128, raw, 70),
        ("gcm, 192-bit key", Mode::Gcm, 192, raw, 70),
        ("gcm, empty", Mode::Gcm, 256, raw, 0),
        ("gcm, whole chunks", Mode::Gcm, 256, raw, 64),
        ("gcm, scrypt", Mode::Gcm, 256, scrypt, 33),
        ("gcm, argon2id", Mode::Gcm, 256, argon2id, 33),
        ("gcm, pbkdf2", Mode::Gcm, 256, pbkdf2, 33),
        ("ctr", Mode::Ctr, 256, raw, 70),
        ("ctr, empty", Mode::Ctr, 256, raw, 0),
        ("cbc", Mode::Cbc, 256, raw, 70),
        ("cbc, empty", Mode::Cbc, 256, raw, 0),
        ("cbc, whole chunks, scrypt", Mode::Cbc, 128, scrypt, 64),
        ("ecb", Mode::Ecb, 256, raw, 70),
    ];
    let mut json = String::from("{\n  \"version\": 1,\n  \"chunk_bytes\": 32,\n  \"vectors\": [\n");
    for (number, (name, mode, bits, derivation, length)) in cases.into_iter().enumerate() {
        let key_bits = KeyBits::from_bits(bits).unwrap();
        let key: Vec<u8> = (0..key_bits.bytes() as u8).collect();
        let (label, value, secret) = if derivation == raw {
            ("key", hexadecimal(&key), Secret::key(key).unwrap())
        } else {
            let password = "pass wörd";
            let secret = Secret::password(password).unwrap();
            ("password", password.to_owned(), secret)
        };
        let mut options = EncryptOptions::new(secret);
        options.mode = Some(mode);
        options.key_bits = key_bits;
        options.chunk_bytes = 32;
        options.key_derivation = derivation;
        let salt: [u8; 32] = std::array::from_fn(|byte| (32 * number + byte) as u8);
        let data: Vec<u8> = (0..length).map(|byte| (byte * 7 + number) as u8).collect();
        let sealed = encrypted(&options, salt, &data, false);
        assert_eq!(decrypted(&options.secret, &sealed, true).unwrap(), data);
        let comma = if number + 1 < cases.len() { "," } else { "" };
        writeln!(
            json,
            "    {{\n      \"name\": \"{name}\",\n      \"{label}\": \"{value}\",\n      \
             \"plaintext\": \"{}\",\n      \"container\": \"{}\"\n    }}{comma}",
            hexadecimal(&data),
            hexadecimal(&sealed)
        )
        .unwrap();
    }
    json.push_str("  ]\n}\n");
    json
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
