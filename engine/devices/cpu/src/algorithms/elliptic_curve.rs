// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! ECDSA and ECDH (FIPS 186-5, SP 800-56A) on P-256, P-384 and P-521, by AWS-LC.
//!
//! AWS-LC draws a nonce from random bytes together with a hash of the private key and the
//! digest. So two signatures of a digest differ, and a random generator that fails repeats no
//! nonce for two digests.

#![allow(unsafe_code)]

use std::ptr::{self, NonNull};
use std::slice;

use aws_lc_sys::{
    BIGNUM, BN_bin2bn, BN_bn2bin_padded, BN_clear_free, BN_is_zero, EC_GROUP, EC_KEY, EC_KEY_free,
    EC_KEY_generate_key, EC_KEY_get0_private_key, EC_KEY_get0_public_key, EC_KEY_new,
    EC_KEY_set_group, EC_KEY_set_private_key, EC_KEY_set_public_key, EC_POINT, EC_POINT_free,
    EC_POINT_mul, EC_POINT_new, EC_POINT_oct2point, EC_POINT_point2oct,
    EC_POINT_set_affine_coordinates, EC_R_COORDINATES_OUT_OF_RANGE, EC_group_p256, EC_group_p384,
    EC_group_p521, ECDH_compute_key, ECDSA_SIG, ECDSA_SIG_free, ECDSA_SIG_from_bytes,
    ECDSA_SIG_get0, ECDSA_SIG_new, ECDSA_SIG_set0, ECDSA_SIG_to_bytes, ECDSA_do_sign,
    ECDSA_do_verify, ERR_clear_error, ERR_peek_last_error, OPENSSL_free, point_conversion_form_t,
};
use ciphermill::{
    Algorithm, Buffer, Cancellation, Error, HeldKey, KeyReference, Operation, P_256, P_384, P_521,
    Request, RequestKey, Result, SecretKey,
};
use zeroize::Zeroizing;

/// Does what is asked; the output takes the data's place.
pub(super) fn run(
    request: &Request,
    data: &mut Buffer,
    _: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let output = match request {
        Request::GenerateKey(algorithm) => {
            let key = PrivateKey::generate(algorithm)?;
            // Both at once: a vector that grows would leave a copy of the private key behind.
            Zeroizing::new([&key.to_bytes()?[..], &key.public_key()?.to_bytes()?].concat())
        }
        Request::Sign(algorithm, key) => with_private(algorithm, key, |key| key.sign(data))?.into(),
        Request::Verify {
            algorithm,
            public_key,
            signature,
        } => {
            let right = PublicKey::new(algorithm, public_key)?.verify(data, signature)?;
            vec![u8::from(right)].into()
        }
        Request::Agree(algorithm, key) => {
            let peer = PublicKey::new(algorithm, data)?;
            with_private(algorithm, key, |key| key.agree(&peer))?
        }
        _ => return Err(request.unsupported("device cpu")),
    };
    data.replace(&output)?;
    Ok(None)
}

/// A key that `cpu` holds: this one, or a new one. It lies in the memory of the process, and is
/// zeroised when the last reference is dropped.
pub(crate) fn hold(
    device: &str,
    algorithm: &'static Algorithm,
    key: Option<&SecretKey>,
) -> Result<KeyReference> {
    let key = match key {
        Some(key) => PrivateKey::new(algorithm, key.as_bytes())?,
        None => PrivateKey::generate(algorithm)?,
    };
    let public_key = key.public_key()?.to_bytes()?;
    Ok(KeyReference::new(device, algorithm, public_key, key))
}

impl HeldKey for PrivateKey {
    fn is_copied_by_fork(&self) -> bool {
        true
    }
}

/// Use the private key of a request.
fn with_private<T>(
    algorithm: &'static Algorithm,
    key: &RequestKey,
    run: impl FnOnce(&PrivateKey) -> Result<T>,
) -> Result<T> {
    match key {
        RequestKey::Bytes(key) => run(&PrivateKey::new(algorithm, key.as_bytes())?),
        RequestKey::Held(key) => run(key.held("device cpu")?),
    }
}

