// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Boards with an FPGA beside memory banks as devices. `make test` builds their models first and
//! names their folder in `CIPHERMILL_MODELS`; without that the tests say that they were skipped.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ciphermill::{
    Cancellation, CipherRequest, Device, Direction, Error, ErrorKind, Job, Key, Mode, Output,
    Timing, TimingMethod,
};
use ciphermill_cpu::CpuDevice;
use ciphermill_model::{ModelDevice, Options, open};

/// The paper's, with 8 MB of memory.
const PAPER: &str = "aes-fpga-paper";
/// Two cores, three banks and 3 KiB of memory (tests/designs/board.toml).
const SMALL: &str = "test-board";
const SMALL_BYTES: usize = 3 << 10;

/// The folder of built models, where the design is among them.
fn models(design: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CIPHERMILL_MODELS").map(PathBuf::from);
    let built = folder.filter(|folder| folder.join(format!("{design}.so")).is_file());
    if built.is_none() {
        println!("skipped: CIPHERMILL_MODELS names no folder with the model {design}");
    }
    built
}

fn device(design: &str, settings: &str) -> Option<Arc<dyn Device>> {
    Some(open(design, settings.parse().unwrap(), &models(design)?).unwrap())
}

fn request(direction: Direction, iv: [u8; 16]) -> CipherRequest {
    CipherRequest::new(Mode::Ctr, direction, Key::new(&[7; 16]).unwrap(), iv)
}

fn bytes(length: usize) -> Vec<u8> {
    let bytes = (0..length).map(|index| (index * 7 + index / 253) as u8);
    bytes.collect()
}

/// One job in a queue of its own.
fn run(
    device: &dyn Device,
    request: CipherRequest,
    data: Vec<u8>,
) -> Result<(Vec<u8>, Timing), Error> {
    let mut queue = device.open(Cancellation::new()).unwrap();
    let (token, data, request) = (0, data.into(), request.into());
    queue
        .submit(Job {
            token,
            request,
            data,
        })
        .unwrap();
    let done = queue.complete().unwrap();
    let timing = done.timing;
    done.result
        .map(|output| (output.into_vec(), timing.unwrap()))
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// SP 800-38A, F.5.1 and F.5.2.
#[test]
fn the_vectors_of_the_standard() {
    let key = unhex("2b7e151628aed2a6abf7158809cf4f3c");
    let counter: [u8; 16] = unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        .try_into()
        .unwrap();
    let plain = unhex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    );
    let cipher = unhex(
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
         5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    );
    for design in [PAPER, SMALL] {
        let Some(device) = device(design, "") else {
            continue;
        };
        for (direction, from, to) in [
            (Direction::Encrypt, &plain, &cipher),
            (Direction::Decrypt, &cipher, &plain),
        ] {
            let key = Key::new(&key).unwrap();
            let request = CipherRequest::new(Mode::Ctr, direction, key, counter);
            assert_eq!(&run(&*device, request, from.clone()).unwrap().0, to);
        }
    }
}

#[test]
fn every_length_agrees_with_the_processor() {
    let cpu = CpuDevice::new();
    for (design, lengths) in [
        (PAPER, &[0, 1, 15, 16, 17, 63, 64, 65, 5000][..]),
        (SMALL, &[0, 1, 16, 33, 48, 49, 1000, 3071, 3072]),
    ] {
        let Some(device) = device(design, "") else {
            continue;
        };
        for (index, &length) in lengths.iter().enumerate() {
            let asked = request(Direction::Encrypt, [index as u8; 16]);
            let output = run(&*device, asked.clone(), bytes(length)).unwrap().0;
            assert_eq!(output, run(&cpu, asked, bytes(length)).unwrap().0);
        }
    }
}

