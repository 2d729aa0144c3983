// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The file format of `openssl enc -pbkdf2`.
//!
//! **Not authenticated**: whoever can change such a file can change the plaintext
//! without being noticed, and what is decrypted is released before anything could
//! be checked. A wrong password usually shows as wrong padding in CBC and ECB (it
//! passes once in some 256 tries) and never in CTR. Use it to exchange files with
//! OpenSSL, and the container otherwise.
//!
//! The format is the word `Salted__`, 8 bytes of salt, and the ciphertext. Key and
//! IV are the output of PBKDF2-HMAC-SHA-256 over the password and that salt, so
//! that they are fresh for every file. It is what
//! `openssl enc -aes-256-cbc -pbkdf2 -iter 10000 -md sha256` does (its defaults for
//! `-iter` and `-md`); files made without `-pbkdf2` are not read.
//!
//! ```
//! use ciphermill::openssl_format::{self, OpensslOptions};
//! use ciphermill::testing::ReferenceDevice;
//! use ciphermill::{Cancellation, Secret};
//! let device = ReferenceDevice::new();
//! let options = OpensslOptions::new(Secret::password("secret").unwrap());
//! let never = Cancellation::new();
//! let mut sent = Vec::new();
//! openssl_format::encrypt(&b"Attack"[..], &mut sent, &device, &options, &mut |_| {}, &never)
//!     .unwrap();
//! assert_eq!(&sent[..8], b"Salted__");
//! let mut got = Vec::new();
//! openssl_format::decrypt(&sent[..], &mut got, &device, &options, &mut |_| {}, &never).unwrap();
//! assert_eq!(got, b"Attack");
//! ```

use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;

use zeroize::Zeroizing;

use crate::chain::Chain;
use crate::chunk::{Chunk, Sink, Source};
use crate::chunker::{Chunker, read_full, writing};
use crate::container::fresh_salt;
use crate::files::with_files;
use crate::key_derivation::pbkdf2;
use crate::output::OutputOptions;
use crate::pipeline::{self, Plan, or_cancelled};
use crate::support::supported_direction;
use crate::{
    Allocator, BLOCK_BYTES, Cancellation, CipherRequest, DEFAULT_CHUNK_BYTES, Device, Direction,
    Error, Key, KeyBits, KeyDerivation, Mode, Result, Secret, Summary, padding,
};

const MAGIC: [u8; 8] = *b"Salted__";
const SALT_BYTES: usize = 8;

/// How to encrypt or decrypt: nothing of this stands in the file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OpensslOptions {
    /// CBC, CTR or ECB.
    pub mode: Mode,
    /// Size of the AES key.
    pub key_bits: KeyBits,
    /// Iterations of PBKDF2 (`-iter`).
    pub iterations: u32,
    /// The password.
    pub secret: Secret,
}

impl OpensslOptions {
    /// AES-256-CBC with 10,000 iterations, which is OpenSSL's default and few by
    /// today's standards: where both sides can, use `-iter 600000`.
    pub fn new(secret: Secret) -> OpensslOptions {
        OpensslOptions {
            mode: Mode::Cbc,
            key_bits: KeyBits::Bits256,
            iterations: 10_000,
            secret,
        }
    }

    fn check(&self) -> Result<()> {
        if matches!(self.mode, Mode::Gcm | Mode::Xts) {
            return Err(Error::invalid(format!(
                "format openssl has no {}, as `openssl enc` has none: choose cbc, ctr or ecb",
                self.mode
            )));
        }
        if !self.secret.is_password() {
            return Err(Error::invalid("format openssl takes a password, not a key"));
        }
        if self.iterations == 0 {
            return Err(Error::invalid("PBKDF2 needs at least one iteration"));
        }
        Ok(())
    }

