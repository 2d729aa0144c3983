// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Tests of programs that call in an order that is wrong, or rare: what they get is an
//! error or the right answer, never data that is not protected.

use std::sync::Arc;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{Direction, KeyBits, MAXIMUM_DATA_UNIT_BYTES, Mode};

use crate::buffers::Buffers;
use crate::context::{Context, Given, Value};
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::{State, with_device};

const KEY: [u8; 32] = [3; 32];
const IV: [u8; 16] = [0xfe; 16];

/// All to the device, and all to software.
const BOTH: [&str; 2] = ["16", "never"];

fn context(mode: Mode, threshold: &str) -> Context {
    let provider = with_device(ReferenceDevice::new(), &[("threshold", threshold)]);
    Context::new(Arc::clone(&provider), mode, KeyBits::Bits256)
}

fn software(mode: Mode) -> Context {
    context(mode, "never")
}

fn update(context: &mut Context, data: &mut [u8]) -> Outcome<usize> {
    let bytes = data.len();
    context.update(Buffers::InPlace {
        buffer: data,
        bytes,
    })
}

#[track_caller]
fn reason<T>(outcome: Outcome<T>) -> Option<Reason> {
    match outcome {
        Ok(_) => panic!("it worked"),
        Err(Failure { report }) => report.map(|report| report.0),
    }
}

#[test]
fn ctr_without_a_key_gives_nothing_however_often_it_is_asked() {
    for threshold in BOTH {
        let mut context = context(Mode::Ctr, threshold);
        let begun = context.initialise(Direction::Encrypt, None, Some(&IV));
        begun.unwrap();
        for bytes in [5, 5, 16, 128, 133] {
            let input = vec![0x5a; bytes];
            let mut output = vec![0; bytes];
            assert!(context.quick(bytes, || unreachable!()).is_none());
            let outcome = context.update(Buffers::Apart {
                input: &input,
                output: &mut output,
            });
            assert_eq!(reason(outcome), Some(Reason::NoKeySet), "{bytes}");
            assert_eq!(output, vec![0; bytes]);
        }
        // Nor by asking for the middle of a block.
        let outcome = context.set_parameter(b"num", &Given::Unsigned(3));
        assert_eq!(reason(outcome), Some(Reason::NoKeySet));
        assert!(update(&mut context, &mut [1; 5]).is_err());
        // What failed has not moved the counter.
        let begun = context.initialise(Direction::Encrypt, Some(&KEY), None);
        begun.unwrap();
        let mut expected = software(Mode::Ctr);
        let begun = expected.initialise(Direction::Encrypt, Some(&KEY), Some(&IV));
        begun.unwrap();
        let (mut one, mut other) = ([7; 37], [7; 37]);
        update(&mut context, &mut one).unwrap();
        update(&mut expected, &mut other).unwrap();
        assert_eq!(one, other);
    }
}

#[test]
fn cbc_without_a_key_holds_and_gives_nothing() {
    let mut context = context(Mode::Cbc, "16");
    let begun = context.initialise(Direction::Encrypt, None, Some(&IV));
    begun.unwrap();
    for bytes in [5, 16, 37] {
        let mut output = vec![0; bytes + 16];
        let outcome = context.update(Buffers::Apart {
            input: &vec![0x5a; bytes],
            output: &mut output,
        });
        assert_eq!(reason(outcome), Some(Reason::NoKeySet), "{bytes}");
        assert!(output.iter().all(|byte| *byte == 0));
    }
}

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| ((index * 13) >> 2) as u8).collect()
}

/// A context in GCM that has a key and an IV.
fn galois(direction: Direction, threshold: &str) -> Context {
    let mut context = context(Mode::Gcm, threshold);
    start(&mut context, direction);
    context
}

fn start(context: &mut Context, direction: Direction) {
    context
        .initialise(direction, Some(&KEY), Some(&IV[..12]))
        .unwrap();
}

/// Software's result for a message in one update: the ciphertext and the tag.
fn sealed(data: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let mut context = galois(Direction::Encrypt, "never");
    let mut output = data.to_vec();
    update(&mut context, &mut output).unwrap();
    context.finish(&mut []).unwrap();
    (output, tag(&mut context))
}

fn tag(context: &mut Context) -> [u8; 16] {
    let Some(Value::Octets(tag)) = context.parameter(b"tag", 16).unwrap() else {
        panic!("no tag");
    };
    tag.try_into().unwrap()
}

fn set_tag(context: &mut Context, tag: &[u8]) {
    context.set_parameter(b"tag", &Given::Octets(tag)).unwrap();
}

