// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The ciphers as OpenSSL calls them (provider-cipher(7)).

use std::ffi::{CStr, c_int, c_uchar, c_void};
use std::mem::transmute;
use std::ptr;
use std::slice;
use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, Direction, KeyBits, Mode};
use zeroize::Zeroizing;

use super::abi::{
    Algorithm, CIPHER_CIPHER, CIPHER_DECRYPT_INIT, CIPHER_DUPCTX, CIPHER_ENCRYPT_INIT,
    CIPHER_FINAL, CIPHER_FREECTX, CIPHER_GET_CTX_PARAMS, CIPHER_GET_PARAMS,
    CIPHER_GETTABLE_CTX_PARAMS, CIPHER_GETTABLE_PARAMS, CIPHER_NEWCTX, CIPHER_SET_CTX_PARAMS,
    CIPHER_SETTABLE_CTX_PARAMS, CIPHER_UPDATE, Dispatch, Function, Parameter,
};
use super::core::{Core, Loaded};
use super::parameters::{Entry, List};
use super::tables::{cipher_gettable, gcm_gettable, gcm_settable, gettable, settable};
use crate::buffers::Buffers;
use crate::context::{Context, Given, Value};
use crate::failure::{Failure, Outcome, Reason};

/// What OpenSSL passes back to us as a cipher's context.
struct Held {
    core: Core,
    context: Context,
}

/// The longest update that is copied to its output at once.
const QUICK_COPY_BYTES: usize = 1024;

/// openssl/evp.h, `EVP_CIPH_*_MODE`.
const fn mode_number(mode: Mode) -> u64 {
    match mode {
        Mode::Ecb => 1,
        Mode::Cbc => 2,
        Mode::Ctr => 5,
        Mode::Gcm => 6,
        Mode::Xts => 0x1_0001,
    }
}

/// Defines the functions that differ between ciphers, and their tables.
macro_rules! ciphers {
    ($($module:ident: $mode:ident, $size:ident, $names:literal;)+) => {
        $(mod $module {
            use super::*;

            pub(super) const NAMES: &CStr = $names;

            /// # Safety
            /// The provider's context is ours.
            unsafe extern "C" fn new(provider: *mut c_void) -> *mut c_void {
                // SAFETY: this function's contract.
                unsafe { new_context(provider, Mode::$mode, KeyBits::$size) }
            }

            /// # Safety
            /// The list is one.
            unsafe extern "C" fn get_parameters(list: *mut Parameter) -> c_int {
                // SAFETY: this function's contract.
                c_int::from(unsafe { describe(List::new(list), Mode::$mode, KeyBits::$size) })
            }

            pub(super) static FUNCTIONS: [Dispatch; 15] = functions(
                // SAFETY: OpenSSL calls a function with the signature of its number.
                unsafe { transmute::<NewContext, Function>(new) },
                // SAFETY: as above.
                unsafe { transmute::<Describe, Function>(get_parameters) },
                matches!(Mode::$mode, Mode::Gcm),
            );
        })+
    };
}

ciphers! {
    ecb_128: Ecb, Bits128, c"AES-128-ECB:2.16.840.1.101.3.4.1.1";
    ecb_192: Ecb, Bits192, c"AES-192-ECB:2.16.840.1.101.3.4.1.21";
    ecb_256: Ecb, Bits256, c"AES-256-ECB:2.16.840.1.101.3.4.1.41";
    cbc_128: Cbc, Bits128, c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2";
    cbc_192: Cbc, Bits192, c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22";
    cbc_256: Cbc, Bits256, c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42";
    ctr_128: Ctr, Bits128, c"AES-128-CTR";
    ctr_192: Ctr, Bits192, c"AES-192-CTR";
    ctr_256: Ctr, Bits256, c"AES-256-CTR";
    gcm_128: Gcm, Bits128, c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6";
    gcm_192: Gcm, Bits192, c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26";
    gcm_256: Gcm, Bits256, c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46";
    xts_128: Xts, Bits128, c"AES-128-XTS:1.3.111.2.1619.0.1.1";
    xts_256: Xts, Bits256, c"AES-256-XTS:1.3.111.2.1619.0.1.2";
}

