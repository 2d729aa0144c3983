// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! GCM with the driver against the behavioural accelerator: its tag, and every way in
//! which a device fails before the text, within it and before the tag.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ciphermill::{Cancellation, CipherRequest, Direction, ErrorKind, Mode, Output};
use ciphermill_accelerator::registers::*;
use ciphermill_accelerator::{ChainingState, Driver, Options};
use support::fake::{Bench, FakeAccelerator, Fault};
use support::{IV, bytes, coded, driver, never, options, patient, request};

const AAD: [u8; 20] = [0xA5; 20];

fn sealing() -> CipherRequest {
    let mut request = request(Mode::Gcm);
    request.associated_data = AAD.to_vec();
    request
}

fn opening(tag: [u8; 16]) -> CipherRequest {
    CipherRequest {
        direction: Direction::Decrypt,
        tag: Some(tag),
        ..sealing()
    }
}

#[test]
fn gcm_gives_a_tag_and_takes_back_what_has_it() {
    for (fifo, length) in [(64, 1000), (7, 333), (64, 0), (1, 1)] {
        let mut driver = driver(FakeAccelerator::new(fifo).with_gcm());
        let plain = bytes(length);
        let mut data = plain.clone();
        let finished = driver.run(&sealing(), &mut data, None, &never()).unwrap();
        assert_eq!(data, coded(&plain));
        let tag = FakeAccelerator::tag(&AAD, &data);
        assert_eq!(finished.tag, Some(tag));
        let sealed = data.clone();
        let finished = driver
            .run(&opening(tag), &mut data, None, &never())
            .unwrap();
        assert_eq!((data, finished.tag), (plain.clone(), None));
        // Nothing but the tag: the same in the sink.
        let mut sunk = opening(tag);
        sunk.output = Output::Sink;
        let mut data = sealed;
        driver.run(&sunk, &mut data, None, &never()).unwrap();
        assert!(data.is_empty());
        // No associated data, no packet of it.
        let mut bare = request(Mode::Gcm);
        bare.output = Output::Return;
        let mut data = plain.clone();
        let finished = driver.run(&bare, &mut data, None, &never()).unwrap();
        assert_eq!(finished.tag, Some(FakeAccelerator::tag(&[], &data)));
    }
}

#[test]
fn gcm_with_another_tag_gives_no_data() {
    let device = FakeAccelerator::new(64).with_gcm();
    let bench = device.bench();
    let mut driver = driver(device);
    let sealed = coded(&bytes(500));
    let tag = FakeAccelerator::tag(&AAD, &sealed);
    for bit in [0, 7, 64, 127] {
        let mut wrong = tag;
        wrong[bit / 8] ^= 1 << (bit % 8);
        for output in [Output::Return, Output::Sink] {
            let mut request = opening(wrong);
            request.output = output;
            let mut data = sealed.clone();
            let error = driver.run(&request, &mut data, None, &never()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Authentication);
            assert!(data.is_empty());
        }
    }
    bench.lock().unwrap().fault = Some((0, Fault::WrongTag));
    let mut data = sealed.clone();
    let error = driver
        .run(&opening(tag), &mut data, None, &never())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Authentication);
    let mut data = sealed;
    driver
        .run(&opening(tag), &mut data, None, &never())
        .unwrap();
    assert_eq!(data, bytes(500));
}

