// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Tests of pipelines: each pipe gives what a context of its own gives, on the device, in software
//! and where the device fails half-way.

use std::sync::Arc;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{Direction, KeyBits, Mode};

use crate::buffers::Buffers;
use crate::context::{Context, Given, Value};
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::{Provider, State, with_device};

/// Another for XTS, which has two that must differ.
const KEYS: [u8; 64] = {
    let mut keys = [3; 64];
    keys[40] = 4;
    keys
};
const BOTH: [&str; 2] = ["16", "never"];
const PIPES: usize = 5;

fn key(mode: Mode) -> &'static [u8] {
    &KEYS[..if mode == Mode::Xts { 64 } else { 32 }]
}

fn iv(mode: Mode, pipe: usize) -> Vec<u8> {
    vec![0xfe - pipe as u8; if mode == Mode::Gcm { 12 } else { 16 }]
}

fn message(pipe: usize, bytes: usize) -> Vec<u8> {
    let byte = |index: usize| ((index * 13 + pipe) >> 2) as u8;
    (0..bytes).map(byte).collect()
}

/// What a pipe's message is cut into.
fn cuts(mode: Mode, pipe: usize) -> Vec<usize> {
    match (mode, pipe) {
        // A data unit an update.
        (Mode::Xts, _) => vec![160 + 16 * pipe, 4097, 32],
        (_, 0) => vec![1, 15, 500],
        (_, 1) => vec![0, 16, 5],
        (_, 2) => vec![70_003, 7, 64],
        (_, 3) => vec![3, 5, 2],
        _ => vec![128, 4096, 0],
    }
}

fn provider(threshold: &str) -> Arc<Provider> {
    let device = ReferenceDevice::new().with_chunk(4096);
    with_device(device, &[("threshold", threshold)])
}

fn single(provider: &Arc<Provider>, mode: Mode, direction: Direction, pipe: usize) -> Context {
    let mut context = Context::new(Arc::clone(provider), mode, KeyBits::Bits256);
    let iv = iv(mode, pipe);
    context
        .initialise(direction, Some(key(mode)), Some(&iv))
        .unwrap();
    context
}

fn begin(context: &mut Context, mode: Mode, direction: Direction, pipes: usize) {
    let ivs: Vec<_> = (0..pipes).map(|pipe| iv(mode, pipe)).collect();
    let ivs: Vec<_> = ivs.iter().map(|iv| Some(&iv[..])).collect();
    context
        .initialise_pipeline(direction, Some(key(mode)), &ivs)
        .unwrap();
}

fn pipeline(provider: &Arc<Provider>, mode: Mode, direction: Direction, pipes: usize) -> Context {
    let mut context = Context::new(Arc::clone(provider), mode, KeyBits::Bits256);
    begin(&mut context, mode, direction, pipes);
    context
}

/// An update of each pipe from one place to another, or where it is odd in its place.
fn update(context: &mut Context, inputs: &[&[u8]], in_place: bool) -> Outcome<Vec<Vec<u8>>> {
    let rooms = inputs.iter().enumerate().map(|(pipe, input)| {
        let due = context.written_bytes_of(pipe, input.len());
        let mut room = vec![0; due.max(input.len())];
        room[..input.len()].copy_from_slice(input);
        (room, due)
    });
    let mut rooms: Vec<_> = rooms.collect();
    let buffers = rooms.iter_mut().zip(inputs).map(|((room, due), input)| {
        match in_place && !input.is_empty() {
            true => Buffers::InPlace {
                buffer: room,
                bytes: input.len(),
            },
            false => Buffers::Apart {
                input,
                output: &mut room[..*due],
            },
        }
    });
    let buffers = buffers.collect();
    let written = context.update_pipes(buffers)?;
    let outputs = rooms.into_iter().zip(written);
    Ok(outputs
        .map(|((mut room, due), written)| {
            assert_eq!(written, due);
            room.truncate(written);
            room
        })
        .collect())
}

