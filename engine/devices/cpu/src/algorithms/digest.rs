// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Digests and authentication codes of a message in slices: SHA-2, HMAC and CMAC by AWS-LC,
//! Ascon-Hash256 by RustCrypto.

use ascon_hash256::{AsconHash256, Digest as _};
use ciphermill::{
    AES_CMAC, ASCON_HASH256, Algorithm, Buffer, Cancellation, HMAC_SHA_224, HMAC_SHA_256,
    HMAC_SHA_384, HMAC_SHA_512, HMAC_SHA_512_224, HMAC_SHA_512_256, MessageHash, Request, Result,
    SHA_224, SHA_256, SHA_384, SHA_512, SHA_512_224, SHA_512_256,
};
use zeroize::Zeroizing;

use super::cmac::Cmac;
use super::sha2::{self, DIGEST_BYTES, HmacHash};
use crate::answer::SLICE_BYTES;

/// SHA-2, and HMAC with it.
static SHA2: [(&Algorithm, &Algorithm, HmacHash); 6] = [
    (&SHA_224, &HMAC_SHA_224, HmacHash::Sha224),
    (&SHA_256, &HMAC_SHA_256, HmacHash::Sha256),
    (&SHA_384, &HMAC_SHA_384, HmacHash::Sha384),
    (&SHA_512, &HMAC_SHA_512, HmacHash::Sha512),
    (&SHA_512_224, &HMAC_SHA_512_224, HmacHash::Sha512_224),
    (&SHA_512_256, &HMAC_SHA_512_256, HmacHash::Sha512_256),
];

/// A digest or an authentication code of a message in slices: what `cpu` computes them with.
///
/// ```
/// use ciphermill::SHA_256;
/// use ciphermill_cpu::{DirectDigest, HmacHash};
/// let mut digest = DirectDigest::new(&SHA_256).unwrap();
/// digest.update(b"ab").unwrap();
/// let copy = digest.duplicate().unwrap();
/// digest.update(b"c").unwrap();
/// assert_eq!(digest.finish().unwrap()[..4], [0xba, 0x78, 0x16, 0xbf]); // FIPS 180-4
/// assert_eq!(copy.finish().unwrap()[..4], [0xfb, 0x8e, 0x20, 0xfc]);
///
/// let mut code = DirectDigest::hmac(HmacHash::Sha256, b"Jefe").unwrap();
/// code.update(b"what do ya want for nothing?").unwrap();
/// assert_eq!(code.finish().unwrap()[..4], [0x5b, 0xdc, 0xc1, 0x46]); // RFC 4231, 4.3
/// ```
pub struct DirectDigest(Hash);

enum Hash {
    Sha2(sha2::Digest),
    Hmac(sha2::Hmac),
    Cmac(Cmac),
    Ascon(Box<AsconHash256>),
}

impl DirectDigest {
    /// Begin a message to be hashed.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for a hash that is not here.
    pub fn new(algorithm: &'static Algorithm) -> Result<DirectDigest> {
        DirectDigest::of(&Request::Digest(algorithm))
    }

    /// Begin a message to be hashed by any of these.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where there is no memory for it.
    pub fn by(hash: HmacHash) -> Result<DirectDigest> {
        Ok(DirectDigest(Hash::Sha2(sha2::Digest::new(hash)?)))
    }

    /// Begin a message to be authenticated by HMAC, with a key of any length.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where there is no memory for it.
    pub fn hmac(hash: HmacHash, key: &[u8]) -> Result<DirectDigest> {
        Ok(DirectDigest(Hash::Hmac(sha2::Hmac::new(hash, key)?)))
    }

    /// Begin the message of a request to digest or to authenticate.
    ///
    /// # Errors
    /// As [`DirectDigest::new`].
    pub fn of(request: &Request) -> Result<DirectDigest> {
        let hash = |algorithm: &Algorithm| {
            let mut rows = SHA2.iter();
            let row = rows.find(|(digest, code, _)| match request {
                Request::Digest(_) => *digest == algorithm,
                _ => *code == algorithm,
            });
            row.map(|(.., hash)| *hash)
                .ok_or_else(|| request.unsupported("device cpu"))
        };
        match request {
            Request::Digest(algorithm) if *algorithm == &ASCON_HASH256 => {
                Ok(DirectDigest(Hash::Ascon(Box::default())))
            }
            Request::Digest(algorithm) => DirectDigest::by(hash(algorithm)?),
            Request::Authenticate(algorithm, key) if *algorithm == &AES_CMAC => {
                Ok(DirectDigest(Hash::Cmac(Cmac::new(key.as_bytes())?)))
            }
            Request::Authenticate(algorithm, key) => {
                DirectDigest::hmac(hash(algorithm)?, key.as_bytes())
            }
            _ => Err(request.unsupported("device cpu")),
        }
    }

    /// A copy that goes on by itself.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where there is no memory for it.
    pub fn duplicate(&self) -> Result<DirectDigest> {
        Ok(DirectDigest(match &self.0 {
            Hash::Sha2(hash) => Hash::Sha2(hash.duplicate()?),
            Hash::Hmac(hmac) => Hash::Hmac(hmac.duplicate()?),
            Hash::Cmac(cmac) => Hash::Cmac(cmac.duplicate()?),
            Hash::Ascon(hash) => Hash::Ascon(hash.clone()),
        }))
    }

    /// The message's next bytes.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where the library refuses.
    pub fn update(&mut self, data: &[u8]) -> Result<()> {
        match &mut self.0 {
            Hash::Sha2(hash) => hash.update(data),
            Hash::Hmac(hmac) => hmac.update(data),
            Hash::Cmac(cmac) => cmac.update(data),
            Hash::Ascon(hash) => {
                hash.update(data);
                Ok(())
            }
        }
    }

    /// The digest, or the code.
    ///
    /// # Errors
    /// As [`DirectDigest::update`].
    pub fn finish(self) -> Result<Vec<u8>> {
        let mut digest = Zeroizing::new([0; DIGEST_BYTES]);
        let bytes = match self.0 {
            Hash::Sha2(mut hash) => hash.finish(&mut digest)?,
            Hash::Hmac(mut hmac) => hmac.finish(&mut digest)?,
            Hash::Cmac(mut cmac) => cmac.finish(&mut digest)?,
            Hash::Ascon(hash) => return Ok(hash.finalize().to_vec()),
        };
        Ok(digest[..bytes as usize].to_vec())
    }
}

impl MessageHash for DirectDigest {
    fn update(&mut self, data: &[u8]) -> Result<()> {
        self.update(data)
    }

    fn finish(self: Box<Self>) -> Result<Vec<u8>> {
        (*self).finish()
    }
}

/// A digest or a code takes the data's place.
pub(super) fn run(
    request: &Request,
    data: &mut Buffer,
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let mut message = DirectDigest::of(request)?;
    for slice in data.chunks(SLICE_BYTES) {
        cancellation.check()?;
        message.update(slice)?;
    }
    data.replace(&message.finish()?)?;
    Ok(None)
}
