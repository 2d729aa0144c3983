// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What goes in comes out, whatever the mode, size, secret and device.

mod common;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Cancellation, DecryptOptions, Direction, EncryptOptions, ErrorKind, KeyBits, KeyDerivation,
    Mode, Secret, choose_mode, encrypt, inspect, open, open_until, seal,
};
use common::{CHEAP, data, decrypt_from, encrypt_to, key, options};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn streams_come_back(
        mode in prop::sample::select(Mode::MESSAGES.to_vec()),
        key_bits in prop::sample::select(KeyBits::ALL.to_vec()),
        chunk_blocks in 1usize..8,
        chunks in 0usize..6,
        offset in -17isize..18,
        in_flight in 1usize..6,
    ) {
        let chunk = 16 * chunk_blocks;
        let bytes = (chunk * chunks).saturating_add_signed(offset);
        let plain = data(bytes);
        let device = ReferenceDevice::new().with_in_flight(in_flight);
        let mut options = options(mode, chunk);
        options.key_bits = key_bits;
        let mut sealed = Vec::new();
        let summary = encrypt_to(&plain, &mut sealed, &device, &options).unwrap();
        prop_assert_eq!(summary.bytes_in, bytes as u64);
        prop_assert_eq!(summary.bytes_out, sealed.len() as u64);
        prop_assert_eq!(summary.chunks, bytes.div_ceil(chunk).max(1) as u64);
        let (opened, outcome) = decrypt_from(&sealed[..], &device, key());
        let summary = outcome.unwrap();
        prop_assert_eq!(summary.bytes_in, sealed.len() as u64);
        prop_assert_eq!(summary.bytes_out, bytes as u64);
        prop_assert_eq!(opened, plain);
    }

    #[test]
    fn passwords_come_back(
        derivation in prop::sample::select(vec![
            CHEAP,
            KeyDerivation::Scrypt { log_n: 3, r: 2, p: 3 },
            KeyDerivation::Argon2id { memory_kib: 32, passes: 1, lanes: 4 },
            KeyDerivation::Pbkdf2 { iterations: 3 },
        ]),
        password in prop::collection::vec(any::<u8>(), 1..100),
        bytes in 0usize..100,
    ) {
        let device = ReferenceDevice::new();
        let secret = Secret::password(password).unwrap();
        let mut options = EncryptOptions::new(secret.clone());
        options.key_derivation = derivation;
        let sealed = seal(&data(bytes), &device, &options).unwrap();
        prop_assert_eq!(inspect(&sealed[..]).unwrap().key_derivation, derivation);
        let opened = open(&sealed, &device, &DecryptOptions::new(secret)).unwrap();
        prop_assert_eq!(&opened[..], &data(bytes)[..]);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        noise in prop::collection::vec(any::<u8>(), 0..300),
        keep in 0usize..130,
        at in 0usize..400,
    ) {
        // Noise alone, and noise over a good file that keeps its beginning.
        let device = ReferenceDevice::new();
        let options = DecryptOptions::new(key());
        prop_assert!(open(&noise, &device, &options).is_err());
        let mut sealed = seal(&data(100), &device, &common::options(Mode::Cbc, 32)).unwrap();
        let start = keep.max(at).min(sealed.len());
        let count = noise.len().min(sealed.len() - start);
        let unchanged = sealed[start..start + count] == noise[..count];
        sealed[start..start + count].copy_from_slice(&noise[..count]);
        prop_assert_eq!(open(&sealed, &device, &options).is_ok(), unchanged);
    }
}

#[test]
fn default_derivations_work() {
    let device = ReferenceDevice::new();
    for name in ["scrypt", "argon2id", "pbkdf2"] {
        let secret = Secret::password("correct horse").unwrap();
        let mut options = EncryptOptions::new(secret.clone());
        options.key_derivation = KeyDerivation::from_name(name).unwrap();
        let sealed = seal(b"Attack", &device, &options).unwrap();
        let opened = open(&sealed, &device, &DecryptOptions::new(secret)).unwrap();
        assert_eq!(opened[..], b"Attack"[..]);
    }
    assert!(KeyDerivation::from_name("md5").is_err());
}

