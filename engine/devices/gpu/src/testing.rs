// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What every driver's devices are tested for, against the reference implementation. Each function
//! panics where a device differs, and does nothing without devices.

use std::sync::Arc;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Buffer, Cancellation, CipherRequest, Completion, Device, DeviceMemory, Direction, ErrorKind,
    Job, Key, Mode, Output,
};
use proptest::prelude::*;

use crate::GpuDevice;

fn few_cases() -> ProptestConfig {
    ProptestConfig {
        cases: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn job(token: u64, request: &CipherRequest, data: &[u8]) -> Job {
    Job {
        token,
        request: request.into(),
        data: data.to_vec().into(),
    }
}

fn run(device: &dyn Device, request: &CipherRequest, data: &[u8]) -> Completion {
    let mut queue = device.open(Cancellation::new()).unwrap();
    queue.submit(job(3, request, data)).unwrap();
    let completion = queue.complete().unwrap();
    assert_eq!(completion.token, 3);
    assert!(queue.complete().is_none());
    completion
}

/// What the device and the reference make of it are the same.
fn check(devices: &[GpuDevice], request: &CipherRequest, data: &[u8]) {
    let expected = run(&ReferenceDevice::new(), request, data);
    let expected_data = expected.result.unwrap();
    for device in devices {
        let ours = run(device, request, data);
        let about = &device.capabilities().description;
        let (mode, bits) = (request.mode, request.key.bits());
        assert!(
            ours.result.unwrap() == expected_data,
            "{about}: {mode} {bits}"
        );
        assert_eq!(ours.tag, expected.tag, "{about}: {mode} {bits}");
        assert!(ours.timing.is_some(), "{about}");
    }
}

fn key(bits: usize, seed: u8) -> Key {
    let bytes: Vec<u8> = (0..bits / 8)
        .map(|place| (place as u8).wrapping_mul(37) ^ seed)
        .collect();
    Key::new(&bytes).unwrap()
}

fn message(bytes: usize, seed: u8) -> Vec<u8> {
    let byte = |place: usize| (place * 167 + (place >> 8) * 13) as u8 ^ seed;
    (0..bytes).map(byte).collect()
}

/// Whole blocks, where the mode takes no others.
fn fitting(mode: Mode, bytes: usize) -> usize {
    match mode {
        Mode::Ecb | Mode::Cbc => bytes / 16 * 16,
        _ => bytes,
    }
}

/// ECB, CBC, CTR and GCM on random input.
pub fn modes(devices: &[GpuDevice]) {
    proptest!(few_cases(), |(
        operation in prop::sample::select(vec![
            (Mode::Ecb, Direction::Encrypt),
            (Mode::Ecb, Direction::Decrypt),
            (Mode::Cbc, Direction::Decrypt),
            (Mode::Ctr, Direction::Encrypt),
            (Mode::Gcm, Direction::Encrypt),
        ]),
        bits in prop::sample::select(vec![128, 192, 256]),
        seed: u8,
        iv: [u8; 16],
        high in 0usize..16,
        bytes in prop_oneof![0usize..600, 60_000usize..70_000, 180_000usize..200_000],
        associated in 0usize..40
    )| {
        let (mode, direction) = operation;
        // Counters that carry through many bytes.
        let mut iv = iv;
        iv[16 - high..].fill(0xff);
        let mut request = CipherRequest::new(mode, direction, key(bits, seed), iv);
        if mode == Mode::Gcm {
            request.associated_data = message(associated, seed);
        }
        check(devices, &request, &message(fitting(mode, bytes), seed));
    });
}

/// XTS on random input, with units that are whole blocks and others.
pub fn data_units(devices: &[GpuDevice]) {
    proptest!(few_cases(), |(
        encrypts: bool,
        bits in prop::sample::select(vec![128, 256]),
        seed: u8,
        number: u128,
        unit_bytes in prop_oneof![16usize..80, Just(512), Just(520), Just(4096), Just(100_000)],
        bytes in prop_oneof![16usize..600, 60_000usize..140_000]
    )| {
        let last = bytes % unit_bytes;
        let bytes = if (1..16).contains(&last) { bytes + 16 } else { bytes };
        prop_assume!(!(1..16).contains(&(bytes % unit_bytes)));
        let direction = if encrypts { Direction::Encrypt } else { Direction::Decrypt };
        let (key, tweak_key) = (key(bits, seed), key(bits, !seed));
        let request = CipherRequest::xts(direction, key, tweak_key, number, unit_bytes).unwrap();
        check(devices, &request, &message(bytes, seed));
    });
}

/// Decryption by GCM gives data only where the tag matches.
pub fn gcm_decryption(devices: &[GpuDevice]) {
    let mut sealing = CipherRequest::new(Mode::Gcm, Direction::Encrypt, key(256, 1), [2; 16]);
    sealing.associated_data = b"header".to_vec();
    let plaintext = message(150_007, 3);
    for device in devices {
        let sealed = run(device, &sealing, &plaintext);
        let ciphertext = sealed.result.unwrap();
        let mut opening = sealing.clone();
        opening.direction = Direction::Decrypt;
        opening.tag = sealed.tag;
        assert!(run(device, &opening, &ciphertext).result.unwrap() == plaintext);
        for place in [0, 70_000, 150_006] {
            let mut altered = ciphertext.clone();
            altered[place] ^= 1;
            let error = run(device, &opening, &altered).result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Authentication);
        }
    }
}

/// Jobs come back in their order, whatever their keys and lengths.
pub fn order_of_jobs(devices: &[GpuDevice]) {
    for device in devices {
        let mut queue = device.open(Cancellation::new()).unwrap();
        let lengths = [5, 200_000, 0, 64, 70_000, 1, 130_000];
        let requests: Vec<_> = (0..lengths.len())
            .map(|number| {
                let key = key([128, 192, 256][number % 3], number as u8);
                let mode = [Mode::Ctr, Mode::Gcm][number % 2];
                CipherRequest::new(mode, Direction::Encrypt, key, [number as u8; 16])
            })
            .collect();
        for (token, request) in requests.iter().enumerate() {
            let data = message(lengths[token], token as u8);
            queue.submit(job(token as u64, request, &data)).unwrap();
        }
        assert_eq!(queue.in_flight(), lengths.len());
        for (token, request) in requests.iter().enumerate() {
            let ours = queue.complete().unwrap();
            assert_eq!(ours.token, token as u64);
            let data = message(lengths[token], token as u8);
            let expected = run(&ReferenceDevice::new(), request, &data);
            assert!(ours.result.unwrap() == expected.result.unwrap(), "{token}");
            assert_eq!(ours.tag, expected.tag);
        }
    }
}

/// A cancelled queue ends its jobs.
pub fn cancellation(devices: &[GpuDevice]) {
    for device in devices {
        let cancellation = Cancellation::new();
        let mut queue = device.open(cancellation.clone()).unwrap();
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key(128, 1), [0; 16]);
        queue
            .submit(job(1, &request, &message(1 << 20, 0)))
            .unwrap();
        cancellation.cancel();
        let error = queue.complete().unwrap().result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        // Jobs that the device still works on outlive nothing.
        drop(queue);
    }
}

