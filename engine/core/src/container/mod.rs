// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The file container: authenticated, chunked, streaming.
//!
//! docs/reference/container.md specifies the format. [`encrypt`] and [`decrypt`]
//! stream from a reader to a writer, [`seal`] and [`open`] take whole buffers.

mod header;
mod keys;
mod options;
mod streams;
#[cfg(test)]
mod tests;

use std::io::{BufReader, Read, Write};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use self::header::RawHeader;
pub use self::header::{DEFAULT_CHUNK_BYTES, Header, MAXIMUM_CHUNK_BYTES, MINIMUM_CHUNK_BYTES};
use self::keys::FileKeys;
pub use self::options::{DecryptOptions, EncryptOptions, Summary};
use self::streams::{PlainSink, PlainSource, SealedSink, SealedSource};
use crate::chunk::Chunk;
use crate::pipeline::{self, Plan, Totals, or_cancelled};
use crate::support::supported_direction;
use crate::{
    Cancellation, CipherRequest, Device, Direction, Error, KeyBits, KeyDerivation, Mode, Result,
};

/// Buffer in front of a sealed file: small against a chunk, so that most bytes
/// go straight into the chunk's own buffer.
const READ_AHEAD_BYTES: usize = 16 << 10;

/// The mode in which this device encrypts best: GCM where it can, otherwise CTR,
/// CBC or ECB, each authenticated by HMAC-SHA-256.
///
/// ECB shows which blocks of the plaintext are equal: warn when this gives it.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{KeyBits, Mode, choose_mode};
/// let device = ReferenceDevice::new().with_modes(&[Mode::Ecb, Mode::Ctr]);
/// assert_eq!(choose_mode(&device, KeyBits::Bits256).unwrap(), Mode::Ctr);
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] when the device cannot encrypt with this key size.
pub fn choose_mode(device: &dyn Device, key_bits: KeyBits) -> Result<Mode> {
    [Mode::Gcm, Mode::Ctr, Mode::Cbc, Mode::Ecb]
        .into_iter()
        .find(|mode| {
            let capabilities = device.capabilities();
            capabilities.supports(*mode, Direction::Encrypt, key_bits.bits())
        })
        .ok_or_else(|| {
            Error::unsupported(format!(
                "device {} cannot encrypt AES-{}: choose another device or key size",
                device.name(),
                key_bits.bits()
            ))
        })
}

/// Encrypt a stream into a container.
///
/// Reader, device and writer overlap. `progress` gets the bytes of input done so
/// far, on this thread. Cancellation is looked at while the key is derived and between
/// chunks; a reader that blocks is waited for.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Cancellation, DecryptOptions, EncryptOptions, Secret, decrypt, encrypt};
/// let device = ReferenceDevice::new();
/// let secret = Secret::key([7; 32]).unwrap();
/// let never = Cancellation::new();
/// let mut sealed = Vec::new();
/// let options = EncryptOptions::new(secret.clone());
/// encrypt(&b"Attack at dawn"[..], &mut sealed, &device, &options, &mut |_| {}, &never).unwrap();
///
/// let mut opened = Vec::new();
/// let options = DecryptOptions::new(secret);
/// let summary =
///     decrypt(&sealed[..], &mut opened, &device, &options, &mut |_| {}, &never).unwrap();
/// assert_eq!(opened, b"Attack at dawn");
/// assert_eq!(summary.chunks, 1);
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Invalid`] for options that cannot be,
/// [`crate::ErrorKind::Unsupported`] for what the device cannot do,
/// [`crate::ErrorKind::Io`] from reader and writer,
/// [`crate::ErrorKind::Device`] from the device, [`crate::ErrorKind::Cancelled`].
pub fn encrypt<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: W,
    device: &dyn Device,
    options: &EncryptOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    encrypt_stream(
        reader,
        writer,
        device,
        options,
        progress,
        &cancellation.child(),
    )
}

/// As [`encrypt`]; `stop` is set when the run fails.
pub(crate) fn encrypt_stream<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: W,
    device: &dyn Device,
    options: &EncryptOptions,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
) -> Result<Summary> {
    let file = NewFile::prepare(device, options, fresh_salt()?, stop)?;
    file.encrypt(reader, writer, device, progress, stop, true)
}

/// Encrypt a buffer into a container.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{DecryptOptions, EncryptOptions, Secret, open, seal};
/// let device = ReferenceDevice::new();
/// let secret = Secret::key([7; 32]).unwrap();
/// let sealed = seal(b"Attack", &device, &EncryptOptions::new(secret.clone())).unwrap();
/// let again = seal(b"Attack", &device, &EncryptOptions::new(secret.clone())).unwrap();
/// assert_ne!(sealed, again); // a fresh salt, and so fresh keys, each time
/// let opened = open(&sealed, &device, &DecryptOptions::new(secret)).unwrap();
/// assert_eq!(opened[..], b"Attack"[..]);
/// ```
///
/// # Errors
/// As [`encrypt`].
pub fn seal(data: &[u8], device: &dyn Device, options: &EncryptOptions) -> Result<Vec<u8>> {
    let stop = Cancellation::new();
    let file = NewFile::prepare(device, options, fresh_salt()?, &stop)?;
    let chunks = data.len() / options.chunk_bytes + 1;
    let mut sealed = Vec::with_capacity(header::HEADER_BYTES + data.len() + 16 + chunks * 36);
    let overlap = chunks > 1;
    file.encrypt(data, &mut sealed, device, &mut |_| {}, &stop, overlap)?;
    Ok(sealed)
}

