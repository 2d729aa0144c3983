// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Every device on this processor, through its queue: published vectors, and
//! RustCrypto on random input.

use std::sync::Arc;

use ciphermill::{
    AES, Buffer, Cancellation, CipherRequest, Device, Direction, ErrorKind, Job, Key, Mode, Output,
    PRESENT,
};
use ciphermill_cpu::{CpuDevice, Direct, DirectGcm, Instructions, OpenSslDevice};
use proptest::prelude::*;

#[path = "common/reference.rs"]
mod reference;
#[path = "common/vectors.rs"]
mod vectors;
#[path = "common/without_aes.rs"]
mod without_aes;

const MODES: [Mode; 4] = [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm];

/// All that can be had here; those that cannot are named.
fn devices() -> Vec<(String, Arc<dyn Device>)> {
    let mut devices: Vec<(String, Arc<dyn Device>)> = Vec::new();
    let mut instructions = Instructions::available();
    if without_aes::is_here() {
        // AWS-LC has other code there; the kernels have the same.
        instructions.retain(|kind| *kind == Instructions::Library);
    }
    for instructions in instructions {
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
    devices
}

#[test]
fn the_same_without_aes_instructions() {
    without_aes::run();
}

struct Outcome {
    result: ciphermill::Result<Buffer>,
    tag: Option<[u8; 16]>,
}

fn run(device: &dyn Device, request: CipherRequest, data: &[u8]) -> Outcome {
    let mut queue = device.open(Cancellation::new()).unwrap();
    let data = data.to_vec();
    queue
        .submit(Job {
            token: 3,
            request: request.into(),
            data: data.into(),
        })
        .unwrap();
    let completion = queue.complete().unwrap();
    assert_eq!(completion.token, 3);
    assert!(queue.complete().is_none());
    if completion.result.is_ok() {
        let timing = completion.timing.unwrap();
        assert!(timing.transfer.is_zero() && timing.processing <= timing.total);
    }
    Outcome {
        result: completion.result,
        tag: completion.tag,
    }
}

fn request(mode: Mode, direction: Direction, key: &[u8], iv: [u8; 16]) -> CipherRequest {
    CipherRequest::new(mode, direction, Key::new(key).unwrap(), iv)
}

#[test]
fn nist_vectors() {
    for (name, device) in devices() {
        for vector in vectors::sp_800_38a() {
            let (mode, key, iv) = (vector.mode, &vector.key, vector.iv);
            let outcome = run(
                &*device,
                request(mode, Direction::Encrypt, key, iv),
                &vector.plaintext,
            );
            assert_eq!(
                outcome.result.unwrap(),
                vector.ciphertext,
                "{name} {mode:?}"
            );
            let outcome = run(
                &*device,
                request(mode, Direction::Decrypt, key, iv),
                &vector.ciphertext,
            );
            assert_eq!(outcome.result.unwrap(), vector.plaintext, "{name} {mode:?}");
        }
        for vector in vectors::gcm() {
            let mut encryption = request(Mode::Gcm, Direction::Encrypt, &vector.key, vector.iv);
            encryption.associated_data = vector.associated_data.clone();
            let outcome = run(&*device, encryption, &vector.plaintext);
            assert_eq!(outcome.result.unwrap(), vector.ciphertext, "{name}");
            assert_eq!(outcome.tag, Some(vector.tag), "{name}");
            let mut decryption = request(Mode::Gcm, Direction::Decrypt, &vector.key, vector.iv);
            decryption.associated_data = vector.associated_data.clone();
            decryption.tag = Some(vector.tag);
            let outcome = run(&*device, decryption, &vector.ciphertext);
            assert_eq!(outcome.result.unwrap(), vector.plaintext, "{name}");
        }
    }
}

/// Something done to a request or its ciphertext on the way.
type Alteration<'a> = &'a dyn Fn(&mut CipherRequest, &mut Buffer);

#[test]
fn altered_gcm_messages_give_no_data() {
    let data = [9; 100];
    for (name, device) in devices() {
        let mut sealing = request(Mode::Gcm, Direction::Encrypt, &[1; 32], [2; 16]);
        sealing.associated_data = b"header".to_vec();
        let sealed = run(&*device, sealing, &data);
        let ciphertext = sealed.result.unwrap();
        let open = |alter: Alteration| {
            let mut opening = request(Mode::Gcm, Direction::Decrypt, &[1; 32], [2; 16]);
            opening.associated_data = b"header".to_vec();
            opening.tag = sealed.tag;
            let mut ciphertext = ciphertext.clone();
            alter(&mut opening, &mut ciphertext);
            run(&*device, opening, &ciphertext).result
        };
        assert_eq!(open(&|_, _| {}).unwrap(), data, "{name}");
        let alterations: [Alteration; 5] = [
            &|_, ciphertext| ciphertext[99] ^= 1,
            &|_, ciphertext| ciphertext.truncate(99),
            &|request, _| request.tag.as_mut().unwrap()[15] ^= 0x80,
            &|request, _| request.associated_data.push(0),
            &|request, _| request.iv[11] ^= 1,
        ];
        for (index, alteration) in alterations.into_iter().enumerate() {
            let error = open(alteration).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Authentication, "{name} {index}");
        }
    }
}

