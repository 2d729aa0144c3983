// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Pipelines as OpenSSL calls them: arrays, rooms and buffers that overlap.

use std::ffi::c_void;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{KeyBits, Mode};

use super::super::abi::{OCTET_POINTER, OCTET_STRING};
use super::super::context::{free, held};
use super::super::core::Core;
use super::super::parameters::END;
use super::*;
use crate::provider::with_device;

const PIPES: usize = 3;

/// A context as OpenSSL holds it.
struct Handle(*mut c_void);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the context is ours, and used no more.
        unsafe { free::<Context>(self.0) };
    }
}

impl Handle {
    fn new(mode: Mode, pipes: usize) -> Handle {
        let provider = with_device(ReferenceDevice::new(), &[("threshold", "16")]);
        let context = Context::new(provider, mode, KeyBits::Bits128);
        let handle = Handle(held(Core::none(), Some(context)));
        let iv = [9; 16];
        let iv_bytes = if mode == Mode::Gcm { 12 } else { 16 };
        let ivs = [iv.as_ptr(); PIPES];
        // SAFETY: the context is ours, and the arrays are as long as said.
        let begun = unsafe {
            let (key, ivs) = ([7; 16].as_ptr(), ivs.as_ptr());
            initialise::<true>(handle.0, key, 16, pipes, ivs, iv_bytes, ptr::null_mut())
        };
        assert_eq!(begun, 1);
        handle
    }

    /// An update of each pipe at these places of a memory: offset and bytes of the input, offset
    /// and room of the output.
    fn update(
        &self,
        memory: &mut [u8],
        places: &[(usize, usize, usize, usize)],
    ) -> (i32, Vec<usize>) {
        let start = memory.as_mut_ptr();
        // SAFETY: the places are in the memory.
        let at = |offset: usize| unsafe { start.add(offset) };
        let inputs: Vec<_> = places
            .iter()
            .map(|place| at(place.0).cast_const())
            .collect();
        let bytes: Vec<_> = places.iter().map(|place| place.1).collect();
        let outputs: Vec<_> = places.iter().map(|place| at(place.2)).collect();
        let rooms: Vec<_> = places.iter().map(|place| place.3).collect();
        let mut written = vec![99; places.len()];
        // SAFETY: the context is ours, and the arrays are as long as said.
        let done = unsafe {
            let (to, out) = (outputs.as_ptr(), written.as_mut_ptr());
            let (room, from) = (rooms.as_ptr(), inputs.as_ptr());
            update(self.0, places.len(), to, out, room, from, bytes.as_ptr())
        };
        (done, written)
    }
}

#[test]
fn outputs_lie_apart_or_in_the_place_of_their_own_input() {
    for (places, allowed) in [
        // In place, apart, and with one input for two.
        ([(0, 32, 0, 32), (32, 32, 64, 32), (32, 32, 96, 32)], true),
        // Right behind one another.
        ([(0, 16, 48, 16), (16, 16, 64, 16), (32, 16, 80, 16)], true),
        // Two outputs at one place.
        ([(0, 16, 48, 16), (16, 16, 48, 16), (32, 16, 80, 16)], false),
        // An output over the input of another, by a byte, before and behind.
        ([(0, 16, 31, 16), (16, 16, 64, 16), (16, 16, 80, 16)], false),
        ([(0, 16, 64, 16), (16, 16, 80, 16), (48, 16, 33, 16)], false),
        // In place, with the input of another.
        ([(0, 16, 0, 16), (0, 16, 64, 16), (32, 16, 80, 16)], false),
        // Over a part of its own input.
        ([(0, 16, 8, 16), (48, 16, 64, 16), (32, 16, 80, 16)], false),
    ] {
        let handle = Handle::new(Mode::Cbc, PIPES);
        let before: Vec<u8> = (0..160).collect();
        let mut memory = before.clone();
        let (done, written) = handle.update(&mut memory, &places);
        assert_eq!(done == 1, allowed, "{places:?}");
        if !allowed {
            assert_eq!((memory, written), (before, vec![0; PIPES]), "{places:?}");
            continue;
        }
        for (from, bytes, to, _) in places {
            let mut due = vec![0; 160];
            due[..bytes].copy_from_slice(&before[from..from + bytes]);
            let alone = Handle::new(Mode::Cbc, 1);
            assert_eq!(
                alone.update(&mut due, &[(0, bytes, 0, bytes)]),
                (1, vec![bytes])
            );
            assert_eq!(memory[to..to + bytes], due[..bytes], "{places:?}");
        }
    }
}

