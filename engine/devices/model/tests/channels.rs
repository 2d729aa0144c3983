// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Several streams at once through a model with channels. `make test` builds it first, from
//! `tests/designs/channels.toml` of the repository, and names its folder in `CIPHERMILL_MODELS`;
//! without that the tests say that they were skipped.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ciphermill::{
    Buffer, Cancellation, CipherRequest, Device, Direction, ErrorKind, Job, Key, Mode, Queue,
};
use ciphermill_accelerator::{ChainingState, Driver, Options};
use ciphermill_cpu::CpuDevice;
use ciphermill_model::{Accelerator, Channel, ModelDevice, ModelLibrary, Options as ModelOptions};

const DESIGN: &str = "test-channels";
const CHANNELS: usize = 3;

/// The folder of built models, where the design is among them.
fn models() -> Option<PathBuf> {
    let folder = std::env::var_os("CIPHERMILL_MODELS").map(PathBuf::from);
    let built = folder.filter(|folder| folder.join(format!("{DESIGN}.so")).is_file());
    if built.is_none() {
        println!("skipped: CIPHERMILL_MODELS names no folder with the model {DESIGN}");
    }
    built
}

fn device() -> Option<ModelDevice> {
    models().map(|folder| ModelDevice::new(DESIGN, ModelOptions::default(), &folder).unwrap())
}

/// An accelerator, and a driver for each of its channels.
fn drivers() -> Option<(Arc<Accelerator>, Vec<Driver<Channel>>)> {
    let library = ModelLibrary::load(&models()?.join(format!("{DESIGN}.so"))).unwrap();
    let accelerator = Accelerator::open(&Arc::new(library)).unwrap();
    let channels = std::iter::from_fn(|| accelerator.take_channel());
    let drivers: Vec<_> = channels
        .map(|channel| Driver::new(channel, Options::default()).unwrap())
        .collect();
    assert_eq!(drivers.len(), CHANNELS);
    Some((accelerator, drivers))
}

fn bytes(length: usize) -> Buffer {
    let bytes = (0..length).map(|index| (index * 7 + index / 253) as u8);
    bytes.collect::<Vec<_>>().into()
}

fn key(stream: usize, bytes: usize) -> Key {
    Key::new(&vec![stream as u8 + 1; bytes]).unwrap()
}

fn cbc(stream: usize) -> CipherRequest {
    let iv = [0xF0 + stream as u8; 16];
    CipherRequest::new(Mode::Cbc, Direction::Encrypt, key(stream, 32), iv)
}

fn run(queue: &mut dyn Queue, jobs: &[(CipherRequest, usize)]) -> Vec<Vec<u8>> {
    for (token, (request, length)) in (0..).zip(jobs) {
        let (request, data) = (request.clone().into(), bytes(*length));
        let job = Job {
            token,
            request,
            data,
        };
        queue.submit(job).unwrap();
    }
    let done = std::iter::from_fn(|| queue.complete());
    done.map(|done| done.result.unwrap().into_vec()).collect()
}

fn expected(jobs: &[(CipherRequest, usize)]) -> Vec<Vec<u8>> {
    let mut queue = CpuDevice::new().open(Cancellation::new()).unwrap();
    run(&mut *queue, jobs)
}

/// Messages of other modes, keys and lengths for each stream.
fn messages(stream: usize) -> Vec<(CipherRequest, usize)> {
    let modes = [
        (Mode::Cbc, Direction::Encrypt),
        (Mode::Ctr, Direction::Encrypt),
        (Mode::Ecb, Direction::Encrypt),
        (Mode::Ctr, Direction::Decrypt),
    ];
    let message = |number: usize| {
        let (mode, direction) = modes[(stream + number) % modes.len()];
        let key = key(
            stream * 16 + number / 3,
            [16, 32][(stream + number / 2) % 2],
        );
        let length = 16 * (1 + 61 * number * (stream + 1));
        let rest = if mode == Mode::Ctr { stream + 3 } else { 0 };
        let request = CipherRequest::new(mode, direction, key, [(stream * 9) as u8; 16]);
        (request, length + rest)
    };
    (0..9).map(message).collect()
}