    /// Key and IV (`openssl enc`: one PBKDF2 output, the key first).
    fn derive(
        &self,
        salt: &[u8; SALT_BYTES],
        stop: &Cancellation,
    ) -> Result<(Key, [u8; BLOCK_BYTES])> {
        let key_bytes = self.key_bits.bytes();
        let mut output = Zeroizing::new(vec![0; key_bytes + BLOCK_BYTES]);
        let password = self.secret.as_bytes();
        pbkdf2::derive(password, salt, self.iterations, &mut output, stop)?;
        let (key, iv) = output.split_at(key_bytes);
        Ok((Key::new(key)?, iv.try_into().expect("a block")))
    }
}

/// Encrypt a stream as `openssl enc -pbkdf2` does, with a fresh salt.
///
/// # Errors
/// As [`crate::encrypt`]; also [`crate::ErrorKind::Invalid`] for GCM or a raw key.
pub fn encrypt<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: W,
    device: &dyn Device,
    options: &OpensslOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    let stop = cancellation.child();
    encrypt_stream(reader, writer, device, options, progress, &stop)
}

/// Decrypt a stream that `openssl enc -pbkdf2` wrote. What is written is **not
/// authenticated**; a wrong password or changed file may go unnoticed.
///
/// # Errors
/// As [`encrypt`]; also [`crate::ErrorKind::Damaged`] for what does not begin
/// with `Salted__`, for ciphertext of CBC or ECB that is not whole blocks, and
/// for wrong padding.
pub fn decrypt<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: W,
    device: &dyn Device,
    options: &OpensslOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    let stop = cancellation.child();
    decrypt_stream(reader, writer, device, options, progress, &stop)
}

/// [`encrypt`] from file to file; see [`crate::encrypt_path`] for the rules.
///
/// # Errors
/// As [`encrypt`] and [`crate::encrypt_path`].
pub fn encrypt_path(
    input: &Path,
    output: &Path,
    device: &dyn Device,
    options: &OpensslOptions,
    output_options: &OutputOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    with_files(
        input,
        output,
        output_options,
        true,
        cancellation,
        |reader, writer, stop| encrypt_stream(reader, writer, device, options, progress, stop),
    )
}

/// [`decrypt`] from file to file; see [`crate::decrypt_path`] for the rules.
///
/// # Errors
/// As [`decrypt`] and [`crate::decrypt_path`].
pub fn decrypt_path(
    input: &Path,
    output: &Path,
    device: &dyn Device,
    options: &OpensslOptions,
    output_options: &OutputOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    with_files(
        input,
        output,
        output_options,
        false,
        cancellation,
        |reader, writer, stop| decrypt_stream(reader, writer, device, options, progress, stop),
    )
}

fn encrypt_stream<R: Read + Send, W: Write + Send>(
    reader: R,
    mut writer: W,
    device: &dyn Device,
    options: &OpensslOptions,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
) -> Result<Summary> {
    options.check()?;
    supported_direction(device, options.mode, Direction::Encrypt, options.key_bits)?;
    let salt = fresh_salt()?;
    let header: Vec<u8> = MAGIC.into_iter().chain(salt).collect();
    or_cancelled(writer.write_all(&header).map_err(writing), stop)?;
    let stream = Stream::new(device, options, Direction::Encrypt);
    let mut summary = stream.run(&salt, reader, writer, progress, stop)?;
    summary.bytes_out += header.len() as u64;
    Ok(summary)
}

fn decrypt_stream<R: Read + Send, W: Write + Send>(
    mut reader: R,
    writer: W,
    device: &dyn Device,
    options: &OpensslOptions,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
) -> Result<Summary> {
    options.check()?;
    supported_direction(device, options.mode, Direction::Decrypt, options.key_bits)?;
    let mut header = [0; MAGIC.len() + SALT_BYTES];
    let count = or_cancelled(read_full(&mut reader, &mut header), stop)?;
    if count < header.len() || header[..MAGIC.len()] != MAGIC {
        return Err(Error::damaged(
            "not a file of `openssl enc`: it does not begin with Salted__ and a salt",
        ));
    }
    let salt = header.last_chunk().expect("the salt is its end");
    let stream = Stream::new(device, options, Direction::Decrypt);
    let mut summary = stream.run(salt, reader, writer, progress, stop)?;
    summary.bytes_in += header.len() as u64;
    Ok(summary)
}

