// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Contexts and keys as OpenSSL holds them: what all operations have in common.

use std::ffi::{c_int, c_uchar, c_void};
use std::ptr;
use std::slice;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::abi::Parameter;
use super::core::{Core, Loaded};
use super::parameters::{Entry, List};
use crate::failure::{Outcome, Reason};
use crate::hasher::Hasher;
use crate::provider::{Provider, State};

/// Functions of a context, as openssl/core_dispatch.h declares them.
pub(super) type New = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
pub(super) type Free = unsafe extern "C" fn(*mut c_void);
pub(super) type Finish =
    unsafe extern "C" fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;
pub(super) type Describe = unsafe extern "C" fn(*mut Parameter) -> c_int;
pub(super) type OnContext = unsafe extern "C" fn(*mut c_void, *mut Parameter) -> c_int;
pub(super) type Table = extern "C" fn(*mut c_void) -> *const Parameter;
pub(super) type ContextTable = extern "C" fn(*mut c_void, *mut c_void) -> *const Parameter;

/// A context as OpenSSL holds it.
struct Held<T> {
    core: Core,
    state: T,
}

pub(super) fn held<T>(core: Core, state: Option<T>) -> *mut c_void {
    match state {
        Some(state) => Box::into_raw(Box::new(Held { core, state })).cast(),
        None => ptr::null_mut(),
    }
}

/// A context with this state, of the same provider as one that holds a `T`.
///
/// # Safety
/// That one is ours.
pub(super) unsafe fn another<T, U>(context: *const c_void, state: Option<U>) -> *mut c_void {
    // SAFETY: this function's contract.
    let core = unsafe { (*context.cast::<Held<T>>()).core };
    held(core, state)
}

/// A new context of a loaded provider.
///
/// # Safety
/// The provider's context is ours.
pub(super) unsafe fn create<T>(
    provider: *mut c_void,
    make: impl FnOnce(Arc<Provider>) -> Outcome<T>,
) -> *mut c_void {
    // SAFETY: this function's contract.
    let loaded = unsafe { &*provider.cast::<Loaded>() };
    let state = loaded.core.guard(|| make(Arc::clone(&loaded.provider)));
    held(loaded.core, state)
}

/// # Safety
/// The context is ours, of this state, and in nobody else's use.
#[inline]
pub(super) unsafe fn on<T: State, R>(
    context: *mut c_void,
    run: impl FnOnce(&mut T) -> Outcome<R>,
) -> Option<R> {
    // SAFETY: this function's contract: a context is one thread's at a time.
    let held = unsafe { &mut *context.cast::<Held<T>>() };
    let mut returned = false;
    let outcome = held.core.guard(|| {
        let outcome = run(&mut held.state);
        returned = true;
        outcome
    });
    if !returned {
        // After a panic the state is unknown.
        held.state.spoil();
    }
    outcome
}

/// Look at a state that several threads may look at: a key.
///
/// # Safety
/// The context is ours, of this state, and nobody changes it meanwhile.
pub(super) unsafe fn look<T, R>(
    context: *const c_void,
    run: impl FnOnce(&T) -> Outcome<R>,
) -> Option<R> {
    // SAFETY: this function's contract.
    let Held { core, state } = unsafe { &*context.cast::<Held<T>>() };
    core.guard(|| run(state))
}

/// The state in a context that another function was handed.
///
/// # Safety
/// As [`look`], for `'a`, or the context is null.
pub(super) unsafe fn referred<'a, T>(context: *const c_void) -> Option<&'a T> {
    // SAFETY: this function's contract.
    unsafe { context.cast::<Held<T>>().as_ref() }.map(|held| &held.state)
}

/// As [`on`], with the return value for OpenSSL: 1, and 0 for a failure.
///
/// # Safety
/// As [`on`].
pub(super) unsafe fn done<T: State>(
    context: *mut c_void,
    run: impl FnOnce(&mut T) -> Outcome<()>,
) -> c_int {
    // SAFETY: this function's contract.
    c_int::from(unsafe { on(context, run) }.is_some())
}

/// # Safety
/// The context is ours, of this state, or null, and OpenSSL uses it no more.
pub(super) unsafe extern "C" fn free<T>(context: *mut c_void) {
    if !context.is_null() {
        // SAFETY: this function's contract.
        let held = unsafe { Box::from_raw(context.cast::<Held<T>>()) };
        let core = held.core;
        core.guard(|| {
            drop(held);
            Ok(())
        });
    }
}

