// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The OpenSSL provider's digests and MACs in any order, as a program may call them through
//! OpenSSL: up to three contexts, with any keys, parameters and lengths. The numbers and
//! signatures are those of openssl/core_dispatch.h (provider-digest(7), provider-mac(7)).

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::LazyLock;

use crate::input::Input;
use crate::openssl::{
    Finish, Free, Function, Functions, GUARD, NewContext, OPERATION_DIGEST, OPERATION_MAC,
    OnContext, PROVIDER, Parameter,
};

type BeginDigest = unsafe extern "C" fn(*mut c_void, *const Parameter) -> c_int;
type BeginCode = unsafe extern "C" fn(*mut c_void, *const u8, usize, *mut Parameter) -> c_int;
type Absorb = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;

/// The functions of a digest or a MAC.
#[derive(Clone, Copy)]
struct Hash {
    new: NewContext,
    begin: Begin,
    update: Absorb,
    finish: Finish,
    free: Free,
    duplicate: NewContext,
    /// The context's parameters, in and out.
    parameters: Option<[OnContext; 2]>,
}

#[derive(Clone, Copy)]
enum Begin {
    Digest(BeginDigest),
    Code(BeginCode),
}

impl Hash {
    /// # Safety
    /// They are a digest's.
    unsafe fn digest(functions: Functions) -> Hash {
        let of = |number| functions.of(number);
        // SAFETY: this function's contract.
        unsafe {
            Hash {
                new: transmute::<Function, NewContext>(of(1)),
                begin: Begin::Digest(transmute::<Function, BeginDigest>(of(2))),
                update: transmute::<Function, Absorb>(of(3)),
                finish: transmute::<Function, Finish>(of(4)),
                free: transmute::<Function, Free>(of(6)),
                duplicate: transmute::<Function, NewContext>(of(7)),
                parameters: None,
            }
        }
    }

    /// # Safety
    /// They are a MAC's.
    unsafe fn code(functions: Functions) -> Hash {
        let of = |number| functions.of(number);
        // SAFETY: this function's contract.
        unsafe {
            Hash {
                new: transmute::<Function, NewContext>(of(1)),
                duplicate: transmute::<Function, NewContext>(of(2)),
                free: transmute::<Function, Free>(of(3)),
                begin: Begin::Code(transmute::<Function, BeginCode>(of(4))),
                update: transmute::<Function, Absorb>(of(5)),
                finish: transmute::<Function, Finish>(of(6)),
                parameters: Some([
                    transmute::<Function, OnContext>(of(9)),
                    transmute::<Function, OnContext>(of(8)),
                ]),
            }
        }
    }
}

/// Those that the provider has.
static HASHES: LazyLock<Vec<Hash>> = LazyLock::new(|| {
    let digests = PROVIDER.algorithms(OPERATION_DIGEST).into_iter();
    let codes = PROVIDER.algorithms(OPERATION_MAC).into_iter();
    // SAFETY: functions of the provider have the signatures of their numbers.
    unsafe {
        let digests = digests.map(|functions| Hash::digest(functions));
        digests
            .chain(codes.map(|functions| Hash::code(functions)))
            .collect()
    }
});

/// A context that is open, freed in the end.
struct Context {
    hash: Hash,
    context: *mut c_void,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is the hash's, and is used no more.
        unsafe { (self.hash.free)(self.context) }
    }
}

/// Names of parameters; the last is none.
const NAMES: [&CStr; 6] = [
    c"digest",
    c"key",
    c"size",
    c"block-size",
    c"tls-data-size",
    c"nothing",
];

/// Names of digests; HMAC does not have the last two.
const DIGESTS: [&[u8]; 6] = [b"SHA256", b"SHA2-384", b"sha-1", b"MD5", b"SM3", b"\xff"];

