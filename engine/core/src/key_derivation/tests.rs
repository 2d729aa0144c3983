// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

use std::thread;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::ErrorKind;

fn scrypt_of(password: &[u8], salt: &[u8], cost: (u8, u32, u32), bytes: usize) -> Vec<u8> {
    let mut output = vec![0; bytes];
    scrypt::derive(password, salt, cost, &mut output, &Cancellation::new()).unwrap();
    output
}

fn argon2id_of(password: &[u8], salt: &[u8], cost: argon2id::Cost) -> [u8; 32] {
    let mut output = [0; 32];
    argon2id::derive(password, salt, cost, &mut output, &Cancellation::new()).unwrap();
    output
}

fn pbkdf2_of(password: &[u8], salt: &[u8], iterations: u32, bytes: usize) -> Vec<u8> {
    let mut output = vec![0; bytes];
    pbkdf2::derive(
        password,
        salt,
        iterations,
        &mut output,
        &Cancellation::new(),
    )
    .unwrap();
    output
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// RFC 7914, section 12.
#[test]
fn scrypt_is_that_of_the_standard() {
    for (password, salt, cost, expected) in [
        (
            "",
            "",
            (4, 1, 1),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
             fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
        ),
        (
            "password",
            "NaCl",
            (10, 8, 16),
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
             2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
        ),
        (
            "pleaseletmein",
            "SodiumChloride",
            (14, 8, 1),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
             d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
        ),
    ] {
        let output = scrypt_of(password.as_bytes(), salt.as_bytes(), cost, 64);
        assert_eq!(hexadecimal(&output), expected);
    }
}

/// RFC 7914, section 11.
#[test]
fn pbkdf2_is_that_of_the_standard() {
    assert_eq!(
        hexadecimal(&pbkdf2_of(b"passwd", b"salt", 1, 64)),
        "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
         49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
    );
}

/// The reference implementation's test.c.
#[test]
fn argon2id_is_that_of_the_reference_implementation() {
    for (memory_kib, lanes, expected) in [
        (
            1 << 8,
            1,
            "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe",
        ),
        (
            1 << 8,
            2,
            "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037",
        ),
    ] {
        let cost = argon2id::Cost {
            memory_kib,
            passes: 2,
            lanes,
        };
        let output = argon2id_of(b"password", b"somesalt", cost);
        assert_eq!(hexadecimal(&output), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn scrypt_is_that_of_the_crate(
        password in prop::collection::vec(any::<u8>(), 0..100),
        salt in prop::collection::vec(any::<u8>(), 0..40),
        log_n in 1u8..7,
        r in 1u32..5,
        p in 1u32..4,
        bytes in 1usize..70,
    ) {
        let mut expected = vec![0; bytes];
        let parameters = ::scrypt::Params::new(log_n, r, p).unwrap();
        ::scrypt::scrypt(&password, &salt, &parameters, &mut expected).unwrap();
        prop_assert_eq!(scrypt_of(&password, &salt, (log_n, r, p), bytes), expected);
    }

    #[test]
    fn argon2id_is_that_of_the_crate(
        password in prop::collection::vec(any::<u8>(), 0..100),
        salt in prop::collection::vec(any::<u8>(), 8..40),
        memory_kib in 8u32..1200,
        passes in 1u32..4,
        lanes in 1u32..6,
    ) {
        let memory_kib = memory_kib.max(8 * lanes);
        let parameters = ::argon2::Params::new(memory_kib, passes, lanes, Some(32)).unwrap();
        let (variant, version) = (::argon2::Algorithm::Argon2id, ::argon2::Version::V0x13);
        let mut expected = [0; 32];
        ::argon2::Argon2::new(variant, version, parameters)
            .hash_password_into(&password, &salt, &mut expected)
            .unwrap();
        let cost = argon2id::Cost { memory_kib, passes, lanes };
        prop_assert_eq!(argon2id_of(&password, &salt, cost), expected);
    }

    #[test]
    fn pbkdf2_is_that_of_the_crate(
        password in prop::collection::vec(any::<u8>(), 0..100),
        salt in prop::collection::vec(any::<u8>(), 0..40),
        iterations in 1u32..9000,
        bytes in 1usize..70,
    ) {
        let mut expected = vec![0; bytes];
        ::pbkdf2::pbkdf2::<hmac::Hmac<sha2::Sha256>>(&password, &salt, iterations, &mut expected)
            .unwrap();
        prop_assert_eq!(pbkdf2_of(&password, &salt, iterations, bytes), expected);
    }
}

/// Each of these would take minutes at least, and most of them hours.
#[test]
fn a_derivation_ends_when_it_is_cancelled() {
    let secret = Secret::password("secret").unwrap();
    for derivation in [
        KeyDerivation::Scrypt {
            log_n: 18,
            r: 64,
            p: 64,
        },
        KeyDerivation::Argon2id {
            memory_kib: 8192,
            passes: u32::MAX,
            lanes: 4,
        },
        KeyDerivation::Pbkdf2 {
            iterations: u32::MAX,
        },
    ] {
        let stop = Cancellation::new();
        let ended = thread::scope(|scope| {
            let working = scope.spawn(|| derivation.derive(&secret, &[7; 32], &stop));
            thread::sleep(Duration::from_millis(50));
            stop.cancel();
            working.join().unwrap()
        });
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}

/// More than any address space has: without a fallible allocation the process would end.
#[test]
fn memory_that_is_not_to_be_had_is_an_error() {
    let secret = Secret::password("secret").unwrap();
    let scrypt = KeyDerivation::Scrypt {
        log_n: 32,
        r: 64,
        p: 1,
    };
    let error = memory::reserved::<u64>(1 << 59).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("4398046511104 MiB"), "{error}");
    // 32 TiB: an error, or a system that promises it and is told to stop.
    let stop = Cancellation::new();
    stop.cancel();
    let kind = scrypt.derive(&secret, &[7; 32], &stop).unwrap_err().kind();
    assert!(matches!(kind, ErrorKind::Io | ErrorKind::Cancelled));
}

/// The header that took twice the memory which was counted for it.
#[test]
fn what_is_counted_is_what_is_allocated() {
    let header = KeyDerivation::Scrypt {
        log_n: 1,
        r: 1 << 22,
        p: 1,
    };
    assert!(header.check_sense().is_err());
    assert!(header.memory_bytes() > 2 << 30);
    let (r, p) = (MAXIMUM_SCRYPT_R, MAXIMUM_SCRYPT_P);
    let widest = KeyDerivation::Scrypt { log_n: 1, r, p };
    widest.check_sense().unwrap();
    assert_eq!(widest.memory_bytes(), 128 * 64 * (2 + 64 + 2));
    // The largest N that a GiB holds is allowed, as it always was.
    let largest = KeyDerivation::Scrypt {
        log_n: 20,
        r: 8,
        p: 1,
    };
    CostLimits::default().check(&largest).unwrap();
}

#[test]
fn parameters_beyond_the_bounds_are_refused() {
    let impossible = [
        KeyDerivation::Scrypt {
            log_n: 17,
            r: 65,
            p: 1,
        },
        KeyDerivation::Scrypt {
            log_n: 17,
            r: 8,
            p: 65,
        },
        KeyDerivation::Scrypt {
            log_n: 33,
            r: 8,
            p: 1,
        },
        // RFC 7914, section 2: N < 2^(16 r).
        KeyDerivation::Scrypt {
            log_n: 16,
            r: 1,
            p: 1,
        },
        KeyDerivation::Argon2id {
            memory_kib: 1 << 16,
            passes: 1,
            lanes: 257,
        },
        KeyDerivation::Pbkdf2 { iterations: 0 },
    ];
    for derivation in impossible {
        let error = derivation.check_sense().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{derivation}");
    }
}

#[test]
fn a_cost_is_chosen_by_what_the_derivation_has() {
    let chosen = |derivation: KeyDerivation, memory, passes, iterations| {
        derivation
            .with_cost(memory, passes, iterations)
            .map(|changed| changed.to_string())
            .map_err(|error| error.to_string())
    };
    let (scrypt, argon2id) = (KeyDerivation::SCRYPT, KeyDerivation::ARGON2ID);
    assert_eq!(
        chosen(scrypt, Some(64 << 20), Some(2), None).unwrap(),
        "scrypt, N = 2^16, r = 8, p = 2"
    );
    assert_eq!(
        chosen(argon2id, Some(100 << 10), Some(7), None).unwrap(),
        "argon2id, 100 KiB, 7 passes, 4 lanes"
    );
    assert_eq!(
        chosen(KeyDerivation::PBKDF2, None, None, Some(9)).unwrap(),
        "pbkdf2, 9 iterations"
    );
    for (derivation, memory, passes, iterations, words) in [
        (scrypt, Some(100 << 20), None, None, "power of two"),
        (scrypt, Some(1024), None, None, "power of two"),
        (scrypt, None, None, Some(9), "iterations cannot"),
        (scrypt, None, Some(0), None, "impossible"),
        (argon2id, Some(1000), None, None, "whole KiB"),
        (argon2id, Some(1 << 50), None, None, "whole KiB"),
        (argon2id, Some(16 << 10), None, None, "impossible"),
        (
            KeyDerivation::PBKDF2,
            Some(1 << 20),
            None,
            None,
            "memory cannot",
        ),
        (KeyDerivation::PBKDF2, None, Some(2), None, "passes cannot"),
        (KeyDerivation::RawKey, None, Some(2), None, "a cost cannot"),
    ] {
        let refused = chosen(derivation, memory, passes, iterations).unwrap_err();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn a_refusal_names_the_limit_that_suffices() {
    let costly = KeyDerivation::Scrypt {
        log_n: 22,
        r: 8,
        p: 1,
    };
    let limits = CostLimits::default();
    let refused = limits.check(&costly).unwrap_err().to_string();
    assert!(refused.contains("--kdf-limit 4"), "{refused}");
    assert!(limits.times(3).check(&costly).is_err());
    limits.times(4).check(&costly).unwrap();
}
