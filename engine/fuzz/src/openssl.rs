// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The OpenSSL provider as OpenSSL loads it: its functions by their numbers, whose signatures are
//! those of openssl/core_dispatch.h (provider-base(7)).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::LazyLock;

// Its functions are called as OpenSSL calls them.
use ciphermill_linked_provider as _;

use crate::PANIC;

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
        unsafe { transmute::<Function, OnContext>(self.functions.of(PROVIDER_GET_PARAMS)) }
    }

    /// The functions of each algorithm of an operation.
    pub(crate) fn algorithms(&self, operation: c_int) -> Vec<Functions> {
        let mut all = Vec::new();
        // SAFETY: the signature of the number; the table that it gives ends.
        unsafe {
            let query: Query = transmute(self.functions.of(PROVIDER_QUERY_OPERATION));
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
    pub(crate) fn of(self, number: c_int) -> Function {
        let mut table = self.0;
        // SAFETY: the table ends with number 0, which is never passed.
        unsafe {
            while (*table).number != number {
                assert_ne!((*table).number, 0, "no function {number}");
                table = table.add(1);
            }
            (*table).function.expect("a number has a function")
        }
    }
}