/// A private key of an elliptic curve, zeroised when dropped: what `cpu` signs and agrees with.
///
/// ```
/// use ciphermill::P_256;
/// use ciphermill_cpu::PrivateKey;
/// let key = PrivateKey::generate(&P_256).unwrap();
/// let signature = key.sign(&[7; 32]).unwrap();
/// let public_key = key.public_key().unwrap();
/// assert!(public_key.verify(&[7; 32], &signature).unwrap());
/// assert!(!public_key.verify(&[8; 32], &signature).unwrap());
/// ```
pub struct PrivateKey(Key);

/// A public key of an elliptic curve: a point of the curve, not the one at infinity.
pub struct PublicKey(Key);

impl PrivateKey {
    /// A new key from the system's random numbers.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for another algorithm,
    /// [`ciphermill::ErrorKind::Device`] where AWS-LC refuses.
    pub fn generate(algorithm: &'static Algorithm) -> Result<PrivateKey> {
        let key = Key::empty(algorithm, Operation::GenerateKey)?;
        // SAFETY: the key is valid and has its curve.
        checked(unsafe { EC_KEY_generate_key(key.key.as_ptr()) })?;
        Ok(PrivateKey(key))
    }

    /// The key of these bytes: an integer, big endian, as long as the curve's order.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for another length, zero, and an integer that is not
    /// below the curve's order.
    pub fn new(algorithm: &'static Algorithm, bytes: &[u8]) -> Result<PrivateKey> {
        let key = Key::empty(algorithm, Operation::Sign)?;
        key.check_length("private key", bytes, algorithm.key_bytes())?;
        let scalar = integer(bytes)?;
        // SAFETY: key and integer are valid.
        if unsafe { EC_KEY_set_private_key(key.key.as_ptr(), scalar.as_ptr()) } == 1 {
            return Ok(PrivateKey(key));
        }
        // SAFETY: the integer is valid; the errors are this thread's own.
        let is_zero = unsafe {
            ERR_clear_error();
            BN_is_zero(scalar.as_ptr()) == 1
        };
        let name = algorithm.name;
        Err(Error::invalid(match is_zero {
            true => format!("the private key is zero, which is none of {name}"),
            false => format!("the private key is not below the order of {name}"),
        }))
    }

    /// The key's bytes.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where AWS-LC refuses.
    pub fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>> {
        let mut bytes = Zeroizing::new(vec![0; self.0.algorithm.key_bytes()]);
        // SAFETY: the key is valid, and holds the integer.
        let scalar = unsafe { EC_KEY_get0_private_key(self.0.key.as_ptr()) };
        padded(scalar, &mut bytes)?;
        Ok(bytes)
    }

    /// The public key that belongs to it.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where AWS-LC refuses.
    pub fn public_key(&self) -> Result<PublicKey> {
        Key::empty(self.0.algorithm, Operation::Verify)?.with_point(|group, point| {
            let (no_point, no_scalar) = (ptr::null(), ptr::null());
            // SAFETY: curve, point and the key's integer are valid, and belong together.
            unsafe {
                let scalar = EC_KEY_get0_private_key(self.0.key.as_ptr());
                EC_POINT_mul(group, point, scalar, no_point, no_scalar, ptr::null_mut())
            }
        })
    }

    /// A signature of a digest: the integers r and s, each as long as the key.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where AWS-LC refuses.
    pub fn sign(&self, digest: &[u8]) -> Result<Vec<u8>> {
        integers(&self.signature(digest)?, self.0.algorithm)
    }

    /// As [`PrivateKey::sign`], as ASN.1 writes it: a sequence of r and s in DER (RFC 3279, 2.2.3).
    ///
    /// # Errors
    /// As [`PrivateKey::sign`].
    pub fn sign_der(&self, digest: &[u8]) -> Result<Vec<u8>> {
        encoded(&self.signature(digest)?)
    }

    fn signature(&self, digest: &[u8]) -> Result<Owned<ECDSA_SIG>> {
        // SAFETY: the digest has its length, and the key its private part.
        let signature =
            unsafe { ECDSA_do_sign(digest.as_ptr(), digest.len(), self.0.key.as_ptr()) };
        Owned::new(signature, ECDSA_SIG_free)
    }

