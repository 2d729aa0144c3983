// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

use ciphermill::testing::ReferenceDevice;

use super::super::context::held;
use super::super::core::Core;
use super::*;
use crate::provider::with_device;

/// A context as OpenSSL holds it.
struct Handle(*mut c_void);

impl Handle {
    fn new(mode: Mode, direction: Direction, threshold: &str, padding: bool) -> Handle {
        let provider = with_device(ReferenceDevice::new(), &[("threshold", threshold)]);
        let mut context = Context::new(provider, mode, KeyBits::Bits128);
        let iv = &[9; 16][..if mode == Mode::Gcm { 12 } else { 16 }];
        let keys: Vec<u8> = (0..32).collect();
        let key = &keys[..if mode == Mode::Xts { 32 } else { 16 }];
        context.initialise(direction, Some(key), Some(iv)).unwrap();
        let padding = Given::Unsigned(padding.into());
        context.set_parameter(b"padding", &padding).unwrap();
        Handle(held(Core::none(), Some(context)))
    }

    /// An update from a buffer to another, which has room for the output and no more.
    /// OpenSSL says that there is room for another block.
    fn update(&mut self, input: &[u8], output_bytes: usize) -> Vec<u8> {
        let mut output = vec![0; output_bytes];
        let (mut written, room) = (0, input.len() + BLOCK_BYTES);
        // SAFETY: the context is ours, and the buffers are as long as said.
        let done = unsafe {
            let (to, from) = (output.as_mut_ptr(), input.as_ptr());
            update(self.0, to, &raw mut written, room, from, input.len())
        };
        assert_eq!((done, written), (1, output_bytes));
        output
    }

    fn finish(&mut self, output_bytes: usize) -> Vec<u8> {
        let mut output = vec![0; output_bytes];
        let mut written = 0;
        // SAFETY: as above.
        let done = unsafe { finish(self.0, output.as_mut_ptr(), &raw mut written, BLOCK_BYTES) };
        assert_eq!((done, written), (1, output_bytes));
        output
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the context is ours, and used no more.
        unsafe { free::<Context>(self.0) };
    }
}

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| ((index * 13) >> 2) as u8).collect()
}

#[test]
fn outputs_need_room_for_what_is_written_alone() {
    for threshold in ["16", "never"] {
        for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm, Mode::Xts] {
            let data = message(4 * 160);
            let mut encrypts = Handle::new(mode, Direction::Encrypt, threshold, false);
            let sealed = encrypts.update(&data, data.len());
            encrypts.finish(0);
            let mut decrypts = Handle::new(mode, Direction::Decrypt, threshold, false);
            assert_eq!(decrypts.update(&sealed, data.len()), data, "{mode}");
            if mode == Mode::Xts {
                continue;
            }
            // In parts of blocks, too.
            let whole = mode.needs_whole_blocks();
            let mut encrypts = Handle::new(mode, Direction::Encrypt, threshold, false);
            let (mut again, mut taken) = (Vec::new(), 0);
            for part in data.chunks(56) {
                taken += part.len();
                let until = if whole { taken / 16 * 16 } else { taken };
                again.extend(encrypts.update(part, until - again.len()));
            }
            assert_eq!(again, sealed, "{mode}");
        }
    }
}

#[test]
fn padding_is_written_at_the_end_alone() {
    let data = message(40);
    let mut encrypts = Handle::new(Mode::Cbc, Direction::Encrypt, "never", true);
    let mut sealed = encrypts.update(&data, 32);
    sealed.extend(encrypts.finish(16));
    let mut decrypts = Handle::new(Mode::Cbc, Direction::Decrypt, "never", true);
    let mut back = decrypts.update(&sealed, 32);
    back.extend(decrypts.finish(8));
    assert_eq!(back, data);
}

#[test]
fn an_input_right_behind_the_output_is_left_as_it_is() {
    // Padded decryption holds the last block back: 32 bytes come in, 16 go out.
    let data = message(16);
    let mut encrypts = Handle::new(Mode::Cbc, Direction::Encrypt, "never", true);
    let mut sealed = encrypts.update(&data, 16);
    sealed.extend(encrypts.finish(16));
    let mut memory = [vec![0; 16], sealed.clone()].concat();
    let decrypts = Handle::new(Mode::Cbc, Direction::Decrypt, "never", true);
    let mut written = 0;
    // SAFETY: the context is ours, and the memory has the output and then the input.
    let done = unsafe {
        let (to, from) = (memory.as_mut_ptr(), memory.as_ptr().add(16));
        update(decrypts.0, to, &raw mut written, 48, from, 32)
    };
    assert_eq!((done, written), (1, 16));
    assert_eq!(memory, [data, sealed].concat());
}

#[test]
fn buffers_that_overlap_give_what_others_give() {
    let data = message(100);
    for mode in [Mode::Cbc, Mode::Ctr] {
        let expected_bytes = if mode == Mode::Cbc { 96 } else { 100 };
        let expected =
            Handle::new(mode, Direction::Encrypt, "never", false).update(&data, expected_bytes);
        for (to, from) in [(0, 0), (0, 5), (5, 0), (0, 16), (16, 0)] {
            let mut memory = vec![0; 116];
            memory[from..from + 100].copy_from_slice(&data);
            let handle = Handle::new(mode, Direction::Encrypt, "never", false);
            let mut written = 0;
            // SAFETY: the context is ours, and the memory has both buffers.
            let done = unsafe {
                let start = memory.as_mut_ptr();
                let (to, from) = (start.add(to), start.add(from));
                update(handle.0, to, &raw mut written, 116, from, 100)
            };
            assert_eq!((done, written), (1, expected_bytes));
            assert_eq!(
                memory[to..to + expected_bytes],
                expected,
                "{mode} {to} {from}"
            );
        }
    }
}