/// Run on one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut contexts: [Option<Context>; 3] = [None, None, None];
    while !input.is_empty() {
        let step = input.byte();
        let number = usize::from(step >> 6) % contexts.len();
        let Some(context) = &contexts[number] else {
            let hash = HASHES[usize::from(step) % HASHES.len()];
            // SAFETY: the provider is loaded.
            let context = unsafe { (hash.new)(PROVIDER.context) };
            assert!(!context.is_null());
            contexts[number] = Some(Context { hash, context });
            continue;
        };
        match step % 8 {
            0 | 1 => begin(context, &mut input),
            2 | 3 => update(context, &mut input),
            4 => finish(context, &mut input),
            5 => parameters(context, &mut input),
            6 => {
                // SAFETY: the context is the hash's.
                let copy = unsafe { (context.hash.duplicate)(context.context) };
                let hash = context.hash;
                assert!(!copy.is_null());
                contexts[(number + 1) % 3] = Some(Context {
                    hash,
                    context: copy,
                });
            }
            _ => contexts[number] = None,
        }
    }
}

/// A list of up to three parameters, and what their pointers lead to.
struct List(Vec<Parameter>, #[expect(dead_code)] Vec<Vec<u8>>);

impl List {
    fn new(input: &mut Input<'_>) -> List {
        let (mut entries, mut kept) = (Vec::new(), Vec::new());
        for _ in 0..input.below(4) {
            let name = input.one_of(&NAMES);
            let (data_type, mut data) = match input.byte() {
                digest @ 0..=99 => (4, DIGESTS[usize::from(digest) % DIGESTS.len()].to_vec()),
                bytes @ 100..=199 => (5, input.made(usize::from(bytes - 100))),
                _ => (
                    input.one_of(&[1, 2, 6, 7]),
                    vec![0; input.one_of(&[8, 4, 3])],
                ),
            };
            let there = !input.byte().is_multiple_of(16);
            let size = data.len();
            // Room for a pointer, or for a number.
            data.resize(size.max(8), 0);
            entries.push(Parameter {
                key: name.as_ptr(),
                data_type,
                data: match there {
                    true => data.as_mut_ptr().cast(),
                    false => ptr::null_mut(),
                },
                data_size: size,
                return_size: usize::MAX,
            });
            kept.push(data);
        }
        entries.push(Parameter::END);
        List(entries, kept)
    }
}

fn begin(context: &Context, input: &mut Input<'_>) {
    match context.hash.begin {
        // SAFETY: a digest takes no parameters.
        Begin::Digest(begin) => unsafe {
            begin(context.context, ptr::null());
        },
        Begin::Code(begin) => {
            let mut list = List::new(input);
            let bytes = input.length();
            let key = input.made(bytes);
            let key = match input.byte() % 4 {
                3 => (ptr::null(), 0),
                _ => (key.as_ptr(), key.len()),
            };
            // SAFETY: the key has so many bytes, or is null; the list ends.
            unsafe { begin(context.context, key.0, key.1, list.0.as_mut_ptr()) };
        }
    }
}

fn update(context: &Context, input: &mut Input<'_>) {
    let bytes = input.length();
    let message = input.made(bytes);
    // SAFETY: the message has so many bytes.
    unsafe { (context.hash.update)(context.context, message.as_ptr(), bytes) };
}

fn finish(context: &Context, input: &mut Input<'_>) {
    let room = input.one_of(&[64, 64, 32, 31, 0]);
    let mut output = [vec![0; room], GUARD.to_vec()].concat();
    let mut written = usize::MAX;
    // SAFETY: the output has so many bytes.
    let status = unsafe {
        let to = output.as_mut_ptr();
        (context.hash.finish)(context.context, to, &raw mut written, room)
    };
    assert!(written <= room);
    assert_eq!(status == 0, written == 0);
    assert_eq!(output[room..], GUARD);
}

fn parameters(context: &Context, input: &mut Input<'_>) {
    let Some(functions) = context.hash.parameters else {
        return;
    };
    let function = input.one_of(&functions);
    let mut list = List::new(input);
    // SAFETY: the list ends, and its data has at least as many bytes as it says.
    unsafe { function(context.context, list.0.as_mut_ptr()) };
}
