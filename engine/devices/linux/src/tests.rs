// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device over a stand-in for the kernel, beside `cpu`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ciphermill::{
    ASCON_AEAD128, ASCON_HASH256, AeadRequest, Cancellation, CipherRequest, Completion, Device,
    Direction, ErrorKind, HMAC_SHA_256, Job, Key, Mode, Output, P_256, Queue, Request, SHA_256,
    SHA_512, SecretKey,
};
use ciphermill_cpu::CpuDevice;
use proptest::prelude::*;
use rustix::io::Errno;

use crate::LinuxDevice;
use crate::testing::{AES, ASCON, Fake, FakeRing, SHA2};

fn aes(rings: usize) -> Arc<Fake> {
    let names = ["ciphermill0-0", "ciphermill0-1", "ciphermill1-0"];
    Fake::new(names[..rings].iter().map(|name| FakeRing::new(name, AES)))
}

fn device(fake: &Arc<Fake>, place: &str) -> ciphermill::Result<LinuxDevice> {
    LinuxDevice::with(Arc::clone(fake) as _, place)
}

fn refused(result: ciphermill::Result<LinuxDevice>) -> ciphermill::Error {
    match result {
        Ok(device) => panic!("{} opened", device.name()),
        Err(error) => error,
    }
}

fn complete(queue: &mut dyn Queue, request: &Request, data: &[u8]) -> Completion {
    let (request, data) = (request.clone(), data.to_vec().into());
    queue
        .submit(Job {
            token: 5,
            request,
            data,
        })
        .unwrap();
    queue.complete().unwrap()
}

fn run(device: &dyn Device, request: &Request, data: &[u8]) -> Completion {
    let mut queue = device.open(Cancellation::new()).unwrap();
    complete(&mut *queue, request, data)
}

fn same_as_cpu(device: &dyn Device, request: &Request, data: &[u8]) -> Completion {
    let ours = run(device, request, data);
    let plain = run(&CpuDevice::new(), request, data);
    assert_eq!(*ours.result.as_ref().unwrap(), *plain.result.unwrap());
    assert_eq!(ours.tag, plain.tag);
    ours
}

fn cipher(mode: Mode, direction: Direction, key: u8) -> CipherRequest {
    CipherRequest::new(mode, direction, Key::new(&[key; 32]).unwrap(), [0xfe; 16])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Longer than the driver's longest message, so that chunks go on where those before ended.
    #[test]
    fn modes_that_can_be_cut_are_those_of_cpu(
        mode in prop::sample::select(vec![Mode::Ecb, Mode::Cbc, Mode::Ctr]),
        decrypt: bool, key_bytes in prop::sample::select(vec![16usize, 24, 32]),
        iv: [u8; 16], blocks in 0usize..9000, more in 0usize..16,
    ) {
        let direction = if decrypt { Direction::Decrypt } else { Direction::Encrypt };
        let bytes = 16 * blocks + if mode == Mode::Ctr { more } else { 0 };
        let key = Key::new(&vec![7; key_bytes]).unwrap();
        let request = CipherRequest::new(mode, direction, key, iv).into();
        let data: Vec<u8> = (0..bytes).map(|at| ((at * at) >> 3) as u8).collect();
        same_as_cpu(&device(&aes(1), "").unwrap(), &request, &data);
    }

    #[test]
    fn xts_is_that_of_cpu(number: u128, unit_blocks in 1usize..300, blocks in 1usize..9000) {
        let key = |byte| Key::new(&[byte; 32]).unwrap();
        let request = CipherRequest::xts(Direction::Encrypt, key(1), key(2), number, 16 * unit_blocks);
        same_as_cpu(&device(&aes(1), "").unwrap(), &request.unwrap().into(), &vec![3; 16 * blocks]);
    }

    #[test]
    fn gcm_is_that_of_cpu(bytes in 0usize..5000, associated in 0usize..100) {
        let device = device(&aes(1), "").unwrap();
        let mut request = cipher(Mode::Gcm, Direction::Encrypt, 1);
        request.associated_data = vec![9; associated];
        let sealed = same_as_cpu(&device, &request.clone().into(), &vec![4; bytes]);
        request.direction = Direction::Decrypt;
        request.tag = sealed.tag;
        let opened = run(&device, &request.clone().into(), &sealed.result.unwrap());
        prop_assert_eq!(&*opened.result.unwrap(), &vec![4; bytes][..]);
    }
}