#[test]
fn large_buffers_take_the_overlapped_path() {
    let device = ReferenceDevice::new();
    let plain = data((3 << 20) + 5);
    let sealed = seal(&plain, &device, &EncryptOptions::new(key())).unwrap();
    let opened = open(&sealed, &device, &DecryptOptions::new(key())).unwrap();
    assert!(opened[..] == plain[..]);
}

#[test]
fn opening_ends_when_it_is_cancelled() {
    let device = ReferenceDevice::new();
    for bytes in [10, 3 << 20] {
        let sealed = seal(&data(bytes), &device, &options(Mode::Ctr, 1 << 16)).unwrap();
        let cancellation = Cancellation::new();
        cancellation.cancel();
        let options = DecryptOptions::new(key());
        let error = open_until(&sealed, &device, &options, &cancellation).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{bytes} {error}");
    }
}

#[test]
fn the_device_decides_the_mode_and_other_devices_read_it() {
    let all = ReferenceDevice::new();
    for (modes, chosen) in [
        (&Mode::MESSAGES[..], Mode::Gcm),
        (&[Mode::Ecb, Mode::Cbc, Mode::Ctr], Mode::Ctr),
        (&[Mode::Ecb, Mode::Cbc], Mode::Cbc),
        (&[Mode::Ecb], Mode::Ecb),
    ] {
        let device = ReferenceDevice::new().with_modes(modes);
        assert_eq!(choose_mode(&device, KeyBits::Bits256).unwrap(), chosen);
        let sealed = seal(b"Attack", &device, &EncryptOptions::new(key())).unwrap();
        assert_eq!(inspect(&sealed[..]).unwrap().mode, chosen);
        let opened = open(&sealed, &all, &DecryptOptions::new(key())).unwrap();
        assert_eq!(opened[..], b"Attack"[..]);
    }
}

#[test]
fn counter_mode_needs_no_decryption() {
    let device = ReferenceDevice::new().with_operations(&[(Mode::Ctr, Direction::Encrypt)]);
    let sealed = seal(b"Attack", &device, &EncryptOptions::new(key())).unwrap();
    let opened = open(&sealed, &device, &DecryptOptions::new(key())).unwrap();
    assert_eq!(opened[..], b"Attack"[..]);
}

#[test]
fn what_the_device_cannot_do_is_said() {
    let device = ReferenceDevice::new().with_modes(&[Mode::Ctr]);
    let error = seal(b"", &device, &options(Mode::Gcm, 64)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let sealed = seal(b"", &ReferenceDevice::new(), &options(Mode::Gcm, 64)).unwrap();
    let error = open(&sealed, &device, &DecryptOptions::new(key())).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("cannot decrypt AES-256 in mode gcm"),
        "{error}"
    );
    let none = ReferenceDevice::new().with_modes(&[]);
    assert!(choose_mode(&none, KeyBits::Bits128).is_err());
}

#[test]
fn options_that_cannot_be_are_refused() {
    let device = ReferenceDevice::new();
    for chunk in [0, 15, 17, (64 << 20) + 16] {
        let error = seal(b"", &device, &options(Mode::Gcm, chunk)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    let short = EncryptOptions::new(Secret::key([1; 16]).unwrap());
    assert_eq!(
        seal(b"", &device, &short).unwrap_err().kind(),
        ErrorKind::Invalid
    );
    let mut costly = EncryptOptions::new(Secret::password("secret").unwrap());
    costly.key_derivation = KeyDerivation::Scrypt {
        log_n: 30,
        r: 8,
        p: 1,
    };
    assert_eq!(
        seal(b"", &device, &costly).unwrap_err().kind(),
        ErrorKind::Invalid
    );
}

#[test]
fn secrets_are_not_printed() {
    let options = EncryptOptions::new(Secret::password("hunter2").unwrap());
    assert!(!format!("{options:?}").contains("hunter2"));
    assert!(format!("{options:?}").contains("Secret(password)"));
}

#[test]
fn progress_rises_to_the_whole() {
    let mut seen = Vec::new();
    let device = ReferenceDevice::new();
    let never = Cancellation::new();
    let plain = data(1000);
    let mut progress = |bytes| seen.push(bytes);
    encrypt(
        &plain[..],
        std::io::sink(),
        &device,
        &options(Mode::Cbc, 256),
        &mut progress,
        &never,
    )
    .unwrap();
    assert_eq!(seen, [256, 512, 768, 1000]);
}
