// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The OpenSSL provider as OpenSSL loads it: its functions by their numbers, whose signatures are
//! those of openssl/core_dispatch.h (provider-base(7)).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::{transmute, transmute_copy};
use std::ptr;
use std::sync::LazyLock;

// Its functions are called as OpenSSL calls them.
use ciphermill_linked_provider as _;

use crate::PANIC;
use crate::input::Input;

type Function = unsafe extern "C" fn();

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
pub(crate) type Finish = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
pub(crate) type Free = unsafe extern "C" fn(*mut c_void);
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
pub(crate) const OPERATION_DIGEST: c_int = 1;
pub(crate) const OPERATION_CIPHER: c_int = 2;
pub(crate) const OPERATION_MAC: c_int = 3;
const UTF8_POINTER: c_uint = 6;
pub(crate) const OCTET_STRING: c_uint = 5;

/// What the provider's section in openssl.cnf says: updates of 2 KiB and more are jobs of the
/// device.
const SETTINGS: [(&CStr, &CStr); 5] = [
    (c"device", c"cpu"),
    (c"threshold", c"2048"),
    (c"cbc", c"yes"),
    (c"digests", c"yes"),
    (c"macs", c"yes"),
];

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

/// The loaded provider.
pub(crate) struct Provider {
    pub(crate) context: *mut c_void,
    functions: Functions,
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
        Provider {
            context,
            functions: Functions(functions),
        }
    }
});

impl Provider {
    /// The provider's parameters.
    pub(crate) fn get(&self) -> OnContext {
        // SAFETY: the signature of the number.
        unsafe { self.functions.of(PROVIDER_GET_PARAMS) }
    }

    /// The functions of each algorithm of an operation.
    pub(crate) fn algorithms(&self, operation: c_int) -> Vec<Functions> {
        let mut all = Vec::new();
        // SAFETY: the signature of the number; the table that it gives ends.
        unsafe {
            let query: Query = self.functions.of(PROVIDER_QUERY_OPERATION);
            let mut algorithm = query(self.context, operation, &raw mut *Box::new(0));
            while !(*algorithm).names.is_null() {
                all.push(Functions((*algorithm).functions));
                algorithm = algorithm.add(1);
            }
        }
        all
    }
}

/// A table of the provider's functions, which ends with number 0.
#[derive(Clone, Copy)]
pub(crate) struct Functions(*const Dispatch);

impl Functions {
    /// The function of this number.
    ///
    /// # Safety
    /// `T` is the type of a pointer to it.
    pub(crate) unsafe fn of<T: Copy>(self, number: c_int) -> T {
        const { assert!(size_of::<T>() == size_of::<Function>()) };
        let mut table = self.0;
        // SAFETY: the table ends with number 0, which is never passed. The type is this
        // function's contract.
        unsafe {
            while (*table).number != number {
                assert_ne!((*table).number, 0, "no function {number}");
                table = table.add(1);
            }
            transmute_copy(&(*table).function.expect("a number has a function"))
        }
    }
}

/// What contexts of every operation have, and what those of one have besides.
#[derive(Clone, Copy)]
pub(crate) struct Kind<T> {
    pub(crate) new: NewContext,
    pub(crate) duplicate: NewContext,
    pub(crate) finish: Finish,
    pub(crate) free: Free,
    pub(crate) more: T,
}

/// A context that is open, freed in the end.
pub(crate) struct Context<T> {
    pub(crate) kind: Kind<T>,
    pub(crate) context: *mut c_void,
}

impl<T> Drop for Context<T> {
    fn drop(&mut self) {
        // SAFETY: the context is of this kind, and is used no more.
        unsafe { (self.kind.free)(self.context) }
    }
}

impl<T: Copy> Context<T> {
    /// By a function that makes one out of the provider or another context.
    fn made(kind: Kind<T>, make: NewContext, from: *mut c_void) -> Context<T> {
        // SAFETY: the provider is loaded; the context is of this kind.
        let context = unsafe { make(from) };
        assert!(!context.is_null());
        Context { kind, context }
    }

    /// End the message; the status, and the bytes that are written of the room.
    pub(crate) fn finish(&self, room: usize) -> (c_int, usize) {
        let mut output = [vec![0; room], GUARD.to_vec()].concat();
        let mut written = usize::MAX;
        // SAFETY: the output has so many bytes.
        let status = unsafe {
            let to = output.as_mut_ptr();
            (self.kind.finish)(self.context, to, &raw mut written, room)
        };
        assert!(status == 0 || written <= room);
        assert_eq!(output[room..], GUARD);
        (status, written)
    }
}

/// Up to three contexts of any kinds. The last two of so many steps copy one and free it; `act`
/// does the others.
pub(crate) fn in_any_order<T: Copy>(
    data: &[u8],
    kinds: &[Kind<T>],
    steps: u8,
    act: impl Fn(u8, &Context<T>, &mut Input<'_>),
) {
    let mut input = Input::new(data);
    let mut contexts: [Option<Context<T>>; 3] = [None, None, None];
    while !input.is_empty() {
        let step = input.byte();
        let number = usize::from(step >> 6) % contexts.len();
        let Some(context) = &contexts[number] else {
            let kind = kinds[usize::from(step) % kinds.len()];
            contexts[number] = Some(Context::made(kind, kind.new, PROVIDER.context));
            continue;
        };
        let step = step % steps;
        if step == steps - 1 {
            contexts[number] = None;
        } else if step == steps - 2 {
            let kind = context.kind;
            let copy = Context::made(kind, kind.duplicate, context.context);
            contexts[(number + 1) % 3] = Some(copy);
        } else {
            act(step, context, &mut input);
        }
    }
}
