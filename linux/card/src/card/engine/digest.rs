// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! SHA-2 (FIPS 180-4), and HMAC with it (FIPS 198-1).

use sha2::digest::DynDigest;
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use zeroize::Zeroizing;

use super::{End, Engine};
use crate::card::registers::{accel, field};

/// A hash by its number, and the bytes of its block.
fn hash(number: u32) -> Option<(Box<dyn DynDigest>, usize)> {
    Some(match number {
        accel::CONFIGURATION_HASH_SHA_224 => (Box::new(Sha224::default()), 64),
        accel::CONFIGURATION_HASH_SHA_256 => (Box::new(Sha256::default()), 64),
        accel::CONFIGURATION_HASH_SHA_384 => (Box::new(Sha384::default()), 128),
        accel::CONFIGURATION_HASH_SHA_512 => (Box::new(Sha512::default()), 128),
        accel::CONFIGURATION_HASH_SHA_512_224 => (Box::new(Sha512_224::default()), 128),
        accel::CONFIGURATION_HASH_SHA_512_256 => (Box::new(Sha512_256::default()), 128),
        _ => return None,
    })
}

/// Begin a digest or a code, or give the bits of ERROR with which it is refused.
pub(super) fn start(configuration: u32) -> Result<Box<dyn Engine>, u32> {
    let number = field(configuration, accel::CONFIGURATION_HASH_MASK);
    let (hash, block_bytes) = hash(number).ok_or(accel::ERROR_UNSUPPORTED_MASK)?;
    if configuration & accel::CONFIGURATION_AUTHENTICATE_MASK == 0 {
        return Ok(Box::new(Digest(hash)));
    }
    Ok(Box::new(Hmac {
        key: Zeroizing::default(),
        key_bytes: 0,
        key_hash: hash.box_clone(),
        inner: None,
        outer: hash,
        block_bytes,
    }))
}

/// A hash.
struct Digest(Box<dyn DynDigest>);

impl Engine for Digest {
    fn digest_bytes(&self) -> Option<usize> {
        Some(self.0.output_size())
    }

    fn text(&mut self, data: &mut [u8]) {
        self.0.update(data);
    }

    fn finish(self: Box<Self>) -> End {
        End {
            digest: Some(self.0.finalize().into_vec()),
            ..End::default()
        }
    }
}

/// HMAC. Its key is the associated data.
struct Hmac {
    /// The key, as far as it fits into a block; a longer one is replaced by its hash.
    key: Zeroizing<Vec<u8>>,
    key_bytes: usize,
    key_hash: Box<dyn DynDigest>,
    /// The inner hash, when the key is whole.
    inner: Option<Box<dyn DynDigest>>,
    outer: Box<dyn DynDigest>,
    block_bytes: usize,
}

impl Hmac {
    /// The inner hash: the key is whole.
    fn inner(&mut self) -> &mut Box<dyn DynDigest> {
        self.inner.get_or_insert_with(|| {
            if self.key_bytes > self.block_bytes {
                *self.key = self.key_hash.finalize_reset().into_vec();
            }
            self.key.resize(self.block_bytes, 0);
            // FIPS 198-1, section 4: steps 4 and 7.
            let padded = |with: u8| {
                Zeroizing::new(self.key.iter().map(|byte| byte ^ with).collect::<Vec<u8>>())
            };
            let mut inner = self.outer.box_clone();
            inner.update(&padded(0x36));
            self.outer.update(&padded(0x5c));
            inner
        })
    }
}

impl Engine for Hmac {
    fn digest_bytes(&self) -> Option<usize> {
        Some(self.outer.output_size())
    }

    fn associated(&mut self, data: &[u8]) {
        self.key_bytes += data.len();
        let room = self.block_bytes - self.key.len();
        self.key.extend_from_slice(&data[..data.len().min(room)]);
        self.key_hash.update(data);
    }

    fn text(&mut self, data: &mut [u8]) {
        self.inner().update(data);
    }

    fn finish(mut self: Box<Self>) -> End {
        let digest = self.inner().finalize_reset();
        self.outer.update(&digest);
        End {
            digest: Some(self.outer.finalize_reset().into_vec()),
            ..End::default()
        }
    }
}
