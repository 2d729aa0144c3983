// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Digests of a message in slices: SHA-2 by AWS-LC, Ascon-Hash256 by RustCrypto.

use ascon_hash256::{AsconHash256, Digest as _};
use ciphermill::{
    ASCON_HASH256, Algorithm, Cancellation, Error, Request, Result, SHA_256, SHA_512,
};
use zeroize::Zeroize;

use super::sha2::{self, DIGEST_BYTES};
use crate::cpu::SLICE_BYTES;

/// A digest of a message in slices: what `cpu` computes digests with.
///
/// ```
/// use ciphermill::SHA_256;
/// use ciphermill_cpu::DirectDigest;
/// let mut digest = DirectDigest::new(&SHA_256).unwrap();
/// digest.update(b"ab").unwrap();
/// let copy = digest.duplicate().unwrap();
/// digest.update(b"c").unwrap();
/// assert_eq!(digest.finish().unwrap()[..4], [0xba, 0x78, 0x16, 0xbf]); // FIPS 180-4
/// assert_eq!(copy.finish().unwrap()[..4], [0xfb, 0x8e, 0x20, 0xfc]);
/// ```
pub struct DirectDigest {
    algorithm: &'static Algorithm,
    hash: Hash,
}

enum Hash {
    Sha2(sha2::Digest),
    Ascon(Box<AsconHash256>),
}

impl DirectDigest {
    /// Begin a message.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for a hash that is not here.
    pub fn new(algorithm: &'static Algorithm) -> Result<DirectDigest> {
        let hash = if algorithm == &SHA_256 || algorithm == &SHA_512 {
            Hash::Sha2(sha2::Digest::new(algorithm)?)
        } else if algorithm == &ASCON_HASH256 {
            Hash::Ascon(Box::default())
        } else {
            return Err(Request::Digest(algorithm).unsupported("device cpu"));
        };
        Ok(DirectDigest { algorithm, hash })
    }

    /// A copy that goes on by itself.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where there is no memory for it.
    pub fn duplicate(&self) -> Result<DirectDigest> {
        let hash = match &self.hash {
            Hash::Sha2(hash) => Hash::Sha2(hash.duplicate()?),
            Hash::Ascon(hash) => Hash::Ascon(hash.clone()),
        };
        let algorithm = self.algorithm;
        Ok(DirectDigest { algorithm, hash })
    }

    /// The message's next bytes.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where the library refuses.
    pub fn update(&mut self, data: &[u8]) -> Result<()> {
        match &mut self.hash {
            Hash::Sha2(hash) => hash.update(data),
            Hash::Ascon(hash) => {
                hash.update(data);
                Ok(())
            }
        }
    }

    /// The digest.
    ///
    /// # Errors
    /// As [`DirectDigest::update`].
    pub fn finish(self) -> Result<Vec<u8>> {
        match self.hash {
            Hash::Sha2(mut hash) => {
                let mut digest = [0; DIGEST_BYTES];
                hash.finish(&mut digest)?;
                Ok(digest[..self.algorithm.digest_bytes].to_vec())
            }
            Hash::Ascon(hash) => Ok(hash.finalize().to_vec()),
        }
    }
}

/// A digest takes the data's place.
pub(super) fn run(
    request: &Request,
    data: &mut Vec<u8>,
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let Request::Digest(algorithm) = request else {
        return Err(Error::invalid("a hash digests and does nothing else"));
    };
    let mut message = DirectDigest::new(algorithm)?;
    for slice in data.chunks(SLICE_BYTES) {
        cancellation.check()?;
        message.update(slice)?;
    }
    data.zeroize();
    data.extend(message.finish()?);
    Ok(None)
}
