// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Exchange with `openssl enc -pbkdf2`, both ways.

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use ciphermill::openssl_format::{self, OpensslOptions};
use ciphermill::testing::ReferenceDevice;
use ciphermill::{Cancellation, Error, ErrorKind, KeyBits, Mode, Secret};
use common::{data, key};
use proptest::prelude::*;

const MODES: [Mode; 3] = [Mode::Ecb, Mode::Cbc, Mode::Ctr];

fn options(mode: Mode, key_bits: KeyBits) -> OpensslOptions {
    let mut options = OpensslOptions::new(Secret::password("correct horse").unwrap());
    options.mode = mode;
    options.key_bits = key_bits;
    options
}

fn encrypt(data: &[u8], options: &OpensslOptions) -> Result<Vec<u8>, Error> {
    let (device, never) = (ReferenceDevice::new(), Cancellation::new());
    let mut output = Vec::new();
    openssl_format::encrypt(data, &mut output, &device, options, &mut |_| {}, &never)?;
    Ok(output)
}

fn decrypt(data: &[u8], options: &OpensslOptions) -> Result<Vec<u8>, Error> {
    let (device, never) = (ReferenceDevice::new(), Cancellation::new());
    let mut output = Vec::new();
    openssl_format::decrypt(data, &mut output, &device, options, &mut |_| {}, &never)?;
    Ok(output)
}

/// Made by OpenSSL 3.0.19: `printf 'Attack at dawn, all of you' | openssl enc
/// -aes-N-MODE -pbkdf2 -md sha256 -pass 'pass:correct horse' -S 0001020304050607`,
/// which leaves `Salted__` and the salt out.
const VECTORS: [(Mode, KeyBits, &str); 4] = [
    (
        Mode::Cbc,
        KeyBits::Bits256,
        "510f54f5149ef43e59f4303542a62f5c7f0f96d6b76e089394c0a60dd4b47d1d",
    ),
    (
        Mode::Cbc,
        KeyBits::Bits128,
        "7f1feb22279de43ebacf787486e0a5a7f4343cc044b3b9736190697258fa57f0",
    ),
    (
        Mode::Ctr,
        KeyBits::Bits192,
        "ee790a4a54651a7358db9838a6e2b3c85a3cd9ba6cc5363230b0",
    ),
    (
        Mode::Ecb,
        KeyBits::Bits256,
        "c32bd55d7b73b69d96347ca0df20a6b886642e45460eb4586f0de83578b0cfbd",
    ),
];

#[test]
fn reads_what_openssl_wrote() {
    for (mode, key_bits, ciphertext) in VECTORS {
        let mut file = b"Salted__\x00\x01\x02\x03\x04\x05\x06\x07".to_vec();
        for pair in ciphertext.as_bytes().chunks(2) {
            let pair = std::str::from_utf8(pair).unwrap();
            file.push(u8::from_str_radix(pair, 16).unwrap());
        }
        let opened = decrypt(&file, &options(mode, key_bits)).unwrap();
        assert_eq!(opened, b"Attack at dawn, all of you");
    }
}

/// The program's output, or `None` where it is not installed.
fn openssl(
    options: &OpensslOptions,
    iterations: Option<u32>,
    decrypt: bool,
    input: &[u8],
) -> Option<Vec<u8>> {
    let mut command = Command::new("openssl");
    command
        .arg("enc")
        .arg(format!("-aes-{}-{}", options.key_bits.bits(), options.mode));
    command.args(["-pbkdf2", "-md", "sha256", "-pass", "pass:correct horse"]);
    if let Some(iterations) = iterations {
        command.args(["-iter", &iterations.to_string()]);
    }
    command.arg(if decrypt { "-d" } else { "-e" });
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("openssl is not installed: not exchanged with it");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(output.status.success());
    Some(output.stdout)
}

#[test]
fn exchanges_with_the_program() {
    for mode in MODES {
        for (key_bits, bytes, iterations) in [
            (KeyBits::Bits128, 0, None),
            (KeyBits::Bits192, 31, Some(1)),
            (KeyBits::Bits256, 48, None),
            (KeyBits::Bits256, (2 << 20) + 7, Some(1234)),
        ] {
            let plain = data(bytes);
            let mut options = options(mode, key_bits);
            options.iterations = iterations.unwrap_or(options.iterations);
            let Some(theirs) = openssl(&options, iterations, false, &plain) else {
                return;
            };
            assert!(
                decrypt(&theirs, &options).unwrap() == plain,
                "{mode} {bytes}"
            );
            let ours = encrypt(&plain, &options).unwrap();
            let back = openssl(&options, iterations, true, &ours);
            assert!(back.unwrap() == plain, "{mode} {bytes}");
        }
    }
}

#[test]
fn each_file_has_its_own_salt() {
    let options = options(Mode::Ctr, KeyBits::Bits256);
    let (one, two) = (
        encrypt(b"x", &options).unwrap(),
        encrypt(b"x", &options).unwrap(),
    );
    assert_eq!(one[..8], two[..8]);
    assert_ne!(one[8..16], two[8..16]);
}

#[test]
fn gcm_and_raw_keys_are_refused() {
    let gcm = options(Mode::Gcm, KeyBits::Bits256);
    assert_eq!(encrypt(b"", &gcm).unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(decrypt(b"", &gcm).unwrap_err().kind(), ErrorKind::Invalid);
    let raw = OpensslOptions::new(key());
    assert_eq!(encrypt(b"", &raw).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn wrong_passwords_show_as_wrong_padding() {
    let mut options = options(Mode::Cbc, KeyBits::Bits256);
    let sealed = encrypt(&data(100), &options).unwrap();
    // One wrong password in 256 gives good padding by chance: not both of these.
    let outcomes = ["wrong", "also wrong"].map(|password| {
        options.secret = Secret::password(password).unwrap();
        decrypt(&sealed, &options)
    });
    let error = outcomes.into_iter().find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("wrong password"), "{error}");
}

#[test]
fn cut_files_are_damaged() {
    for mode in [Mode::Ecb, Mode::Cbc] {
        let options = options(mode, KeyBits::Bits256);
        let sealed = encrypt(&data(40), &options).unwrap();
        for length in (0..=16).chain([17, 31, 33, 63]) {
            let error = decrypt(&sealed[..length], &options).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Damaged, "{length}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic(
        mode in prop::sample::select(MODES.to_vec()),
        magic in any::<bool>(),
        noise in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut options = options(mode, KeyBits::Bits128);
        options.iterations = 1;
        let mut file = if magic { b"Salted__".to_vec() } else { Vec::new() };
        file.extend(noise);
        if let Ok(opened) = decrypt(&file, &options) {
            prop_assert!(opened.len() <= file.len());
        }
    }

    #[test]
    fn streams_come_back(
        mode in prop::sample::select(MODES.to_vec()),
        bytes in 0usize..100,
    ) {
        let mut options = options(mode, KeyBits::Bits192);
        options.iterations = 1;
        let sealed = encrypt(&data(bytes), &options).unwrap();
        prop_assert_eq!(decrypt(&sealed, &options).unwrap(), data(bytes));
    }
}
