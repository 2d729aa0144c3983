// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A piece of a stream, where it comes from and where it goes.

use zeroize::Zeroizing;

use crate::Result;

/// A piece of a stream on its way; its buffer is reused, and zeroised in the end.
#[derive(Default)]
pub(crate) struct Piece {
    /// Number in the stream, from 0.
    pub(crate) index: u64,
    /// Input, then output.
    pub(crate) data: Zeroizing<Vec<u8>>,
    /// The piece's IV, where the stream does not chain.
    pub(crate) iv: [u8; 16],
    /// What its tag covers beside the data.
    pub(crate) associated_data: Vec<u8>,
    /// Its tag: GCM has the first 16 bytes.
    pub(crate) tag: [u8; 32],
    /// No piece follows.
    pub(crate) last: bool,
    /// Bytes of input that it took.
    pub(crate) bytes_in: u64,
}

/// Where pieces come from.
pub(crate) trait Source: Send {
    /// Fill the next piece: data and whatever belongs to it. The piece that says
    /// `last` ends the stream; every stream has one.
    fn fill(&mut self, piece: &mut Piece) -> Result<()>;
}

/// Where pieces go.
pub(crate) trait Sink: Send {
    /// Take the next piece.
    fn take(&mut self, piece: &Piece) -> Result<()>;
}