macro_rules! algorithms {
    ($($module:ident),+) => {
        [
            $(Algorithm {
                names: $module::NAMES.as_ptr(),
                properties: c"provider=ciphermill".as_ptr(),
                functions: $module::FUNCTIONS.as_ptr(),
                description: ptr::null(),
            },)+
            Algorithm {
                names: ptr::null(),
                properties: ptr::null(),
                functions: ptr::null(),
                description: ptr::null(),
            },
        ]
    };
}

static ALL: [Algorithm; 15] = algorithms!(
    cbc_128, cbc_192, cbc_256, ecb_128, ecb_192, ecb_256, ctr_128, ctr_192, ctr_256, gcm_128,
    gcm_192, gcm_256, xts_128, xts_256
);

/// What is offered: with CBC, and without.
pub(super) fn offered(cbc: bool) -> &'static [Algorithm] {
    const CBC: usize = 3;
    if cbc { &ALL } else { &ALL[CBC..] }
}

type NewContext = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Describe = unsafe extern "C" fn(*mut Parameter) -> c_int;
type Initialise = unsafe extern "C" fn(
    *mut c_void,
    *const c_uchar,
    usize,
    *const c_uchar,
    usize,
    *mut Parameter,
) -> c_int;
type Update = unsafe extern "C" fn(
    *mut c_void,
    *mut c_uchar,
    *mut usize,
    usize,
    *const c_uchar,
    usize,
) -> c_int;
type Finish = unsafe extern "C" fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);
type OnContext = unsafe extern "C" fn(*mut c_void, *mut Parameter) -> c_int;
type Table = extern "C" fn(*mut c_void) -> *const Parameter;
type ContextTable = extern "C" fn(*mut c_void, *mut c_void) -> *const Parameter;

/// A cipher's table.
const fn functions(new: Function, describe: Function, gcm: bool) -> [Dispatch; 15] {
    const fn entry(number: c_int, function: Function) -> Dispatch {
        Dispatch {
            number,
            function: Some(function),
        }
    }
    let gettable: ContextTable = if gcm { gcm_gettable } else { gettable };
    let settable: ContextTable = if gcm { gcm_settable } else { settable };
    // SAFETY: OpenSSL calls a function with the signature of its number.
    unsafe {
        [
            entry(CIPHER_NEWCTX, new),
            entry(CIPHER_GET_PARAMS, describe),
            entry(
                CIPHER_ENCRYPT_INIT,
                transmute::<Initialise, Function>(encrypt_init),
            ),
            entry(
                CIPHER_DECRYPT_INIT,
                transmute::<Initialise, Function>(decrypt_init),
            ),
            entry(CIPHER_UPDATE, transmute::<Update, Function>(update)),
            entry(CIPHER_FINAL, transmute::<Finish, Function>(finish)),
            entry(CIPHER_CIPHER, transmute::<Update, Function>(raw)),
            entry(CIPHER_FREECTX, transmute::<Free, Function>(free)),
            entry(CIPHER_DUPCTX, transmute::<NewContext, Function>(duplicate)),
            entry(
                CIPHER_GET_CTX_PARAMS,
                transmute::<OnContext, Function>(get_parameters),
            ),
            entry(
                CIPHER_SET_CTX_PARAMS,
                transmute::<OnContext, Function>(set_parameters),
            ),
            entry(
                CIPHER_GETTABLE_PARAMS,
                transmute::<Table, Function>(cipher_gettable),
            ),
            entry(
                CIPHER_GETTABLE_CTX_PARAMS,
                transmute::<ContextTable, Function>(gettable),
            ),
            entry(
                CIPHER_SETTABLE_CTX_PARAMS,
                transmute::<ContextTable, Function>(settable),
            ),
            Dispatch {
                number: 0,
                function: None,
            },
        ]
    }
}