#[test]
fn digests_codes_and_ascon_are_those_of_cpu() {
    let fake = Fake::new([
        FakeRing::new("ciphermill0-0", AES),
        FakeRing::new("ciphermill0-1", SHA2),
        FakeRing::new("ciphermill0-2", ASCON),
    ]);
    // One queue for all of them takes a ring of each kind, when it is needed.
    let device = device(&fake, "0").unwrap();
    assert_eq!(device.capabilities().channels, 3);
    let key = || SecretKey::new(vec![5; 16]);
    let ascon = AeadRequest {
        algorithm: &ASCON_AEAD128,
        direction: Direction::Encrypt,
        key: key(),
        nonce: vec![6; 16],
        associated_data: b"header".to_vec(),
        tag: None,
    };
    let requests: [Request; 6] = [
        Request::Digest(&SHA_256),
        Request::Digest(&SHA_512),
        Request::Authenticate(&HMAC_SHA_256, key()),
        Request::Digest(&ASCON_HASH256),
        ascon.into(),
        cipher(Mode::Ctr, Direction::Encrypt, 1).into(),
    ];
    let mut queue = device.open(Cancellation::new()).unwrap();
    for request in &requests {
        assert!(device.capabilities().can(request), "{request:?}");
        for bytes in [0, 1, 1000] {
            let data = vec![8; bytes];
            let ours = complete(&mut *queue, request, &data);
            let plain = run(&CpuDevice::new(), request, &data);
            assert_eq!(*ours.result.unwrap(), *plain.result.unwrap());
            assert_eq!(ours.tag, plain.tag);
        }
    }
    drop(queue);
    assert!(device.open(Cancellation::new()).is_ok());
}

#[test]
fn a_forged_message_gives_nothing() {
    let device = device(&aes(1), "").unwrap();
    let mut request = cipher(Mode::Gcm, Direction::Decrypt, 1);
    request.tag = Some([0; 16]);
    let error = run(&device, &request.into(), &[1; 100]).result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Authentication);
}

#[test]
fn completions_keep_their_order_whatever_their_keys() {
    let fake = aes(1);
    let device = device(&fake, "").unwrap();
    let mut queue = device.open(Cancellation::new()).unwrap();
    let keys: Vec<_> = (0..3)
        .map(|byte| Arc::new(Key::new(&[byte; 16]).unwrap()))
        .collect();
    let request = |token: u64| {
        let key = Arc::clone(&keys[token as usize % 3]);
        Request::from(CipherRequest::new(
            Mode::Ecb,
            Direction::Encrypt,
            key,
            [0; 16],
        ))
    };
    for token in 0..40 {
        let (request, data) = (request(token), vec![token as u8; 160].into());
        queue
            .submit(Job {
                token,
                request,
                data,
            })
            .unwrap();
    }
    assert_eq!(queue.in_flight(), 40);
    for token in 0..40 {
        let completion = queue.complete().unwrap();
        assert_eq!(completion.token, token);
        let plain = run(&CpuDevice::new(), &request(token), &[token as u8; 160]);
        assert_eq!(*completion.result.unwrap(), *plain.result.unwrap());
    }
    assert!(queue.complete().is_none());
}

#[test]
fn a_key_that_the_file_has_is_not_set_again() {
    let fake = aes(1);
    let device = device(&fake, "").unwrap();
    let mut queue = device.open(Cancellation::new()).unwrap();
    for key in [1, 1, 2, 2, 1] {
        let request = cipher(Mode::Ecb, Direction::Encrypt, key).into();
        complete(&mut *queue, &request, &[0; 16]).result.unwrap();
    }
    assert_eq!(fake.0[0].keys.load(Ordering::SeqCst), 3);
}

