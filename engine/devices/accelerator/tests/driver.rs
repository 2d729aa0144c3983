// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The driver against the behavioural accelerator: what goes well, and every way in
//! which a device fails. GCM has tests of its own.

mod support;

use std::time::{Duration, Instant};

use ciphermill::{
    Cancellation, CipherRequest, Direction, Error, ErrorKind, Key, Mode, Operation, Output, P_256,
    P_384, Request, SecretKey, TimingMethod,
};
use ciphermill_accelerator::registers::*;
use ciphermill_accelerator::{ChainingState, Driver, Identity, RegisterFile};
use proptest::prelude::*;
use support::fake::{FakeAccelerator, Fault};
use support::{IV, KEY, bytes, coded, driver, never, options, patient, request};

fn refused(device: FakeAccelerator) -> Error {
    match Driver::new(device, options()) {
        Ok(_) => panic!("taken"),
        Err(error) => error,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_length_passes_through_every_fifo(length in 0usize..5000, fifo in 1usize..300) {
        let mut driver = driver(FakeAccelerator::new(fifo));
        let plain = bytes(length);
        let mut data = plain.clone();
        driver.run(&request(Mode::Ctr), &mut data, None, &never()).unwrap();
        prop_assert_eq!(data, coded(&plain));
    }
}

#[test]
fn the_same_key_is_sent_once() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    for _ in 0..3 {
        driver
            .run(&request(Mode::Ctr), &mut bytes(40), None, &never())
            .unwrap();
    }
    assert_eq!(bench.lock().unwrap().keys_taken, 1);
    let other = CipherRequest::new(
        Mode::Ctr,
        Direction::Encrypt,
        Key::new(&[1; 16]).unwrap(),
        IV,
    );
    driver.run(&other, &mut bytes(40), None, &never()).unwrap();
    driver
        .run(&request(Mode::Ctr), &mut bytes(40), None, &never())
        .unwrap();
    assert_eq!(bench.lock().unwrap().keys_taken, 3);
}

#[test]
fn a_dropped_driver_leaves_no_key_behind() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    driver
        .run(&request(Mode::Ctr), &mut bytes(40), None, &never())
        .unwrap();
    assert!(bench.lock().unwrap().holds_key);
    drop(driver);
    assert!(!bench.lock().unwrap().holds_key);
}

fn sectors(number: u128, data_unit_bytes: usize) -> CipherRequest {
    let keys = [KEY, [0xC3; 32]].map(|bytes| Key::new(&bytes).unwrap());
    let [key, tweak_key] = keys;
    CipherRequest::xts(Direction::Encrypt, key, tweak_key, number, data_unit_bytes).unwrap()
}

#[test]
fn xts_has_two_keys_and_its_data_units() {
    let device = FakeAccelerator::new(64).with_xts();
    let bench = device.bench();
    let mut driver = driver(device);
    let number = u128::from_le_bytes(IV);
    // Data within one unit makes that as short as it is, whatever it would be.
    for (unit, length, written) in [(512, 2048, 512), (512, 528, 512), (520, 64, 64)] {
        let plain = bytes(length);
        let mut data = plain.clone();
        driver
            .run(&sectors(number, unit), &mut data, None, &never())
            .unwrap();
        let wanted: Vec<u8> = coded(&plain).iter().map(|byte| byte ^ 0xC3).collect();
        assert_eq!(data, wanted);
        let writes = &bench.lock().unwrap().writes;
        let last = writes.iter().rfind(|write| write.0 == DATA_UNIT_LENGTH);
        assert_eq!(last, Some(&(DATA_UNIT_LENGTH, written)));
    }
    assert_eq!(bench.lock().unwrap().keys_taken, 2, "each key once");
    // A reset takes both keys, and both come again.
    bench.lock().unwrap().fault = Some((100, Fault::Reset));
    driver
        .run(&sectors(number, 512), &mut bytes(1024), None, &never())
        .unwrap_err();
    driver
        .run(&sectors(number, 512), &mut bytes(1024), None, &never())
        .unwrap();
    assert_eq!(bench.lock().unwrap().keys_taken, 4);
}