/// Decrypt a container into a stream.
///
/// The header is checked before anything is written, and each chunk before it is
/// written: nothing unauthenticated is ever released. Chunks before a damaged
/// one are written, so that a failed run leaves the true beginning of the file
/// and an error. See [`encrypt`] for the rest and an example.
///
/// # Errors
/// [`crate::ErrorKind::Damaged`] for what is not a container, is cut short, has
/// changed, or asks for a derivation beyond the limits;
/// [`crate::ErrorKind::Authentication`] for a wrong password or key, or data
/// that was altered; [`crate::ErrorKind::Invalid`] for a key where a password is
/// needed (or the reverse); otherwise as [`encrypt`].
pub fn decrypt<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: W,
    device: &dyn Device,
    options: &DecryptOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    decrypt_stream(
        reader,
        writer,
        device,
        options,
        progress,
        &cancellation.child(),
    )
}

/// Decrypt a container in a buffer. The plaintext is zeroised when dropped, and
/// there is none unless all of it is authentic. See [`seal`].
///
/// # Errors
/// As [`decrypt`].
pub fn open(
    sealed: &[u8],
    device: &dyn Device,
    options: &DecryptOptions,
) -> Result<Zeroizing<Vec<u8>>> {
    open_until(sealed, device, options, &Cancellation::new())
}

/// As [`open`]; gives up when the cancellation is set.
///
/// # Errors
/// As [`decrypt`].
pub fn open_until(
    sealed: &[u8],
    device: &dyn Device,
    options: &DecryptOptions,
    cancellation: &Cancellation,
) -> Result<Zeroizing<Vec<u8>>> {
    // Never grows, and so leaves no copies behind.
    let mut opened = Zeroizing::new(Vec::with_capacity(sealed.len()));
    let overlap = sealed.len() > DEFAULT_CHUNK_BYTES;
    decrypt_any(
        sealed,
        &mut *opened,
        device,
        options,
        &mut |_| {},
        &cancellation.child(),
        overlap,
    )?;
    Ok(opened)
}

/// What a container says about itself. Only the plain SHA-256 is checked, since
/// that needs no secret: an attacker can have written any of it.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{EncryptOptions, KeyDerivation, Mode, Secret, inspect, seal};
/// let options = EncryptOptions::new(Secret::key([7; 32]).unwrap());
/// let sealed = seal(b"Attack", &ReferenceDevice::new(), &options).unwrap();
/// let header = inspect(&sealed[..]).unwrap();
/// assert_eq!((header.mode, header.key_derivation), (Mode::Gcm, KeyDerivation::RawKey));
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Damaged`] for what is not a container, or not a whole header.
pub fn inspect(mut reader: impl Read) -> Result<Header> {
    Ok(RawHeader::read(&mut reader)?.header)
}

/// Random bytes from the system.
pub(crate) fn fresh_salt<const N: usize>() -> Result<[u8; N]> {
    let mut salt = [0; N];
    getrandom::fill(&mut salt)
        .map_err(|error| Error::io("asking the system for a random salt", error.into()))?;
    Ok(salt)
}

/// Refuse now what [`encrypt`] would refuse of these options on this device, before any time
/// is spent on them. Only the kind of the secret counts, and of a key its length.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{EncryptOptions, Secret, check_encryption};
/// let device = ReferenceDevice::new();
/// let mut options = EncryptOptions::new(Secret::password("not known yet").unwrap());
/// check_encryption(&device, &options).unwrap();
/// options.chunk_bytes = 17;
/// check_encryption(&device, &options).unwrap_err();
/// ```
///
/// # Errors
/// Those of [`encrypt`] for its options.
pub fn check_encryption(device: &dyn Device, options: &EncryptOptions) -> Result<()> {
    new_header(device, options, [0; 32]).map(drop)
}

/// The header of a new file, checked.
fn new_header(device: &dyn Device, options: &EncryptOptions, salt: [u8; 32]) -> Result<Header> {
    let mode = match options.mode {
        Some(mode) => mode,
        None => choose_mode(device, options.key_bits)?,
    };
    let secret = &options.secret;
    let key_derivation = if secret.is_password() {
        options.key_derivation
    } else {
        KeyDerivation::RawKey
    };
    if mode == Mode::Xts {
        return Err(Error::invalid(
            "XTS is for storage by data units, not for files: choose gcm, ctr, cbc or ecb",
        ));
    }
    let bits = 8 * secret.as_bytes().len();
    if !secret.is_password() && bits < options.key_bits.bits() {
        return Err(Error::invalid(format!(
            "a key of {bits} bits is too short for AES-{}: give a longer one or choose AES-{bits}",
            options.key_bits.bits()
        )));
    }
    let header = Header {
        version: header::VERSION,
        mode,
        key_bits: options.key_bits,
        key_derivation,
        chunk_bytes: options.chunk_bytes,
        salt,
    };
    header.check(&options.limits)?;
    supported_direction(device, header.mode, Direction::Encrypt, header.key_bits)?;
    Ok(header)
}