#[test]
fn lengths_counters_and_keys_at_random_agree_with_the_processor() {
    let Some(device) = device(SMALL, "") else {
        return;
    };
    let cpu = CpuDevice::new();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state >> 20
    };
    for _ in 0..100 {
        let length = random() as usize % (2 * SMALL_BYTES);
        let text = bytes(length + 16);
        let key = Key::new(&text[length..]).unwrap();
        let iv = (u128::from(random()) << 64 | u128::from(random()) << 24).to_be_bytes();
        let asked = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, iv);
        let output = run(&*device, asked.clone(), text[..length].to_vec());
        let expected = run(&cpu, asked, text[..length].to_vec());
        assert_eq!(output.unwrap().0, expected.unwrap().0, "{length} bytes");
    }
}

#[test]
fn a_message_longer_than_the_memory_takes_several_runs_and_the_counter_goes_on() {
    let Some(device) = device(SMALL, "") else {
        return;
    };
    let cpu = CpuDevice::new();
    // The counter wraps around in the second run.
    let iv = (u128::MAX - 200).to_be_bytes();
    for length in [SMALL_BYTES + 1, 2 * SMALL_BYTES, 5 * SMALL_BYTES + 77] {
        let asked = request(Direction::Decrypt, iv);
        let output = run(&*device, asked.clone(), bytes(length)).unwrap().0;
        assert_eq!(output, run(&cpu, asked, bytes(length)).unwrap().0);
    }
}

#[test]
fn jobs_of_one_queue_come_back_in_order() {
    let Some(device) = device(SMALL, "") else {
        return;
    };
    let cpu = CpuDevice::new();
    let all = |device: &dyn Device| {
        let mut queue = device.open(Cancellation::new()).unwrap();
        let mut outputs = Vec::new();
        for token in 0..8_u8 {
            let request = request(Direction::Encrypt, [token; 16]).into();
            let data = bytes(700 * usize::from(token)).into();
            queue
                .submit(Job {
                    token: token.into(),
                    request,
                    data,
                })
                .unwrap();
            outputs.push(queue.complete().unwrap().result.unwrap().into_vec());
        }
        outputs
    };
    assert_eq!(all(&*device), all(&cpu));
}

