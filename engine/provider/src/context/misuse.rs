// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Tests of programs that call in an order that is wrong, or rare: what they get is an
//! error or the right answer, never data that is not protected.

use std::sync::Arc;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{Direction, KeyBits, Mode};

use super::{Context, Given};
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::with_device;
use crate::span::Buffers;

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
            assert!(!context.is_quick(bytes));
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
