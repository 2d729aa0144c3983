// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The ciphers as OpenSSL calls them (provider-cipher(7)).

use std::ffi::{CStr, c_int, c_uchar, c_void};
use std::ptr;
use std::slice;

use ciphermill::{BLOCK_BYTES, Direction, KeyBits, Mode};
use zeroize::Zeroizing;

use super::abi::{Algorithm, Dispatch, Parameter, dispatch};
use super::context::{
    self, ContextTable, Describe, Finish, Free, New, OnContext, Parameters, Table, answer, create,
    done, duplicate, free, get_parameters, octets, on, set_parameters,
};
use super::parameters::{Entry, List};
use super::pipeline;
use super::tables::{cipher_gettable, gcm_gettable, gcm_settable, gettable, settable};
use crate::buffers::Buffers;
use crate::context::{Context, Given, Value};
use crate::failure::{Failure, Outcome, Reason};

/// The longest update that is copied to its output at once.
const QUICK_COPY_BYTES: usize = 1024;

/// The tags of a pipeline's messages.
const PIPELINE_TAG: &[u8] = b"pipeline-tag";

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

/// The ciphers with OpenSSL's names for them, those in CBC first.
static ROWS: [(Mode, KeyBits, &CStr); 14] = {
    use KeyBits::{Bits128, Bits192, Bits256};
    use Mode::{Cbc, Ctr, Ecb, Gcm, Xts};
    [
        (Cbc, Bits128, c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2"),
        (Cbc, Bits192, c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22"),
        (Cbc, Bits256, c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42"),
        (Ecb, Bits128, c"AES-128-ECB:2.16.840.1.101.3.4.1.1"),
        (Ecb, Bits192, c"AES-192-ECB:2.16.840.1.101.3.4.1.21"),
        (Ecb, Bits256, c"AES-256-ECB:2.16.840.1.101.3.4.1.41"),
        (Ctr, Bits128, c"AES-128-CTR"),
        (Ctr, Bits192, c"AES-192-CTR"),
        (Ctr, Bits256, c"AES-256-CTR"),
        (
            Gcm,
            Bits128,
            c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6",
        ),
        (
            Gcm,
            Bits192,
            c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26",
        ),
        (
            Gcm,
            Bits256,
            c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46",
        ),
        (Xts, Bits128, c"AES-128-XTS:1.3.111.2.1619.0.1.1"),
        (Xts, Bits256, c"AES-256-XTS:1.3.111.2.1619.0.1.2"),
    ]
};

#[rustfmt::skip]
static ALL: [Algorithm; 15] = [
    row::<0>(), row::<1>(), row::<2>(), row::<3>(), row::<4>(), row::<5>(), row::<6>(),
    row::<7>(), row::<8>(), row::<9>(), row::<10>(), row::<11>(), row::<12>(), row::<13>(),
    Algorithm::END,
];

/// The ciphers offered: with CBC, or without.
pub(super) fn offered(cbc: bool) -> &'static [Algorithm] {
    const CBC: usize = 3;
    if cbc { &ALL } else { &ALL[CBC..] }
}

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

const fn row<const ROW: usize>() -> Algorithm {
    Algorithm::new(ROWS[ROW].2, const { &functions::<ROW>() })
}

/// A cipher's table.
const fn functions<const ROW: usize>() -> [Dispatch; 19] {
    let (gettable, settable): (ContextTable, ContextTable) = match ROWS[ROW].0 {
        Mode::Gcm => (gcm_gettable, gcm_settable),
        _ => (gettable, settable),
    };
    dispatch! {
        CIPHER_NEWCTX 1: New = new::<ROW>,
        CIPHER_GET_PARAMS 9: Describe = describe::<ROW>,
        CIPHER_ENCRYPT_INIT 2: Initialise = initialise::<true>,
        CIPHER_DECRYPT_INIT 3: Initialise = initialise::<false>,
        CIPHER_UPDATE 4: Update = update,
        CIPHER_FINAL 5: Finish = finish,
        CIPHER_CIPHER 6: Update = update_slowly::<true>,
        CIPHER_FREECTX 7: Free = free::<Context>,
        CIPHER_DUPCTX 8: New = duplicate::<Context>,
        CIPHER_GET_CTX_PARAMS 10: OnContext = get_parameters::<Context>,
        CIPHER_SET_CTX_PARAMS 11: OnContext = set_parameters::<Context>,
        CIPHER_GETTABLE_PARAMS 12: Table = cipher_gettable,
        CIPHER_GETTABLE_CTX_PARAMS 13: ContextTable = gettable,
        CIPHER_SETTABLE_CTX_PARAMS 14: ContextTable = settable,
        CIPHER_PIPELINE_ENCRYPT_INIT 15: pipeline::Initialise = pipeline::initialise::<true>,
        CIPHER_PIPELINE_DECRYPT_INIT 16: pipeline::Initialise = pipeline::initialise::<false>,
        CIPHER_PIPELINE_UPDATE 17: pipeline::Update = pipeline::update,
        CIPHER_PIPELINE_FINAL 18: pipeline::Finish = pipeline::finish,
    }
}

/// # Safety
/// The provider's context is ours.
unsafe extern "C" fn new<const ROW: usize>(provider: *mut c_void) -> *mut c_void {
    let (mode, size, _) = ROWS[ROW];
    // SAFETY: this function's contract.
    unsafe { create(provider, |provider| Ok(Context::new(provider, mode, size))) }
}

/// # Safety
/// As [`on`], and the pointers lead to so many bytes, or are null.
unsafe extern "C" fn initialise<const ENCRYPT: bool>(
    context: *mut c_void,
    key: *const c_uchar,
    key_bytes: usize,
    iv: *const c_uchar,
    iv_bytes: usize,
    list: *mut Parameter,
) -> c_int {
    let direction = match ENCRYPT {
        true => Direction::Encrypt,
        false => Direction::Decrypt,
    };
    // SAFETY: this function's contract.
    unsafe {
        let key = (!key.is_null()).then(|| slice::from_raw_parts(key, key_bytes));
        let iv = (!iv.is_null()).then(|| slice::from_raw_parts(iv, iv_bytes));
        done(context, |context: &mut Context| {
            context.initialise(direction, key, iv)?;
            context.take(List::new(list))
        })
    }
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
        return Reason::OutputBufferTooSmall
            .fail("the output has less room than the update writes: give a longer one");
    }
    let (to, from) = (output.addr(), input.addr());
    if bytes > 0 && to == from {
        // SAFETY: this function's contract: one stretch of memory, which is as long as the
        // longer of input and output.
        let buffer = unsafe { slice::from_raw_parts_mut(output, bytes.max(written_bytes)) };
        return run(Buffers::InPlace { buffer, bytes });
    }
    let mut copy = Zeroizing::new(Vec::new());
    // SAFETY: this function's contract.
    let input = unsafe { octets(input, bytes) };
    let overlaps = to < from.saturating_add(bytes) && from < to.saturating_add(written_bytes);
    let input = if overlaps {
        copy.try_reserve_exact(bytes).map_err(|_| {
            let message = "input and output overlap, and there is no memory for a copy";
            Failure::new(Reason::MallocFailure, message)
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
/// As [`on`] and [`with_buffers`]; the number of bytes has a place.
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
            on(context, |context: &mut Context| {
                let outcome = context.quick(bytes, data);
                outcome.transpose()
            })
        };
        match quick {
            Some(None) => {}
            done => {
                // SAFETY: this function's contract.
                return unsafe { answer(written, done.map(|_| bytes)) };
            }
        }
    }
    // SAFETY: this function's contract.
    unsafe { update_slowly::<false>(context, output, written, room, input, bytes) }
}

/// An update, or with `RAW` one without buffering, which without an input is the end of a GCM
/// message.
///
/// # Safety
/// As [`update`].
#[inline(never)]
unsafe extern "C" fn update_slowly<const RAW: bool>(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
    input: *const c_uchar,
    bytes: usize,
) -> c_int {
    let work = |context: &mut Context| {
        if RAW && input.is_null() {
            return context.finish(&mut []);
        }
        if output.is_null() {
            if RAW || bytes > 0 {
                // SAFETY: this function's contract.
                context.associate(unsafe { octets(input, bytes) })?;
            }
            return Ok(bytes);
        }
        let due = match RAW {
            true => bytes,
            false => context.written_bytes(bytes),
        };
        let run = |buffers: Buffers<'_>| match RAW {
            true => context.raw(buffers),
            false => context.update(buffers),
        };
        // SAFETY: this function's contract.
        unsafe { with_buffers((output, room, due), (input, bytes), run) }
    };
    // SAFETY: this function's contract.
    unsafe { answer(written, on(context, work)) }
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
    let outcome = unsafe { on(context, finish) };
    // SAFETY: this function's contract.
    unsafe { answer(written, outcome) }
}

impl Parameters for Context {
    fn give(&mut self, entry: &mut Entry<'_>) -> Outcome<bool> {
        if entry.name() == PIPELINE_TAG {
            // SAFETY: by the convention of this parameter the pointers lead to as much room as
            // the size says.
            return unsafe { pipeline::give_tags(self, entry) }.map(|()| true);
        }
        let value = self.parameter(entry.name(), entry.size())?;
        // SAFETY: by OpenSSL's convention a size of 0 stands for the IV's length, for which there
        // is room. A context stays where it is until it is freed, and so do the octets that it
        // keeps.
        Ok(unsafe {
            match value {
                None => true,
                Some(Value::Unsigned(value)) => entry.set_unsigned(value),
                Some(Value::Octets(octets)) => entry.set_octets(octets),
                Some(Value::Generated(octets)) => entry.set_octets_unsized(octets),
                Some(Value::Kept(octets)) => entry.set_kept(octets),
            }
        })
    }

    fn take(&mut self, list: List<'_>) -> Outcome<()> {
        for entry in list {
            if entry.name() == PIPELINE_TAG {
                // SAFETY: by the convention of this parameter the pointers lead to as many bytes
                // as the size says.
                unsafe { pipeline::take_tags(self, &entry) }?;
                continue;
            }
            if let Some(given) = given(self, &entry)? {
                self.set_parameter(entry.name(), &given)?;
            }
        }
        Ok(())
    }
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

/// # Safety
/// The list is one.
unsafe extern "C" fn describe<const ROW: usize>(list: *mut Parameter) -> c_int {
    let (mode, size, _) = ROWS[ROW];
    let value = |name: &[u8]| {
        Some(match name {
            b"mode" => mode_number(mode),
            b"keylen" if mode == Mode::Xts => 2 * size.bytes() as u64,
            b"keylen" => size.bytes() as u64,
            b"ivlen" => match mode {
                Mode::Ecb => 0,
                Mode::Cbc | Mode::Ctr | Mode::Xts => 16,
                Mode::Gcm => 12,
            },
            b"blocksize" if mode.needs_whole_blocks() => 16,
            b"blocksize" => 1,
            b"aead" => u64::from(mode == Mode::Gcm),
            b"custom-iv" => u64::from(matches!(mode, Mode::Gcm | Mode::Xts)),
            b"cts" | b"tls-multi" | b"has-randkey" => 0,
            _ => return None,
        })
    };
    // SAFETY: this function's contract.
    context::describe(unsafe { List::new(list) }, value)
}

#[cfg(test)]
mod tests;