    /// The secret shared with the owner of a public key: the x coordinate of a point.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for a key of another curve,
    /// [`ciphermill::ErrorKind::Device`] where AWS-LC refuses.
    pub fn agree(&self, peer: &PublicKey) -> Result<Zeroizing<Vec<u8>>> {
        if self.0.algorithm != peer.0.algorithm {
            let (own, other) = (self.0.algorithm.name, peer.0.algorithm.name);
            return Err(Error::invalid(format!(
                "a private key of {own} and a public key of {other} share no secret"
            )));
        }
        let mut secret = Zeroizing::new(vec![0; self.0.algorithm.key_bytes()]);
        // SAFETY: both keys are valid, and the secret has room for so many bytes.
        let written = unsafe {
            let point = EC_KEY_get0_public_key(peer.0.key.as_ptr());
            let key = self.0.key.as_ptr();
            ECDH_compute_key(secret.as_mut_ptr().cast(), secret.len(), point, key, None)
        };
        match usize::try_from(written) == Ok(secret.len()) {
            true => Ok(secret),
            false => Err(refused()),
        }
    }
}

impl PublicKey {
    /// The key of these bytes: two coordinates, big endian, each as long as the curve's order.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for another length, for zeros, which stand for the
    /// point at infinity, for a coordinate that is not below the curve's prime, and for a point
    /// that is not on the curve.
    pub fn new(algorithm: &'static Algorithm, bytes: &[u8]) -> Result<PublicKey> {
        let key = Key::empty(algorithm, Operation::Verify)?;
        key.check_length("public key", bytes, 2 * algorithm.key_bytes())?;
        let (x, y) = bytes.split_at(algorithm.key_bytes());
        let (x, y) = (integer(x)?, integer(y)?);
        key.with_point(|group, point| {
            let no_context = ptr::null_mut();
            // SAFETY: curve, point and coordinates are valid.
            unsafe {
                EC_POINT_set_affine_coordinates(group, point, x.as_ptr(), y.as_ptr(), no_context)
            }
        })
        .map_err(|error| match bytes.iter().all(|byte| *byte == 0) {
            true => at_infinity(algorithm),
            false => error,
        })
    }

    /// The key of a point as SEC 1, 2.3.3, encodes it: a byte and both coordinates, or one and
    /// the other's last bit.
    ///
    /// # Errors
    /// As [`PublicKey::new`].
    pub fn from_point(algorithm: &'static Algorithm, bytes: &[u8]) -> Result<PublicKey> {
        let key = Key::empty(algorithm, Operation::Verify)?;
        if bytes == [0] {
            return Err(at_infinity(algorithm));
        }
        key.with_point(|group, point| {
            let no_context = ptr::null_mut();
            // SAFETY: curve and point are valid, and the encoding has its length.
            unsafe { EC_POINT_oct2point(group, point, bytes.as_ptr(), bytes.len(), no_context) }
        })
    }

    /// The key's bytes.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] where AWS-LC refuses.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut encoded = vec![0; 1 + 2 * self.0.algorithm.key_bytes()];
        // SAFETY: the key has a point of its curve, and the output its length.
        let written = unsafe {
            EC_POINT_point2oct(
                self.0.group,
                EC_KEY_get0_public_key(self.0.key.as_ptr()),
                point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED,
                encoded.as_mut_ptr(),
                encoded.len(),
                ptr::null_mut(),
            )
        };
        if written != encoded.len() {
            return Err(refused());
        }
        // After the byte that says how the point is encoded (SEC 1, 2.3.3).
        Ok(encoded.split_off(1))
    }

    /// Whether a signature of a digest is right. Integers that no signature has are not.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for a signature of another length.
    pub fn verify(&self, digest: &[u8], signature: &[u8]) -> Result<bool> {
        let bytes = self.0.algorithm.key_bytes();
        self.0.check_length("signature", signature, 2 * bytes)?;
        Ok(self.is_right(digest, &of_integers(signature)?))
    }

    /// As [`PublicKey::verify`] of a signature as [`PrivateKey::sign_der`] gives it. What is not
    /// DER is no right signature.
    pub fn verify_der(&self, digest: &[u8], signature: &[u8]) -> bool {
        decoded(signature).is_ok_and(|given| self.is_right(digest, &given))
    }

    fn is_right(&self, digest: &[u8], signature: &Owned<ECDSA_SIG>) -> bool {
        let (key, signature) = (self.0.key.as_ptr(), signature.as_ptr());
        // SAFETY: digest, signature and key are valid; the errors are this thread's own.
        unsafe {
            let right = ECDSA_do_verify(digest.as_ptr(), digest.len(), signature, key) == 1;
            ERR_clear_error();
            right
        }
    }
}

