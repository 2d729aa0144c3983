// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Several messages of a queue in flight, those that are streams side by side, against each message
//! by itself through AWS-LC.

use ciphermill::{
    AES_CMAC, Algorithm, Cancellation, CipherRequest, Device, Direction, ErrorKind, Job, Key, Mode,
    Request, SHA_256, SHA_512, SecretKey, run_batch,
};
use ciphermill_cpu::{CpuDevice, Direct, DirectDigest, Instructions};
use proptest::prelude::*;

/// What there is to ask, bytes of the key and bytes of data.
type Shape = (What, usize, usize);

#[derive(Debug, Clone, Copy)]
enum What {
    Encrypt(Mode),
    Cmac,
    Digest(&'static Algorithm),
}

/// On the caller's thread and on threads of its own.
fn devices() -> impl Iterator<Item = CpuDevice> {
    let each = |instructions| [1, 3].map(|workers| CpuDevice::with(instructions, workers).unwrap());
    Instructions::available().into_iter().flat_map(each)
}

fn job(token: usize, (what, key_bytes, bytes): Shape) -> Job {
    let fill = |count: usize, seed: usize| -> Vec<u8> {
        (0..count)
            .map(|index| (index * (2 * token + 3) + seed * seed + (index >> 5)) as u8)
            .collect()
    };
    // One key for some neighbours.
    let key = fill(key_bytes, token / 3);
    let iv = fill(16, token + 1).try_into().unwrap();
    let cipher =
        |mode| CipherRequest::new(mode, Direction::Encrypt, Key::new(&key).unwrap(), iv).into();
    Job {
        token: token as u64,
        request: match what {
            What::Encrypt(mode) => cipher(mode),
            What::Cmac => Request::Authenticate(&AES_CMAC, SecretKey::new(key)),
            What::Digest(algorithm) => Request::Digest(algorithm),
        },
        data: fill(bytes, token + 2).into(),
    }
}

/// The output of a job by itself.
fn alone(job: &Job) -> Vec<u8> {
    let Ok(cipher) = job.request.cipher() else {
        let mut code = DirectDigest::of(&job.request).unwrap();
        code.update(&job.data).unwrap();
        return code.finish().unwrap();
    };
    let mut data = job.data.to_vec();
    let mut direct = Direct::new(cipher).unwrap();
    direct.process(&mut data).unwrap();
    data
}

fn check(device: &CpuDevice, shapes: &[Shape], at_once: bool) {
    let jobs: Vec<_> = shapes
        .iter()
        .enumerate()
        .map(|(n, shape)| job(n, *shape))
        .collect();
    let expected: Vec<_> = jobs.iter().map(alone).collect();
    let mut queue = device.open(Cancellation::new()).unwrap();
    if at_once {
        queue.submit_all(jobs).unwrap();
    } else {
        jobs.into_iter().for_each(|job| queue.submit(job).unwrap());
    }
    for (token, expected) in expected.into_iter().enumerate() {
        assert_eq!(queue.in_flight(), shapes.len() - token);
        let completion = queue.complete().unwrap();
        assert_eq!(completion.token, token as u64);
        let right = completion.result.unwrap() == expected;
        assert!(right, "{}: {token} of {shapes:?}", device.instructions());
        assert!(completion.timing.unwrap().transfer.is_zero());
    }
    assert!(queue.complete().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn messages_in_flight_are_as_each_by_itself(
        shapes in prop::collection::vec((0usize..8, 0usize..3, 0usize..1440), 0..70),
        at_once in any::<bool>(),
    ) {
        let shape = |(what, size, bytes): (usize, usize, usize)| {
            let (sha_256, sha_512) = (What::Digest(&SHA_256), What::Digest(&SHA_512));
            let whats = [sha_256, sha_256, sha_512, What::Cmac, What::Encrypt(Mode::Ctr)];
            let what = *whats.get(what).unwrap_or(&What::Encrypt(Mode::Cbc));
            let whole = matches!(what, What::Encrypt(_));
            (what, 16 + 8 * size, if whole { bytes / 16 * 16 } else { bytes })
        };
        let shapes: Vec<_> = shapes.into_iter().map(shape).collect();
        for device in devices() {
            check(&device, &shapes, at_once);
        }
    }
}

#[test]
fn long_streams_go_on_from_slice_to_slice() {
    let lengths = (0..35).map(|number| (What::Encrypt(Mode::Cbc), 32, 16 * (4090 + 3 * number)));
    let shapes: Vec<_> = lengths.collect();
    for device in devices() {
        check(&device, &shapes, true);
    }
}

#[test]
fn an_error_of_one_stream_is_its_own() {
    for device in devices() {
        let bytes = [32, 33, 0, 16, 47, 64];
        let jobs = bytes.map(|bytes| job(bytes, (What::Encrypt(Mode::Cbc), 16, bytes)));
        let mut queue = device.open(Cancellation::new()).unwrap();
        queue.submit_all(jobs.into()).unwrap();
        for bytes in bytes {
            let completion = queue.complete().unwrap();
            let whole = job(bytes, (What::Encrypt(Mode::Cbc), 16, bytes / 16 * 16));
            match completion.result {
                Ok(data) => assert_eq!(data, alone(&whole)),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Invalid);
                    assert!(bytes % 16 != 0, "{error}");
                }
            }
        }
    }
}

#[test]
fn a_cancelled_queue_leaves_those_of_others_alone() {
    for device in devices() {
        let cancellation = Cancellation::new();
        let mut cancelled = device.open(cancellation.clone()).unwrap();
        let mut goes_on = device.open(Cancellation::new()).unwrap();
        let shape = (What::Encrypt(Mode::Cbc), 24, 1 << 18);
        cancellation.cancel();
        for token in 0..9 {
            cancelled.submit(job(token, shape)).unwrap();
            goes_on.submit(job(token, shape)).unwrap();
        }
        for token in 0..9 {
            let completion = goes_on.complete().unwrap();
            assert_eq!(completion.result.unwrap(), alone(&job(token, shape)));
            let error = cancelled.complete().unwrap().result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Cancelled);
        }
    }
}

#[test]
fn the_capabilities_say_how_many_go_side_by_side() {
    for device in devices() {
        let workers = device.capabilities().in_flight - 1;
        let lanes = device.capabilities().streams / workers;
        match device.instructions() {
            Instructions::Library => assert!([1, 8].contains(&lanes), "{lanes}"),
            Instructions::Vaes256 => assert_eq!(lanes, 16),
            _ => assert_eq!(lanes, 32),
        }
    }
}

#[test]
fn a_batch_has_its_messages_in_order() {
    let shapes: Vec<_> = (0..20)
        .map(|number| (What::Encrypt(Mode::Cbc), 16, 16 * number))
        .collect();
    let jobs: Vec<_> = shapes
        .iter()
        .enumerate()
        .map(|(n, shape)| job(n, *shape))
        .collect();
    let expected: Vec<_> = jobs.iter().map(alone).collect();
    let messages = jobs
        .into_iter()
        .map(|job| (job.request, job.data))
        .collect();
    let outcomes = run_batch(&CpuDevice::new(), messages, &Cancellation::new()).unwrap();
    for (outcome, expected) in outcomes.into_iter().zip(expected) {
        assert_eq!(outcome.unwrap().data, expected);
    }
}