#[test]
fn sink_bypass_and_empty_messages() {
    for (name, device) in devices() {
        for mode in MODES {
            let empty = run(
                &*device,
                request(mode, Direction::Encrypt, &[1; 16], [0; 16]),
                &[],
            );
            assert_eq!(empty.result.unwrap(), [], "{name} {mode:?}");
            assert_eq!(empty.tag.is_some(), mode == Mode::Gcm, "{name} {mode:?}");
        }
        let mut sunk = request(Mode::Ctr, Direction::Encrypt, &[1; 16], [0; 16]);
        sunk.output = Output::Sink;
        assert_eq!(run(&*device, sunk, &[1; 33]).result.unwrap(), []);
        let mut bypass = request(Mode::Cbc, Direction::Encrypt, &[1; 16], [0; 16]);
        bypass.bypass = true;
        assert_eq!(run(&*device, bypass, &[1; 33]).result.unwrap(), [1; 33]);
    }
}

#[test]
fn partial_blocks_are_refused_where_the_mode_has_none() {
    for (name, device) in devices() {
        for mode in [Mode::Ecb, Mode::Cbc] {
            let request = request(mode, Direction::Encrypt, &[1; 16], [0; 16]);
            let error = run(&*device, request, &[0; 17]).result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{name}");
            assert!(error.to_string().contains("17 bytes"), "{name}: {error}");
        }
    }
}

#[test]
fn messages_longer_than_a_slice_are_one_message() {
    let data: Vec<u8> = (0..(5 << 19) + 16u32)
        .map(|index| (index >> 4) as u8)
        .collect();
    let iv = [0xff; 16];
    for (name, device) in devices() {
        for mode in MODES {
            let outcome = run(
                &*device,
                request(mode, Direction::Encrypt, &[5; 32], iv),
                &data,
            );
            let expected = if mode == Mode::Gcm {
                let (expected, tag) = reference::gcm(&[5; 32], &iv, &[], &data);
                assert_eq!(outcome.tag, Some(tag), "{name}");
                expected
            } else {
                reference::unauthenticated(mode, Direction::Encrypt, &[5; 32], &iv, &data)
            };
            assert!(outcome.result.unwrap() == expected, "{name} {mode:?}");
        }
    }
}

#[test]
fn capabilities_are_what_the_device_does() {
    for (name, device) in devices() {
        let capabilities = device.capabilities();
        for mode in MODES {
            for &size in AES.key_bits {
                for direction in [Direction::Encrypt, Direction::Decrypt] {
                    assert!(capabilities.supports(mode, direction, size), "{name}");
                }
            }
        }
        assert!(capabilities.in_flight > 1, "{name}");
        assert!(!capabilities.description.is_empty(), "{name}");
    }
}

