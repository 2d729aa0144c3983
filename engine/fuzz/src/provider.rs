// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The OpenSSL provider's functions in any order, as a program may call them through OpenSSL:
//! up to three contexts of any ciphers, with any keys, parameters and lengths. The numbers
//! and signatures are those of openssl/core_dispatch.h (provider-base(7), provider-cipher(7)).

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;

use crate::input::Input;
use crate::openssl::{
    self, GUARD, Kind, OCTET_STRING, OPERATION_CIPHER, OnContext, PROVIDER, Parameter,
};
use crate::pipelines::{self, Pipeline};

type Initialise =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *mut Parameter) -> c_int;
type Update =
    unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
type Describe = unsafe extern "C" fn(*mut Parameter) -> c_int;

/// Names of parameters; the last is none.
const NAMES: [&CStr; 17] = [
    c"padding",
    c"num",
    c"keylen",
    c"ivlen",
    c"taglen",
    c"iv",
    c"updated-iv",
    c"tag",
    c"tlsaad",
    c"tlsaadpad",
    c"tlsivfixed",
    c"tlsivinv",
    c"tlsivgen",
    c"tls-version",
    c"tls-mac-size",
    c"tls-mac",
    c"nothing",
];

/// Room that every parameter has, however little it says.
const PARAMETER_BYTES: usize = 4096;
/// What a cipher has besides.
#[derive(Clone, Copy)]
struct Cipher {
    describe: Describe,
    initialise: [Initialise; 2],
    update: [Update; 2],
    get: OnContext,
    set: OnContext,
    pipeline: Pipeline,
}

type Context = openssl::Context<Cipher>;

/// Those that the provider has.
static CIPHERS: LazyLock<Vec<Kind<Cipher>>> = LazyLock::new(|| {
    let ciphers = PROVIDER.algorithms(OPERATION_CIPHER).into_iter();
    // SAFETY: functions of the provider have the signatures of their numbers.
    let cipher = ciphers.map(|all| unsafe {
        Kind {
            new: all.of(1),
            finish: all.of(5),
            free: all.of(7),
            duplicate: all.of(8),
            more: Cipher {
                initialise: [all.of(2), all.of(3)],
                update: [all.of(4), all.of(6)],
                describe: all.of(9),
                get: all.of(10),
                set: all.of(11),
                pipeline: Pipeline {
                    initialise: [all.of(15), all.of(16)],
                    update: all.of(17),
                    finish: all.of(18),
                    get: all.of(10),
                    set: all.of(11),
                },
            },
        }
    });
    cipher.collect()
});

/// Run on one input.
pub fn run(data: &[u8]) {
    openssl::in_any_order(data, &CIPHERS, 12, |step, context, input| match step {
        0 | 1 => initialise(context, input),
        2..=5 => update(context, input),
        6 => {
            context.finish(input.one_of(&[16, 16, 0, 15, 32]));
        }
        7 => set(context, input),
        8 | 9 => get(context, input),
        _ => {
            let (pipeline, on) = (&context.kind.more.pipeline, context.context);
            match input.byte() % 8 {
                0 | 1 => pipelines::initialise(pipeline, on, input),
                2..=4 => pipelines::update(pipeline, on, input),
                5 => pipelines::finish(pipeline, on, input),
                _ => pipelines::tags(pipeline, on, input),
            }
        }
    });
}

fn initialise(context: &Context, input: &mut Input<'_>) {
    let initialise = input.one_of(&context.kind.more.initialise);
    let given = input.byte();
    let key_bytes = match given & 0x30 {
        0x30 => input.below(70),
        _ => input.one_of(&[16, 24, 32, 64]),
    };
    let iv_bytes = match given & 0xc0 {
        0xc0 => input.below(140),
        _ => input.one_of(&[16, 12]),
    };
    let (key, iv) = (input.made(key_bytes), input.made(iv_bytes));
    let place = |there: bool, bytes: &[u8]| match there {
        true => (bytes.as_ptr(), bytes.len()),
        false => (ptr::null(), 0),
    };
    let ((key, key_bytes), (iv, iv_bytes)) =
        (place(given % 4 != 3, &key), place(given / 4 % 4 != 3, &iv));
    let (on, no_list) = (context.context, ptr::null_mut());
    // SAFETY: key and IV have so many bytes, or are null.
    unsafe { initialise(on, key, key_bytes, iv, iv_bytes, no_list) };
}

