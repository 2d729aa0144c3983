// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The pipelines of ciphers as OpenSSL 3.5 and later call them (provider-cipher(7)). Older ones
//! ignore these functions.

use std::ffi::{c_int, c_uchar, c_void};
use std::ops::Range;
use std::ptr;
use std::slice;

use ciphermill::{BLOCK_BYTES, Direction};
use zeroize::Zeroizing;

use super::abi::Parameter;
use super::context::{Parameters, done, octets, on};
use super::parameters::{Entry, List};
use crate::buffers::Buffers;
use crate::context::Context;
use crate::failure::{Outcome, Reason};

pub(super) type Initialise = unsafe extern "C" fn(
    *mut c_void,
    *const c_uchar,
    usize,
    usize,
    *const *const c_uchar,
    usize,
    *mut Parameter,
) -> c_int;
pub(super) type Update = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *const *mut c_uchar,
    *mut usize,
    *const usize,
    *const *const c_uchar,
    *const usize,
) -> c_int;
pub(super) type Finish = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *const *mut c_uchar,
    *mut usize,
    *const usize,
) -> c_int;

/// # Safety
/// As [`on`]; the key has so many bytes, and the array so many pointers to so many bytes each. Any
/// pointer may be null.
pub(super) unsafe extern "C" fn initialise<const ENCRYPT: bool>(
    context: *mut c_void,
    key: *const c_uchar,
    key_bytes: usize,
    pipes: usize,
    ivs: *const *const c_uchar,
    iv_bytes: usize,
    list: *mut Parameter,
) -> c_int {
    let direction = match ENCRYPT {
        true => Direction::Encrypt,
        false => Direction::Decrypt,
    };
    // SAFETY: this function's contract.
    unsafe {
        done(context, |context: &mut Context| {
            Context::check_pipes(pipes)?;
            let key = (!key.is_null()).then(|| slice::from_raw_parts(key, key_bytes));
            let mut each = vec![None; pipes];
            for (place, iv) in each.iter_mut().zip(array(ivs, pipes)) {
                *place = (!iv.is_null()).then(|| slice::from_raw_parts(*iv, iv_bytes));
            }
            context.initialise_pipeline(direction, key, &each)?;
            context.take(List::new(list))
        })
    }
}

/// # Safety
/// As [`on`]; the arrays have so many elements, or are null, and their pointers lead to as many
/// bytes as the lengths say.
pub(super) unsafe extern "C" fn update(
    context: *mut c_void,
    pipes: usize,
    outputs: *const *mut c_uchar,
    written: *mut usize,
    rooms: *const usize,
    inputs: *const *const c_uchar,
    bytes: *const usize,
) -> c_int {
    let work = |context: &mut Context| {
        context.check_pipeline(pipes)?;
        // SAFETY: this function's contract.
        let (inputs, bytes) = unsafe { (array(inputs, pipes), array(bytes, pipes)) };
        if inputs.len() != pipes || bytes.len() != pipes {
            return Reason::ValueError.fail("an update needs an input and its length of each pipe");
        }
        let each = inputs.iter().zip(bytes);
        if outputs.is_null() {
            // SAFETY: this function's contract.
            let each = each.map(|(input, bytes)| unsafe { octets(*input, *bytes) });
            context.associate_pipes(&each.collect::<Vec<_>>())?;
            return Ok(bytes.to_vec());
        }
        // SAFETY: this function's contract.
        let (outputs, rooms) = unsafe { (array(outputs, pipes), array(rooms, pipes)) };
        if rooms.len() != pipes {
            return Reason::ValueError.fail("an update needs the room of each pipe's output");
        }
        let mut places = Vec::with_capacity(pipes);
        for (pipe, (input, bytes)) in each.enumerate() {
            let due = context.written_bytes_of(pipe, *bytes);
            let place = Place::new(*input, *bytes, outputs[pipe], due);
            if due > rooms[pipe] || (due > 0 && outputs[pipe].is_null()) {
                let message = format!(
                    "pipe {pipe}, counted from 0, has room for {} bytes of output where the update \
                     writes {due}: give a longer one",
                    rooms[pipe]
                );
                return Reason::OutputBufferTooSmall.fail(message);
            }
            places.push(place);
        }
        if let Some(pipe) = overlapping(&places) {
            let message = format!(
                "the output of pipe {pipe}, counted from 0, overlaps another buffer of the \
                 pipeline: give each pipe its own output, or the place of its own input"
            );
            return Reason::InvalidData.fail(message);
        }
        // SAFETY: this function's contract. No output overlaps another buffer.
        let buffers = places.iter().map(|place| unsafe { place.buffers() });
        context.update_pipes(buffers.collect())
    };
    // SAFETY: this function's contract.
    unsafe { answer(written, pipes, on(context, work)) }
}

/// # Safety
/// As [`update`].
pub(super) unsafe extern "C" fn finish(
    context: *mut c_void,
    pipes: usize,
    outputs: *const *mut c_uchar,
    written: *mut usize,
    rooms: *const usize,
) -> c_int {
    let work = |context: &mut Context| {
        context.check_pipeline(pipes)?;
        // SAFETY: this function's contract.
        let (outputs, rooms) = unsafe { (array(outputs, pipes), array(rooms, pipes)) };
        // How much there is to write is known only at the end.
        let mut blocks = Zeroizing::new(vec![[0; BLOCK_BYTES]; pipes]);
        let mut places: Vec<&mut [u8]> = Vec::with_capacity(pipes);
        for (pipe, block) in blocks.iter_mut().enumerate() {
            let room = match outputs.get(pipe) {
                Some(output) if !output.is_null() => rooms.get(pipe).copied().unwrap_or(0),
                _ => 0,
            };
            places.push(&mut block[..room.min(BLOCK_BYTES)]);
        }
        let written = context.finish_pipes(&mut places)?;
        for ((block, output), bytes) in blocks.iter().zip(outputs).zip(&written) {
            if *bytes > 0 {
                // SAFETY: this function's contract: the output takes what there is.
                unsafe { ptr::copy_nonoverlapping(block.as_ptr(), *output, *bytes) };
            }
        }
        Ok(written)
    };
    // SAFETY: this function's contract.
    unsafe { answer(written, pipes, on(context, work)) }
}

