// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What every device here does in the same way.

use ciphermill::{Buffer, Cancellation, Error, Output, Request, Result, Span};

/// Bytes after which a job looks at its cancellation: under a millisecond's work.
pub(crate) const SLICE_BYTES: usize = 1 << 20;

/// Works on the data, whose place the output takes, and gives the tag of an encryption. It is
/// called with a request that [`Request::check`] has passed and that is no bypass.
pub(crate) type Run =
    dyn Fn(&Request, &mut Buffer, &Cancellation) -> Result<Option<[u8; 16]>> + Send + Sync;

/// The error of a tag that does not match.
pub(crate) fn wrong_tag() -> Error {
    Error::authentication("the tag does not match: wrong key, or altered data")
}

/// An output that is as long as its input.
pub(crate) fn check_lengths(span: &Span<'_>) -> Result<()> {
    match span {
        Span::Apart(input, output) if input.len() != output.len() => {
            Err(Error::invalid("the output is not as long as the input"))
        }
        _ => Ok(()),
    }
}

/// Back to the host, or into the sink: here the sink only lets go of the data. Its room stays,
/// for whoever uses and erases it again.
pub(crate) fn deliver(output: Output, mut data: Buffer) -> Buffer {
    if output == Output::Sink {
        data.truncate(0);
    }
    data
}