/// # Safety
/// As [`on`].
pub(super) unsafe extern "C" fn duplicate<T: State>(context: *mut c_void) -> *mut c_void {
    // SAFETY: this function's contract.
    unsafe { another::<T, T>(context, look(context, T::duplicate)) }
}

/// An input, which may be null where it has no bytes.
///
/// # Safety
/// It has so many bytes for `'a`.
pub(super) unsafe fn octets<'a>(input: *const c_uchar, bytes: usize) -> &'a [u8] {
    match bytes {
        0 => &[],
        // SAFETY: this function's contract.
        _ => unsafe { slice::from_raw_parts(input, bytes) },
    }
}

/// The return value of a function that reports how many bytes it has written.
///
/// # Safety
/// The number has a place.
pub(super) unsafe fn answer(written: *mut usize, outcome: Option<usize>) -> c_int {
    // SAFETY: this function's contract.
    unsafe { written.write(outcome.unwrap_or(0)) };
    c_int::from(outcome.is_some())
}

/// Give out each parameter of a list; `give` says whether type and room were right.
pub(super) fn give_all(
    list: List<'_>,
    mut give: impl FnMut(&mut Entry<'_>) -> Outcome<bool>,
) -> Outcome<()> {
    for mut entry in list {
        if !give(&mut entry)? {
            return Reason::ValueError.fail("a parameter has the wrong type or too little room: see the table of gettable parameters");
        }
    }
    Ok(())
}

/// The state in a context that has parameters. Unknown names are ignored.
pub(super) trait Parameters: State {
    /// Give out one; whether type and room were right.
    fn give(&mut self, entry: &mut Entry<'_>) -> Outcome<bool>;
    /// Take those of a list.
    fn take(&mut self, list: List<'_>) -> Outcome<()>;
}

/// # Safety
/// As [`on`], and the list is one.
pub(super) unsafe extern "C" fn get_parameters<T: Parameters>(
    context: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        done(context, |state: &mut T| {
            give_all(List::new(list), |entry| state.give(entry))
        })
    }
}

/// # Safety
/// As [`get_parameters`].
pub(super) unsafe extern "C" fn set_parameters<T: Parameters>(
    context: *mut c_void,
    list: *mut Parameter,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe { done(context, |state: &mut T| state.take(List::new(list))) }
}

/// Give out what an algorithm is, without a context. Unknown names are ignored.
pub(super) fn describe(list: List<'_>, value: impl Fn(&[u8]) -> Option<u64>) -> c_int {
    let mut all = list.map(|mut entry| {
        let value = value(entry.name());
        value.is_none_or(|value| entry.set_unsigned(value))
    });
    c_int::from(all.all(|given| given))
}

impl AsMut<Hasher> for Hasher {
    fn as_mut(&mut self) -> &mut Hasher {
        self
    }
}

pub(super) type Absorb = unsafe extern "C" fn(*mut c_void, *const c_uchar, usize) -> c_int;

/// # Safety
/// As [`on`], and the input has so many bytes.
pub(super) unsafe extern "C" fn absorb<T: State + AsMut<Hasher>>(
    context: *mut c_void,
    input: *const c_uchar,
    bytes: usize,
) -> c_int {
    // SAFETY: this function's contract.
    unsafe {
        let input = octets(input, bytes);
        done(context, |state: &mut T| state.as_mut().update(input))
    }
}

/// # Safety
/// As [`on`]; the output has so much room, and the number of bytes a place.
pub(super) unsafe extern "C" fn finish<T: State + AsMut<Hasher>>(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    room: usize,
) -> c_int {
    let finish = |state: &mut T| {
        // A key derivation makes keys of codes.
        let given = Zeroizing::new(state.as_mut().finish()?);
        if output.is_null() || room < given.len() {
            let message = format!("the output has less room than its {} bytes", given.len());
            return Reason::OutputBufferTooSmall.fail(message);
        }
        // SAFETY: this function's contract; the room is as long.
        unsafe { ptr::copy_nonoverlapping(given.as_ptr(), output, given.len()) };
        Ok(given.len())
    };
    // SAFETY: this function's contract.
    unsafe { answer(written, on(context, finish)) }
}