/// An update with an output elsewhere, in the input's place, near it, or none at all.
fn update(context: &Context, input: &mut Input<'_>) {
    let update = input.one_of(&[
        context.kind.more.update[0],
        context.kind.more.update[0],
        context.kind.more.update[1],
    ]);
    let text = input.text();
    let bytes = text.len();
    let more = input.below(40);
    // Most often as much room as OpenSSL says that there is.
    let room = match more {
        0..=31 => bytes + 16,
        _ => (bytes + more).saturating_sub(36),
    };
    let mut written = usize::MAX;
    match input.byte() % 8 {
        0 => {
            // SAFETY: without an output the input is associated data; without both, the end.
            unsafe {
                let source = text.as_ptr();
                let out = ptr::null_mut();
                update(context.context, out, &raw mut written, 0, source, bytes);
            }
        }
        1 | 2 => {
            let (from, to) = (input.below(48), input.below(48));
            let mut buffer = vec![0xa5; 48 + bytes + room];
            buffer[from..from + bytes].copy_from_slice(&text);
            let start = buffer.as_mut_ptr();
            // SAFETY: the buffer has room for input and output.
            let status = unsafe {
                update(
                    context.context,
                    start.add(to),
                    &raw mut written,
                    room,
                    start.add(from),
                    bytes,
                )
            };
            assert!(status == 0 || written <= room);
        }
        _ => {
            let mut output = [vec![0; room], GUARD.to_vec()].concat();
            // SAFETY: input and output have so many bytes.
            let status = unsafe {
                let (to, from) = (output.as_mut_ptr(), text.as_ptr());
                update(context.context, to, &raw mut written, room, from, bytes)
            };
            assert!(status == 0 || written <= room);
            assert_eq!(output[room..], GUARD);
        }
    }
}

/// A list of one parameter.
struct List {
    name: &'static CStr,
    data: Vec<u8>,
    entries: [Parameter; 2],
}

impl List {
    fn new(input: &mut Input<'_>) -> List {
        let name = input.one_of(&NAMES);
        let data_type = input.one_of(&[1, 2, OCTET_STRING, OCTET_STRING, 7, 4]);
        let size = match input.byte() {
            usual @ 0..=199 => [4, 8, 12, 13, 16, 0][usize::from(usual % 6)],
            // OpenSSL's `(size_t)-1`: as many bytes as the IV has.
            200..=207 if data_type == OCTET_STRING => usize::MAX,
            _ => input.below(200),
        };
        let given = input.bytes(size.min(16));
        let mut data = vec![0xa5; PARAMETER_BYTES];
        data[..given.len()].copy_from_slice(given);
        let there = !input.byte().is_multiple_of(16);
        let pointer = match there {
            true => data.as_mut_ptr().cast(),
            false => ptr::null_mut(),
        };
        let entry = |key, data| Parameter {
            key,
            data_type,
            data,
            data_size: size,
            return_size: usize::MAX,
        };
        let entries = [
            entry(name.as_ptr(), pointer),
            entry(ptr::null(), ptr::null_mut()),
        ];
        List {
            name,
            data,
            entries,
        }
    }
}

fn set(context: &Context, input: &mut Input<'_>) {
    let mut list = List::new(input);
    // SAFETY: the list ends, and its data has at least as many bytes as it says.
    unsafe { (context.kind.more.set)(context.context, list.entries.as_mut_ptr()) };
}

fn get(context: &Context, input: &mut Input<'_>) {
    let mut list = List::new(input);
    let size = list.entries[0].data_size;
    let first = list.entries.as_mut_ptr();
    let whom = input.byte();
    // SAFETY: as in `set`. A size that is none is for what comes in.
    unsafe {
        if size == usize::MAX {
            return;
        }
        match whom % 8 {
            0 => PROVIDER.get()(PROVIDER.context, first),
            1 => (context.kind.more.describe)(first),
            _ => (context.kind.more.get)(context.context, first),
        };
    }
    // An IV that is made has room by agreement (EVP_CTRL_GCM_IV_GEN), a pointer has 8 bytes.
    if list.name != c"tlsivgen" {
        let room = size.max(8);
        assert!(list.data[room..].iter().all(|byte| *byte == 0xa5));
    }
}
