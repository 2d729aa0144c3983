// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Where an update's data comes from and goes to.

use std::ops::Range;

/// What OpenSSL hands over: an input, and room for the output, which may be longer.
pub(crate) enum Buffers<'a> {
    /// The input is the first `bytes` of the room for the output.
    InPlace { buffer: &'a mut [u8], bytes: usize },
    /// They do not overlap.
    Apart {
        input: &'a [u8],
        output: &'a mut [u8],
    },
}

impl<'a> Buffers<'a> {
    /// Bytes of input.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Buffers::InPlace { bytes, .. } => *bytes,
            Buffers::Apart { input, .. } => input.len(),
        }
    }

    /// Room for the output.
    pub(crate) fn room(&self) -> usize {
        match self {
            Buffers::InPlace { buffer, .. } => buffer.len(),
            Buffers::Apart { output, .. } => output.len(),
        }
    }

    /// The input.
    pub(crate) fn input(&self) -> &[u8] {
        match self {
            Buffers::InPlace { buffer, bytes } => &buffer[..*bytes],
            Buffers::Apart { input, .. } => input,
        }
    }

    /// As many bytes of output as of input; `None` where there is no room.
    #[inline(always)]
    pub(crate) fn span(self) -> Option<Span<'a>> {
        match self {
            Buffers::InPlace { buffer, bytes } => buffer.get_mut(..bytes).map(Span::InPlace),
            Buffers::Apart { input, output } => output
                .get_mut(..input.len())
                .map(|output| Span::Apart(input, output)),
        }
    }
}

/// An input and an output of the same length.
pub(crate) enum Span<'a> {
    InPlace(&'a mut [u8]),
    Apart(&'a [u8], &'a mut [u8]),
}

impl<'a> Span<'a> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.input().len()
    }

    /// The input. In place, what [`Span::write`] has written is no longer input.
    #[inline(always)]
    pub(crate) fn input(&self) -> &[u8] {
        match self {
            Span::InPlace(data) => data,
            Span::Apart(input, _) => input,
        }
    }

    /// Write a part of the output.
    pub(crate) fn write(&mut self, range: Range<usize>, bytes: &[u8]) {
        match self {
            Span::InPlace(data) => data[range].copy_from_slice(bytes),
            Span::Apart(_, output) => output[range].copy_from_slice(bytes),
        }
    }

    /// The first `bytes` and the rest.
    pub(crate) fn split(self, bytes: usize) -> (Span<'a>, Span<'a>) {
        match self {
            Span::InPlace(data) => {
                let (first, rest) = data.split_at_mut(bytes);
                (Span::InPlace(first), Span::InPlace(rest))
            }
            Span::Apart(input, output) => {
                let (first_in, rest_in) = input.split_at(bytes);
                let (first_out, rest_out) = output.split_at_mut(bytes);
                (
                    Span::Apart(first_in, first_out),
                    Span::Apart(rest_in, rest_out),
                )
            }
        }
    }

    /// Copy the input to the output, so that it can be worked on in place.
    pub(crate) fn settle(self) -> &'a mut [u8] {
        match self {
            Span::InPlace(data) => data,
            Span::Apart(input, output) => {
                output.copy_from_slice(input);
                output
            }
        }
    }
}
