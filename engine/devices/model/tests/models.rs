// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The built models against the processor. `make test` builds them first and names
//! their folder in `CIPHERMILL_MODELS`; without that the tests say that they were
//! skipped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ciphermill::{
    Buffer, Cancellation, CipherRequest, Device, Direction, ErrorKind, Job, Key, KeyBits, Mode,
    Output, TimingMethod,
};
use ciphermill_accelerator::registers::{IV, IV_BLOCKS_HIGH, IV_BLOCKS_LOW};
use ciphermill_accelerator::{Driver, Options, RegisterFile};
use ciphermill_cpu::CpuDevice;
use ciphermill_model::{
    Accelerator, Channel, Model, ModelDevice, ModelLibrary, Options as ModelOptions,
};

const DESIGNS: [&str; 3] = ["aes-iterative", "aes-pipelined", "aes-serial"];

/// The models that are built, in their folder.
fn models() -> Vec<(PathBuf, &'static str)> {
    let Some(folder) = std::env::var_os("CIPHERMILL_MODELS").map(PathBuf::from) else {
        println!("skipped: CIPHERMILL_MODELS does not name a folder of built models");
        return Vec::new();
    };
    let built = |design: &&str| folder.join(format!("{design}.so")).is_file();
    let found: Vec<_> = DESIGNS
        .into_iter()
        .filter(built)
        .map(|design| (folder.clone(), design))
        .collect();
    if found.is_empty() {
        println!("skipped: no model is built in {}", folder.display());
    }
    found
}

fn bytes(length: usize) -> Buffer {
    let bytes = (0..length).map(|index| (index * 7 + index / 253) as u8);
    bytes.collect::<Vec<_>>().into()
}

/// The first channel of an accelerator of its own.
fn channel(library: &Arc<ModelLibrary>) -> Channel {
    let accelerator = Accelerator::open(library).unwrap();
    accelerator.take_channel().unwrap()
}

fn run(
    device: &dyn Device,
    jobs: impl IntoIterator<Item = (CipherRequest, usize)>,
) -> Vec<Vec<u8>> {
    let mut queue = device.open(Cancellation::new()).unwrap();
    let mut outputs = Vec::new();
    for (token, (request, length)) in (0..).zip(jobs) {
        queue
            .submit(Job {
                token,
                request: request.into(),
                data: bytes(length),
            })
            .unwrap();
    }
    while let Some(done) = queue.complete() {
        assert_eq!(done.token, outputs.len() as u64);
        outputs.push(done.result.unwrap().into_vec());
    }
    outputs
}

#[test]
fn every_operation_and_length_agrees_with_the_processor() {
    let cpu = CpuDevice::new();
    for (folder, design) in models() {
        let device = ModelDevice::new(design, ModelOptions::default(), &folder).unwrap();
        let mut jobs = Vec::new();
        for (mode, direction) in device.capabilities().aes_operations() {
            for (index, size) in KeyBits::ALL.into_iter().enumerate() {
                for length in [0, 16, 32, 47, 16 * 17, 4096 + 3] {
                    let length = if mode == Mode::Ctr {
                        length
                    } else {
                        length & !15
                    };
                    let key = Key::new(&bytes(64)[index..index + size.bytes()]).unwrap();
                    jobs.push((CipherRequest::new(mode, direction, key, [0xFE; 16]), length));
                }
            }
        }
        assert!(jobs.len() >= 18, "{design} offers {} jobs only", jobs.len());
        assert_eq!(run(&device, jobs.clone()), run(&cpu, jobs), "{design}");
    }
}

#[test]
fn a_message_longer_than_every_buffer_goes_through() {
    let cpu = CpuDevice::new();
    for (folder, design) in models() {
        let device = ModelDevice::new(design, ModelOptions::default(), &folder).unwrap();
        let key = Arc::new(Key::new(&[1; 32]).unwrap());
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0xFF; 16]);
        let job = || [(request.clone(), 600_001)];
        assert_eq!(run(&device, job()), run(&cpu, job()), "{design}");
    }
}

