// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! XTS on every device of this processor: the vectors of IEEE 1619-2018, annex B, and of
//! NIST's CAVP (XTSGen), and the engine's block-by-block reference on random input.

use std::sync::Arc;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Cancellation, CipherRequest, Device, Direction, ErrorKind, Key, Mode, Result, run_message,
};
use ciphermill_cpu::{CpuDevice, Instructions, OpenSslDevice};
use proptest::prelude::*;

#[path = "common/without_aes.rs"]
mod without_aes;

fn devices() -> Vec<(String, Arc<dyn Device>)> {
    let mut devices: Vec<(String, Arc<dyn Device>)> = Vec::new();
    for instructions in Instructions::available() {
        let device = CpuDevice::with(instructions, 2).unwrap();
        devices.push((format!("cpu ({instructions})"), Arc::new(device)));
    }
    let openssl = match without_aes::is_here() {
        true => OpenSslDevice::without_aes_instructions(),
        false => OpenSslDevice::with_aes_instructions(),
    };
    match openssl {
        Ok(device) => devices.push((device.name().into(), Arc::new(device))),
        Err(error) => println!("skipped OpenSSL: {error}"),
    }
    devices.push(("reference".into(), Arc::new(ReferenceDevice::new())));
    devices
}

#[test]
fn the_same_without_aes_instructions() {
    without_aes::run();
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |index| u8::from_str_radix(&text[index..index + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

fn request(direction: Direction, keys: &[u8], number: [u8; 16], unit: usize) -> CipherRequest {
    let (key, tweak_key) = keys.split_at(keys.len() / 2);
    let (key, tweak_key) = (Key::new(key).unwrap(), Key::new(tweak_key).unwrap());
    let number = u128::from_le_bytes(number);
    CipherRequest::xts(direction, key, tweak_key, number, unit).unwrap()
}

fn run(device: &dyn Device, request: &CipherRequest, data: &[u8]) -> Result<Vec<u8>> {
    let never = Cancellation::new();
    let outcome = run_message(device, request, data.to_vec(), &never, &mut |_| {})?;
    Ok(outcome.data.into_vec())
}

/// Both keys, the data unit's number as its bytes are written, plaintext, ciphertext.
type Vector = (&'static str, &'static str, &'static str, &'static str);

const VECTORS: [Vector; 8] = [
    // IEEE 1619-2018, annex B, vectors 2 and 3.
    (
        "1111111111111111111111111111111122222222222222222222222222222222",
        "3333333333",
        "4444444444444444444444444444444444444444444444444444444444444444",
        "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
    ),
    (
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f022222222222222222222222222222222",
        "3333333333",
        "4444444444444444444444444444444444444444444444444444444444444444",
        "af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89",
    ),
    // Vectors 15 to 18: ciphertext stealing.
    (
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a78563412",
        "000102030405060708090a0b0c0d0e0f10",
        "6c1625db4671522d3d7599601de7ca09ed",
    ),
    (
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a78563412",
        "000102030405060708090a0b0c0d0e0f1011",
        "d069444b7a7e0cab09e24447d24deb1fedbf",
    ),
    (
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a78563412",
        "000102030405060708090a0b0c0d0e0f101112",
        "e5df1351c0544ba1350b3363cd8ef4beedbf9d",
    ),
    (
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a78563412",
        "000102030405060708090a0b0c0d0e0f10111213",
        "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac",
    ),
    // CAVP, XTSGenAES128 with the tweak as a string, 200 bits.
    (
        "394c97881abd989d29c703e48a72b397a7acf51b59649eeea9b33274d8541df4",
        "4b15c684a152d485fe9937d39b168c29",
        "2f3b9dcfbae729583b1d1ffdd16bb6fe2757329435662a78f0",
        "f3473802e38a3ffef4d4fb8e6aa266ebde553a64528a06463e",
    ),
    // CAVP, XTSGenAES256 with the data unit's number (245), 384 bits.
    (
        "f6db5326ea996b16ca0d439b5a0106e3a34ed343db489faad06979009399b03b\
         3cd9ef23332d46414216531d9885a5a30b1964523992f42748202b80a4190d45",
        "f5",
        "bf6a09f93f94d6bdc8c5f5e158916c3371a540e46644f79414d84dda1339397c\
         e90ebb768deeb88ecd2be175a396bb85",
        "b11a252c5776c439ea7baeaae7830418e574b2248cc8b524b7fd0cc8e1ecffa9\
         812f45ae313e3e1f44127b27fb08a613",
    ),
];

#[test]
fn published_vectors() {
    for (name, device) in devices() {
        for (keys, written, plaintext, ciphertext) in VECTORS {
            let mut number = [0; 16];
            let bytes = hex(written);
            number[..bytes.len()].copy_from_slice(&bytes);
            let [plaintext, ciphertext] = [hex(plaintext), hex(ciphertext)];
            let run = |direction, data: &[u8]| {
                let request = request(direction, &hex(keys), number, data.len());
                run(&*device, &request, data).unwrap()
            };
            assert_eq!(run(Direction::Encrypt, &plaintext), ciphertext, "{name}");
            assert_eq!(run(Direction::Decrypt, &ciphertext), plaintext, "{name}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_192_bits_are_not_offered() {
    let keys: Vec<u8> = (0..32).collect();
    for (name, device) in devices() {
        let request = request(Direction::Encrypt, &keys, [0; 16], 512);
        for bytes in [0, 15, 512 + 8] {
            let error = run(&*device, &request, &vec![0; bytes]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{name}");
        }
        let mut without = request.clone();
        without.data_units = None;
        let error = run(&*device, &without, &[0; 16]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{name}");
        let supports = |size| {
            let capabilities = device.capabilities();
            capabilities.supports(Mode::Xts, Direction::Encrypt, size)
        };
        let sizes = [128, 192, 256].map(supports);
        assert_eq!(sizes, [true, false, true], "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_data_units_match_the_reference(
        direction in prop::sample::select(vec![Direction::Encrypt, Direction::Decrypt]),
        keys in prop::sample::select(vec![32usize, 64])
            .prop_flat_map(|length| prop::collection::vec(any::<u8>(), length)),
        number in prop_oneof![any::<[u8; 16]>(), Just([0xff; 16]), Just([0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
        unit in prop_oneof![16usize..100, Just(512), Just(4096)],
        data in prop::collection::vec(any::<u8>(), 16..9000),
    ) {
        let last = data.len() % unit;
        let data = if (1..16).contains(&last) { &data[..data.len() - last] } else { &data[..] };
        let request = request(direction, &keys, number, unit);
        // Cut at data units, in the middle of the message.
        let cut = ReferenceDevice::new().with_chunk(1000);
        let expected = run(&cut, &request, data).unwrap();
        for (name, device) in devices() {
            prop_assert!(run(&*device, &request, data).unwrap() == expected, "{}", name);
        }
    }
}

#[test]
fn messages_longer_than_a_chunk_are_one_message() {
    let keys: Vec<u8> = (0..64).collect();
    let data: Vec<u8> = (0..(5_u32 << 19) + 100)
        .map(|index| (index >> 6) as u8)
        .collect();
    let request = request(Direction::Encrypt, &keys, [0xff; 16], 1000);
    let expected = run(&ReferenceDevice::new(), &request, &data).unwrap();
    for (name, device) in devices() {
        assert!(
            run(&*device, &request, &data).unwrap() == expected,
            "{name}"
        );
    }
}