#[test]
fn each_queue_has_a_ring_of_its_own() {
    let fake = aes(3);
    let every = device(&fake, "").unwrap();
    assert_eq!(every.name(), "linux:");
    assert_eq!(every.capabilities().channels, 3);
    let queues: Vec<_> = (0..3)
        .map(|_| every.open(Cancellation::new()).unwrap())
        .collect();
    let error = every.open(Cancellation::new()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(
        error.to_string().contains("all 3 rings are busy"),
        "{error}"
    );
    let error = refused(device(&fake, "0-1"));
    assert!(error.to_string().contains("the ring is busy"), "{error}");
    drop(queues);
    let one = device(&fake, "0-1").unwrap();
    let _queue = one.open(Cancellation::new()).unwrap();
    // A free one of the same card, and of the other one.
    assert_eq!(device(&fake, "0").unwrap().capabilities().channels, 1);
    assert_eq!(device(&fake, "1").unwrap().capabilities().channels, 1);
}

#[test]
fn errors_of_the_driver_say_what_to_do() {
    for (errno, kind, words) in [
        (Errno::NODEV, ErrorKind::Device, "vanished"),
        (Errno::IO, ErrorKind::Device, "reset during the message"),
        (Errno::NOMEM, ErrorKind::Io, "no memory"),
        (Errno::INVAL, ErrorKind::Device, "refused"),
    ] {
        let fake = aes(1);
        let device = device(&fake, "").unwrap();
        *fake.0[0].fault.lock().unwrap() = Some((1, errno));
        let request: Request = cipher(Mode::Ecb, Direction::Encrypt, 1).into();
        // The second of three chunks fails.
        let error = run(&device, &request, &vec![0; 150_000])
            .result
            .unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        // The next message is another one.
        run(&device, &request, &[0; 16]).result.unwrap();
    }
}

#[test]
fn an_answer_of_another_length_is_not_believed() {
    let fake = aes(1);
    let device = device(&fake, "").unwrap();
    fake.0[0].lie.store(1, Ordering::SeqCst);
    let request = cipher(Mode::Ecb, Direction::Encrypt, 1).into();
    let error = run(&device, &request, &[0; 16]).result.unwrap_err();
    assert!(
        error.to_string().contains("17 bytes instead of 16"),
        "{error}"
    );
}

#[test]
fn a_driver_that_this_program_does_not_know_is_refused() {
    let refusal = |change: &dyn Fn(&mut FakeRing)| {
        let mut ring = FakeRing::new("ciphermill0-0", AES);
        change(&mut ring);
        refused(device(&Fake::new([ring]), "")).to_string()
    };
    let text = refusal(&|ring| ring.info.abi = 9);
    assert!(
        text.contains("version 9") && text.contains("update"),
        "{text}"
    );
    let text = refusal(&|ring| ring.info.accelerator = 0x0009_0000);
    assert!(text.contains("version 9.0.0"), "{text}");
    let text = refusal(&|ring| ring.info.capability = 15);
    assert!(text.contains("algorithm number 15"), "{text}");
    let text = refusal(&|ring| ring.info.message_bytes = 0);
    assert!(text.contains("message_bytes"), "{text}");
    let none = refused(device(&Fake::new([]), "")).to_string();
    assert!(none.contains("modprobe ciphermill"), "{none}");
    let none = refused(device(&aes(1), "7-7")).to_string();
    assert!(none.contains("no /dev/ciphermill7-7"), "{none}");
}

#[test]
fn what_the_driver_lacks_is_refused_before_it_is_asked() {
    let fake = aes(1);
    let device = device(&fake, "").unwrap();
    assert!(!device.capabilities().sink && !device.capabilities().bypass);
    let gcm = cipher(Mode::Gcm, Direction::Encrypt, 1).into();
    let mut sink = cipher(Mode::Ecb, Direction::Encrypt, 1);
    sink.output = Output::Sink;
    for (request, bytes, words) in [
        (gcm, 1 << 17, "message_bytes"),
        (sink.into(), 16, "no sink"),
        (Request::GenerateKey(&P_256), 0, ""),
        (Request::Digest(&SHA_256), 16, ""),
    ] {
        let error = run(&device, &request, &vec![0; bytes]).result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!(fake.0[0].messages.load(Ordering::SeqCst), 0);
}

#[test]
fn a_cancelled_queue_does_nothing_more() {
    let fake = aes(1);
    let device = device(&fake, "").unwrap();
    let cancellation = Cancellation::new();
    let mut queue = device.open(cancellation.clone()).unwrap();
    cancellation.cancel();
    let request = cipher(Mode::Ecb, Direction::Encrypt, 1).into();
    let error = complete(&mut *queue, &request, &[0; 16])
        .result
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(fake.0[0].messages.load(Ordering::SeqCst), 0);
}