fn finish(context: &mut Context, pipes: usize) -> Outcome<Vec<Vec<u8>>> {
    let mut rooms = vec![[0; 16]; pipes];
    let mut places: Vec<&mut [u8]> = rooms.iter_mut().map(|room| &mut room[..]).collect();
    let written = context.finish_pipes(&mut places)?;
    Ok(rooms
        .iter()
        .zip(written)
        .map(|(room, written)| room[..written].to_vec())
        .collect())
}

/// All of a pipe's message by a context of its own: the output and the tag.
fn expected(
    mode: Mode,
    direction: Direction,
    pipe: usize,
    parts: &[&[u8]],
    tag: Option<&[u8]>,
) -> (Vec<u8>, Vec<u8>) {
    let mut context = single(&provider("never"), mode, direction, pipe);
    if let Some(tag) = tag {
        context.set_parameter(b"tag", &Given::Octets(tag)).unwrap();
    }
    if mode == Mode::Gcm {
        context.associate(&[pipe as u8; 21]).unwrap();
    }
    let mut output = Vec::new();
    for part in parts {
        let mut room = vec![0; context.written_bytes(part.len())];
        let buffers = Buffers::Apart {
            input: part,
            output: &mut room,
        };
        context.update(buffers).unwrap();
        output.extend(room);
    }
    let mut last = [0; 16];
    let written = context.finish(&mut last).unwrap();
    output.extend(&last[..written]);
    let tag = match (mode, direction) {
        (Mode::Gcm, Direction::Encrypt) => octets(context.parameter(b"tag", 16)),
        _ => Vec::new(),
    };
    (output, tag)
}

fn octets(value: Outcome<Option<Value<'_>>>) -> Vec<u8> {
    match value {
        Ok(Some(Value::Octets(octets))) => octets.to_vec(),
        _ => panic!("no octets"),
    }
}

#[track_caller]
fn failed<T>(outcome: Outcome<T>) -> (Reason, String) {
    match outcome {
        Ok(_) => panic!("it worked"),
        Err(Failure { report }) => *report.unwrap(),
    }
}

/// Run the messages of a pipeline; compare them with contexts of their own.
fn compare(context: &mut Context, mode: Mode, direction: Direction, in_place: bool) {
    let messages: Vec<Vec<u8>> = (0..PIPES)
        .map(|pipe| {
            let data = message(pipe, cuts(mode, pipe).iter().sum());
            match direction {
                Direction::Encrypt => data,
                Direction::Decrypt if mode == Mode::Xts => data,
                Direction::Decrypt => expected(mode, Direction::Encrypt, pipe, &[&data], None).0,
            }
        })
        .collect();
    let tags: Vec<Vec<u8>> = (0..PIPES)
        .map(|pipe| match (mode, direction) {
            (Mode::Gcm, Direction::Decrypt) => {
                let data = message(pipe, cuts(mode, pipe).iter().sum());
                expected(mode, Direction::Encrypt, pipe, &[&data], None).1
            }
            _ => Vec::new(),
        })
        .collect();
    // The last part has the padding too.
    let parts: Vec<Vec<&[u8]>> = messages
        .iter()
        .enumerate()
        .map(|(pipe, message)| {
            let (first, rest) = message.split_at(cuts(mode, pipe)[0]);
            let (second, rest) = rest.split_at(cuts(mode, pipe)[1]);
            vec![first, second, rest]
        })
        .collect();
    for (pipe, tag) in tags.iter().enumerate().filter(|(_, tag)| !tag.is_empty()) {
        context.set_tag_of(pipe, tag).unwrap();
    }
    if mode == Mode::Gcm {
        let data: Vec<_> = (0..PIPES).map(|pipe| [pipe as u8; 21]).collect();
        let data: Vec<_> = data.iter().map(|data| &data[..]).collect();
        context.associate_pipes(&data).unwrap();
    }
    let mut outputs = vec![Vec::new(); PIPES];
    for number in 0..3 {
        let inputs: Vec<&[u8]> = parts.iter().map(|parts| parts[number]).collect();
        let written = update(context, &inputs, in_place).unwrap();
        outputs
            .iter_mut()
            .zip(written)
            .for_each(|(output, part)| output.extend(part));
    }
    let last = finish(context, PIPES).unwrap();
    outputs
        .iter_mut()
        .zip(last)
        .for_each(|(output, part)| output.extend(part));
    for (pipe, output) in outputs.iter().enumerate() {
        let tag = (!tags[pipe].is_empty()).then_some(&tags[pipe][..]);
        let (due, due_tag) = expected(mode, direction, pipe, &parts[pipe], tag);
        assert!(*output == due, "{mode} {direction:?} {in_place} {pipe}");
        if !due_tag.is_empty() {
            assert_eq!(context.tag_of(pipe, 16).unwrap().unwrap(), due_tag);
            assert_eq!(context.tag_of(pipe, 5).unwrap().unwrap(), &due_tag[..5]);
        }
    }
}