#[test]
fn what_a_board_lacks_is_unsupported() {
    let Some(device) = device(SMALL, "") else {
        return;
    };
    let wrong = |change: &dyn Fn(&mut CipherRequest)| {
        let mut asked = request(Direction::Encrypt, [0; 16]);
        change(&mut asked);
        run(&*device, asked, bytes(32)).unwrap_err()
    };
    let errors = [
        wrong(&|asked| asked.mode = Mode::Ecb),
        wrong(&|asked| asked.mode = Mode::Cbc),
        wrong(&|asked| asked.mode = Mode::Gcm),
        wrong(&|asked| asked.key = Arc::new(Key::new(&[0; 24]).unwrap())),
        wrong(&|asked| asked.key = Arc::new(Key::new(&[0; 32]).unwrap())),
        wrong(&|asked| asked.bypass = true),
        wrong(&|asked| asked.output = Output::Sink),
    ];
    for error in errors {
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
    let capabilities = device.capabilities();
    assert!(capabilities.supports(Mode::Ctr, Direction::Decrypt, 128));
    assert!(!capabilities.supports(Mode::Ctr, Direction::Encrypt, 256));
    assert!(!capabilities.supports(Mode::Ecb, Direction::Encrypt, 128));
}

#[test]
fn the_slower_of_cores_and_memory_decides_the_simulated_time() {
    // Two cores of 10 cycles a block, three banks of 8.
    let length = SMALL_BYTES;
    let blocks = (length / 16) as f64;
    for (settings, seconds) in [
        (
            "clock_mhz=10,memory_clock_mhz=90",
            blocks * 10.0 / 2.0 / 10e6,
        ),
        (
            "clock_mhz=400,memory_clock_mhz=10",
            blocks * 8.0 / 3.0 / 10e6,
        ),
    ] {
        let Some(device) = device(SMALL, settings) else {
            return;
        };
        assert_eq!(device.name(), format!("model:{SMALL},{settings}"));
        let asked = request(Direction::Encrypt, [0; 16]);
        let timing = run(&*device, asked, bytes(length)).unwrap().1;
        assert_eq!(timing.method, TimingMethod::Simulated);
        let ratio = timing.processing.as_secs_f64() / seconds;
        assert!((1.0..1.15).contains(&ratio), "{settings}: {ratio}");
    }
}

#[test]
fn the_paper_s_board_has_its_clocks_and_its_rate() {
    let Some(device) = device(PAPER, "") else {
        return;
    };
    assert_eq!(device.capabilities().clock_mhz, Some(70.0));
    assert_eq!(device.capabilities().architecture, Some("stepped"));
    assert_eq!(device.capabilities().processors, Some(4));
    assert_eq!(device.capabilities().preferred_chunk_bytes, 8 << 20);
    let asked = request(Direction::Encrypt, [0; 16]);
    let timing = run(&*device, asked, bytes(1 << 16)).unwrap().1;
    // Four cores of 33 cycles a block at 70 MHz: 1,086 Mbit/s.
    let mbit_s = |time: Duration| 8.0 * 65536.0 / time.as_secs_f64() / 1e6;
    let rate = mbit_s(timing.processing);
    assert!((1050.0..1087.0).contains(&rate), "{rate}");
    // 198 Mbit/s with transfers, as published; the published rate without them is a little less.
    assert_eq!(timing.total, timing.processing + timing.transfer);
    let rate = mbit_s(timing.total);
    assert!((195.0..203.0).contains(&rate), "{rate}");
}

/// Each byte crosses the link twice, at 489.6 Mbit/s, in however many runs; no clock changes that.
#[test]
fn the_way_over_the_link_takes_time() {
    for settings in ["", "clock_mhz=400,memory_clock_mhz=90"] {
        let Some(device) = device(SMALL, settings) else {
            return;
        };
        for length in [0, 1000, 2 * SMALL_BYTES + 77] {
            let asked = request(Direction::Encrypt, [0; 16]);
            let timing = run(&*device, asked, bytes(length)).unwrap().1;
            let seconds = 16.0 * length as f64 / 489.6e6;
            let off = timing.transfer.as_secs_f64() - seconds;
            assert!(off.abs() < 2e-9, "{length} bytes: {:?}", timing.transfer);
            assert_eq!(timing.total, timing.processing + timing.transfer);
        }
    }
}

#[test]
fn a_run_is_cancelled_within_and_the_queue_ends() {
    let Some(device) = device(PAPER, "") else {
        return;
    };
    let cancellation = Cancellation::new();
    let mut queue = device.open(cancellation.clone()).unwrap();
    let (request, data) = (
        request(Direction::Encrypt, [0; 16]).into(),
        bytes(8 << 20).into(),
    );
    queue
        .submit(Job {
            token: 0,
            request,
            data,
        })
        .unwrap();
    // The whole message takes seconds.
    thread::sleep(Duration::from_millis(50));
    cancellation.cancel();
    let error = queue.complete().unwrap().result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
}

#[test]
fn a_setting_of_a_board_is_none_of_an_accelerator() {
    let Some(folder) = models("aes-iterative") else {
        return;
    };
    let options: Options = "memory_clock_mhz=33".parse().unwrap();
    let error = ModelDevice::new("aes-iterative", options, &folder).err();
    let error = error.expect("an accelerator has no memory clock");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(error.to_string().contains("clock_mhz=NUMBER"), "{error}");
}

#[test]
fn a_board_is_no_accelerator_and_says_so() {
    let Some(folder) = models(SMALL) else {
        return;
    };
    let error = ModelDevice::new(SMALL, Options::default(), &folder).err();
    let error = error.expect("a board is no accelerator");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains("model:test-board"), "{error}");
}