#[test]
fn streams_with_other_keys_modes_and_lengths_go_side_by_side() {
    let Some(device) = device() else { return };
    assert_eq!(device.capabilities().channels, CHANNELS);
    let description = &device.capabilities().description;
    assert!(description.contains("3 channels"), "{description}");
    // One more than there are channels: it has an accelerator of its own.
    let open = |_| device.open(Cancellation::new()).unwrap();
    let queues: Vec<_> = (0..CHANNELS + 1).map(open).collect();
    thread::scope(|scope| {
        for (stream, mut queue) in queues.into_iter().enumerate() {
            scope.spawn(move || {
                let messages = messages(stream);
                let expected = expected(&messages);
                assert_eq!(run(&mut *queue, &messages), expected, "stream {stream}");
            });
        }
    });
}

#[test]
fn cbc_streams_side_by_side_take_the_cycles_of_one() {
    const LENGTH: usize = 16 << 10;
    let Some((accelerator, mut drivers)) = drivers() else {
        return;
    };
    let never = Cancellation::new();
    let encrypt = |driver: &mut Driver<Channel>, stream| {
        let mut data = bytes(LENGTH);
        driver.run(&cbc(stream), &mut data, None, &never).unwrap();
        assert_eq!([data.into_vec()], *expected(&[(cbc(stream), LENGTH)]));
    };
    let mut cycles = Vec::new();
    for at_once in [1, CHANNELS] {
        let begun = accelerator.cycles_passed();
        for streams in drivers.chunks_mut(at_once) {
            // The clock is held for all of them before the first begins.
            let streams: Vec<_> = streams
                .iter_mut()
                .map(|driver| (driver, accelerator.at_work()))
                .collect();
            thread::scope(|scope| {
                for (stream, (driver, working)) in streams.into_iter().enumerate() {
                    scope.spawn(move || {
                        encrypt(driver, stream);
                        drop(working);
                    });
                }
            });
        }
        cycles.push(accelerator.cycles_passed() - begun);
    }
    println!("{CHANNELS} CBC streams: in sequence, side by side: {cycles:?} cycles");
    let (sequence, side_by_side) = (cycles[0], cycles[1]);
    assert!(sequence * 10 > side_by_side * 25, "{cycles:?} cycles");
    // As one stream does: a block each 15 cycles, some for its registers, and up to 256 in which a
    // host does not see that its channel is done.
    let alone = 15 * (LENGTH as u64 / 16);
    assert!(side_by_side < alone + alone / 10, "{cycles:?} cycles");
}

#[test]
fn an_error_of_one_stream_leaves_the_others_alone() {
    let Some((accelerator, drivers)) = drivers() else {
        return;
    };
    let Ok([mut failing, mut cancelled, mut good]) = <[_; CHANNELS]>::try_from(drivers) else {
        unreachable!()
    };
    let (never, cancellation) = (Cancellation::new(), Cancellation::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key(1, 16), [0; 16]);
            let spent = ChainingState {
                iv: [0; 16],
                blocks: u64::MAX - 1,
            };
            for _ in 0..20 {
                let _working = accelerator.at_work();
                let error = failing.run(&request, &mut bytes(640), Some(&spent), &never);
                assert_eq!(error.unwrap_err().kind(), ErrorKind::Invalid);
            }
        });
        scope.spawn(|| {
            let _working = accelerator.at_work();
            let error = cancelled.run(&cbc(1), &mut bytes(8 << 20), None, &cancellation);
            assert_eq!(error.unwrap_err().kind(), ErrorKind::Cancelled);
        });
        for _ in 0..8 {
            let _working = accelerator.at_work();
            let mut data = bytes(4096);
            good.run(&cbc(2), &mut data, None, &never).unwrap();
            assert_eq!([data.into_vec()], *expected(&[(cbc(2), 4096)]));
        }
        thread::sleep(Duration::from_millis(20));
        cancellation.cancel();
    });
    // Both go on.
    for mut driver in [failing, cancelled] {
        let mut data = bytes(64);
        driver.run(&cbc(0), &mut data, None, &never).unwrap();
        assert_eq!([data.into_vec()], *expected(&[(cbc(0), 64)]));
    }
}

#[test]
fn a_channel_is_free_again_behind_its_queue() {
    let Some((accelerator, drivers)) = drivers() else {
        return;
    };
    assert!(accelerator.take_channel().is_none());
    drop(drivers);
    assert!(accelerator.take_channel().is_some());
}