#[test]
fn pipes_give_what_single_messages_give() {
    for threshold in BOTH {
        for mode in Mode::ALL {
            let provider = provider(threshold);
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let mut context = pipeline(&provider, mode, direction, PIPES);
                compare(&mut context, mode, direction, false);
                // The same context again, with IVs that begin anew.
                begin(&mut context, mode, direction, PIPES);
                compare(&mut context, mode, direction, true);
            }
            let on_device = provider.count("device_pipes").unwrap();
            assert_eq!(on_device > 0, threshold == "16", "{mode}");
            assert!(provider.count("software_pipes").unwrap() > 0);
            assert_eq!(provider.count("device_failures"), Some(0));
        }
    }
}

#[test]
fn a_device_that_fails_half_way_changes_no_byte() {
    for mode in Mode::ALL {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            // The self-test at the opening takes some of the jobs.
            let device = ReferenceDevice::new().with_chunk(4096).failing_after(31);
            let provider = with_device(device, &[("threshold", "16")]);
            for _ in 0..10 {
                let mut context = pipeline(&provider, mode, direction, PIPES);
                compare(&mut context, mode, direction, false);
            }
            assert_eq!(provider.count("device_failures"), Some(1), "{mode}");
            // A part of a message has no tag that a device could find right.
            let none = (mode, direction) == (Mode::Gcm, Direction::Decrypt);
            let pipes = provider.count("device_pipes").unwrap();
            assert_eq!(pipes > 0, !none, "{mode} {direction:?}");
        }
    }
}

#[test]
fn where_a_device_is_to_fail_nothing_goes_on_before_an_initialisation() {
    let device = ReferenceDevice::new().with_chunk(4096).failing_after(40);
    let settings = [("threshold", "16"), ("on_failure", "fail")];
    let mut context = pipeline(
        &with_device(device, &settings),
        Mode::Cbc,
        Direction::Encrypt,
        2,
    );
    let long = message(0, 100 * 4096);
    let (_, message) = failed(update(&mut context, &[&long, &long], false));
    assert!(message.contains("device cpu"), "{message}");
    let (_, message) = failed(update(&mut context, &[&[0; 16], &[0; 16]], false));
    assert!(message.contains("initialise"), "{message}");
    begin(&mut context, Mode::Cbc, Direction::Encrypt, 2);
    update(&mut context, &[&[0; 16], &[0; 16]], false).unwrap();
}

