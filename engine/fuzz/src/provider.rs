// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The OpenSSL provider's functions in any order, as a program may call them through OpenSSL:
//! up to three contexts of any ciphers, with any keys, parameters and lengths. The numbers
//! and signatures are those of openssl/core_dispatch.h (provider-base(7), provider-cipher(7)).

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::LazyLock;

use crate::input::Input;
use crate::openssl::{
    Finish, Free, Function, GUARD, NewContext, OCTET_STRING, OPERATION_CIPHER, OnContext, PROVIDER,
    Parameter,
};

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
/// A cipher's functions.
#[derive(Clone, Copy)]
struct Cipher {
    new: NewContext,
    describe: Describe,
    initialise: [Initialise; 2],
    update: [Update; 2],
    finish: Finish,
    free: Free,
    duplicate: NewContext,
    get: OnContext,
    set: OnContext,
}

/// Those that the provider has.
static CIPHERS: LazyLock<Vec<Cipher>> = LazyLock::new(|| {
    let ciphers = PROVIDER.algorithms(OPERATION_CIPHER).into_iter();
    // SAFETY: functions of the provider have the signatures of their numbers.
    let cipher = ciphers.map(|all| unsafe {
        let of = |number| all.of(number);
        Cipher {
            new: transmute::<Function, NewContext>(of(1)),
            initialise: [
                transmute::<Function, Initialise>(of(2)),
                transmute::<Function, Initialise>(of(3)),
            ],
            update: [
                transmute::<Function, Update>(of(4)),
                transmute::<Function, Update>(of(6)),
            ],
            finish: transmute::<Function, Finish>(of(5)),
            free: transmute::<Function, Free>(of(7)),
            duplicate: transmute::<Function, NewContext>(of(8)),
            describe: transmute::<Function, Describe>(of(9)),
            get: transmute::<Function, OnContext>(of(10)),
            set: transmute::<Function, OnContext>(of(11)),
        }
    });
    cipher.collect()
});

/// A context that is open, freed in the end.
struct Context {
    cipher: Cipher,
    context: *mut c_void,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is the cipher's, and is used no more.
        unsafe { (self.cipher.free)(self.context) }
    }
}

/// Run on one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut contexts: [Option<Context>; 3] = [None, None, None];
    while !input.is_empty() {
        let step = input.byte();
        let number = usize::from(step >> 6) % contexts.len();
        let Some(context) = &contexts[number] else {
            let cipher = CIPHERS[usize::from(step) % CIPHERS.len()];
            // SAFETY: the provider is loaded.
            let context = unsafe { (cipher.new)(PROVIDER.context) };
            assert!(!context.is_null());
            contexts[number] = Some(Context { cipher, context });
            continue;
        };
        match step % 12 {
            0 | 1 => initialise(context, &mut input),
            2..=5 => update(context, &mut input),
            6 => finish(context, &mut input),
            7 | 8 => set(context, &mut input),
            9 => get(context, &mut input),
            10 => {
                // SAFETY: the context is the cipher's.
                let copy = unsafe { (context.cipher.duplicate)(context.context) };
                let cipher = context.cipher;
                if !copy.is_null() {
                    contexts[(number + 1) % 3] = Some(Context {
                        cipher,
                        context: copy,
                    });
                }
            }
            _ => contexts[number] = None,
        }
    }
}

fn initialise(context: &Context, input: &mut Input<'_>) {
    let initialise = input.one_of(&context.cipher.initialise);
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
    // SAFETY: key and IV have so many bytes, or are null.
    unsafe {
        initialise(
            context.context,
            key,
            key_bytes,
            iv,
            iv_bytes,
            ptr::null_mut(),
        )
    };
}

/// An update with an output elsewhere, in the input's place, near it, or none at all.
fn update(context: &Context, input: &mut Input<'_>) {
    let update = input.one_of(&[
        context.cipher.update[0],
        context.cipher.update[0],
        context.cipher.update[1],
    ]);
    let bytes = input.length();
    let text = input.made(bytes);
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

fn finish(context: &Context, input: &mut Input<'_>) {
    let room = input.one_of(&[16, 16, 0, 15, 32]);
    let mut output = [vec![0; room], GUARD.to_vec()].concat();
    let mut written = usize::MAX;
    // SAFETY: the output has so many bytes.
    let status = unsafe {
        let to = output.as_mut_ptr();
        (context.cipher.finish)(context.context, to, &raw mut written, room)
    };
    assert!(status == 0 || written <= room);
    assert_eq!(output[room..], GUARD);
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
    unsafe { (context.cipher.set)(context.context, list.entries.as_mut_ptr()) };
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
            1 => (context.cipher.describe)(first),
            _ => (context.cipher.get)(context.context, first),
        };
    }
    // An IV that is made has room by agreement (EVP_CTRL_GCM_IV_GEN), a pointer has 8 bytes.
    if list.name != c"tlsivgen" {
        let room = size.max(8);
        assert!(list.data[room..].iter().all(|byte| *byte == 0xa5));
    }
}