/// A signature of r and s, of two integers of one length, in DER (RFC 3279, 2.2.3).
///
/// ```
/// use ciphermill::P_256;
/// use ciphermill_cpu::{PrivateKey, signature_from_der, signature_to_der};
/// let key = PrivateKey::generate(&P_256).unwrap();
/// let signature = key.sign(&[7; 32]).unwrap();
/// let encoded = signature_to_der(&signature).unwrap();
/// assert!(key.public_key().unwrap().verify_der(&[7; 32], &encoded));
/// assert_eq!(signature_from_der(&P_256, &encoded), Some(signature));
/// assert_eq!(signature_from_der(&P_256, &encoded[1..]), None);
/// ```
///
/// # Errors
/// [`ciphermill::ErrorKind::Device`] where AWS-LC refuses.
pub fn signature_to_der(signature: &[u8]) -> Result<Vec<u8>> {
    encoded(&of_integers(signature)?)
}

/// The integers r and s of a signature in DER, each as long as a key of the curve; `None` for what
/// is no DER, and for integers that are longer.
pub fn signature_from_der(algorithm: &Algorithm, signature: &[u8]) -> Option<Vec<u8>> {
    integers(&decoded(signature).ok()?, algorithm).ok()
}

/// The integers of a signature, each as long as a key.
fn integers(signature: &Owned<ECDSA_SIG>, algorithm: &Algorithm) -> Result<Vec<u8>> {
    let (mut r, mut s) = (ptr::null(), ptr::null());
    // SAFETY: the signature is valid, and holds both.
    unsafe { ECDSA_SIG_get0(signature.as_ptr(), &raw mut r, &raw mut s) };
    let bytes = algorithm.key_bytes();
    let mut both = vec![0; 2 * bytes];
    let (first, second) = both.split_at_mut(bytes);
    padded(r, first)?;
    padded(s, second)?;
    Ok(both)
}

/// The signature of two integers of one length.
fn of_integers(both: &[u8]) -> Result<Owned<ECDSA_SIG>> {
    let (r, s) = both.split_at(both.len() / 2);
    let (r, s) = (integer(r)?, integer(s)?);
    // SAFETY: takes nothing, gives null or a signature that is ours.
    let signature = Owned::new(unsafe { ECDSA_SIG_new() }, ECDSA_SIG_free)?;
    // SAFETY: the signature is valid, and takes both integers.
    checked(unsafe { ECDSA_SIG_set0(signature.as_ptr(), r.release(), s.release()) })?;
    Ok(signature)
}

/// A signature in DER.
fn encoded(signature: &Owned<ECDSA_SIG>) -> Result<Vec<u8>> {
    let (mut encoded, mut bytes) = (ptr::null_mut(), 0);
    // SAFETY: the signature is valid; the output is ours, of so many bytes.
    unsafe {
        checked(ECDSA_SIG_to_bytes(
            &raw mut encoded,
            &raw mut bytes,
            signature.as_ptr(),
        ))?;
        let copy = slice::from_raw_parts(encoded, bytes).to_vec();
        OPENSSL_free(encoded.cast());
        Ok(copy)
    }
}

/// The signature of these bytes in DER.
fn decoded(signature: &[u8]) -> Result<Owned<ECDSA_SIG>> {
    // SAFETY: the signature has its length; gives null or a signature that is ours.
    let given = unsafe { ECDSA_SIG_from_bytes(signature.as_ptr(), signature.len()) };
    Owned::new(given, ECDSA_SIG_free)
}

/// A key of AWS-LC, with its curve.
struct Key {
    algorithm: &'static Algorithm,
    group: *const EC_GROUP,
    key: Owned<EC_KEY>,
}

// SAFETY: a key belongs to no thread, its curve is a constant, and nothing changes a key that
// is made: AWS-LC lets several threads sign with one.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