#[test]
fn forged_messages_are_named_and_the_others_come_to_their_end() {
    for threshold in BOTH {
        let data = message(0, 1000);
        let mut encrypts = pipeline(&provider(threshold), Mode::Gcm, Direction::Encrypt, 4);
        let sealed = update(&mut encrypts, &[&data[..]; 4], false).unwrap();
        finish(&mut encrypts, 4).unwrap();
        let provider = provider(threshold);
        let mut decrypts = pipeline(&provider, Mode::Gcm, Direction::Decrypt, 4);
        for pipe in 0..4 {
            let mut tag = encrypts.tag_of(pipe, 16).unwrap().unwrap().to_vec();
            tag[0] ^= (pipe % 2) as u8;
            decrypts.set_tag_of(pipe, &tag).unwrap();
        }
        let inputs: Vec<&[u8]> = sealed.iter().map(|sealed| &sealed[..]).collect();
        update(&mut decrypts, &inputs, false).unwrap();
        let (reason, message) = failed(finish(&mut decrypts, 4));
        assert_eq!(reason, Reason::BadDecrypt);
        assert!(message.ends_with("1, 3"), "{message}");
        let on_device = if threshold == "16" { 2 } else { 0 };
        assert_eq!(provider.count("device_pipes"), Some(on_device));
        // Each has had its end.
        assert!(message_after(&mut decrypts).contains("pipe 0"), "{message}");
    }
}

fn message_after(context: &mut Context) -> String {
    failed(update(context, &[&[0; 16][..]; 4], false)).1
}

#[test]
fn copies_go_on_alone() {
    for mode in [Mode::Cbc, Mode::Ctr, Mode::Gcm] {
        for threshold in BOTH {
            let data = message(1, 2000);
            let mut context = pipeline(&provider(threshold), mode, Direction::Encrypt, 2);
            let mut one = update(&mut context, &[&data[..77], &data[..500]], false).unwrap();
            let mut copy = context.duplicate().unwrap();
            update(&mut context, &[b"something", b"else"], true).unwrap();
            let rest = update(&mut copy, &[&data[77..], &data[500..]], false).unwrap();
            one.iter_mut()
                .zip(rest)
                .for_each(|(one, rest)| one.extend(rest));
            let last = finish(&mut copy, 2).unwrap();
            one.iter_mut()
                .zip(last)
                .for_each(|(one, last)| one.extend(last));
            for (pipe, output) in one.iter().enumerate() {
                let mut alone = single(&provider("never"), mode, Direction::Encrypt, pipe);
                let mut due = vec![0; alone.written_bytes(2000)];
                let buffers = Buffers::Apart {
                    input: &data,
                    output: &mut due,
                };
                alone.update(buffers).unwrap();
                let mut last = [0; 16];
                let written = alone.finish(&mut last).unwrap();
                due.extend(&last[..written]);
                assert!(*output == due, "{mode} {threshold} {pipe}");
            }
        }
    }
}

#[test]
fn pipelines_and_single_messages_do_not_mix() {
    let mut context = single(&provider("16"), Mode::Ctr, Direction::Encrypt, 0);
    let (_, message) = failed(update(&mut context.duplicate().unwrap(), &[], false));
    assert!(message.contains("one message"), "{message}");
    begin(&mut context, Mode::Ctr, Direction::Encrypt, 3);
    let mut data = [1; 16];
    let buffers = || Buffers::Apart {
        input: &[1; 16],
        output: &mut [],
    };
    assert!(context.quick(16, || unreachable!()).is_none());
    assert!(failed(context.update(buffers())).1.contains("pipeline"));
    assert!(failed(context.raw(buffers())).1.contains("pipeline"));
    assert!(failed(context.finish(&mut [])).1.contains("pipeline"));
    assert!(failed(context.associate(b"data")).1.contains("pipeline"));
    assert_eq!(
        failed(context.finish_pipes(&mut [&mut [], &mut []])).0,
        Reason::ValueError
    );
    // What has refused to work has changed nothing.
    update(&mut context, &[&data[..]; 3], false).unwrap();
    // Nor is there one IV.
    for name in [&b"iv"[..], b"updated-iv", b"num", b"tag"] {
        assert_eq!(failed(context.parameter(name, 16)).0, Reason::NotSupported);
        let set = context.set_parameter(name, &Given::Unsigned(0));
        assert_eq!(failed(set).0, Reason::NotSupported);
    }
    assert!(matches!(
        context.parameter(b"ivlen", 8),
        Ok(Some(Value::Unsigned(16)))
    ));
    // A single message again.
    context
        .initialise(Direction::Encrypt, None, Some(&iv(Mode::Ctr, 0)))
        .unwrap();
    assert!(context.update_pipes(Vec::new()).is_err());
    let mut due = [1; 16];
    for (context, data) in [
        (&mut context, &mut data),
        (
            &mut single(&provider("never"), Mode::Ctr, Direction::Encrypt, 0),
            &mut due,
        ),
    ] {
        context
            .update(Buffers::InPlace {
                buffer: data,
                bytes: 16,
            })
            .unwrap();
    }
    assert_eq!(data, due);
}

