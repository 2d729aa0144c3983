// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The OpenSSL provider's digests and MACs in any order, as a program may call them through
//! OpenSSL: up to three contexts, with any keys, parameters and lengths. The numbers and
//! signatures are those of openssl/core_dispatch.h (provider-digest(7), provider-mac(7)).

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;

use crate::input::Input;
use crate::openssl::{self, Kind, OPERATION_DIGEST, OPERATION_MAC, OnContext, PROVIDER, Parameter};

type BeginDigest = unsafe extern "C" fn(*mut c_void, *const Parameter) -> c_int;
type BeginCode = unsafe extern "C" fn(*mut c_void, *const u8, usize, *mut Parameter) -> c_int;
type Absorb = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;

/// What a digest or a MAC has besides.
#[derive(Clone, Copy)]
struct Hash {
    begin: Begin,
    update: Absorb,
    /// The context's parameters, in and out.
    parameters: Option<[OnContext; 2]>,
}

#[derive(Clone, Copy)]
enum Begin {
    Digest(BeginDigest),
    Code(BeginCode),
}

type Context = openssl::Context<Hash>;

/// Those that the provider has.
static HASHES: LazyLock<Vec<Kind<Hash>>> = LazyLock::new(|| {
    let digests = PROVIDER.algorithms(OPERATION_DIGEST).into_iter();
    let codes = PROVIDER.algorithms(OPERATION_MAC).into_iter();
    // SAFETY: functions of the provider have the signatures of their numbers.
    let digests = digests.map(|all| unsafe {
        Kind {
            new: all.of(1),
            finish: all.of(4),
            free: all.of(6),
            duplicate: all.of(7),
            more: Hash {
                begin: Begin::Digest(all.of(2)),
                update: all.of(3),
                parameters: None,
            },
        }
    });
    // SAFETY: as above.
    let codes = codes.map(|all| unsafe {
        Kind {
            new: all.of(1),
            duplicate: all.of(2),
            free: all.of(3),
            finish: all.of(6),
            more: Hash {
                begin: Begin::Code(all.of(4)),
                update: all.of(5),
                parameters: Some([all.of(9), all.of(8)]),
            },
        }
    });
    digests.chain(codes).collect()
});

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
    openssl::in_any_order(data, &HASHES, 8, |step, context, input| match step {
        0 | 1 => begin(context, input),
        2 | 3 => update(context, input),
        4 => {
            let (status, written) = context.finish(input.one_of(&[64, 64, 32, 31, 0]));
            assert_eq!(status == 0, written == 0);
        }
        _ => parameters(context, input),
    });
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
    match context.kind.more.begin {
        // SAFETY: a digest takes no parameters.
        Begin::Digest(begin) => unsafe {
            begin(context.context, ptr::null());
        },
        Begin::Code(begin) => {
            let mut list = List::new(input);
            let key = input.text();
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
    let message = input.text();
    // SAFETY: the message has so many bytes.
    unsafe { (context.kind.more.update)(context.context, message.as_ptr(), message.len()) };
}

fn parameters(context: &Context, input: &mut Input<'_>) {
    let Some(functions) = context.kind.more.parameters else {
        return;
    };
    let function = input.one_of(&functions);
    let mut list = List::new(input);
    // SAFETY: the list ends, and its data has at least as many bytes as it says.
    unsafe { function(context.context, list.0.as_mut_ptr()) };
}
