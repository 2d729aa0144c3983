// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Memory of the key derivations: asked for, never demanded, and erased at the end.

use std::io;
use std::ops::{Deref, DerefMut};

use zeroize::Zeroize;

use crate::{Cancellation, Error, Result};

/// Bytes that are filled between two looks at the cancellation.
const STEP_BYTES: usize = 64 << 20;

/// Elements that are erased in the end. Nothing may be taken out of it before, and memory
/// that was reserved and never used is not touched.
pub(super) struct Memory<T: Zeroize>(Vec<T>);

impl<T: Zeroize> Deref for Memory<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Zeroize> DerefMut for Memory<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Zeroize> Drop for Memory<T> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// A count of elements or bytes as this machine counts.
pub(super) fn count(elements: u64) -> Result<usize> {
    usize::try_from(elements).map_err(|_| short(elements))
}

/// Room for so many elements. Adding no more than these allocates nothing.
pub(super) fn reserved<T: Zeroize>(elements: usize) -> Result<Memory<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(elements)
        .map_err(|_| short((elements as u64).saturating_mul(size_of::<T>() as u64)))?;
    Ok(Memory(room))
}

/// So many copies of an element.
pub(super) fn filled<T: Zeroize + Copy>(
    element: T,
    elements: usize,
    stop: &Cancellation,
) -> Result<Memory<T>> {
    let mut room = reserved(elements)?;
    let step = (STEP_BYTES / size_of::<T>()).max(1);
    while room.len() < elements {
        stop.check()?;
        let length = elements.min(room.len() + step);
        room.resize(length, element);
    }
    Ok(room)
}

fn short(bytes: u64) -> Error {
    let doing = format!(
        "deriving the key needs {} MiB of memory at once, which this process cannot have",
        bytes.div_ceil(1 << 20)
    );
    Error::io(doing, io::ErrorKind::OutOfMemory.into())
}
