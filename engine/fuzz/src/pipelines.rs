// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The pipelines of the OpenSSL provider, between the other calls of its ciphers
//! (provider-cipher(7), from OpenSSL 3.5 on).

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::input::Input;
use crate::openssl::{GUARD, OnContext, Parameter};

pub(crate) type Initialise = unsafe extern "C" fn(
    *mut c_void,
    *const u8,
    usize,
    usize,
    *const *const u8,
    usize,
    *mut Parameter,
) -> c_int;
pub(crate) type Update = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *const *mut u8,
    *mut usize,
    *const usize,
    *const *const u8,
    *const usize,
) -> c_int;
pub(crate) type Finish =
    unsafe extern "C" fn(*mut c_void, usize, *const *mut u8, *mut usize, *const usize) -> c_int;

/// The functions of a cipher.
#[derive(Clone, Copy)]
pub(crate) struct Pipeline {
    pub(crate) initialise: [Initialise; 2],
    pub(crate) update: Update,
    pub(crate) finish: Finish,
    pub(crate) get: OnContext,
    pub(crate) set: OnContext,
}

/// Most often the number of pipes that the others have.
fn pipes(input: &mut Input<'_>) -> usize {
    input.one_of(&[2, 2, 2, 2, 1, 3, 0, 33])
}

pub(crate) fn initialise(pipeline: &Pipeline, context: *mut c_void, input: &mut Input<'_>) {
    let initialise = input.one_of(&pipeline.initialise);
    let (pipes, given) = (pipes(input), input.byte());
    let key_bytes = input.one_of(&[16, 24, 32, 64]);
    let iv_bytes = input.one_of(&[16, 12, 16, 12, 0, 15, 129]);
    let key = input.made(key_bytes);
    let ivs: Vec<_> = (0..pipes).map(|_| input.made(iv_bytes)).collect();
    let place = |(pipe, iv): (usize, &Vec<u8>)| match given & 0xf0 == 0xf0 && pipe == 1 {
        true => ptr::null(),
        false => iv.as_ptr(),
    };
    let ivs: Vec<_> = ivs.iter().enumerate().map(place).collect();
    let key = if given % 4 == 3 {
        ptr::null()
    } else {
        key.as_ptr()
    };
    let array = if given % 8 == 7 {
        ptr::null()
    } else {
        ivs.as_ptr()
    };
    // SAFETY: key and IVs have so many bytes, or are null.
    unsafe {
        let no_list = ptr::null_mut();
        initialise(context, key, key_bytes, pipes, array, iv_bytes, no_list);
    }
}

/// An update of buffers that lie apart, in place, or over one another; or of associated data.
pub(crate) fn update(pipeline: &Pipeline, context: *mut c_void, input: &mut Input<'_>) {
    let (pipes, how) = (pipes(input), input.byte());
    let texts: Vec<_> = (0..pipes).map(|_| input.text()).collect();
    let lengths: Vec<_> = texts.iter().map(Vec::len).collect();
    let rooms: Vec<_> = lengths.iter().map(|bytes| bytes + 16).collect();
    let sum = rooms.iter().sum::<usize>();
    // All inputs, and behind them all outputs.
    let mut memory = vec![0xa5; 2 * sum + GUARD.len()];
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let mut at = 0;
    for (text, room) in texts.iter().zip(&rooms) {
        memory[at..at + text.len()].copy_from_slice(text);
        starts.push(at);
        ends.push(match how % 4 {
            0 => at,
            1 => input.below(2 * sum - room + 1),
            _ => sum + at,
        });
        at += room;
    }
    let start = memory.as_mut_ptr();
    // SAFETY: all are in the memory, which has room for inputs and outputs.
    let status = unsafe {
        let inputs: Vec<_> = starts
            .iter()
            .map(|at| start.add(*at).cast_const())
            .collect();
        let outputs: Vec<_> = ends.iter().map(|at| start.add(*at)).collect();
        let to = if how & 0xf0 == 0xf0 {
            ptr::null()
        } else {
            outputs.as_ptr()
        };
        let mut written = vec![usize::MAX; pipes];
        let (from, out) = (inputs.as_ptr(), written.as_mut_ptr());
        let done = (pipeline.update)(
            context,
            pipes,
            to,
            out,
            rooms.as_ptr(),
            from,
            lengths.as_ptr(),
        );
        assert!(done == 1 || written.iter().all(|bytes| *bytes == 0));
        assert!(
            written
                .iter()
                .zip(&rooms)
                .all(|(bytes, room)| bytes <= room)
        );
        done
    };
    assert_eq!(memory[2 * sum..], GUARD);
    if status == 0 && how % 4 > 1 {
        // Nobody has changed the inputs.
        assert!(
            texts
                .iter()
                .zip(&starts)
                .all(|(text, at)| memory[*at..].starts_with(text))
        );
    }
}

pub(crate) fn finish(pipeline: &Pipeline, context: *mut c_void, input: &mut Input<'_>) {
    let pipes = pipes(input);
    let mut blocks = vec![[0u8; 16]; pipes];
    let outputs: Vec<_> = blocks.iter_mut().map(|block| block.as_mut_ptr()).collect();
    let room = input.one_of(&[16, 16, 16, 0, 15, 32]);
    let (rooms, mut written) = (vec![room; pipes], vec![usize::MAX; pipes]);
    // SAFETY: each output has room for a block, which is the most that an end has.
    unsafe {
        let (to, out) = (outputs.as_ptr(), written.as_mut_ptr());
        (pipeline.finish)(context, pipes, to, out, rooms.as_ptr());
    }
    assert!(written.iter().all(|bytes| *bytes <= room.min(16)));
}

/// Set or get the tags of as many pipes as there can be.
pub(crate) fn tags(pipeline: &Pipeline, context: *mut c_void, input: &mut Input<'_>) {
    let mut tags = vec![[7u8; 32]; 32];
    let mut places: Vec<_> = tags.iter_mut().map(|tag| tag.as_mut_ptr()).collect();
    if input.byte() == 0 {
        places[1] = ptr::null_mut();
    }
    let mut array = places.as_mut_ptr();
    let data_size = input.one_of(&[16, 16, 12, 0, 17, usize::MAX]);
    let entry = Parameter {
        key: c"pipeline-tag".as_ptr(),
        data_type: input.one_of(&[7, 7, 7, 5]),
        data: (&raw mut array).cast(),
        data_size,
        return_size: 0,
    };
    let call = input.one_of(&[pipeline.get, pipeline.set]);
    // SAFETY: the list is one, whose data leads to a pointer for each pipe.
    unsafe { call(context, [entry, Parameter::END].as_mut_ptr()) };
}