#[test]
fn the_bypass_and_the_sink_are_there() {
    for (folder, design) in models() {
        let device = ModelDevice::new(design, ModelOptions::default(), &folder).unwrap();
        let key = Arc::new(Key::new(&[1; 16]).unwrap());
        let mut through =
            CipherRequest::new(Mode::Ecb, Direction::Encrypt, Arc::clone(&key), [0; 16]);
        through.bypass = true;
        let mut sunk = CipherRequest::new(Mode::Ecb, Direction::Encrypt, key, [0; 16]);
        sunk.output = Output::Sink;
        let outputs = run(&device, [(through, 1001), (sunk, 1600)]);
        assert_eq!(outputs, [bytes(1001), Buffer::default()], "{design}");
    }
}

#[test]
fn simulated_time_is_exact() {
    for (folder, design) in models() {
        let device = ModelDevice::new(design, ModelOptions::default(), &folder).unwrap();
        let mut queue = device.open(Cancellation::new()).unwrap();
        let key = Arc::new(Key::new(&[1; 32]).unwrap());
        let mut seen = Vec::new();
        for token in 0..3 {
            let request =
                CipherRequest::new(Mode::Ecb, Direction::Encrypt, Arc::clone(&key), [0; 16]);
            queue
                .submit(Job {
                    token,
                    request: request.into(),
                    data: bytes(16_000),
                })
                .unwrap();
            seen.push(queue.complete().unwrap().timing.unwrap());
        }
        let timing = seen[1];
        assert_eq!(timing.method, TimingMethod::Simulated);
        assert_eq!(
            timing, seen[2],
            "{design}: the second and third message cost the same"
        );
        assert!(
            timing.cycles.unwrap() >= 1000,
            "{design}: a block a cycle at best"
        );
        assert!(timing.total >= timing.processing && timing.processing >= timing.transfer);
        // 128-bit streams at 100 MHz: 1,000 beats.
        assert_eq!(timing.transfer.as_micros(), 10);
    }
}

#[test]
fn a_clock_that_the_user_sets_turns_the_same_cycles_into_its_seconds() {
    for (folder, design) in models() {
        let timing = |device: &ModelDevice| {
            let mut queue = device.open(Cancellation::new()).unwrap();
            let key = Key::new(&[1; 32]).unwrap();
            let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
            let job = Job {
                token: 0,
                request: request.into(),
                data: bytes(16_000),
            };
            queue.submit(job).unwrap();
            queue.complete().unwrap().timing.unwrap()
        };
        let own = ModelDevice::new(design, ModelOptions::default(), &folder).unwrap();
        let slow = ModelDevice::new(design, "clock_mhz=25".parse().unwrap(), &folder).unwrap();
        assert_eq!(slow.name(), format!("model:{design},clock_mhz=25"));
        assert_eq!(slow.capabilities().clock_mhz, Some(25.0));
        assert_eq!(own.capabilities().clock_mhz, Some(100.0));
        let (own, slow) = (timing(&own), timing(&slow));
        assert_eq!(slow.cycles, own.cycles);
        assert_eq!(slow.total, own.total * 4);
        assert_eq!(slow.processing, own.processing * 4);
        assert_eq!(slow.transfer, own.transfer * 4);
    }
}

#[test]
fn several_models_work_at_once() {
    let cpu = CpuDevice::new();
    for (folder, design) in models() {
        let device = ModelDevice::new(design, ModelOptions::default(), &folder).unwrap();
        let key = Arc::new(Key::new(&[1; 32]).unwrap());
        let request = CipherRequest::new(Mode::Cbc, Direction::Encrypt, key, [5; 16]);
        let job = || [(request.clone(), 3200)];
        let expected = run(&cpu, job());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert_eq!(run(&device, job()), expected, "{design}"));
            }
        });
    }
}