impl Key {
    /// Neither private nor public part yet.
    fn empty(algorithm: &'static Algorithm, operation: Operation) -> Result<Key> {
        // SAFETY: they take nothing and give the addresses of constants.
        let group = unsafe {
            match algorithm {
                _ if algorithm == &P_256 => EC_group_p256(),
                _ if algorithm == &P_384 => EC_group_p384(),
                _ if algorithm == &P_521 => EC_group_p521(),
                _ => {
                    let name = algorithm.name;
                    return Err(Error::unsupported(format!(
                        "device cpu cannot {operation} by {name}: choose another device"
                    )));
                }
            }
        };
        // SAFETY: takes nothing, gives null or a key that is ours.
        let key = Owned::new(unsafe { EC_KEY_new() }, EC_KEY_free)?;
        // SAFETY: key and curve are valid.
        checked(unsafe { EC_KEY_set_group(key.as_ptr(), group) })?;
        Ok(Key {
            algorithm,
            group,
            key,
        })
    }

    /// A point of the curve, to be set.
    fn point(&self) -> Result<Owned<EC_POINT>> {
        // SAFETY: the curve is valid; gives null or a point that is ours.
        Owned::new(unsafe { EC_POINT_new(self.group) }, EC_POINT_free)
    }

    /// A public key whose point a function of AWS-LC sets, or refuses.
    fn with_point(
        self,
        set: impl FnOnce(*const EC_GROUP, *mut EC_POINT) -> i32,
    ) -> Result<PublicKey> {
        let (point, name) = (self.point()?, self.algorithm.name);
        if set(self.group, point.as_ptr()) != 1 {
            // SAFETY: the errors are this thread's own.
            let reason = unsafe {
                let error = ERR_peek_last_error();
                ERR_clear_error();
                // As ERR_GET_REASON does.
                (error & 0xfff) as i32
            };
            return Err(Error::invalid(match reason {
                EC_R_COORDINATES_OUT_OF_RANGE => {
                    format!("a coordinate of the public key is not below the prime of {name}")
                }
                _ => format!("the public key is not a point of {name}"),
            }));
        }
        // SAFETY: key and point are valid; the key takes a copy.
        checked(unsafe { EC_KEY_set_public_key(self.key.as_ptr(), point.as_ptr()) })?;
        Ok(PublicKey(self))
    }

    fn check_length(&self, what: &str, bytes: &[u8], right: usize) -> Result<()> {
        let (name, given) = (self.algorithm.name, bytes.len());
        match given == right {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "a {what} of {name} has {right} bytes, not {given}"
            ))),
        }
    }
}

/// Something of AWS-LC's that is freed, and zeroised where it is secret, when dropped.
struct Owned<T> {
    pointer: NonNull<T>,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    fn new(pointer: *mut T, free: unsafe extern "C" fn(*mut T)) -> Result<Owned<T>> {
        let pointer = NonNull::new(pointer).ok_or_else(refused)?;
        Ok(Owned { pointer, free })
    }

    fn as_ptr(&self) -> *mut T {
        self.pointer.as_ptr()
    }

    /// Hand it over to something that frees it.
    fn release(self) -> *mut T {
        let pointer = self.as_ptr();
        std::mem::forget(self);
        pointer
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: it is ours, and the function is the one that frees it.
        unsafe { (self.free)(self.as_ptr()) };
    }
}

/// The integer of these bytes, big endian.
fn integer(bytes: &[u8]) -> Result<Owned<BIGNUM>> {
    // SAFETY: the bytes have their length; gives null or an integer that is ours.
    let integer = unsafe { BN_bin2bn(bytes.as_ptr(), bytes.len(), ptr::null_mut()) };
    Owned::new(integer, BN_clear_free)
}

/// Write an integer, big endian, with zeros in front.
fn padded(integer: *const BIGNUM, bytes: &mut [u8]) -> Result<()> {
    // SAFETY: the integer is valid, and the output has its length.
    checked(unsafe { BN_bn2bin_padded(bytes.as_mut_ptr(), bytes.len(), integer) })
}

fn at_infinity(algorithm: &Algorithm) -> Error {
    let name = algorithm.name;
    Error::invalid(format!("the public key is the point at infinity of {name}"))
}

fn checked(status: i32) -> Result<()> {
    match status {
        1 => Ok(()),
        _ => Err(refused()),
    }
}

fn refused() -> Error {
    // SAFETY: the errors are this thread's own.
    unsafe { ERR_clear_error() };
    Error::device("AWS-LC refuses to work with an elliptic curve")
}
