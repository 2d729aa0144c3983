// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The algorithms of `cpu` beside AES, as a table: a new one is a row here and a file.

mod ascon;
mod cmac;
mod digest;
mod elliptic_curve;
mod sha2;

pub use digest::DirectDigest;
pub use elliptic_curve::{PrivateKey, PublicKey, signature_from_der, signature_to_der};
pub use sha2::HmacHash;

pub(crate) use elliptic_curve::hold;

use ciphermill::{
    AES_CMAC, ASCON_AEAD128, ASCON_HASH256, Ability, Algorithm, Buffer, Cancellation, HMAC_SHA_224,
    HMAC_SHA_256, HMAC_SHA_384, HMAC_SHA_512, HMAC_SHA_512_224, HMAC_SHA_512_256, P_256, P_384,
    P_521, Request, Result, SHA_224, SHA_256, SHA_384, SHA_512, SHA_512_224, SHA_512_256,
};

/// Works on the data, whose place the output takes; the tag of an encryption.
type Work = fn(&Request, &mut Buffer, &Cancellation) -> Result<Option<[u8; 16]>>;

static TABLE: [(&Algorithm, Work); 18] = [
    (&SHA_224, digest::run),
    (&SHA_256, digest::run),
    (&SHA_384, digest::run),
    (&SHA_512, digest::run),
    (&SHA_512_224, digest::run),
    (&SHA_512_256, digest::run),
    (&HMAC_SHA_224, digest::run),
    (&HMAC_SHA_256, digest::run),
    (&HMAC_SHA_384, digest::run),
    (&HMAC_SHA_512, digest::run),
    (&HMAC_SHA_512_224, digest::run),
    (&HMAC_SHA_512_256, digest::run),
    (&AES_CMAC, digest::run),
    (&ASCON_AEAD128, ascon::aead),
    (&ASCON_HASH256, digest::run),
    (&P_256, elliptic_curve::run),
    (&P_384, elliptic_curve::run),
    (&P_521, elliptic_curve::run),
];

/// What all of them do.
pub(crate) fn abilities() -> impl Iterator<Item = Ability> {
    TABLE
        .iter()
        .flat_map(|(algorithm, _)| Ability::whole(algorithm))
}

/// Do what is asked, by whichever does it.
///
/// # Errors
/// [`ciphermill::ErrorKind::Unsupported`] where none does.
pub(crate) fn run(
    request: &Request,
    data: &mut Buffer,
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let mut rows = TABLE.iter();
    match rows.find(|(algorithm, _)| *algorithm == request.algorithm()) {
        Some((_, work)) => work(request, data, cancellation),
        None => Err(request.unsupported("device cpu")),
    }
}
