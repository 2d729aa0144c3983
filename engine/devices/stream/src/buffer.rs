// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Bytes on their way: a bounded buffer that is filled at its end and emptied from
//! its start.

use zeroize::Zeroizing;

/// A bounded buffer, zeroised when cleared or dropped.
pub(crate) struct Buffer {
    bytes: Zeroizing<Vec<u8>>,
    start: usize,
    end: usize,
}

impl Buffer {
    pub fn new(capacity: usize) -> Buffer {
        Buffer {
            bytes: Zeroizing::new(vec![0; capacity]),
            start: 0,
            end: 0,
        }
    }

    /// Its contents.
    pub fn filled(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    pub fn is_full(&self) -> bool {
        self.end - self.start == self.bytes.len()
    }

    /// Where more goes; empty when it is full.
    pub fn space(&mut self) -> &mut [u8] {
        if self.is_empty() {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.bytes.len() {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        &mut self.bytes[self.end..]
    }

    /// So many bytes have been put at the start of [`Buffer::space`].
    pub fn add(&mut self, bytes: usize) {
        assert!(bytes <= self.bytes.len() - self.end);
        self.end += bytes;
    }

    /// So many bytes have been taken from the start of [`Buffer::filled`].
    pub fn take(&mut self, bytes: usize) {
        assert!(bytes <= self.end - self.start);
        self.start += bytes;
    }

    /// Drop what is in it, and leave nothing in memory.
    pub fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
        zeroize::Zeroize::zeroize(&mut self.bytes[..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_is_a_queue(steps in proptest::collection::vec((0usize..20, 0usize..20), 0..100)) {
            let mut buffer = Buffer::new(16);
            let mut model = VecDeque::new();
            for (number, (add, take)) in (0u8..).zip(steps) {
                let space = buffer.space();
                let add = add.min(space.len());
                space[..add].fill(number);
                buffer.add(add);
                model.extend(std::iter::repeat_n(number, add));
                prop_assert!(buffer.filled().iter().eq(&model));
                let take = take.min(model.len());
                buffer.take(take);
                model.drain(..take);
                prop_assert_eq!(buffer.is_empty(), model.is_empty());
            }
            while !buffer.is_empty() {
                buffer.take(1);
            }
            prop_assert_eq!(buffer.space().len(), 16);
        }
    }
}