/// # Safety
/// The provider's context is ours.
unsafe fn new_context(provider: *mut c_void, mode: Mode, size: KeyBits) -> *mut c_void {
    // SAFETY: this function's contract.
    let loaded = unsafe { &*provider.cast::<Loaded>() };
    let context = loaded
        .core
        .guard(|| Ok(Context::new(Arc::clone(&loaded.provider), mode, size)));
    held(loaded.core, context)
}

fn held(core: Core, context: Option<Context>) -> *mut c_void {
    match context {
        Some(context) => Box::into_raw(Box::new(Held { core, context })).cast(),
        None => ptr::null_mut(),
    }
}

/// # Safety
/// The context is ours and in nobody else's use.
unsafe fn on_context<T>(
    context: *mut c_void,
    run: impl FnOnce(&mut Context) -> Outcome<T>,
) -> Option<T> {
    // SAFETY: this function's contract: a context is one thread's at a time.
    let held = unsafe { &mut *context.cast::<Held>() };
    let mut returned = false;
    let outcome = held.core.guard(|| {
        let outcome = run(&mut held.context);
        returned = true;
        outcome
    });
    if !returned {
        // After a panic its state is anyone's guess.
        held.context.spoil();
    }
    outcome
}

/// # Safety
/// As [`on_context`], and the pointers lead to so many bytes, or are null.
unsafe fn initialise(
    context: *mut c_void,
    direction: Direction,
    (key, key_bytes): (*const c_uchar, usize),
    (iv, iv_bytes): (*const c_uchar, usize),
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    let outcome = unsafe {
        let key = (!key.is_null()).then(|| slice::from_raw_parts(key, key_bytes));
        let iv = (!iv.is_null()).then(|| slice::from_raw_parts(iv, iv_bytes));
        on_context(context, |context| {
            context.initialise(direction, key, iv)?;
            set_all(context, List::new(list))
        })
    };
    c_int::from(outcome.is_some())
}

/// # Safety
/// As [`initialise`].
unsafe extern "C" fn encrypt_init(
    context: *mut c_void,
    key: *const c_uchar,
    key_bytes: usize,
    iv: *const c_uchar,
    iv_bytes: usize,
    list: *mut Parameter,
) -> c_int {
    let (key, iv) = ((key, key_bytes), (iv, iv_bytes));
    // SAFETY: this function's contract.
    unsafe { initialise(context, Direction::Encrypt, key, iv, list) }
}

/// # Safety
/// As [`initialise`].
unsafe extern "C" fn decrypt_init(
    context: *mut c_void,
    key: *const c_uchar,
    key_bytes: usize,
    iv: *const c_uchar,
    iv_bytes: usize,
    list: *mut Parameter,
) -> c_int {
    let (key, iv) = ((key, key_bytes), (iv, iv_bytes));
    // SAFETY: this function's contract.
    unsafe { initialise(context, Direction::Decrypt, key, iv, list) }
}

