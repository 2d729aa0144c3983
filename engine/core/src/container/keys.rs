// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A file's keys, and what follows from them for each chunk
//! (docs/reference/container.md, "Keys" and "Chunks").

use std::sync::Arc;

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::header::{Header, RawHeader};
use crate::chunk::Chunk;
use crate::pipeline::altered;
use crate::{BLOCK_BYTES, Cancellation, Error, Key, Mode, Result, Secret};

type HmacSha256 = Hmac<Sha256>;

/// Chunks that a file may have. The largest index fits every mode's IV, and at
/// 1 MiB a chunk the 2^48 blocks under one key stay far from AES's birthday bound.
pub(crate) const MAXIMUM_CHUNKS: u64 = 1 << 32;
/// In a chunk's length field: no chunk follows.
pub(crate) const LAST: u32 = 1 << 31;

/// Keys of one file.
pub(crate) struct FileKeys {
    /// For the chunks' data.
    pub(crate) encryption: Arc<Key>,
    header: HmacSha256,
    authentication: HmacSha256,
    iv: HmacSha256,
    mode: Mode,
    header_hash: [u8; 32],
}

impl FileKeys {
    /// Derive the keys: this takes the time that the key derivation costs, or until the
    /// cancellation is set.
    pub(crate) fn derive(
        secret: &Secret,
        raw: &RawHeader,
        stop: &Cancellation,
    ) -> Result<FileKeys> {
        let Header {
            mode,
            key_bits,
            key_derivation,
            salt,
            ..
        } = &raw.header;
        let master = key_derivation.derive(secret, salt, stop)?;
        let expander = Hkdf::<Sha256>::new(Some(salt), &master);
        let expand = |label: &str, bytes: usize| {
            let mut output = Zeroizing::new(vec![0; bytes]);
            expander
                .expand(label.as_bytes(), &mut output)
                .expect("far below HKDF's limit of 255 hashes");
            output
        };
        let keyed = |label: &str| {
            HmacSha256::new_from_slice(&expand(label, 32)).expect("HMAC takes any length")
        };
        Ok(FileKeys {
            encryption: Arc::new(Key::new(&expand(
                "ciphermill 1 encryption",
                key_bits.bytes(),
            ))?),
            header: keyed("ciphermill 1 header"),
            authentication: keyed("ciphermill 1 authentication"),
            iv: keyed("ciphermill 1 iv"),
            mode: *mode,
            header_hash: raw.hash().try_into().expect("a SHA-256"),
        })
    }

    /// The header's HMAC.
    pub(crate) fn header_tag(&self, raw: &RawHeader) -> [u8; 32] {
        let mut mac = self.header.clone();
        mac.update(raw.sealed());
        mac.finalize().into_bytes().into()
    }

    /// [`crate::ErrorKind::Authentication`] unless the header's HMAC matches.
    pub(crate) fn check_header(&self, raw: &RawHeader, secret: &Secret) -> Result<()> {
        if self.header_tag(raw).ct_eq(raw.tag()).into() {
            Ok(())
        } else {
            Err(Error::authentication(format!(
                "wrong {}, or the file was altered on purpose",
                secret.kind()
            )))
        }
    }

    /// Bytes of a chunk's tag.
    pub(crate) fn tag_bytes(&self) -> usize {
        if self.mode == Mode::Gcm { 16 } else { 32 }
    }

    /// Give a chunk its IV and associated data; its data has its final length.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when the file has too many chunks.
    pub(crate) fn label(&self, chunk: &mut Chunk) -> Result<()> {
        if chunk.index >= MAXIMUM_CHUNKS {
            return Err(Error::invalid(format!(
                "more than {MAXIMUM_CHUNKS} chunks in one file: choose larger chunks"
            )));
        }
        chunk.iv = self.iv(chunk.index);
        let associated = &mut chunk.associated_data;
        associated.clear();
        associated.extend_from_slice(&self.header_hash);
        associated.extend_from_slice(&chunk.index.to_be_bytes());
        associated.extend_from_slice(&chunk.iv);
        associated.extend_from_slice(&length_field(chunk.data.len(), chunk.last).to_be_bytes());
        Ok(())
    }

    /// A chunk's IV: no two chunks of a file share a GCM nonce, a CTR counter
    /// block or a predictable CBC IV.
    fn iv(&self, index: u64) -> [u8; BLOCK_BYTES] {
        let mut iv = [0; BLOCK_BYTES];
        match self.mode {
            Mode::Ecb => {}
            Mode::Cbc => {
                let mut mac = self.iv.clone();
                mac.update(&index.to_be_bytes());
                iv.copy_from_slice(&mac.finalize().into_bytes()[..BLOCK_BYTES]);
            }
            // The low half counts blocks: a chunk has at most 2^22.
            Mode::Ctr => iv[..8].copy_from_slice(&index.to_be_bytes()),
            Mode::Gcm => iv[4..12].copy_from_slice(&index.to_be_bytes()),
            Mode::Xts => unreachable!("the options refuse it"),
        }
        iv
    }

    /// Work after encryption: the chunk's HMAC.
    pub(crate) fn authenticate(&self, chunk: &mut Chunk) {
        chunk.tag = self.chunk_tag(chunk);
    }

    /// Work before decryption: [`crate::ErrorKind::Authentication`] unless the
    /// chunk's HMAC matches.
    pub(crate) fn verify(&self, chunk: &Chunk) -> Result<()> {
        if self.chunk_tag(chunk).ct_eq(&chunk.tag).into() {
            Ok(())
        } else {
            Err(altered(chunk.index))
        }
    }

    fn chunk_tag(&self, chunk: &Chunk) -> [u8; 32] {
        let mut mac = self.authentication.clone();
        mac.update(&chunk.associated_data);
        mac.update(&chunk.data);
        mac.finalize().into_bytes().into()
    }
}

/// A chunk's length field.
pub(crate) fn length_field(bytes: usize, last: bool) -> u32 {
    let length = u32::try_from(bytes).expect("chunks are far below 2 GiB");
    length | if last { LAST } else { 0 }
}