#[test]
fn gcm_that_cannot_be_is_refused_before_the_device_is_asked() {
    let device = FakeAccelerator::new(64).with_gcm();
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().writes.clear();
    let mut untagged = opening([0; 16]);
    untagged.tag = None;
    let mut associated = sealing();
    associated.mode = Mode::Ctr;
    let state = ChainingState { iv: IV, blocks: 0 };
    for (request, state) in [
        (&untagged, None),
        (&associated, None),
        (&sealing(), Some(&state)),
    ] {
        let error = driver
            .run(request, &mut bytes(32), state, &never())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    assert!(bench.lock().unwrap().writes.is_empty());
}

#[test]
fn associated_data_takes_beats_too() {
    let mut driver = driver(FakeAccelerator::new(64).with_gcm());
    let timing = driver
        .run(&sealing(), &mut bytes(1600), None, &never())
        .unwrap()
        .timing;
    // 100 beats of text and 2 of associated data, 10 ns each.
    assert_eq!(timing.transfer, Duration::from_nanos(1020));
}

/// Bytes of the text of a message that fails.
const TEXT: usize = 2000;

/// Within the associated data, at its end, within the text, and before the tag.
const PLACES: [usize; 4] = [7, AAD.len(), 500, AAD.len() + TEXT];

/// Have a message fail in each direction, with output and with a sink, at each place;
/// after each there is no text, and the device does the same message.
fn fails_and_recovers(
    places: &[usize],
    options: &Options,
    fault: Fault,
    cancellation: impl Fn(&Arc<Mutex<Bench>>) -> Cancellation,
    verdict: impl Fn(&ciphermill::Error, usize),
) {
    let sealed = coded(&bytes(TEXT));
    let tag = FakeAccelerator::tag(&AAD, &sealed);
    for place in places {
        for (base, text, result) in [
            (sealing(), bytes(TEXT), sealed.clone()),
            (opening(tag), sealed.clone(), bytes(TEXT)),
        ] {
            for output in [Output::Return, Output::Sink] {
                let device = FakeAccelerator::new(64).with_gcm();
                let bench = device.bench();
                let mut driver = Driver::new(device, options.clone()).unwrap();
                bench.lock().unwrap().fault = Some((*place, fault));
                let request = CipherRequest {
                    output,
                    ..base.clone()
                };
                let mut data = text.clone();
                let error = driver
                    .run(&request, &mut data, None, &cancellation(&bench))
                    .unwrap_err();
                verdict(&error, *place);
                assert!(data.is_empty(), "a failed message leaves text behind");
                let pending = bench.lock().unwrap().fault;
                assert_eq!(pending, None, "it failed before");
                let mut data = text.clone();
                driver.run(&base, &mut data, None, &never()).unwrap();
                assert_eq!(data, result);
                let keys = if fault == Fault::Reset { 2 } else { 1 };
                let keys_taken = bench.lock().unwrap().keys_taken;
                assert_eq!(keys_taken, keys);
            }
        }
    }
}

fn fails_with(places: &[usize], fault: Fault, kind: ErrorKind, words: &str) {
    fails_and_recovers(
        places,
        &options(),
        fault,
        |_| never(),
        |error, place| {
            assert_eq!(error.kind(), kind, "{error}, after {place}");
            assert!(error.to_string().contains(words), "{error}, after {place}");
        },
    );
}

#[test]
fn error_bits_become_words_in_every_part() {
    let counter = Fault::Error(ERROR_COUNTER_MASK);
    fails_with(&PLACES, counter, ErrorKind::Invalid, "too long for GCM");
    let framing = Fault::Error(ERROR_FRAMING_MASK);
    fails_with(&PLACES, framing, ErrorKind::Device, "TLAST");
}

#[test]
fn a_stall_is_noticed_in_every_part() {
    let (before_tag, earlier) = PLACES.split_last().unwrap();
    fails_with(earlier, Fault::Stall, ErrorKind::Device, "no progress");
    // With a sink it is the sink that is waited for.
    fails_with(&[*before_tag], Fault::Stall, ErrorKind::Device, "");
}

#[test]
fn a_tag_that_does_not_come_is_noticed() {
    let device = FakeAccelerator::new(64).with_gcm();
    let bench = device.bench();
    let mut driver = driver(device);
    bench.lock().unwrap().fault = Some((AAD.len() + TEXT, Fault::Stall));
    let error = driver
        .run(&sealing(), &mut bytes(TEXT), None, &never())
        .unwrap_err();
    assert!(error.to_string().contains("its tag"), "{error}");
}

#[test]
fn a_reset_is_noticed_in_every_part_and_the_key_sent_again() {
    fails_with(
        &PLACES,
        Fault::Reset,
        ErrorKind::Device,
        "dropped the message",
    );
}

#[test]
fn a_message_is_cancelled_in_every_part() {
    let patient = patient();
    let once_it_stalls = |bench: &Arc<Mutex<Bench>>| {
        let cancellation = Cancellation::new();
        let (canceller, bench) = (cancellation.clone(), Arc::clone(bench));
        std::thread::spawn(move || {
            while bench.lock().unwrap().fault.is_some() {
                std::thread::sleep(Duration::from_millis(1));
            }
            canceller.cancel();
        });
        cancellation
    };
    fails_and_recovers(
        &PLACES,
        &patient,
        Fault::Stall,
        once_it_stalls,
        |error, place| {
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}, after {place}");
        },
    );
}

#[test]
fn a_device_that_vanishes_in_any_part_leaves_no_text() {
    let sealed = coded(&bytes(TEXT));
    let tag = FakeAccelerator::tag(&AAD, &sealed);
    for place in PLACES {
        let device = FakeAccelerator::new(64).with_gcm();
        let bench = device.bench();
        let mut driver = driver(device);
        bench.lock().unwrap().fault = Some((place, Fault::Vanish));
        let mut data = sealed.clone();
        for words in ["vanished", "not usable any more"] {
            let error = driver
                .run(&opening(tag), &mut data, None, &never())
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Device);
            assert!(error.to_string().contains(words), "{error}, after {place}");
            assert!(data.is_empty());
        }
    }
}
