// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The hashes of message authentication codes and signatures, in OpenSSL's words.

use ciphermill::{
    Algorithm, HMAC_SHA_224, HMAC_SHA_256, HMAC_SHA_384, HMAC_SHA_512, HMAC_SHA_512_224,
    HMAC_SHA_512_256,
};
use ciphermill_cpu::HmacHash;

/// A hash.
pub(super) struct Row {
    pub hash: HmacHash,
    /// OpenSSL's names, the one that it gives out first.
    pub names: &'static str,
    /// HMAC with it, where devices may have that.
    pub hmac: Option<&'static Algorithm>,
    /// The object identifier of ECDSA with it (RFC 5758, 3.2), after 1.2.840.10045.4.
    pub ecdsa: &'static [u8],
}

/// Every hash. libssl and OpenSSL's key derivation take HMAC from this provider with whichever
/// they need, so that the old ones are here too.
static ROWS: [Row; 8] = {
    use HmacHash::{Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
    const fn row(
        hash: HmacHash,
        names: &'static str,
        hmac: Option<&'static Algorithm>,
        ecdsa: &'static [u8],
    ) -> Row {
        Row {
            hash,
            names,
            hmac,
            ecdsa,
        }
    }
    [
        row(
            Sha256,
            "SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1",
            Some(&HMAC_SHA_256),
            &[3, 2],
        ),
        row(
            Sha384,
            "SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2",
            Some(&HMAC_SHA_384),
            &[3, 3],
        ),
        row(
            Sha512,
            "SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3",
            Some(&HMAC_SHA_512),
            &[3, 4],
        ),
        row(
            Sha224,
            "SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4",
            Some(&HMAC_SHA_224),
            &[3, 1],
        ),
        row(
            Sha512_224,
            "SHA2-512/224:SHA-512/224:SHA512-224:2.16.840.1.101.3.4.2.5",
            Some(&HMAC_SHA_512_224),
            &[],
        ),
        row(
            Sha512_256,
            "SHA2-512/256:SHA-512/256:SHA512-256:2.16.840.1.101.3.4.2.6",
            Some(&HMAC_SHA_512_256),
            &[],
        ),
        row(Sha1, "SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26", None, &[1]),
        row(Md5, "MD5:SSL3-MD5:1.2.840.113549.2.5", None, &[]),
    ]
};

/// The names to choose from, for messages.
pub(super) const CHOICE: &str =
    "SHA2-224, SHA2-256, SHA2-384, SHA2-512, SHA2-512/224, SHA2-512/256, SHA1";

/// The hash of this name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    let is_it = |known: &str| known.eq_ignore_ascii_case(name);
    ROWS.iter().find(|row| row.names.split(':').any(is_it))
}