#[test]
fn an_output_without_room_leaves_every_pipe_as_it_was() {
    let handle = Handle::new(Mode::Cbc, PIPES);
    let mut memory = vec![5; 160];
    let short = [(0, 16, 48, 16), (16, 16, 64, 15), (32, 16, 80, 16)];
    assert_eq!(handle.update(&mut memory, &short), (0, vec![0; PIPES]));
    assert_eq!(memory, [5; 160]);
    // Another number of pipes, too.
    assert_eq!(handle.update(&mut memory, &short[..2]), (0, vec![0; 2]));
    let enough = [(0, 16, 48, 16), (16, 16, 64, 16), (32, 8, 80, 0)];
    assert_eq!(handle.update(&mut memory, &enough), (1, vec![16, 16, 0]));
    let due = memory[48..64].to_vec();
    assert_eq!(memory[64..80], due);
    let alone = Handle::new(Mode::Cbc, 1);
    let mut again = vec![5; 32];
    assert_eq!(alone.update(&mut again, &[(0, 16, 16, 16)]), (1, vec![16]));
    assert_eq!(again[16..], due);
}

#[test]
fn arrays_that_are_null_are_refused_and_lengths_of_zero_need_no_buffers() {
    let handle = Handle::new(Mode::Cbc, PIPES);
    let (nothing, zeros) = ([ptr::null_mut::<u8>(); PIPES], [0; PIPES]);
    let mut written = [99; PIPES];
    let inputs = [ptr::null(); PIPES];
    // SAFETY: the context is ours, and the arrays are as long as said, or null.
    let mut call = |to, room, from, bytes| unsafe {
        let done = update(handle.0, PIPES, to, written.as_mut_ptr(), room, from, bytes);
        assert_eq!(written, [0; PIPES]);
        done
    };
    let (to, room, from) = (nothing.as_ptr(), zeros.as_ptr(), inputs.as_ptr());
    assert_eq!(call(to, room, from, room), 1);
    assert_eq!(call(to, ptr::null(), from, room), 0);
    assert_eq!(call(to, room, ptr::null(), room), 0);
    assert_eq!(call(to, room, from, ptr::null()), 0);
    // Padding has no place to go to.
    // SAFETY: as above.
    let done = unsafe {
        finish(
            handle.0,
            PIPES,
            ptr::null(),
            written.as_mut_ptr(),
            ptr::null(),
        )
    };
    assert_eq!((done, written), (0, [0; PIPES]));
}

#[test]
fn tags_go_through_an_array_of_pointers() {
    let handle = Handle::new(Mode::Gcm, PIPES);
    let mut memory = vec![5; 160];
    let places = [(0, 16, 48, 16), (16, 16, 64, 16), (32, 16, 80, 16)];
    assert_eq!(handle.update(&mut memory, &places).0, 1);
    let mut written = [0; PIPES];
    // SAFETY: the context is ours, and the arrays are as long as said, or null.
    let done = unsafe {
        finish(
            handle.0,
            PIPES,
            ptr::null(),
            written.as_mut_ptr(),
            ptr::null(),
        )
    };
    assert_eq!(done, 1);
    let mut tags = [[0u8; 16]; PIPES];
    let mut places = tags.each_mut().map(|tag| tag.as_mut_ptr());
    let ask = |places: &mut [*mut u8; PIPES], data_type, bytes| {
        let mut array = places.as_mut_ptr();
        let parameter = Parameter {
            key: c"pipeline-tag".as_ptr(),
            data_type,
            data: (&raw mut array).cast(),
            data_size: bytes,
            return_size: 0,
        };
        // SAFETY: the context is ours, and the list one.
        unsafe {
            super::super::context::get_parameters::<Context>(
                handle.0,
                [parameter, END].as_mut_ptr(),
            )
        }
    };
    assert_eq!(ask(&mut places, OCTET_POINTER, 17), 0);
    assert_eq!(ask(&mut places, OCTET_STRING, 16), 0);
    assert_eq!(ask(&mut places, OCTET_POINTER, 16), 1);
    assert_eq!(tags[0], tags[1]);
    assert_ne!(tags[0], [0; 16]);
    places[1] = ptr::null_mut();
    assert_eq!(ask(&mut places, OCTET_POINTER, 16), 0);
}