#[test]
fn a_tweak_key_of_192_bits_is_refused() {
    let [key, tweak_key] = [7, 8].map(|byte| Key::new(&[byte; 24]).unwrap());
    let error = CipherRequest::xts(Direction::Encrypt, key, tweak_key, 0, 512)
        .expect_err("no XTS with AES-192");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    // The device would refuse it as well.
    let mut device = FakeAccelerator::new(64).with_xts();
    let size = 1 << CONFIGURATION_KEY_SIZE_SHIFT;
    device.write(CONFIGURATION, size).unwrap();
    device.write(CONTROL, CONTROL_LOAD_TWEAK_KEY_MASK).unwrap();
    assert_eq!(device.read(ERROR).unwrap(), ERROR_UNSUPPORTED_MASK);
    let taken = STATUS_KEY_PENDING_MASK | STATUS_TWEAK_KEY_LOADED_MASK;
    assert_eq!(device.read(STATUS).unwrap() & taken, 0);
}

#[test]
fn xts_that_steals_ciphertext_is_left_to_others() {
    let device = FakeAccelerator::new(64).with_xts();
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().writes.clear();
    for (unit, length) in [(512, 513 + 16), (520, 1040), (32, 49)] {
        let error = driver
            .run(&sectors(1, unit), &mut bytes(length), None, &never())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{unit}, {length}");
    }
    let error = driver
        .run(&request(Mode::Xts), &mut bytes(32), None, &never())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(bench.lock().unwrap().writes.is_empty());
}

#[test]
fn timing_is_simulated_where_cycles_are() {
    let mut driver = driver(FakeAccelerator::new(64));
    let timing = driver
        .run(&request(Mode::Ctr), &mut bytes(1600), None, &never())
        .unwrap()
        .timing;
    assert_eq!(timing.method, TimingMethod::Simulated);
    assert_eq!(timing.cycles, Some(1600));
    assert_eq!(timing.processing, Duration::from_micros(16));
    assert_eq!(timing.transfer, Duration::from_micros(1));
    assert!(timing.total > timing.processing);
}

#[test]
fn timing_is_measured_on_a_board() {
    let mut driver = driver(FakeAccelerator::new(64).on_a_board());
    let timing = driver
        .run(&request(Mode::Ctr), &mut bytes(1600), None, &never())
        .unwrap()
        .timing;
    assert_eq!(timing.method, TimingMethod::Measured);
    assert!(timing.total >= timing.transfer);
}

#[test]
fn the_sink_gives_nothing_back_and_has_counted() {
    let mut driver = driver(FakeAccelerator::new(64));
    let mut request = request(Mode::Ctr);
    request.output = Output::Sink;
    let mut data = bytes(1000);
    driver.run(&request, &mut data, None, &never()).unwrap();
    assert!(data.is_empty());
}

#[test]
fn the_bypass_gives_the_data_back_and_needs_no_key() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    let mut request = request(Mode::Cbc);
    request.bypass = true;
    let mut data = bytes(1001);
    driver.run(&request, &mut data, None, &never()).unwrap();
    assert_eq!(data, bytes(1001));
    assert_eq!(bench.lock().unwrap().keys_taken, 0);
}

#[test]
fn a_sweep_and_an_abort_have_a_discard_on_each_side() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().fault = Some((500, Fault::Stall));
    driver
        .run(&request(Mode::Ctr), &mut bytes(2000), None, &never())
        .unwrap_err();
    drop(driver);
    let bench = bench.lock().unwrap();
    let mut commands = 0;
    for (index, write) in bench.writes.iter().enumerate() {
        if *write == (CONTROL, CONTROL_ABORT_MASK) || *write == (CONTROL, CONTROL_ZEROISE_MASK) {
            commands += 1;
            assert!(bench.discards.contains(&index), "before {write:x?}");
            assert!(bench.discards.contains(&(index + 1)), "after {write:x?}");
        }
    }
    assert_eq!(
        commands, 3,
        "when taken over, after the error, when dropped"
    );
}

