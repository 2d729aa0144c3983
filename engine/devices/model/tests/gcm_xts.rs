// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! GCM and XTS on the compiled RTL, compared with the processor, where the model of
//! `aes-pipelined-gcm` is built in the folder that `CIPHERMILL_MODELS` names.

use std::path::PathBuf;

use ciphermill::{
    Buffer, Cancellation, CipherRequest, Completion, Device, Direction, ErrorKind, Job, Key,
    KeyBits, Mode,
};
use ciphermill_cpu::CpuDevice;
use ciphermill_model::{ModelDevice, Options as ModelOptions};

const DESIGN: &str = "aes-pipelined-gcm";

/// The device, where its model is built.
fn model() -> Option<ModelDevice> {
    let folder = std::env::var_os("CIPHERMILL_MODELS").map(PathBuf::from)?;
    if !folder.join(format!("{DESIGN}.so")).is_file() {
        println!("skipped: {DESIGN} is not built in {}", folder.display());
        return None;
    }
    Some(ModelDevice::new(DESIGN, ModelOptions::default(), &folder).unwrap())
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length)
        .map(|index| (index * 7 + index / 253) as u8)
        .collect()
}

fn run(device: &dyn Device, request: &CipherRequest, data: impl Into<Buffer>) -> Completion {
    let mut queue = device.open(Cancellation::new()).unwrap();
    queue
        .submit(Job {
            token: 1,
            request: request.clone().into(),
            data: data.into(),
        })
        .unwrap();
    queue.complete().unwrap()
}

#[test]
fn gcm_agrees_with_the_processor_both_ways() {
    let Some(device) = model() else { return };
    let cpu = CpuDevice::new();
    for (size, (aad, length)) in
        KeyBits::ALL
            .into_iter()
            .cycle()
            .zip([(0, 0), (20, 0), (0, 16), (13, 1000), (4096, 70_001)])
    {
        let key = Key::new(&bytes(64)[..size.bytes()]).unwrap();
        let mut request = CipherRequest::new(Mode::Gcm, Direction::Encrypt, key, [0xFE; 16]);
        request.associated_data = bytes(aad);
        let sealed = run(&device, &request, bytes(length));
        let wanted = run(&cpu, &request, bytes(length));
        assert_eq!(sealed.tag, wanted.tag, "{aad} {length}");
        let text = sealed.result.unwrap();
        assert_eq!(text, wanted.result.unwrap());
        request.direction = Direction::Decrypt;
        request.tag = sealed.tag;
        let opened = run(&device, &request, text.clone()).result.unwrap();
        assert_eq!(opened, bytes(length));
        request.associated_data.push(0);
        let error = run(&device, &request, text).result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
    }
}

#[test]
fn xts_agrees_with_the_processor_both_ways() {
    let Some(device) = model() else { return };
    let cpu = CpuDevice::new();
    for (size, unit, length) in [
        (16, 512, 512 * 9),
        (32, 512, 512 * 3 + 64),
        (32, 16, 160),
        (16, 4096, 70_000),
        (32, 520, 496),
    ] {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let key = Key::new(&bytes(64)[..size]).unwrap();
            let tweak_key = Key::new(&bytes(64)[32..32 + size]).unwrap();
            let number = u128::MAX - 1;
            let request = CipherRequest::xts(direction, key, tweak_key, number, unit).unwrap();
            let given = run(&device, &request, bytes(length)).result.unwrap();
            let wanted = run(&cpu, &request, bytes(length)).result.unwrap();
            assert_eq!(given, wanted, "{unit} {length}");
        }
    }
}
