// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The place of input and output: one buffer, or two of the same length.

use std::fmt;
use std::ops::Range;

/// An input and an output of the same length.
///
/// ```
/// use ciphermill::Span;
/// let mut output = [0; 4];
/// let mut span = Span::apart(b"data", &mut output).unwrap();
/// span.write(0..2, b"DA");
/// assert_eq!(span.input(), b"data");
/// assert!(Span::apart(b"data", &mut [0; 5]).is_none());
/// // What it holds may be secret.
/// assert_eq!(format!("{:?}", Span::InPlace(&mut output)), "InPlace(4 bytes)");
/// ```
pub enum Span<'a> {
    /// The output takes the input's place.
    InPlace(&'a mut [u8]),
    /// Input and output, equally long.
    Apart(&'a [u8], &'a mut [u8]),
}

impl fmt::Debug for Span<'_> {
    /// Without the data, which may be secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Span::InPlace(_) => "InPlace",
            Span::Apart(..) => "Apart",
        };
        write!(formatter, "{kind}({} bytes)", self.len())
    }
}

impl<'a> Span<'a> {
    /// From one place to another; `None` where they are not equally long.
    pub fn apart(input: &'a [u8], output: &'a mut [u8]) -> Option<Span<'a>> {
        (input.len() == output.len()).then_some(Span::Apart(input, output))
    }

    /// Bytes of input.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.input().len()
    }

    /// The input. In place, what [`Span::write`] has written is no longer input.
    #[inline(always)]
    pub fn input(&self) -> &[u8] {
        match self {
            Span::InPlace(data) => data,
            Span::Apart(input, _) => input,
        }
    }

    /// Write a part of the output.
    pub fn write(&mut self, range: Range<usize>, bytes: &[u8]) {
        match self {
            Span::InPlace(data) => data[range].copy_from_slice(bytes),
            Span::Apart(_, output) => output[range].copy_from_slice(bytes),
        }
    }

    /// The first `bytes` and the rest.
    pub fn split(self, bytes: usize) -> (Span<'a>, Span<'a>) {
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
    pub fn into_place(self) -> &'a mut [u8] {
        match self {
            Span::InPlace(data) => data,
            Span::Apart(input, output) => {
                output.copy_from_slice(input);
                output
            }
        }
    }
}