/// A file about to be written.
struct NewFile {
    raw: RawHeader,
    keys: FileKeys,
    derivation_time: Duration,
}

impl NewFile {
    fn prepare(
        device: &dyn Device,
        options: &EncryptOptions,
        salt: [u8; 32],
        stop: &Cancellation,
    ) -> Result<NewFile> {
        let header = new_header(device, options, salt)?;
        let mut raw = header.encode();
        let began = Instant::now();
        let keys = FileKeys::derive(&options.secret, &raw, stop)?;
        let derivation_time = began.elapsed();
        raw.set_tag(&keys.header_tag(&raw));
        Ok(NewFile {
            raw,
            keys,
            derivation_time,
        })
    }

    fn encrypt<R: Read + Send, W: Write + Send>(
        self,
        reader: R,
        writer: W,
        device: &dyn Device,
        progress: &mut dyn FnMut(u64),
        stop: &Cancellation,
        overlap: bool,
    ) -> Result<Summary> {
        let began = Instant::now();
        let header = &self.raw.header;
        let mut source = PlainSource::new(reader, header, &self.keys);
        let mut sink = SealedSink::new(writer, &self.keys);
        or_cancelled(sink.write(&self.raw.bytes), stop)?;
        let authenticate = |chunk: &mut Chunk| {
            self.keys.authenticate(chunk);
            Ok(())
        };
        let mut plan = plan(device, header, &self.keys, Direction::Encrypt)?;
        if header.mode != Mode::Gcm {
            plan.after = Some(&authenticate);
        }
        let totals = pipeline::run(plan, &mut source, &mut sink, progress, stop, overlap)?;
        or_cancelled(sink.flush(), stop)?;
        let mut summary = summary(header, totals, self.derivation_time, began);
        summary.bytes_out = sink.bytes;
        Ok(summary)
    }
}

/// As [`decrypt`]; `stop` is set when the run fails.
pub(crate) fn decrypt_stream<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: W,
    device: &dyn Device,
    options: &DecryptOptions,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
) -> Result<Summary> {
    decrypt_any(reader, writer, device, options, progress, stop, true)
}

fn decrypt_any<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: W,
    device: &dyn Device,
    options: &DecryptOptions,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
    overlap: bool,
) -> Result<Summary> {
    let mut reader = BufReader::with_capacity(READ_AHEAD_BYTES, reader);
    let raw = or_cancelled(RawHeader::read(&mut reader), stop)?;
    let header = &raw.header;
    header.check(&options.limits).map_err(header::refused)?;
    supported_direction(device, header.mode, Direction::Decrypt, header.key_bits)?;
    stop.check()?;
    let began = Instant::now();
    let keys = FileKeys::derive(&options.secret, &raw, stop)?;
    let derivation_time = began.elapsed();
    keys.check_header(&raw, &options.secret)?;

    let began = Instant::now();
    let mut source = SealedSource::new(reader, header, &keys);
    let mut sink = PlainSink::new(writer, header);
    let verify = |chunk: &mut Chunk| keys.verify(chunk);
    let mut plan = plan(device, header, &keys, Direction::Decrypt)?;
    if header.mode != Mode::Gcm {
        plan.before = Some(&verify);
    }
    let totals = pipeline::run(plan, &mut source, &mut sink, progress, stop, overlap)?;
    or_cancelled(sink.flush(), stop)?;
    let mut summary = summary(header, totals, derivation_time, began);
    summary.bytes_in += header::HEADER_BYTES as u64;
    summary.bytes_out = sink.bytes;
    Ok(summary)
}

fn plan<'a>(
    device: &'a dyn Device,
    header: &Header,
    keys: &FileKeys,
    direction: Direction,
) -> Result<Plan<'a>> {
    let direction = supported_direction(device, header.mode, direction, header.key_bits)?;
    Ok(Plan {
        device,
        request: CipherRequest::new(header.mode, direction, keys.encryption.clone(), [0; 16]),
        chain: None,
        before: None,
        after: None,
    })
}

fn summary(header: &Header, totals: Totals, derivation_time: Duration, began: Instant) -> Summary {
    Summary {
        mode: header.mode,
        key_bits: header.key_bits,
        key_derivation: header.key_derivation,
        bytes_in: totals.bytes_in,
        bytes_out: 0,
        chunks: totals.chunks,
        derivation_time,
        time: began.elapsed(),
        device: totals.timing,
    }
}
