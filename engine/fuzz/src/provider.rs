// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The OpenSSL provider's functions in any order, as a program may call them through OpenSSL:
//! up to three contexts of any ciphers, with any keys, parameters and lengths. The numbers
//! and signatures are those of openssl/core_dispatch.h (provider-base(7), provider-cipher(7)).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::LazyLock;

// Its functions are called as OpenSSL calls them.
use ciphermill_linked_provider as _;

use crate::PANIC;
use crate::input::Input;
use crate::provider_hashes::Hash;

pub(crate) type Function = unsafe extern "C" fn();

/// `OSSL_DISPATCH`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Dispatch {
    number: c_int,
    function: Option<Function>,
}

/// `OSSL_ALGORITHM`.
#[repr(C)]
struct Algorithm {
    names: *const c_char,
    properties: *const c_char,
    functions: *const Dispatch,
    description: *const c_char,
}

/// `OSSL_PARAM`.
#[repr(C)]
pub(crate) struct Parameter {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

impl Parameter {
    /// The end of a list.
    pub(crate) const END: Parameter = Parameter {
        key: ptr::null(),
        data_type: 0,
        data: ptr::null_mut(),
        data_size: 0,
        return_size: 0,
    };
}

type CoreGetParameters = unsafe extern "C" fn(*const c_void, *mut Parameter) -> c_int;
type CoreNewError = unsafe extern "C" fn(*const c_void);
type CoreSetError = unsafe extern "C" fn(*const c_void, u32, *const c_char, *mut c_void);
type Query = unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm;
pub(crate) type NewContext = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Initialise =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *mut Parameter) -> c_int;
type Update =
    unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
pub(crate) type Finish = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
pub(crate) type Free = unsafe extern "C" fn(*mut c_void);
type Describe = unsafe extern "C" fn(*mut Parameter) -> c_int;
pub(crate) type OnContext = unsafe extern "C" fn(*mut c_void, *mut Parameter) -> c_int;

unsafe extern "C" {
    fn OSSL_provider_init(
        handle: *const c_void,
        core: *const Dispatch,
        functions: *mut *const Dispatch,
        context: *mut *mut c_void,
    ) -> c_int;
}

const CORE_GET_PARAMS: c_int = 2;
const CORE_NEW_ERROR: c_int = 5;
const CORE_VSET_ERROR: c_int = 7;
const PROVIDER_GET_PARAMS: c_int = 1026;
const PROVIDER_QUERY_OPERATION: c_int = 1027;
const OPERATION_DIGEST: c_int = 1;
const OPERATION_CIPHER: c_int = 2;
const OPERATION_MAC: c_int = 3;
const UTF8_POINTER: c_uint = 6;
const OCTET_STRING: c_uint = 5;

/// What the provider's section in openssl.cnf says: updates of 2 KiB and more are jobs of the
/// device.
const SETTINGS: [(&CStr, &CStr); 5] = [
    (c"device", c"cpu"),
    (c"threshold", c"2048"),
    (c"cbc", c"yes"),
    (c"digests", c"yes"),
    (c"macs", c"yes"),
];

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
/// Bytes after an output, which must stay as they are.
pub(crate) const GUARD: [u8; 32] = [0xa5; 32];

unsafe extern "C" fn setting(_: *const c_void, list: *mut Parameter) -> c_int {
    // SAFETY: the provider asks for one string, by its address.
    unsafe {
        let name = CStr::from_ptr((*list).key);
        assert_eq!((*list).data_type, UTF8_POINTER);
        if let Some((_, value)) = SETTINGS.iter().find(|(key, _)| *key == name) {
            (*list).data.cast::<*const c_char>().write(value.as_ptr());
        }
    }
    1
}

unsafe extern "C" fn new_error(_: *const c_void) {}

unsafe extern "C" fn set_error(_: *const c_void, _: u32, format: *const c_char, _: *mut c_void) {
    // SAFETY: the message is a C string.
    let message = unsafe { CStr::from_ptr(format) }.to_string_lossy();
    // Leaves no C function, but ends the program.
    assert!(!message.ends_with(PANIC), "{message}");
}

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

pub(crate) struct Provider {
    pub(crate) context: *mut c_void,
    get: OnContext,
    ciphers: Vec<Cipher>,
    pub(crate) hashes: Vec<Hash>,
}

// SAFETY: a provider's functions may be called from any thread.
unsafe impl Send for Provider {}
// SAFETY: as above.
unsafe impl Sync for Provider {}

/// Loaded once, for good.
pub(crate) static PROVIDER: LazyLock<Provider> = LazyLock::new(|| {
    let entry = |number, function| Dispatch {
        number,
        function: Some(function),
    };
    // SAFETY: the provider calls a function with the signature of its number.
    let core = unsafe {
        [
            entry(
                CORE_GET_PARAMS,
                transmute::<CoreGetParameters, Function>(setting),
            ),
            entry(
                CORE_NEW_ERROR,
                transmute::<CoreNewError, Function>(new_error),
            ),
            entry(
                CORE_VSET_ERROR,
                transmute::<CoreSetError, Function>(set_error),
            ),
            Dispatch {
                number: 0,
                function: None,
            },
        ]
    };
    let (mut functions, mut context) = (ptr::null(), ptr::null_mut());
    // SAFETY: the table ends with number 0 and outlives the call, in which it is read; the
    // answers have places. Functions of the provider have the signatures of their numbers,
    // and its tables end.
    unsafe {
        let core = Box::leak(Box::new(core));
        let handle = ptr::from_ref(&SETTINGS).cast();
        let loaded =
            OSSL_provider_init(handle, core.as_ptr(), &raw mut functions, &raw mut context);
        assert_eq!(loaded, 1, "the provider does not load");
        let query: Query = transmute(find(functions, PROVIDER_QUERY_OPERATION));
        let mut hashes = Vec::new();
        for operation in [OPERATION_DIGEST, OPERATION_MAC] {
            let mut algorithm = query(context, operation, &raw mut *Box::new(0));
            while !(*algorithm).names.is_null() {
                let of = |number| find((*algorithm).functions, number);
                hashes.push(match operation {
                    OPERATION_MAC => Hash::code(of),
                    _ => Hash::digest(of),
                });
                algorithm = algorithm.add(1);
            }
        }
        let mut algorithm = query(context, OPERATION_CIPHER, &raw mut *Box::new(0));
        let mut ciphers = Vec::new();
        while !(*algorithm).names.is_null() {
            let of = |number| find((*algorithm).functions, number);
            ciphers.push(Cipher {
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
            });
            algorithm = algorithm.add(1);
        }
        Provider {
            context,
            get: transmute::<Function, OnContext>(find(functions, PROVIDER_GET_PARAMS)),
            ciphers,
            hashes,
        }
    }
});

/// # Safety
/// The table ends with number 0.
unsafe fn find(mut table: *const Dispatch, number: c_int) -> Function {
    // SAFETY: this function's contract.
    unsafe {
        while (*table).number != number {
            assert_ne!((*table).number, 0, "no function {number}");
            table = table.add(1);
        }
        (*table).function.expect("a number has a function")
    }
}

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
            let cipher = PROVIDER.ciphers[usize::from(step) % PROVIDER.ciphers.len()];
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
            0 => (PROVIDER.get)(PROVIDER.context, first),
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