#[test]
fn a_message_is_cancelled_while_its_key_waits() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let options = patient();
    let mut driver = Driver::new(device, options).unwrap();
    bench.lock().unwrap().keys_wait = true;
    let cancellation = Cancellation::new();
    let (canceller, other) = (cancellation.clone(), bench.clone());
    let load = (CONTROL, CONTROL_LOAD_KEY_MASK);
    let other = std::thread::spawn(move || {
        while !other.lock().unwrap().writes.contains(&load) {
            std::thread::sleep(Duration::from_millis(1));
        }
        canceller.cancel();
        std::thread::sleep(Duration::from_millis(20));
        other.lock().unwrap().keys_wait = false;
    });
    let error = driver
        .run(&request(Mode::Ctr), &mut bytes(100), None, &cancellation)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    // The device takes that key late, and is then free for another.
    let mut data = bytes(100);
    driver
        .run(&request(Mode::Ctr), &mut data, None, &never())
        .unwrap();
    other.join().unwrap();
    assert_eq!(data, coded(&bytes(100)));
    let keys_taken = bench.lock().unwrap().keys_taken;
    assert_eq!(keys_taken, 2, "the one that waited, and one more");
}

#[test]
fn associated_data_and_tags_that_a_mode_ignores_are_refused() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().writes.clear();
    for (mode, bypass) in [(Mode::Ctr, false), (Mode::Ctr, true), (Mode::Gcm, true)] {
        for (associated_data, tag) in [(vec![1], None), (vec![], Some([0; 16]))] {
            let request = CipherRequest {
                direction: Direction::Decrypt,
                bypass,
                associated_data,
                tag,
                ..request(mode)
            };
            let error = driver
                .run(&request, &mut bytes(32), None, &never())
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            let words = error.to_string();
            assert!(words.contains("authenticates nothing"), "{words}");
        }
    }
    assert!(bench.lock().unwrap().writes.is_empty());
}

#[test]
fn every_mode_has_its_own_code() {
    let device = FakeAccelerator::new(64).with_gcm().with_xts();
    let bench = device.bench();
    let mut driver = driver(device);
    for (code, mode) in (0..).zip(Mode::ALL) {
        let request = match mode {
            Mode::Xts => sectors(0, 512),
            _ => request(mode),
        };
        driver
            .run(&request, &mut bytes(32), None, &never())
            .unwrap();
        let writes = bench.lock().unwrap().writes.clone();
        let started = (writes.iter()).rposition(|write| *write == (CONTROL, CONTROL_START_MASK));
        let configuration = (writes[..started.unwrap()].iter())
            .rfind(|write| write.0 == CONFIGURATION)
            .unwrap()
            .1;
        let written = (configuration & CONFIGURATION_MODE_MASK) >> CONFIGURATION_MODE_SHIFT;
        assert_eq!(written, code, "{mode}");
    }
}

#[test]
fn a_message_continues_where_its_last_chunk_ended() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    driver
        .run(&request(Mode::Ctr), &mut bytes(64), None, &never())
        .unwrap();
    let state = driver.chaining_state().unwrap();
    assert_eq!(state, ChainingState { iv: IV, blocks: 4 });
    let far = ChainingState {
        iv: [9; 16],
        blocks: 0x1_0000_0002,
    };
    driver
        .run(&request(Mode::Ctr), &mut bytes(64), Some(&far), &never())
        .unwrap();
    let writes = &bench.lock().unwrap().writes;
    let last = |offset| {
        writes
            .iter()
            .rev()
            .find(|write| write.0 == offset)
            .unwrap()
            .1
    };
    assert_eq!(last(IV_WORD_3), 0x0909_0909);
    assert_eq!((last(IV_BLOCKS_LOW), last(IV_BLOCKS_HIGH)), (2, 1));
}

const IV_WORD_3: u32 = ciphermill_accelerator::registers::IV + 12;