/// Work on an input, and on as much of the output as will be written. What OpenSSL calls the
/// room may be longer than the caller's buffer: it counts a block beyond the input for
/// ciphers of whole blocks, which an update that holds nothing does not write.
///
/// # Safety
/// The input has so many bytes, the output as many as will be written, and nobody else uses
/// them meanwhile. They may overlap.
unsafe fn with_buffers<T>(
    (output, room, written_bytes): (*mut c_uchar, usize, usize),
    (input, bytes): (*const c_uchar, usize),
    run: impl FnOnce(Buffers<'_>) -> Outcome<T>,
) -> Outcome<T> {
    if written_bytes > room {
        let message = "the output has less room than the update gives";
        return Err(Failure::new(Reason::OutputBufferTooSmall, message));
    }
    let (to, from) = (output.addr(), input.addr());
    if bytes > 0 && to == from {
        // SAFETY: this function's contract: one stretch of memory, which is as long as the
        // longer of input and output.
        let buffer = unsafe { slice::from_raw_parts_mut(output, bytes.max(written_bytes)) };
        return run(Buffers::InPlace { buffer, bytes });
    }
    let mut copy = Zeroizing::new(Vec::new());
    let input = match bytes {
        0 => &[],
        // SAFETY: this function's contract.
        _ => unsafe { slice::from_raw_parts(input, bytes) },
    };
    let overlaps = to < from.saturating_add(bytes) && from < to.saturating_add(written_bytes);
    let input = if overlaps {
        copy.try_reserve_exact(bytes).map_err(|_| {
            let message = "input and output overlap, and there is no memory for a copy";
            Failure::new(Reason::CipherOperationFailed, message)
        })?;
        copy.extend_from_slice(input);
        &copy
    } else {
        input
    };
    let output = match written_bytes {
        0 => &mut [],
        // SAFETY: this function's contract; the input is elsewhere, or was copied and is not
        // used from here on.
        _ => unsafe { slice::from_raw_parts_mut(output, written_bytes) },
    };
    run(Buffers::Apart { input, output })
}

/// # Safety
/// As [`on_context`] and [`with_buffers`]; the number of bytes has a place.
unsafe extern "C" fn update(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
    input: *const c_uchar,
    bytes: usize,
) -> c_int {
    let (to, from) = (output.addr(), input.addr());
    // A copy costs little only while it stays in the first-level cache.
    let near = to == from || (bytes <= QUICK_COPY_BYTES && to.abs_diff(from) >= bytes);
    if near && bytes <= room && !output.is_null() {
        let data = || {
            // SAFETY: this function's contract. Input and output are the same memory, or do not
            // overlap.
            unsafe {
                if to != from {
                    ptr::copy_nonoverlapping(input, output, bytes);
                }
                slice::from_raw_parts_mut(output, bytes)
            }
        };
        // SAFETY: this function's contract.
        let quick = unsafe {
            on_context(context, |context| {
                let outcome = context.quick(bytes, data);
                outcome.transpose()
            })
        };
        match quick {
            Some(None) => {}
            done => {
                let done = done.is_some();
                // SAFETY: this function's contract.
                unsafe { written.write(if done { bytes } else { 0 }) };
                return c_int::from(done);
            }
        }
    }
    // SAFETY: this function's contract.
    unsafe { update_slowly(context, output, written, room, input, bytes) }
}

/// # Safety
/// As [`update`].
#[inline(never)]
unsafe fn update_slowly(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
    input: *const c_uchar,
    bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    let outcome = unsafe {
        on_context(context, |context| {
            if output.is_null() {
                if bytes > 0 {
                    context.associate(slice::from_raw_parts(input, bytes))?;
                }
                return Ok(bytes);
            }
            let output = (output, room, context.written_bytes(bytes));
            with_buffers(output, (input, bytes), |buffers| context.update(buffers))
        })
    };
    // SAFETY: this function's contract.
    unsafe { written.write(outcome.unwrap_or(0)) };
    c_int::from(outcome.is_some())
}

/// # Safety
/// As [`update`].
unsafe extern "C" fn finish(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
) -> c_int {
    let finish = |context: &mut Context| {
        // How much there is to write is known only at the end.
        let mut last = Zeroizing::new([0; BLOCK_BYTES]);
        let room = if output.is_null() { 0 } else { room };
        let bytes = context.finish(&mut last[..room.min(BLOCK_BYTES)])?;
        if bytes > 0 {
            // SAFETY: this function's contract: the output takes what there is.
            unsafe { ptr::copy_nonoverlapping(last.as_ptr(), output, bytes) };
        }
        Ok(bytes)
    };
    // SAFETY: this function's contract.
    let outcome = unsafe { on_context(context, finish) };
    // SAFETY: this function's contract.
    unsafe { written.write(outcome.unwrap_or(0)) };
    c_int::from(outcome.is_some())
}

/// Without buffering; without an input, the end of a GCM message.
///
/// # Safety
/// As [`update`].
unsafe extern "C" fn raw(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
    input: *const c_uchar,
    bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    let outcome = unsafe {
        on_context(context, |context| {
            if input.is_null() {
                context.finish(&mut [])
            } else if output.is_null() {
                context.associate(slice::from_raw_parts(input, bytes))?;
                Ok(bytes)
            } else {
                let output = (output, room, bytes);
                with_buffers(output, (input, bytes), |buffers| context.raw(buffers))
            }
        })
    };
    // SAFETY: this function's contract.
    unsafe { written.write(outcome.unwrap_or(0)) };
    c_int::from(outcome.is_some())
}

/// # Safety
/// The context is ours or null, and OpenSSL uses it no more.
unsafe extern "C" fn free(context: *mut c_void) {
    if !context.is_null() {
        // SAFETY: this function's contract.
        let held = unsafe { Box::from_raw(context.cast::<Held>()) };
        let core = held.core;
        core.guard(|| {
            drop(held);
            Ok(())
        });
    }
}

/// # Safety
/// As [`on_context`].
unsafe extern "C" fn duplicate(context: *mut c_void) -> *mut c_void {
    // SAFETY: this function's contract.
    let held_context = unsafe { &*context.cast::<Held>() };
    let core = held_context.core;
    let copy = core.guard(|| held_context.context.duplicate());
    held(core, copy)
}

/// # Safety
/// As [`on_context`], and the list is one.
unsafe extern "C" fn get_parameters(context: *mut c_void, list: *mut Parameter) -> c_int {
    // SAFETY: this function's contract. A context stays where it is until it is freed, and
    // so do the octets that it keeps.
    let outcome = unsafe {
        on_context(context, |context| {
            for mut entry in List::new(list) {
                let given = match context.parameter(entry.name(), entry.size())? {
                    None => true,
                    Some(Value::Unsigned(value)) => entry.set_unsigned(value),
                    Some(Value::Octets(octets)) => entry.set_octets(octets),
                    // By OpenSSL's convention a size of 0 stands for the IV's length.
                    Some(Value::Generated(octets)) => entry.set_octets_unsized(octets),
                    Some(Value::Kept(octets)) => entry.set_kept(octets),
                };
                if !given {
                    let message = "a parameter has the wrong type or too little room";
                    return Err(Failure::new(Reason::ValueError, message));
                }
            }
            Ok(())
        })
    };
    c_int::from(outcome.is_some())
}

/// # Safety
/// As [`get_parameters`].
unsafe extern "C" fn set_parameters(context: *mut c_void, list: *mut Parameter) -> c_int {
    // SAFETY: this function's contract.
    let outcome = unsafe { on_context(context, |context| set_all(context, List::new(list))) };
    c_int::from(outcome.is_some())
}

fn set_all(context: &mut Context, list: List<'_>) -> Outcome<()> {
    for entry in list {
        if let Some(given) = given(context, &entry)? {
            context.set_parameter(entry.name(), &given)?;
        }
    }
    Ok(())
}

fn given<'a>(context: &mut Context, entry: &Entry<'a>) -> Outcome<Option<Given<'a>>> {
    if let Some(value) = entry.unsigned() {
        return Ok(Some(Given::Unsigned(value)));
    }
    if entry.is_length() {
        return Ok(Some(Given::Length(entry.size())));
    }
    let all = match context.parameter(b"ivlen", 0)? {
        Some(Value::Unsigned(bytes)) => bytes as usize,
        _ => 0,
    };
    Ok(entry.octets(all).map(Given::Octets))
}

/// What a cipher is, without a context.
fn describe(list: List<'_>, mode: Mode, size: KeyBits) -> bool {
    let gcm = mode == Mode::Gcm;
    let whole_blocks = mode.needs_whole_blocks();
    for mut entry in list {
        let value = match entry.name() {
            b"mode" => mode_number(mode),
            b"keylen" if mode == Mode::Xts => 2 * size.bytes() as u64,
            b"keylen" => size.bytes() as u64,
            b"ivlen" => match mode {
                Mode::Ecb => 0,
                Mode::Cbc | Mode::Ctr | Mode::Xts => 16,
                Mode::Gcm => 12,
            },
            b"blocksize" => {
                if whole_blocks {
                    16
                } else {
                    1
                }
            }
            b"aead" => u64::from(gcm),
            b"custom-iv" => u64::from(gcm || mode == Mode::Xts),
            b"cts" | b"tls-multi" | b"has-randkey" => 0,
            _ => continue,
        };
        if !entry.set_unsigned(value) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests;
