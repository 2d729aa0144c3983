// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The driver on an accelerator of PRESENT.

mod support;

use ciphermill::{CipherRequest, Direction, ErrorKind, Key, Mode, PRESENT};
use ciphermill_accelerator::registers::*;
use support::fake::FakeAccelerator;
use support::{bytes, driver, never, request};

const CAPABLE: u32 = CAPABILITY_ALGORITHM_PRESENT
    | CAPABILITY_ECB_MASK
    | CAPABILITY_CBC_MASK
    | CAPABILITY_CTR_MASK
    | CAPABILITY_ENCRYPT_MASK
    | CAPABILITY_DECRYPT_MASK
    | CAPABILITY_KEY_80_MASK
    | CAPABILITY_KEY_128_MASK;

/// An IV in the first eight bytes.
const IV: [u8; 16] = [7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0];

fn present(mode: Mode, key: &[u8]) -> CipherRequest {
    let key = Key::of(&PRESENT, key).unwrap();
    CipherRequest::new(mode, Direction::Encrypt, key, IV)
}

#[test]
fn a_key_of_80_bits_fills_three_words_and_a_counter_has_64_bits() {
    let key: Vec<u8> = (1..=16).collect();
    for (bytes_of_key, size) in [
        (10, CONFIGURATION_KEY_SIZE_BITS_80),
        (16, CONFIGURATION_KEY_SIZE_BITS_128),
    ] {
        let device = FakeAccelerator::new(64).with_register(CAPABILITY, CAPABLE);
        let bench = device.bench();
        let mut driver = driver(device);
        let plain = bytes(29);
        let mut data = plain.clone();
        let asked = present(Mode::Ctr, &key[..bytes_of_key]);
        driver.run(&asked, &mut data, None, &never()).unwrap();
        let mut whole = key[..bytes_of_key].to_vec();
        whole.resize(bytes_of_key.next_multiple_of(4), 0);
        let code = |(position, byte): (_, &u8)| FakeAccelerator::code(*byte, position, &whole, &IV);
        let wanted: Vec<u8> = (0..).zip(plain.iter()).map(code).collect();
        assert_eq!(data, wanted, "{bytes_of_key}");
        let writes = bench.lock().unwrap().writes.clone();
        let mut configurations = writes.iter().filter(|write| write.0 == CONFIGURATION);
        let fields = CONFIGURATION_KEY_SIZE_MASK | CONFIGURATION_COUNTER_WIDTH_MASK;
        assert_eq!(
            configurations.next_back().map(|write| write.1 & fields),
            Some(
                size << CONFIGURATION_KEY_SIZE_SHIFT
                    | CONFIGURATION_COUNTER_WIDTH_BITS_64 << CONFIGURATION_COUNTER_WIDTH_SHIFT
            )
        );
    }
}

#[test]
fn blocks_have_eight_bytes_and_aes_is_left_to_others() {
    let device = FakeAccelerator::new(64).with_register(CAPABILITY, CAPABLE);
    let bench = device.bench();
    let mut driver = driver(device);
    let capabilities = driver.identity().capabilities(None, "here");
    assert!(capabilities.can(&present(Mode::Cbc, &[0; 10]).into()));
    assert!(!capabilities.can(&request(Mode::Cbc).into()));
    assert!(capabilities.aes_operations().is_empty() && capabilities.aes_key_sizes().is_empty());
    bench.lock().unwrap().writes.clear();
    let mut refused = |request: &CipherRequest, length: usize| {
        let outcome = driver.run(request, &mut bytes(length), None, &never());
        outcome.unwrap_err().kind()
    };
    for (request, length, kind) in [
        (present(Mode::Ecb, &[0; 10]), 12, ErrorKind::Invalid),
        (present(Mode::Cbc, &[0; 16]), 17, ErrorKind::Invalid),
        (present(Mode::Gcm, &[0; 16]), 16, ErrorKind::Unsupported),
        // A key of as many bits is not enough.
        (
            CipherRequest::new(
                Mode::Ecb,
                Direction::Encrypt,
                Key::new(&[0; 16]).unwrap(),
                IV,
            ),
            16,
            ErrorKind::Unsupported,
        ),
    ] {
        assert_eq!(refused(&request, length), kind, "{} {length}", request.mode);
    }
    assert!(bench.lock().unwrap().writes.is_empty());
    driver
        .run(
            &present(Mode::Ecb, &[0; 10]),
            &mut bytes(24),
            None,
            &never(),
        )
        .unwrap();
}