/// Operations that the device does not have are refused.
pub fn refusals(devices: &[GpuDevice]) {
    for device in devices {
        let key = Arc::new(key(128, 1));
        let request =
            |mode| CipherRequest::new(mode, Direction::Encrypt, Arc::clone(&key), [0; 16]);
        let refusal = |request: &CipherRequest| run(device, request, &[0; 32]).result.unwrap_err();
        let error = refusal(&request(Mode::Cbc));
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("use cpu"), "{error}");
        let mut bypass = request(Mode::Ctr);
        bypass.bypass = true;
        assert_eq!(refusal(&bypass).kind(), ErrorKind::Unsupported);
        let mut sink = request(Mode::Ctr);
        sink.output = Output::Sink;
        assert_eq!(refusal(&sink).kind(), ErrorKind::Unsupported);
        let error = run(device, &request(Mode::Ecb), &[0; 17])
            .result
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}

/// Memory of a device for [`data_in_memory`]: gives a copy of bytes there, and gives them back.
pub trait TestMemory {
    /// A copy of the bytes on the device.
    fn put(&self, bytes: &[u8]) -> DeviceMemory;
    /// The bytes there, whose memory is released.
    fn take(&self, memory: DeviceMemory) -> Vec<u8>;
}

/// Data in the device's memory become what the reference makes of them, in their place, at any
/// address.
#[allow(unsafe_code)]
pub fn data_in_memory(devices: &[GpuDevice], memory: &dyn TestMemory) {
    // So many bytes behind the beginning of an allocation.
    let go_at = |offset: usize, device: &GpuDevice, request: &CipherRequest, bytes: &[u8]| {
        let whole = memory.put(&[&vec![0xee; offset], bytes].concat());
        let data = DeviceMemory {
            address: whole.address + offset as u64,
            bytes: bytes.len(),
        };
        // SAFETY: the memory is this function's.
        let outcome = unsafe { device.run_in_memory(request, data, &Cancellation::new()) };
        let mut taken = memory.take(whole);
        let data = taken.split_off(offset);
        assert!(taken.iter().all(|byte| *byte == 0xee), "bytes before them");
        (outcome, data)
    };
    let go = |device: &GpuDevice, request: &CipherRequest, bytes: &[u8]| {
        go_at(0, device, request, bytes)
    };
    let encrypt = Direction::Encrypt;
    let mut requests = Vec::new();
    for (mode, direction) in [
        (Mode::Ecb, encrypt),
        (Mode::Ecb, Direction::Decrypt),
        (Mode::Cbc, Direction::Decrypt),
        (Mode::Ctr, encrypt),
        (Mode::Gcm, encrypt),
    ] {
        let mut request = CipherRequest::new(mode, direction, key(192, 5), [0xfe; 16]);
        if mode == Mode::Gcm {
            request.associated_data = message(23, 1);
        }
        requests.push(request);
    }
    for direction in [encrypt, Direction::Decrypt] {
        let (key, tweak_key) = (key(256, 1), key(256, 2));
        requests.push(CipherRequest::xts(direction, key, tweak_key, 7, 4096).unwrap());
    }
    for device in devices {
        for request in &requests {
            for bytes in [0, 16, 65_536, 65_541, 200_000, 262_144] {
                let bytes = match request.mode {
                    Mode::Xts => fitting(Mode::Ecb, bytes).max(16),
                    mode => fitting(mode, bytes),
                };
                let data = message(bytes, 3);
                let expected = run(&ReferenceDevice::new(), request, &data);
                let expected_data = expected.result.unwrap();
                for offset in [0, 1] {
                    let (outcome, ours) = go_at(offset, device, request, &data);
                    let (tag, timing) = outcome.unwrap();
                    let about = format!("{} {bytes} at {offset}", request.mode);
                    assert!(expected_data == ours, "{about}");
                    assert_eq!(tag, expected.tag, "{about}");
                    // A driver's clock may not see what a short message takes.
                    assert!(bytes < 200_000 || !timing.processing.is_zero());
                }
            }
        }
        let sealing = requests.iter().find(|one| one.mode == Mode::Gcm).unwrap();
        let plaintext = message(150_007, 4);
        let (sealed, ciphertext) = go(device, sealing, &plaintext);
        let mut opening = sealing.clone();
        opening.direction = Direction::Decrypt;
        opening.tag = sealed.unwrap().0;
        let (opened, data) = go(device, &opening, &ciphertext);
        assert!(opened.unwrap().0.is_none() && data == plaintext);
        let mut altered = ciphertext;
        altered[150_006] ^= 1;
        let (refused, data) = go(device, &opening, &altered);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Authentication);
        assert!(data.iter().all(|byte| *byte == 0), "no plaintext is left");
        let units = CipherRequest::xts(encrypt, key(128, 1), key(128, 2), 0, 520).unwrap();
        let (refused, data) = go(device, &units, &message(1040, 1));
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
        assert!(data == message(1040, 1));
    }
}

/// The device's own buffers serve as others do.
pub fn own_buffers(devices: &[GpuDevice]) {
    for device in devices {
        let allocator = device.allocator();
        let data = message(100_000, 9);
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key(256, 4), [8; 16]);
        let buffer: Buffer = allocator.filled(&data).unwrap();
        let mut queue = device.open(Cancellation::new()).unwrap();
        queue
            .submit(Job {
                token: 1,
                request: (&request).into(),
                data: buffer,
            })
            .unwrap();
        let ours = queue.complete().unwrap().result.unwrap();
        let expected = run(&ReferenceDevice::new(), &request, &data)
            .result
            .unwrap();
        assert!(ours == expected);
    }
}
