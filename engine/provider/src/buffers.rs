// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What OpenSSL hands over for an update.

use ciphermill::Span;

/// An input, and room for the output, which may be longer.
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

    /// Input and output of the same length; `None` where the output is too short.
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