/// The registers of the shared header, by the names that every map has for them.
#[test]
fn the_header_tells_which_map_it_is() {
    let headers = [
        (
            header::IDENTIFICATION,
            header::VERSION,
            header::STATUS,
            header::ERROR,
        ),
        (
            accel::IDENTIFICATION,
            accel::VERSION,
            accel::STATUS,
            accel::ERROR,
        ),
        (dma::IDENTIFICATION, dma::VERSION, dma::STATUS, dma::ERROR),
    ];
    assert!(headers.iter().all(|header| *header == headers[0]));
    let block = coprocessor::IDENTIFICATION_MAGIC_VALUE
        | (coprocessor::IDENTIFICATION_KIND_ROUND << coprocessor::IDENTIFICATION_KIND_SHIFT)
        | (coprocessor::IDENTIFICATION_MAP_VALUE << coprocessor::IDENTIFICATION_MAP_SHIFT);
    for (identification, map, title) in [
        (
            accel::IDENTIFICATION_MAGIC_VALUE,
            Map::Accelerator,
            "accelerator",
        ),
        (
            dma::IDENTIFICATION_MAGIC_VALUE,
            Map::DmaEngine,
            "DMA engine",
        ),
        (block, Map::BlockCoprocessor, "block coprocessor"),
        (
            coprocessor_shell::IDENTIFICATION_MAGIC_VALUE,
            Map::CoprocessorShell,
            "coprocessor shell",
        ),
        (
            coprocessor_ascon::IDENTIFICATION_MAGIC_VALUE,
            Map::AsconCoprocessor,
            "Ascon coprocessor",
        ),
        (
            coprocessor_sha2::IDENTIFICATION_MAGIC_VALUE,
            Map::Sha2Coprocessor,
            "SHA-2 coprocessor",
        ),
        (
            coprocessor_ecc::IDENTIFICATION_MAGIC_VALUE,
            Map::EccCoprocessor,
            "ECC coprocessor",
        ),
    ] {
        assert_eq!(Map::of(identification), Some(map));
        assert_eq!(map.title(), title);
    }
    assert_eq!(Map::of(0xFFFF_FFFF), None);
    assert_eq!(Map::of(0), None);
}

#[test]
fn what_is_no_accelerator_is_refused() {
    let error = refused(FakeAccelerator::new(64).with_register(IDENTIFICATION, 0xFFFF_FFFF));
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.to_string().contains("0xffffffff"), "{error}");
    let other =
        FakeAccelerator::new(64).with_register(IDENTIFICATION, dma::IDENTIFICATION_MAGIC_VALUE);
    let error = refused(other);
    assert!(error.to_string().contains("DMA engine"), "{error}");
    let error = refused(FakeAccelerator::new(64).with_register(VERSION, 0x0003_0100));
    assert!(error.to_string().contains("3.1.0"), "{error}");
    let error = refused(FakeAccelerator::new(64).with_register(GEOMETRY, 0x0008_0805));
    assert!(error.to_string().contains("5 bytes wide"), "{error}");
    let error = refused(FakeAccelerator::new(64).with_register(CAPABILITY, 0x000F_FC0F));
    assert!(error.to_string().contains("algorithm number 15"), "{error}");
}

#[test]
fn a_device_has_every_operation_on_the_curves_that_it_names() {
    let capability = CAPABILITY_ALGORITHM_ECC | CAPABILITY_P_256_MASK | CAPABILITY_SINK_MASK;
    let device = FakeAccelerator::new(64).with_register(CAPABILITY, capability);
    let bench = device.bench();
    let mut driver = driver(device);
    let whole = &driver.identity().whole;
    let operations = [
        Operation::GenerateKey,
        Operation::Sign,
        Operation::Verify,
        Operation::Agree,
    ];
    assert_eq!(*whole, operations.map(|operation| (&P_256, operation)));
    let capabilities = driver.identity().capabilities(None, "here");
    assert!(capabilities.can(&Request::GenerateKey(&P_256)));
    assert!(!capabilities.can(&Request::GenerateKey(&P_384)));
    bench.lock().unwrap().writes.clear();
    let error = driver
        .run_request(&Request::GenerateKey(&P_384), &mut bytes(0), &never())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("p-384"), "{error}");
    assert!(bench.lock().unwrap().writes.is_empty());
}

