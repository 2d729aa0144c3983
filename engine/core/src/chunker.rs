// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Reading and writing of whole buffers, and of streams cut into chunks.

use std::io::{self, Read};

use crate::chunk::Chunk;
use crate::{Allocator, BLOCK_BYTES, Error, Result};

/// Read until the buffer is full or the input ends; the number of bytes read.
pub(crate) fn read_full(reader: &mut dyn Read, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(reading(error)),
        }
    }
    Ok(filled)
}

/// An error of the input.
pub(crate) fn reading(error: io::Error) -> Error {
    Error::io("reading the input", error)
}

/// An error of the output.
pub(crate) fn writing(error: io::Error) -> Error {
    Error::io("writing the output", error)
}

/// Cuts a stream into chunks of one length; knows which one is the last.
pub(crate) struct Chunker<R> {
    reader: R,
    chunk_bytes: usize,
    /// The byte that showed that the previous chunk was not the last.
    carried: Option<u8>,
}

impl<R: Read> Chunker<R> {
    pub(crate) fn new(reader: R, chunk_bytes: usize) -> Chunker<R> {
        Chunker {
            reader,
            chunk_bytes,
            carried: None,
        }
    }

    /// Read the next chunk straight into its buffer, which has room for a block
    /// of padding. An empty stream is one empty chunk; otherwise none is empty.
    pub(crate) fn fill(&mut self, chunk: &mut Chunk, allocator: &Allocator) -> Result<()> {
        // One byte more than a chunk tells whether another one follows.
        allocator.prepare(&mut chunk.data, self.chunk_bytes + BLOCK_BYTES);
        let mut filled = 0;
        if let Some(byte) = self.carried.take() {
            chunk.data[0] = byte;
            filled = 1;
        }
        let window = &mut chunk.data[filled..=self.chunk_bytes];
        filled += read_full(&mut self.reader, window)?;
        chunk.last = filled <= self.chunk_bytes;
        if !chunk.last {
            self.carried = Some(chunk.data[self.chunk_bytes]);
            filled = self.chunk_bytes;
        }
        chunk.data.truncate(filled);
        chunk.bytes_in = filled as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(bytes: usize, chunk: usize) -> Vec<usize> {
        let data: Vec<u8> = (0..bytes).map(|byte| byte as u8).collect();
        let mut chunker = Chunker::new(&data[..], chunk);
        let (mut lengths, mut seen) = (Vec::new(), Vec::new());
        let mut chunk = Chunk::default();
        while !chunk.last {
            chunker.fill(&mut chunk, &Allocator::default()).unwrap();
            lengths.push(chunk.data.len());
            seen.extend_from_slice(&chunk.data);
        }
        assert_eq!(seen, data);
        lengths
    }

    #[test]
    fn only_the_empty_stream_has_an_empty_chunk() {
        assert_eq!(chunks(0, 16), [0]);
        assert_eq!(chunks(1, 16), [1]);
        assert_eq!(chunks(16, 16), [16]);
        assert_eq!(chunks(17, 16), [16, 1]);
        assert_eq!(chunks(48, 16), [16, 16, 16]);
    }
}
