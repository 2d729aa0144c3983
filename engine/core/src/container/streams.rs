// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Chunks from and to files, plain and sealed.

use std::io::{self, BufRead, BufReader, IoSlice, Read, Write};

use super::header::Header;
use super::keys::{FileKeys, LAST, length_field};
use crate::chunk::{Chunk, Sink, Source};
use crate::chunker::{Chunker, read_full, reading, writing};
use crate::{Allocator, BLOCK_BYTES, Error, Mode, Result, padding};

/// Plaintext, cut into chunks.
pub(crate) struct PlainSource<'a, R> {
    chunker: Chunker<R>,
    keys: &'a FileKeys,
    mode: Mode,
}

impl<'a, R: Read + Send> PlainSource<'a, R> {
    pub(crate) fn new(reader: R, header: &Header, keys: &'a FileKeys) -> PlainSource<'a, R> {
        PlainSource {
            chunker: Chunker::new(reader, header.chunk_bytes),
            keys,
            mode: header.mode,
        }
    }
}

impl<R: Read + Send> Source for PlainSource<'_, R> {
    fn fill(&mut self, chunk: &mut Chunk, allocator: &Allocator) -> Result<()> {
        self.chunker.fill(chunk, allocator)?;
        if chunk.last && self.mode.needs_whole_blocks() {
            padding::pad(&mut chunk.data)?;
        }
        self.keys.label(chunk)
    }
}

/// Chunks into a file.
pub(crate) struct SealedSink<W> {
    writer: W,
    tag_bytes: usize,
    /// Bytes written.
    pub(crate) bytes: u64,
}

impl<W: Write + Send> SealedSink<W> {
    pub(crate) fn new(writer: W, keys: &FileKeys) -> SealedSink<W> {
        SealedSink {
            writer,
            tag_bytes: keys.tag_bytes(),
            bytes: 0,
        }
    }

    /// Bytes that stand in the file as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_parts([bytes, &[], &[]])
    }

    /// Everything has been written.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(writing)
    }

    fn write_parts(&mut self, parts: [&[u8]; 3]) -> Result<()> {
        let mut slices = parts.map(IoSlice::new);
        let mut rest = &mut slices[..];
        // An empty slice in front would look like a writer that takes nothing.
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            match self.writer.write_vectored(rest) {
                Ok(0) => return Err(writing(io::ErrorKind::WriteZero.into())),
                Ok(count) => {
                    self.bytes += count as u64;
                    IoSlice::advance_slices(&mut rest, count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(writing(error)),
            }
        }
        Ok(())
    }
}

impl<W: Write + Send> Sink for SealedSink<W> {
    fn take(&mut self, chunk: &Chunk) -> Result<()> {
        let length = length_field(chunk.data.len(), chunk.last).to_be_bytes();
        self.write_parts([&length, &chunk.data, &chunk.tag[..self.tag_bytes]])
    }
}

/// Chunks from a file, not yet checked.
pub(crate) struct SealedSource<'a, R> {
    reader: BufReader<R>,
    keys: &'a FileKeys,
    mode: Mode,
    chunk_bytes: usize,
}

impl<'a, R: Read + Send> SealedSource<'a, R> {
    pub(crate) fn new(
        reader: BufReader<R>,
        header: &Header,
        keys: &'a FileKeys,
    ) -> SealedSource<'a, R> {
        SealedSource {
            reader,
            keys,
            mode: header.mode,
            chunk_bytes: header.chunk_bytes,
        }
    }

    /// Whether a chunk can have this length.
    fn can_be(&self, bytes: usize, last: bool) -> bool {
        if !last {
            bytes == self.chunk_bytes
        } else if self.mode.needs_whole_blocks() {
            bytes.is_multiple_of(BLOCK_BYTES)
                && (BLOCK_BYTES..=self.chunk_bytes + BLOCK_BYTES).contains(&bytes)
        } else {
            bytes <= self.chunk_bytes
        }
    }
}

impl<R: Read + Send> Source for SealedSource<'_, R> {
    fn fill(&mut self, chunk: &mut Chunk, allocator: &Allocator) -> Result<()> {
        let index = chunk.index;
        let cut = |when: &str| Error::damaged(format!("the file was cut short: it ends {when}"));
        let mut field = [0; 4];
        let tag_bytes = self.keys.tag_bytes();
        match read_full(&mut self.reader, &mut field)? {
            4 => {}
            0 => return Err(cut(&format!("before chunk {index}, without a last chunk"))),
            _ => return Err(cut(&format!("within chunk {index}"))),
        }
        let field = u32::from_be_bytes(field);
        let length = (field & !LAST) as usize;
        chunk.last = field & LAST != 0;
        if !self.can_be(length, chunk.last) {
            return Err(Error::damaged(format!(
                "chunk {index} has an impossible length: the file was damaged or altered"
            )));
        }
        allocator.prepare(&mut chunk.data, length)?;
        let read = read_full(&mut self.reader, &mut chunk.data)?
            + read_full(&mut self.reader, &mut chunk.tag[..tag_bytes])?;
        if read < length + tag_bytes {
            return Err(cut(&format!("within chunk {index}")));
        }
        chunk.bytes_in = (field.to_be_bytes().len() + read) as u64;
        if chunk.last && !self.reader.fill_buf().map_err(reading)?.is_empty() {
            return Err(Error::damaged(
                "bytes follow the last chunk: something was appended to the file, \
                 or it was damaged",
            ));
        }
        self.keys.label(chunk)
    }
}

/// Checked and decrypted chunks into a file.
pub(crate) struct PlainSink<W> {
    writer: W,
    mode: Mode,
    chunk_bytes: usize,
    /// Bytes written.
    pub(crate) bytes: u64,
}

impl<W: Write + Send> PlainSink<W> {
    pub(crate) fn new(writer: W, header: &Header) -> PlainSink<W> {
        PlainSink {
            writer,
            mode: header.mode,
            chunk_bytes: header.chunk_bytes,
            bytes: 0,
        }
    }

    /// Everything has been written.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(writing)
    }
}

impl<W: Write + Send> Sink for PlainSink<W> {
    fn take(&mut self, chunk: &Chunk) -> Result<()> {
        let mut bytes = chunk.data.len();
        if chunk.last && self.mode.needs_whole_blocks() {
            bytes = padding::unpadded_bytes(&chunk.data)?;
        }
        // Authentic, but no writer of this format makes such a chunk.
        if bytes > self.chunk_bytes || (bytes == 0 && chunk.index > 0) {
            return Err(Error::damaged(format!(
                "chunk {} is malformed: it has {bytes} bytes of plaintext",
                chunk.index
            )));
        }
        self.writer
            .write_all(&chunk.data[..bytes])
            .map_err(writing)?;
        self.bytes += bytes as u64;
        Ok(())
    }
}
