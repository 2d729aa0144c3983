// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AWS-LC: GCM, and every mode where this processor has no instructions that we
//! have a kernel for.
//!
//! AWS-LC finds its own implementation at run time (VAES with VPCLMULQDQ, AES-NI
//! with PCLMULQDQ, Armv8, or constant-time code without AES instructions) and
//! zeroises its key schedules when they are dropped.

use aws_lc_rs::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{
    self, DecryptingKey, DecryptionContext, EncryptingKey, EncryptionContext, UnboundCipherKey,
};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::iv::FixedLength;
use ciphermill::{Direction, Error, ErrorKind, KeyBits, Mode, Request, Result};

/// GCM (SP 800-38D) in place: the tag of an encryption; an error of kind
/// [`ErrorKind::Authentication`] for a decryption whose tag does not match, whose
/// data must then not be used.
pub(crate) fn gcm(request: &Request, data: &mut [u8]) -> Result<Option<[u8; 16]>> {
    let algorithm = match request.key.size() {
        KeyBits::Bits128 => &aead::AES_128_GCM,
        KeyBits::Bits192 => &aead::AES_192_GCM,
        KeyBits::Bits256 => &aead::AES_256_GCM,
    };
    let key = UnboundKey::new(algorithm, request.key.as_bytes()).map_err(refused)?;
    let key = LessSafeKey::new(key);
    let nonce =
        Nonce::try_assume_unique_for_key(&request.iv[..aead::NONCE_LEN]).map_err(refused)?;
    let associated_data = Aad::from(&request.associated_data);
    match request.direction {
        Direction::Encrypt => {
            let tag = key
                .seal_in_place_separate_tag(nonce, associated_data, data)
                .map_err(refused)?;
            let mut bytes = [0; 16];
            bytes.copy_from_slice(tag.as_ref());
            Ok(Some(bytes))
        }
        Direction::Decrypt => {
            let tag = request.tag.unwrap_or_default();
            key.open_in_place_separate_tag(nonce, associated_data, &tag, data)
                .map_err(|_| wrong_tag())?;
            Ok(None)
        }
    }
}

/// ECB, CBC and CTR in place on a whole message.
pub(crate) fn unauthenticated(request: &Request, data: &mut [u8]) -> Result<()> {
    let algorithm = match request.key.size() {
        KeyBits::Bits128 => &cipher::AES_128,
        KeyBits::Bits192 => &cipher::AES_192,
        KeyBits::Bits256 => &cipher::AES_256,
    };
    let key = UnboundCipherKey::new(algorithm, request.key.as_bytes()).map_err(refused)?;
    let iv = FixedLength::from(request.iv);
    if request.direction == Direction::Encrypt || request.mode == Mode::Ctr {
        let (key, context) = match request.mode {
            Mode::Ecb => (EncryptingKey::ecb(key), EncryptionContext::None),
            Mode::Cbc => (EncryptingKey::cbc(key), EncryptionContext::Iv128(iv)),
            Mode::Ctr => (EncryptingKey::ctr(key), EncryptionContext::Iv128(iv)),
            Mode::Gcm | Mode::Xts => return Err(Error::unsupported("not a mode of this function")),
        };
        key.and_then(|key| key.less_safe_encrypt(data, context))
            .map_err(refused)?;
    } else {
        let (key, context) = match request.mode {
            Mode::Ecb => (DecryptingKey::ecb(key), DecryptionContext::None),
            Mode::Cbc => (DecryptingKey::cbc(key), DecryptionContext::Iv128(iv)),
            _ => return Err(Error::unsupported("not a mode of this function")),
        };
        key.and_then(|key| key.decrypt(data, context).map(drop))
            .map_err(refused)?;
    }
    Ok(())
}

fn refused(_: Unspecified) -> Error {
    Error::device("AWS-LC refused the operation")
}

/// The error of a tag that does not match.
pub(crate) fn wrong_tag() -> Error {
    Error::new(
        ErrorKind::Authentication,
        "the tag does not match: wrong key, or altered data",
    )
}
