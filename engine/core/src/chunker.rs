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
    /// Bytes that are read beyond a chunk, one or none, to know whether another one follows.
    ahead: usize,
    /// The byte that showed that the previous chunk was not the last.
    carried: Option<u8>,
}

impl<R: Read> Chunker<R> {
    pub(crate) fn new(reader: R, chunk_bytes: usize) -> Chunker<R> {
        Chunker {
            reader,
            chunk_bytes,
            ahead: 1,
            carried: None,
        }
    }

    /// A chunker that reads nothing of a chunk before the one in front of it has been used.
    /// Where the stream is whole chunks, an empty one is the last.
    pub(crate) fn exact(reader: R, chunk_bytes: usize) -> Chunker<R> {
        Chunker {
            ahead: 0,
            ..Chunker::new(reader, chunk_bytes)
        }
    }

    /// Read the next chunk straight into its buffer, which has room for a block
    /// of padding. An empty stream is one empty chunk; otherwise none is empty, unless it was
    /// made by [`Chunker::exact`].
    pub(crate) fn fill(&mut self, chunk: &mut Chunk, allocator: &Allocator) -> Result<()> {
        allocator.prepare(&mut chunk.data, self.chunk_bytes + BLOCK_BYTES)?;
        let mut filled = 0;
        if let Some(byte) = self.carried.take() {
            chunk.data[0] = byte;
            filled = 1;
        }
        let wanted = self.chunk_bytes + self.ahead;
        filled += read_full(&mut self.reader, &mut chunk.data[filled..wanted])?;
        chunk.last = filled < wanted;
        if filled > self.chunk_bytes {
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

    /// Lengths of the chunks, and how much of the stream was read after each.
    fn chunks<'a>(
        cut: fn(&'a [u8], usize) -> Chunker<&'a [u8]>,
        data: &'a [u8],
    ) -> Vec<(usize, usize)> {
        let mut chunker = cut(data, 16);
        let (mut lengths, mut seen) = (Vec::new(), Vec::new());
        let mut chunk = Chunk::default();
        while !chunk.last {
            chunker.fill(&mut chunk, &Allocator::default()).unwrap();
            lengths.push((chunk.data.len(), data.len() - chunker.reader.len()));
            seen.extend_from_slice(&chunk.data);
        }
        assert_eq!(seen, data);
        lengths
    }

    #[test]
    fn only_the_empty_stream_has_an_empty_chunk() {
        let data: Vec<u8> = (0..48).collect();
        let lengths = |bytes: usize| {
            let chunks = chunks(Chunker::new, &data[..bytes]);
            chunks
                .into_iter()
                .map(|(length, _)| length)
                .collect::<Vec<_>>()
        };
        assert_eq!(lengths(0), [0]);
        assert_eq!(lengths(1), [1]);
        assert_eq!(lengths(16), [16]);
        assert_eq!(lengths(17), [16, 1]);
        assert_eq!(lengths(48), [16, 16, 16]);
    }

    #[test]
    fn an_exact_chunker_reads_nothing_of_the_next_chunk() {
        let data: Vec<u8> = (0..32).collect();
        assert_eq!(chunks(Chunker::exact, &data[..0]), [(0, 0)]);
        assert_eq!(chunks(Chunker::exact, &data[..20]), [(16, 16), (4, 20)]);
        assert_eq!(chunks(Chunker::exact, &data), [(16, 16), (16, 32), (0, 32)]);
    }
}