#[test]
fn a_device_that_refuses_every_candidate_is_broken() {
    let capability = CAPABILITY_ALGORITHM_ECC | CAPABILITY_P_256_MASK | CAPABILITY_SINK_MASK;
    let key = SecretKey::new([1; 32]);
    for (request, length, outcome) in [
        (Request::GenerateKey(&P_256), 0, STATUS_OUTCOME_RANDOM),
        (Request::Sign(&P_256, key.into()), 32, STATUS_OUTCOME_NONCE),
    ] {
        let device = FakeAccelerator::new(128)
            .with_register(CAPABILITY, capability)
            .with_register(STATUS, outcome << STATUS_OUTCOME_SHIFT);
        let error = driver(device)
            .run_request(&request, &mut bytes(length), &never())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains("refused 8"), "{error}");
    }
}

#[test]
fn the_functions_of_sha2_are_those_of_its_word_sizes() {
    for (capability, functions) in [
        (CAPABILITY_SHA2_32_MASK, &["224", "256"][..]),
        (
            CAPABILITY_SHA2_64_MASK,
            &["384", "512", "512/224", "512/256"],
        ),
    ] {
        let capability = CAPABILITY_ALGORITHM_SHA2 | capability;
        let mut device = FakeAccelerator::new(64).with_register(CAPABILITY, capability);
        let identity = Identity::read(&mut device).unwrap();
        let names: Vec<_> = identity.whole.iter().map(|(row, _)| row.name).collect();
        let wanted = functions.iter();
        let wanted = wanted.flat_map(|name| [format!("sha-{name}"), format!("hmac-sha-{name}")]);
        assert_eq!(names, wanted.collect::<Vec<_>>());
        assert!(identity.operations.is_empty());
    }
}

#[test]
fn every_s_box_has_a_name() {
    for (number, name) in [
        (0, "table"),
        (1, "composite"),
        (2, "decoder"),
        (3, "unknown"),
    ] {
        let capability = 0x000F_FC00 | number << CAPABILITY_SBOX_SHIFT;
        let mut device = FakeAccelerator::new(64).with_register(CAPABILITY, capability);
        let identity = Identity::read(&mut device).unwrap();
        assert_eq!(identity.sbox, Some(name));
        let told = identity.capabilities(None, "here").description;
        assert!(told.contains(&format!("{name} S-box")), "{told}");
    }
}