/// `pipeline-tag`, given out: as many bytes of each pipe's tag as the parameter says, each where
/// its pointer leads.
///
/// # Safety
/// The pointers lead to as much room.
pub(super) unsafe fn give_tags(context: &mut Context, entry: &Entry<'_>) -> Outcome<()> {
    for (pipe, place) in tag_places(context, entry)?.iter().enumerate() {
        if let Some(tag) = context.tag_of(pipe, entry.size())? {
            // SAFETY: this function's contract.
            unsafe { ptr::copy_nonoverlapping(tag.as_ptr(), *place, tag.len()) };
        }
    }
    Ok(())
}

/// `pipeline-tag`, taken.
///
/// # Safety
/// The pointers lead to as many bytes as the parameter says.
pub(super) unsafe fn take_tags(context: &mut Context, entry: &Entry<'_>) -> Outcome<()> {
    for (pipe, place) in tag_places(context, entry)?.iter().enumerate() {
        // SAFETY: this function's contract.
        context.set_tag_of(pipe, unsafe { octets(*place, entry.size()) })?;
    }
    Ok(())
}

/// Where the tag of each pipe is.
fn tag_places<'a>(context: &Context, entry: &Entry<'a>) -> Outcome<&'a [*mut c_uchar]> {
    if context.pipes() == 0 {
        return Reason::InvalidData
            .fail("the context is no pipeline: initialise it as one before it has tags");
    }
    if !(1..=BLOCK_BYTES).contains(&entry.size()) {
        let message = format!("a tag has 1 to {BLOCK_BYTES} bytes, not {}", entry.size());
        return Reason::InvalidTag.fail(message);
    }
    match entry.pointers(context.pipes()) {
        Some(places) if places.iter().all(|place| !place.is_null()) => Ok(places),
        _ => Reason::ValueError.fail("pipeline-tag is an octet pointer to a pointer for each pipe"),
    }
}

/// The elements of an array; none where it is null.
///
/// # Safety
/// It has so many for `'a`, or is null.
unsafe fn array<'a, T>(first: *const T, count: usize) -> &'a [T] {
    match first.is_null() {
        true => &[],
        // SAFETY: this function's contract.
        false => unsafe { slice::from_raw_parts(first, count) },
    }
}

/// As `context::answer`, of each pipe.
///
/// # Safety
/// The array has a place for each pipe.
unsafe fn answer(written: *mut usize, pipes: usize, outcome: Option<Vec<usize>>) -> c_int {
    for pipe in 0..pipes {
        let bytes = outcome.as_ref().map_or(0, |bytes| bytes[pipe]);
        // SAFETY: this function's contract.
        unsafe { written.add(pipe).write(bytes) };
    }
    c_int::from(outcome.is_some())
}

/// Where a pipe's input and output are.
struct Place {
    input: *const c_uchar,
    bytes: usize,
    output: *mut c_uchar,
    due: usize,
}

impl Place {
    fn new(input: *const c_uchar, bytes: usize, output: *mut c_uchar, due: usize) -> Place {
        Place {
            input,
            bytes,
            output,
            due,
        }
    }

    fn is_in_place(&self) -> bool {
        self.bytes > 0 && self.input.addr() == self.output.addr()
    }

    /// Addresses that are read alone.
    fn read(&self) -> Range<usize> {
        match self.is_in_place() {
            true => 0..0,
            false => self.input.addr()..self.input.addr().saturating_add(self.bytes),
        }
    }

    /// Addresses that are written, or may be.
    fn written(&self) -> Range<usize> {
        let bytes = match self.is_in_place() {
            true => self.due.max(self.bytes),
            false => self.due,
        };
        self.output.addr()..self.output.addr().saturating_add(bytes)
    }

    /// # Safety
    /// The pointers lead to as many bytes as the lengths say, for `'a`, and nobody else uses those
    /// that are written.
    unsafe fn buffers<'a>(&self) -> Buffers<'a> {
        // SAFETY: this function's contract.
        unsafe {
            if self.is_in_place() {
                let bytes = self.due.max(self.bytes);
                return Buffers::InPlace {
                    buffer: slice::from_raw_parts_mut(self.output, bytes),
                    bytes: self.bytes,
                };
            }
            Buffers::Apart {
                input: octets(self.input, self.bytes),
                output: match self.due {
                    0 => &mut [],
                    _ => slice::from_raw_parts_mut(self.output, self.due),
                },
            }
        }
    }
}

/// A pipe whose output lies over another buffer, if there is one. Inputs may be the same.
fn overlapping(places: &[Place]) -> Option<usize> {
    let meet = |one: &Range<usize>, other: &Range<usize>| {
        one.start.max(other.start) < one.end.min(other.end)
    };
    let read: Vec<_> = places.iter().map(Place::read).collect();
    let written: Vec<_> = places.iter().map(Place::written).collect();
    (0..places.len()).find(|&pipe| {
        let own = &written[pipe];
        read.iter().any(|read| meet(own, read))
            || written[..pipe].iter().any(|other| meet(own, other))
    })
}

#[cfg(test)]
mod tests;
