// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Keys of elliptic curves: what OpenSSL's `EVP_PKEY` refers to. The parts are shared: a copy
//! of a key refers to the same private key.

use std::ffi::CStr;
use std::sync::Arc;

use ciphermill::{P_256, P_384, P_521};
use ciphermill_cpu::{PrivateKey, PublicKey};
use zeroize::Zeroizing;

use crate::failure::{Outcome, Reason};
use crate::private_part::PrivatePart;
use crate::provider::Provider;

/// A curve in OpenSSL's words.
#[derive(Debug)]
pub(crate) struct Curve {
    pub algorithm: &'static ciphermill::Algorithm,
    /// The name that OpenSSL gives out.
    pub name: &'static CStr,
    /// The names that it takes, in lower case.
    names: [&'static str; 4],
    /// As in SP 800-57 part 1, table 2.
    pub security_bits: u64,
    /// Bytes of the longest signature in DER.
    pub signature_bytes: usize,
    /// The number of the group in TLS (RFC 8446, 4.2.7), and its names there.
    pub tls_group: u32,
    pub tls_names: [&'static CStr; 2],
}

/// Every curve.
pub(crate) static CURVES: [Curve; 3] = [
    Curve {
        algorithm: &P_256,
        name: c"prime256v1",
        names: ["prime256v1", "p-256", "secp256r1", "1.2.840.10045.3.1.7"],
        security_bits: 128,
        signature_bytes: 72,
        tls_group: 23,
        tls_names: [c"secp256r1", c"P-256"],
    },
    Curve {
        algorithm: &P_384,
        name: c"secp384r1",
        names: ["secp384r1", "p-384", "ansip384r1", "1.3.132.0.34"],
        security_bits: 192,
        signature_bytes: 104,
        tls_group: 24,
        tls_names: [c"secp384r1", c"P-384"],
    },
    Curve {
        algorithm: &P_521,
        name: c"secp521r1",
        names: ["secp521r1", "p-521", "ansip521r1", "1.3.132.0.35"],
        security_bits: 256,
        signature_bytes: 139,
        tls_group: 25,
        tls_names: [c"secp521r1", c"P-521"],
    },
];

impl Curve {
    /// The curve of this name.
    ///
    /// # Errors
    /// [`Reason::InvalidCurve`] for a curve that is not here.
    pub(crate) fn find(name: &str) -> Outcome<&'static Curve> {
        let is_it = |known: &&str| known.eq_ignore_ascii_case(name);
        let mut curves = CURVES.iter();
        match curves.find(|curve| curve.names.iter().any(is_it)) {
            Some(curve) => Ok(curve),
            None => Reason::InvalidCurve.fail(format!(
                "curve \"{name:.40}\" is not offered here: choose P-256, P-384 or P-521, or \
                 fetch EC with provider=default"
            )),
        }
    }

    /// Bytes of a private key, and of a coordinate.
    pub(crate) fn bytes(&self) -> usize {
        self.algorithm.key_bytes()
    }
}

/// Which parts of a key are meant (openssl/core_dispatch.h, `OSSL_KEYMGMT_SELECT_...`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selection(pub i32);

impl Selection {
    pub(crate) fn private(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) fn public(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) fn parameters(self) -> bool {
        self.0 & 4 != 0
    }
}

/// A key, of which parts may be missing.
#[derive(Clone, Default)]
pub(crate) struct CurveKey {
    pub curve: Option<&'static Curve>,
    pub private: Option<Arc<PrivatePart>>,
    pub public: Option<Arc<PublicKey>>,
    /// No private part is given out.
    is_held: bool,
}

impl CurveKey {
    /// A key of this provider's, without parts.
    pub(crate) fn empty(provider: &Provider) -> CurveKey {
        CurveKey {
            is_held: provider.config.keys.are_held(),
            ..CurveKey::default()
        }
    }

    /// Drop all parts.
    pub(crate) fn clear(&mut self) {
        *self = CurveKey {
            is_held: self.is_held,
            ..CurveKey::default()
        };
    }

    /// Make a new key pair.
    ///
    /// # Errors
    /// As [`PrivatePart::generate`], and [`Reason::NoParametersSet`] without a curve.
    pub(crate) fn generate(&mut self, provider: &Provider) -> Outcome<()> {
        let private = PrivatePart::generate(provider, self.curve()?.algorithm)?;
        self.private = Some(Arc::new(private));
        self.public = None;
        self.derive_public()
    }