#[test]
fn a_message_in_chunks_is_the_message() {
    for (folder, design) in models() {
        let library = Arc::new(ModelLibrary::load(&folder.join(format!("{design}.so"))).unwrap());
        let open = || Driver::new(channel(&library), Options::default()).unwrap();
        let key = Arc::new(Key::new(&[9; 32]).unwrap());
        let never = Cancellation::new();
        for (mode, direction) in [
            (Mode::Cbc, Direction::Encrypt),
            (Mode::Cbc, Direction::Decrypt),
            (Mode::Ctr, Direction::Encrypt),
        ] {
            let request = CipherRequest::new(mode, direction, Arc::clone(&key), [0xFF; 16]);
            let mut whole = bytes(480);
            open().run(&request, &mut whole, None, &never).unwrap();
            let part = |range: std::ops::Range<usize>| Buffer::from(bytes(480)[range].to_vec());
            let (mut first, mut second) = (part(0..160), part(160..480));
            let mut device = open();
            device.run(&request, &mut first, None, &never).unwrap();
            let state = device.chaining_state().unwrap();
            // Another message in between, and another device, change nothing.
            device
                .run(
                    &CipherRequest::new(Mode::Ctr, Direction::Encrypt, Arc::clone(&key), [1; 16]),
                    &mut bytes(64),
                    None,
                    &never,
                )
                .unwrap();
            let mut device = open();
            device
                .run(&request, &mut second, Some(&state), &never)
                .unwrap();
            assert_eq!(
                whole,
                [&first[..], &second[..]].concat(),
                "{design} {mode:?} {direction:?}"
            );
        }
    }
}

#[test]
fn a_counter_is_not_used_twice_and_the_device_goes_on() {
    for (folder, design) in models() {
        let library = Arc::new(ModelLibrary::load(&folder.join(format!("{design}.so"))).unwrap());
        let mut device = Driver::new(channel(&library), Options::default()).unwrap();
        let key = Arc::new(Key::new(&[9; 16]).unwrap());
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
        let never = Cancellation::new();
        let spent = ciphermill_accelerator::ChainingState {
            iv: [0; 16],
            blocks: u64::MAX - 1,
        };
        let error = device
            .run(&request, &mut bytes(64), Some(&spent), &never)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{design}: {error}");
        assert!(
            error.to_string().contains("value twice"),
            "{design}: {error}"
        );
        device.run(&request, &mut bytes(64), None, &never).unwrap();
    }
}

#[test]
fn registers_outside_the_map_do_not_hang() {
    for (folder, design) in models() {
        let library = Arc::new(ModelLibrary::load(&folder.join(format!("{design}.so"))).unwrap());
        let mut model = Model::open(&library).unwrap();
        let _ = model.read(0xF0);
        let _ = model.write(0xF0, 1);
        for offset in [IV, IV_BLOCKS_LOW, IV_BLOCKS_HIGH] {
            assert_eq!(model.read(offset).unwrap(), 0, "{design}");
        }
    }
}

#[test]
fn a_cancelled_message_ends_soon() {
    for (folder, design) in models() {
        let device = ModelDevice::new(design, ModelOptions::default(), &folder).unwrap();
        let cancellation = Cancellation::new();
        let mut queue = device.open(cancellation.clone()).unwrap();
        let key = Key::new(&[1; 32]).unwrap();
        let request = CipherRequest::new(Mode::Cbc, Direction::Encrypt, key, [5; 16]);
        queue
            .submit(Job {
                token: 0,
                request: request.into(),
                data: vec![0; 64 << 20].into(),
            })
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancellation.cancel();
        let begun = std::time::Instant::now();
        let error = queue.complete().unwrap().result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert!(
            begun.elapsed() < std::time::Duration::from_secs(60),
            "{design}"
        );
    }
}

#[test]
fn a_library_that_is_no_model_is_refused() {
    let error = ModelLibrary::load(Path::new("/nowhere/aes.so"))
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Device);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.so");
    std::fs::write(&path, b"\x7fELF\x02\x01\x01").unwrap();
    let error = ModelLibrary::load(&path).err().unwrap();
    assert!(error.to_string().contains("is not a model"), "{error}");
}
