// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A chunk of a stream, where it comes from and where it goes.

use crate::{Allocator, Buffer, Result};

/// A chunk of a stream on its way; its buffer is reused, and zeroised in the end.
#[derive(Default)]
pub(crate) struct Chunk {
    /// Number in the stream, from 0.
    pub(crate) index: u64,
    /// Input, then output.
    pub(crate) data: Buffer,
    /// The chunk's IV, where the stream does not chain.
    pub(crate) iv: [u8; 16],
    /// Associated data, which its tag covers too.
    pub(crate) associated_data: Vec<u8>,
    /// Its tag: GCM has the first 16 bytes.
    pub(crate) tag: [u8; 32],
    /// No chunk follows.
    pub(crate) last: bool,
    /// Bytes of input that it took.
    pub(crate) bytes_in: u64,
}

/// Where chunks come from.
pub(crate) trait Source: Send {
    /// Fill the next chunk: data, in a buffer of the allocator's, and whatever belongs to it. The
    /// chunk that says `last` ends the stream; every stream has one.
    fn fill(&mut self, chunk: &mut Chunk, allocator: &Allocator) -> Result<()>;
}

/// Where chunks go.
pub(crate) trait Sink: Send {
    /// Take the next chunk.
    fn take(&mut self, chunk: &Chunk) -> Result<()>;
}