#[test]
fn a_key_of_another_cipher_is_never_taken_for_one_of_aes() {
    let key = Arc::new(Key::of(&PRESENT, &[5; 16]).unwrap());
    let request = |mode| CipherRequest::new(mode, Direction::Encrypt, Arc::clone(&key), [0; 16]);
    for (name, device) in devices() {
        for mode in MODES {
            let capabilities = device.capabilities();
            assert!(!capabilities.can(&request(mode).into()), "{name} {mode}");
            let error = run(&*device, request(mode), &[0; 16]).result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{name} {mode}");
        }
    }
    assert!(Direct::new(&request(Mode::Ctr)).is_err());
    assert!(DirectGcm::new(Direction::Encrypt, &key).is_err());
}

#[test]
fn many_queues_on_many_threads_do_not_mix() {
    for (_, device) in devices() {
        std::thread::scope(|scope| {
            for seed in 0..4u8 {
                let device = Arc::clone(&device);
                scope.spawn(move || {
                    let mut queue = device.open(Cancellation::new()).unwrap();
                    for token in 0..20 {
                        let request =
                            request(Mode::Ctr, Direction::Encrypt, &[seed; 32], [seed; 16]);
                        let data = vec![token as u8; 5000];
                        queue
                            .submit(Job {
                                token,
                                request: request.into(),
                                data: data.into(),
                            })
                            .unwrap();
                    }
                    for token in 0..20 {
                        let completion = queue.complete().unwrap();
                        assert_eq!(completion.token, token);
                        let expected = reference::unauthenticated(
                            Mode::Ctr,
                            Direction::Encrypt,
                            &[seed; 32],
                            &[seed; 16],
                            &vec![token as u8; 5000],
                        );
                        assert_eq!(completion.result.unwrap(), expected);
                    }
                });
            }
        });
    }
}

#[test]
fn cancelled_queues_stop() {
    for (name, device) in devices() {
        let cancellation = Cancellation::new();
        let mut queue = device.open(cancellation.clone()).unwrap();
        cancellation.cancel();
        let request = request(Mode::Ctr, Direction::Encrypt, &[0; 16], [0; 16]);
        let data = vec![0; 16];
        queue
            .submit(Job {
                token: 0,
                request: request.into(),
                data: data.into(),
            })
            .unwrap();
        let error = queue.complete().unwrap().result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{name}");
    }
}

/// An IV, often close below a boundary at which a counter carries.
fn iv() -> impl Strategy<Value = [u8; 16]> {
    let boundaries = prop::sample::select(vec![1u128 << 32, 1 << 64, 1 << 96, 0]);
    prop_oneof![
        any::<[u8; 16]>(),
        (boundaries, 0u128..200)
            .prop_map(|(boundary, before)| boundary.wrapping_sub(before).to_be_bytes()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_messages_match_the_reference(
        mode in prop::sample::select(MODES.to_vec()),
        direction in prop::sample::select(vec![Direction::Encrypt, Direction::Decrypt]),
        key in prop::sample::select(vec![16usize, 24, 32])
            .prop_flat_map(|length| prop::collection::vec(any::<u8>(), length)),
        iv in iv(),
        associated in prop::collection::vec(any::<u8>(), 0..50),
        data in prop::collection::vec(any::<u8>(), 0..5000),
    ) {
        for (name, device) in devices() {
            if mode == Mode::Gcm {
                let (ciphertext, tag) = reference::gcm(&key, &iv, &associated, &data);
                let mut request = request(mode, direction, &key, iv);
                request.associated_data = associated.clone();
                let (input, output) = match direction {
                    Direction::Encrypt => (&data, &ciphertext),
                    Direction::Decrypt => {
                        request.tag = Some(tag);
                        (&ciphertext, &data)
                    }
                };
                let outcome = run(&*device, request, input);
                prop_assert_eq!(&outcome.result.unwrap(), output, "{}", name);
                prop_assert_eq!(outcome.tag, (direction == Direction::Encrypt).then_some(tag));
            } else {
                let data = if mode == Mode::Ctr { &data[..] } else { &data[..data.len() / 16 * 16] };
                let outcome = run(&*device, request(mode, direction, &key, iv), data);
                let expected = reference::unauthenticated(mode, direction, &key, &iv, data);
                prop_assert_eq!(&outcome.result.unwrap(), &expected, "{} {:?}", name, mode);
            }
        }
    }
}