#[test]
fn an_initialisation_with_nothing_new_leaves_a_gcm_message_as_it_is() {
    let data = message(1000);
    let (expected, expected_tag) = sealed(&data);
    for threshold in BOTH {
        for key in [None, Some(&KEY[..])] {
            let mut context = galois(Direction::Encrypt, threshold);
            let mut output = data.clone();
            let (one, other) = output.split_at_mut(500);
            update(&mut context, one).unwrap();
            context.initialise(Direction::Encrypt, key, None).unwrap();
            update(&mut context, other).unwrap();
            context.initialise(Direction::Encrypt, key, None).unwrap();
            context.finish(&mut []).unwrap();
            assert_eq!(output, expected);
            assert_eq!(tag(&mut context), expected_tag);
        }
    }
}

#[test]
fn another_key_or_direction_ends_a_gcm_message() {
    for threshold in BOTH {
        for (direction, key) in [
            (Direction::Encrypt, Some(&[4; 32][..])),
            (Direction::Decrypt, None),
        ] {
            let mut context = galois(Direction::Encrypt, threshold);
            context.associate(b"header").unwrap();
            context.initialise(direction, key, None).unwrap();
            let outcome = update(&mut context, &mut [1; 500]);
            assert_eq!(reason(outcome), Some(Reason::InvalidData));
        }
    }
}

#[test]
fn a_gcm_tag_that_is_set_after_the_data_counts() {
    let data = message(1000);
    let (ciphertext, right) = sealed(&data);
    let mut wrong = right;
    wrong[15] ^= 1;
    for threshold in BOTH {
        let mut context = galois(Direction::Decrypt, threshold);
        for (last, authentic) in [
            (&right[..], true),
            (&right[..4], true),
            (&wrong[..], false),
            (&[0; 16][..], false),
            (&[0; 4][..], false),
        ] {
            start(&mut context, Direction::Decrypt);
            set_tag(&mut context, &right);
            let mut output = ciphertext.clone();
            update(&mut context, &mut output).unwrap();
            set_tag(&mut context, last);
            let outcome = context.finish(&mut []);
            match authentic {
                true => assert_eq!((outcome.unwrap(), &output), (0, &data)),
                false => assert_eq!(reason(outcome), None),
            }
        }
    }
}

#[test]
fn a_gcm_tag_is_for_one_message() {
    let (ciphertext, right) = sealed(&message(1000));
    let stale = |context: &mut Context| {
        start(context, Direction::Decrypt);
        update(context, &mut ciphertext.clone()).unwrap();
        assert_eq!(reason(context.finish(&mut [])), Some(Reason::TagNotSet));
    };
    for threshold in BOTH {
        // That of the last message, whether it was brought to its end or not.
        let mut context = galois(Direction::Decrypt, threshold);
        for ends in [true, false] {
            start(&mut context, Direction::Decrypt);
            set_tag(&mut context, &right);
            update(&mut context, &mut ciphertext.clone()).unwrap();
            if ends {
                context.finish(&mut []).unwrap();
            }
            stale(&mut context);
        }
        // That of an encryption before.
        let mut context = galois(Direction::Encrypt, threshold);
        update(&mut context, &mut message(1000)).unwrap();
        context.finish(&mut []).unwrap();
        stale(&mut context);
        // One that is set before the IV, as some programs do, is for what follows.
        context.initialise(Direction::Decrypt, None, None).unwrap();
        set_tag(&mut context, &right);
        start(&mut context, Direction::Decrypt);
        update(&mut context, &mut ciphertext.clone()).unwrap();
        context.finish(&mut []).unwrap();
    }
}

#[test]
fn associated_data_after_the_data_is_refused() {
    let data = message(500);
    let (expected, expected_tag) = sealed(&data);
    for threshold in BOTH {
        let mut context = galois(Direction::Encrypt, threshold);
        let mut output = data.clone();
        update(&mut context, &mut output).unwrap();
        let outcome = context.associate(b"late");
        assert_eq!(reason(outcome), Some(Reason::InvalidAad));
        context.finish(&mut []).unwrap();
        assert_eq!(
            (output, tag(&mut context)),
            (expected.clone(), expected_tag)
        );
    }
}