    /// Take a private key: an integer, big endian, of any length.
    ///
    /// # Errors
    /// [`Reason::InvalidKey`] for zero, and for one that is not below the curve's order.
    pub(crate) fn set_private(&mut self, integer: &[u8]) -> Outcome<()> {
        let curve = self.curve()?;
        let mut bytes = Zeroizing::new(vec![0; curve.bytes().saturating_sub(integer.len())]);
        let (over, integer) = integer.split_at(integer.len().saturating_sub(curve.bytes()));
        if over.iter().any(|byte| *byte != 0) {
            let name = curve.algorithm.name;
            let message = format!("the private key is not below the order of {name}");
            return Reason::InvalidKey.fail(message);
        }
        bytes.reserve_exact(integer.len());
        bytes.extend_from_slice(integer);
        match PrivateKey::new(curve.algorithm, &bytes) {
            Ok(key) => {
                let private = PrivatePart::imported(curve.algorithm, key, self.is_held);
                self.private = Some(Arc::new(private));
            }
            Err(error) => return Reason::InvalidKey.fail(error.to_string()),
        }
        Ok(())
    }

    /// Compute the public key, where there is none, from the private one, where there is one.
    ///
    /// # Errors
    /// What the software gives.
    pub(crate) fn derive_public(&mut self) -> Outcome<()> {
        if let (Some(private), None) = (&self.private, &self.public) {
            self.public = Some(Arc::new(private.public_key()?));
        }
        Ok(())
    }

    /// Take the public key of a point as SEC 1 encodes it.
    ///
    /// # Errors
    /// [`Reason::InvalidKey`] for what is no point of the curve.
    pub(crate) fn set_public(&mut self, point: &[u8]) -> Outcome<()> {
        match PublicKey::from_point(self.curve()?.algorithm, point) {
            Ok(public) => self.public = Some(Arc::new(public)),
            Err(error) => return Reason::InvalidKey.fail(error.to_string()),
        }
        Ok(())
    }

    /// The curve.
    ///
    /// # Errors
    /// [`Reason::NoParametersSet`] where there is none.
    pub(crate) fn curve(&self) -> Outcome<&'static Curve> {
        match self.curve {
            Some(curve) => Ok(curve),
            None => Reason::NoParametersSet.fail("no curve was set: give the parameter \"group\""),
        }
    }

    /// The private key.
    ///
    /// # Errors
    /// [`Reason::NotAPrivateKey`] where there is none.
    pub(crate) fn private(&self) -> Outcome<&Arc<PrivatePart>> {
        match &self.private {
            Some(private) => Ok(private),
            None => Reason::NotAPrivateKey.fail("the key has no private part"),
        }
    }

    /// The public key.
    ///
    /// # Errors
    /// [`Reason::NotAPublicKey`] where there is none.
    pub(crate) fn public(&self) -> Outcome<&Arc<PublicKey>> {
        match &self.public {
            Some(public) => Ok(public),
            None => Reason::NotAPublicKey.fail("the key has no public part"),
        }
    }

    /// The public key as SEC 1 encodes it uncompressed.
    ///
    /// # Errors
    /// As [`CurveKey::public`], and what the software gives.
    pub(crate) fn point(&self) -> Outcome<Vec<u8>> {
        let coordinates = self.public()?.to_bytes()?;
        Ok([&[4], &coordinates[..]].concat())
    }

    /// The selected parts alone.
    pub(crate) fn part(&self, selection: Selection) -> CurveKey {
        let parts = self.clone();
        CurveKey {
            curve: parts.curve,
            private: parts.private.filter(|_| selection.private()),
            public: parts.public.filter(|_| selection.public()),
            ..parts
        }
    }

    /// Whether it has all of the selected parts.
    pub(crate) fn has(&self, selection: Selection) -> bool {
        (!selection.parameters() || self.curve.is_some())
            && (!selection.private() || self.private.is_some())
            && (!selection.public() || self.public.is_some())
    }

    /// Whether the selected parts are there, and belong together. Each by itself was checked
    /// when it came.
    ///
    /// # Errors
    /// What the software gives.
    pub(crate) fn is_valid(&self, selection: Selection) -> Outcome<bool> {
        if !self.has(selection) {
            return Ok(false);
        }
        match (&self.private, &self.public) {
            (Some(private), Some(public)) if selection.private() && selection.public() => {
                Ok(private.public_key()?.to_bytes()? == public.to_bytes()?)
            }
            _ => Ok(true),
        }
    }

    /// Whether the selected parts of two keys are the same. Private parts are where their public
    /// keys are.
    ///
    /// # Errors
    /// What the software gives.
    pub(crate) fn matches(&self, other: &CurveKey, selection: Selection) -> Outcome<bool> {
        let name = |key: &CurveKey| key.curve.map(|curve| curve.name);
        if name(self) != name(other) {
            return Ok(false);
        }
        if selection.public()
            && let (Some(one), Some(other)) = (&self.public, &other.public)
        {
            return Ok(one.to_bytes()? == other.to_bytes()?);
        }
        if selection.private()
            && let (Some(one), Some(other)) = (&self.private, &other.private)
        {
            return Ok(one.public_key()?.to_bytes()? == other.public_key()?.to_bytes()?);
        }
        Ok(!selection.public() && !selection.private())
    }
}