struct Stream<'a> {
    device: &'a dyn Device,
    options: &'a OpensslOptions,
    direction: Direction,
}

impl<'a> Stream<'a> {
    fn new(
        device: &'a dyn Device,
        options: &'a OpensslOptions,
        direction: Direction,
    ) -> Stream<'a> {
        Stream {
            device,
            options,
            direction,
        }
    }

    fn run<R: Read + Send, W: Write + Send>(
        &self,
        salt: &[u8; SALT_BYTES],
        reader: R,
        writer: W,
        progress: &mut dyn FnMut(u64),
        stop: &Cancellation,
    ) -> Result<Summary> {
        let (mode, key_bits) = (self.options.mode, self.options.key_bits);
        let began = Instant::now();
        let (key, iv) = self.options.derive(salt, stop)?;
        let derivation_time = began.elapsed();

        let began = Instant::now();
        let direction = supported_direction(self.device, mode, self.direction, key_bits)?;
        let request = CipherRequest::new(mode, direction, key, iv);
        let plan = Plan {
            device: self.device,
            chain: Some(Chain::new(&request)),
            request,
            before: None,
            after: None,
        };
        let padding = mode.needs_whole_blocks().then_some(self.direction);
        let mut source = Chunks {
            chunker: Chunker::new(reader, DEFAULT_CHUNK_BYTES),
            padding,
        };
        let mut sink = Bytes {
            writer,
            padding,
            bytes: 0,
        };
        let totals = pipeline::run(plan, &mut source, &mut sink, progress, stop, true)?;
        or_cancelled(sink.writer.flush().map_err(writing), stop)?;
        Ok(Summary {
            mode,
            key_bits,
            key_derivation: KeyDerivation::Pbkdf2 {
                iterations: self.options.iterations,
            },
            bytes_in: totals.bytes_in,
            bytes_out: sink.bytes,
            chunks: totals.chunks,
            derivation_time,
            time: began.elapsed(),
            device: totals.timing,
        })
    }
}

/// The message in chunks, padded at the end where it is to be.
struct Chunks<R> {
    chunker: Chunker<R>,
    padding: Option<Direction>,
}

impl<R: Read + Send> Source for Chunks<R> {
    fn fill(&mut self, chunk: &mut Chunk, allocator: &Allocator) -> Result<()> {
        self.chunker.fill(chunk, allocator)?;
        match self.padding {
            Some(Direction::Encrypt) if chunk.last => padding::pad(&mut chunk.data)?,
            Some(Direction::Decrypt)
                if chunk.last
                    && (chunk.data.is_empty() || !chunk.data.len().is_multiple_of(BLOCK_BYTES)) =>
            {
                return Err(Error::damaged(
                    "the ciphertext is not whole blocks: the file was cut short, \
                     or it is of another mode",
                ));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The output, without the padding at the end.
struct Bytes<W> {
    writer: W,
    padding: Option<Direction>,
    bytes: u64,
}

impl<W: Write + Send> Sink for Bytes<W> {
    fn take(&mut self, chunk: &Chunk) -> Result<()> {
        let mut bytes = chunk.data.len();
        if chunk.last && self.padding == Some(Direction::Decrypt) {
            bytes = padding::unpadded_bytes(&chunk.data).map_err(|_| {
                Error::damaged(
                    "the padding is wrong: wrong password, mode, key size or number of \
                     iterations, or the file was damaged",
                )
            })?;
        }
        self.writer
            .write_all(&chunk.data[..bytes])
            .map_err(writing)?;
        self.bytes += bytes as u64;
        Ok(())
    }
}