#[test]
fn pipes_are_counted_and_have_keys_and_ivs() {
    let provider = provider("16");
    for pipes in [0, 33] {
        let mut context = Context::new(Arc::clone(&provider), Mode::Cbc, KeyBits::Bits256);
        let ivs = vec![Some(&[0; 16][..]); pipes];
        let begun = context.initialise_pipeline(Direction::Encrypt, Some(key(Mode::Cbc)), &ivs);
        assert!(failed(begun).1.contains("1 to 32"));
        assert!(update(&mut context, &[], false).is_err());
    }
    let mut context = pipeline(&provider, Mode::Cbc, Direction::Encrypt, 32);
    assert_eq!(
        update(&mut context, &[&[7; 48][..]; 32], false)
            .unwrap()
            .len(),
        32
    );
    // An IV of the wrong length is named with its pipe.
    let ivs = [Some(&[0; 16][..]), Some(&[0; 15])];
    let (reason, message) = failed(context.initialise_pipeline(Direction::Encrypt, None, &ivs));
    assert_eq!(reason, Reason::InvalidIvLength);
    assert!(message.contains("pipe 1"), "{message}");
    let (_, message) = failed(update(&mut context, &[&[7; 48][..]; 2], false));
    assert!(message.contains("initialise it again"), "{message}");
    // No key.
    let mut context = Context::new(Arc::clone(&provider), Mode::Cbc, KeyBits::Bits256);
    context
        .initialise_pipeline(Direction::Encrypt, None, &[Some(&[0; 16])])
        .unwrap();
    assert_eq!(
        failed(update(&mut context, &[&[0; 16]], false)).0,
        Reason::NoKeySet
    );
    // A random IV of GCM is of no use to a program that cannot ask for it.
    let mut context = Context::new(provider, Mode::Gcm, KeyBits::Bits256);
    let key = Some(key(Mode::Gcm));
    context
        .initialise_pipeline(Direction::Encrypt, key, &[None])
        .unwrap();
    assert_eq!(
        failed(update(&mut context, &[&[0; 16]], false)).0,
        Reason::InvalidIvLength
    );
}

#[test]
fn padding_is_a_setting_of_all_pipes() {
    for before in [true, false] {
        let mut context = Context::new(provider("never"), Mode::Cbc, KeyBits::Bits256);
        let off = |context: &mut Context| {
            context
                .set_parameter(b"padding", &Given::Unsigned(0))
                .unwrap();
        };
        if before {
            off(&mut context);
        }
        begin(&mut context, Mode::Cbc, Direction::Encrypt, 3);
        if !before {
            off(&mut context);
        }
        update(&mut context, &[&[0; 16], &[0; 32], &[0; 5]], false).unwrap();
        let (reason, message) = failed(finish(&mut context, 3));
        assert_eq!(reason, Reason::WrongFinalBlockLength);
        assert!(message.contains("pipe 2"), "{message}");
    }
}

#[test]
fn messages_that_are_not_cut_go_to_the_device_while_they_are_no_more_than_16_mib() {
    let long = vec![5; (16 << 20) - 64];
    for (other, pipes) in [(64, 2), (65, 0)] {
        let device = ReferenceDevice::new().with_modes(&[Mode::Gcm]);
        let provider = with_device(device, &[("threshold", "16")]);
        let mut context = pipeline(&provider, Mode::Gcm, Direction::Encrypt, 2);
        update(&mut context, &[&long, &long[..other]], true).unwrap();
        assert_eq!(provider.count("device_pipes"), Some(pipes));
    }
}