#[test]
fn what_is_not_built_in_is_refused_before_the_device_is_asked() {
    // Encryption, 128-bit keys, ECB and CTR only.
    let device = FakeAccelerator::new(64).with_register(CAPABILITY, 0x0002_9400);
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().writes.clear();
    let mut data = bytes(32);
    let key = || Key::new(&[0; 16]).unwrap();
    for (mode, direction) in [
        (Mode::Cbc, Direction::Encrypt),
        (Mode::Ecb, Direction::Decrypt),
        (Mode::Gcm, Direction::Encrypt),
    ] {
        let request = CipherRequest::new(mode, direction, key(), IV);
        let error = driver.run(&request, &mut data, None, &never()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
    assert_eq!(
        driver
            .run(&request(Mode::Ctr), &mut data, None, &never())
            .unwrap_err()
            .kind(),
        ErrorKind::Unsupported
    );
    let mut sink = CipherRequest::new(Mode::Ecb, Direction::Encrypt, key(), IV);
    sink.output = Output::Sink;
    assert_eq!(
        driver
            .run(&sink, &mut data, None, &never())
            .unwrap_err()
            .kind(),
        ErrorKind::Unsupported
    );
    let odd = CipherRequest::new(Mode::Ecb, Direction::Encrypt, key(), IV);
    assert_eq!(
        driver
            .run(&odd, &mut bytes(31), None, &never())
            .unwrap_err()
            .kind(),
        ErrorKind::Invalid
    );
    assert!(bench.lock().unwrap().writes.is_empty());
    // CTR decrypts with encryption alone.
    let ctr = CipherRequest::new(Mode::Ctr, Direction::Decrypt, key(), IV);
    driver.run(&ctr, &mut data, None, &never()).unwrap();
}

/// A message fails for this reason, and the next one goes through.
fn fails_and_recovers(fault: Fault, kind: ErrorKind, words: &str) {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().fault = Some((500, fault));
    let mut data = bytes(2000);
    let error = driver
        .run(&request(Mode::Ctr), &mut data, None, &never())
        .unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert!(data.is_empty(), "a failed job leaves data behind");
    let mut data = bytes(2000);
    driver
        .run(&request(Mode::Ctr), &mut data, None, &never())
        .unwrap();
    assert_eq!(data, coded(&bytes(2000)));
}

#[test]
fn error_bits_become_words() {
    fails_and_recovers(
        Fault::Error(ERROR_COUNTER_MASK),
        ErrorKind::Invalid,
        "value twice",
    );
    fails_and_recovers(Fault::Error(ERROR_FRAMING_MASK), ErrorKind::Device, "TLAST");
}

#[test]
fn a_stall_is_noticed() {
    fails_and_recovers(Fault::Stall, ErrorKind::Device, "no progress");
}

#[test]
fn output_that_ends_early_is_noticed() {
    fails_and_recovers(Fault::EarlyLast, ErrorKind::Device, "ended its output");
}

#[test]
fn output_that_does_not_end_is_noticed() {
    fails_and_recovers(Fault::ExtraByte, ErrorKind::Device, "");
}

#[test]
fn a_reset_in_a_message_is_noticed_and_the_key_sent_again() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().fault = Some((500, Fault::Reset));
    let error = driver
        .run(&request(Mode::Ctr), &mut bytes(2000), None, &never())
        .unwrap_err();
    assert!(error.to_string().contains("dropped the message"), "{error}");
    driver
        .run(&request(Mode::Ctr), &mut bytes(2000), None, &never())
        .unwrap();
    assert_eq!(bench.lock().unwrap().keys_taken, 2);
}

#[test]
fn a_device_that_vanishes_is_an_error_at_once_and_stays_one() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let patient = patient();
    let patience = patient.patience;
    let mut driver = Driver::new(device, patient).unwrap();
    bench.lock().unwrap().fault = Some((500, Fault::Vanish));
    let begun = Instant::now();
    for _ in 0..2 {
        let error = driver
            .run(&request(Mode::Ctr), &mut bytes(2000), None, &never())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains("vanished"), "{error}");
    }
    drop(driver);
    assert!(begun.elapsed() < patience);
}

#[test]
fn a_device_that_does_not_recover_is_given_up() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().fault = Some((500, Fault::Stall));
    bench.lock().unwrap().hopeless = true;
    assert!(
        driver
            .run(&request(Mode::Ctr), &mut bytes(2000), None, &never())
            .is_err()
    );
    let error = driver
        .run(&request(Mode::Ctr), &mut bytes(2000), None, &never())
        .unwrap_err();
    assert!(error.to_string().contains("not usable any more"), "{error}");
    assert!(!bench.lock().unwrap().holds_key);
}

#[test]
fn a_message_is_cancelled_while_data_moves() {
    let device = FakeAccelerator::new(64);
    let bench = device.bench();
    let options = patient();
    let mut driver = Driver::new(device, options).unwrap();
    bench.lock().unwrap().fault = Some((500, Fault::Stall));
    let cancellation = Cancellation::new();
    let canceller = cancellation.clone();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        canceller.cancel();
    });
    let error = driver
        .run(
            &request(Mode::Ctr),
            &mut bytes(100_000),
            None,
            &cancellation,
        )
        .unwrap_err();
    other.join().unwrap();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    let mut data = bytes(100);
    driver
        .run(&request(Mode::Ctr), &mut data, None, &never())
        .unwrap();
    assert_eq!(data, coded(&bytes(100)));
}