#[test]
fn an_iv_length_that_changes_spends_the_iv() {
    let set =
        |context: &mut Context, bytes| context.set_parameter(b"ivlen", &Given::Unsigned(bytes));
    for threshold in BOTH {
        for begun in [false, true] {
            let mut context = galois(Direction::Encrypt, threshold);
            if begun {
                update(&mut context, &mut message(500)).unwrap();
            }
            set(&mut context, 12).unwrap();
            update(&mut context, &mut [1; 100]).unwrap();
            set(&mut context, 16).unwrap();
            let outcome = update(&mut context, &mut [1; 100]);
            assert_eq!(reason(outcome), Some(Reason::InvalidData));
            assert!(context.finish(&mut []).is_err());
            let begun = context.initialise(Direction::Encrypt, None, Some(&IV));
            begun.unwrap();
            update(&mut context, &mut [1; 100]).unwrap();
        }
    }
}

#[test]
fn a_data_unit_that_cannot_be_is_refused_untouched() {
    let keys: [u8; 64] = std::array::from_fn(|index| index as u8);
    for threshold in BOTH {
        let mut context = context(Mode::Xts, threshold);
        let begun = context.initialise(Direction::Encrypt, Some(&keys), None);
        begun.unwrap();
        // Without a number.
        let outcome = update(&mut context, &mut [1; 16]);
        assert_eq!(reason(outcome), Some(Reason::InvalidIvLength));
        let begun = context.initialise(Direction::Encrypt, None, Some(&IV));
        begun.unwrap();
        let mut data = [1; 15];
        let outcome = update(&mut context, &mut data);
        assert_eq!(
            (reason(outcome), data),
            (Some(Reason::InvalidData), [1; 15])
        );
        let mut long = vec![0; MAXIMUM_DATA_UNIT_BYTES + 1];
        let outcome = update(&mut context, &mut long);
        assert_eq!(reason(outcome), Some(Reason::XtsDataUnitIsTooLarge));
        let equal = context.initialise(Direction::Decrypt, Some(&[7; 64]), None);
        assert_eq!(reason(equal), Some(Reason::XtsDuplicatedKeys));
        let outcome = update(&mut context, &mut [1; 16]);
        assert_eq!(reason(outcome), Some(Reason::CipherOperationFailed));
        // Half of the keys.
        let short = context.initialise(Direction::Encrypt, Some(&keys[..32]), None);
        assert_eq!(reason(short), Some(Reason::InvalidKeyLength));
    }
}

#[test]
fn a_device_that_fails_a_data_unit_leaves_it_to_software() {
    let keys: [u8; 64] = std::array::from_fn(|index| index as u8);
    let unit = |device, threshold| {
        let provider = with_device(device, &[("threshold", threshold)]);
        let mut context = Context::new(Arc::clone(&provider), Mode::Xts, KeyBits::Bits256);
        let begun = context.initialise(Direction::Encrypt, Some(&keys), Some(&IV));
        begun.unwrap();
        let mut data = vec![9; 4096];
        for _ in 0..29 {
            update(&mut context, &mut data).unwrap();
        }
        drop(context);
        (
            data,
            provider.count("device_failures"),
            provider.count("software_bytes"),
        )
    };
    // As many as the self-test takes; the last unit is one more.
    let failing = || ReferenceDevice::new().failing_after(28);
    let (expected, ..) = unit(ReferenceDevice::new(), "never");
    let (whole, failures, in_software) = unit(ReferenceDevice::new(), "16");
    assert_eq!((failures, in_software), (Some(0), Some(0)));
    assert!(whole == expected);
    let (completed, failures, in_software) = unit(failing(), "16");
    assert_eq!((failures, in_software), (Some(1), Some(4096)));
    assert!(completed == expected);
}

#[test]
fn an_initialisation_that_fails_leaves_nothing_to_go_on_with() {
    for (mode, iv) in [
        (Mode::Cbc, &IV[..]),
        (Mode::Ctr, &IV),
        (Mode::Gcm, &IV[..12]),
    ] {
        let mut context = software(mode);
        let begun = context.initialise(Direction::Encrypt, Some(&KEY), Some(iv));
        begun.unwrap();
        context.spoil();
        for _ in 0..2 {
            let outcome = context.initialise(Direction::Encrypt, Some(&KEY[..5]), Some(iv));
            assert_eq!(reason(outcome), Some(Reason::InvalidKeyLength));
            assert!(context.quick(16, || unreachable!()).is_none());
            let outcome = update(&mut context, &mut [1; 16]);
            assert_eq!(reason(outcome), Some(Reason::CipherOperationFailed));
        }
        let begun = context.initialise(Direction::Encrypt, Some(&KEY), Some(iv));
        begun.unwrap();
        update(&mut context, &mut [1; 16]).unwrap();
    }
}
