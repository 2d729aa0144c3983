// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Requests to a device.

use std::sync::Arc;

use crate::key::BLOCK_BYTES;
use crate::request_key::{RequestKey, SecretKey, check_length};
use crate::{
    Algorithm, DataUnits, Direction, Error, GCM_IV_BYTES, Key, KeyReference, Mode, Operation,
    Result,
};

/// Bytes of a tag of GCM and of Ascon-AEAD128.
pub const TAG_BYTES: usize = 16;

/// Where the output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Output {
    /// Back to the host.
    Return,
    /// Consumed and counted on the device; the completion's data is empty.
    Sink,
}

/// One operation on one buffer. Each operation says what it takes beside the buffer's bytes,
/// and what takes their place.
///
/// ```
/// use ciphermill::{Operation, Request, SHA_256};
/// let request = Request::Digest(&SHA_256);
/// assert_eq!(request.operation(), Operation::Digest);
/// assert_eq!(request.output_bytes(1000), 32);
/// ```
#[derive(Debug, Clone)]
pub enum Request {
    /// Encrypt or decrypt by a block cipher in a mode: as many bytes, and the mode's tag.
    Cipher(CipherRequest),
    /// Encrypt or decrypt by an authenticated cipher that has no modes: as many bytes, and a
    /// tag.
    Aead(AeadRequest),
    /// A digest of the data.
    Digest(&'static Algorithm),
    /// An authentication code of the data.
    Authenticate(&'static Algorithm, SecretKey),
    /// A new key pair, from no data: the private key, an integer as long as the curve's order,
    /// then the public key, two coordinates of that length. All are big endian.
    GenerateKey(&'static Algorithm),
    /// A signature of a digest with a private key: the integers r and s, each as long as the
    /// key, big endian. Of a digest that is longer than the curve's order, the first bits are
    /// signed (FIPS 186-5, 6.4.1). On accelerators the nonce follows from key and digest (RFC
    /// 6979); on `cpu` it is drawn from random numbers too, so that two signatures of one digest
    /// differ.
    Sign(&'static Algorithm, RequestKey),
    /// Whether a signature of a digest is right: one byte, 1 for yes and 0 for no.
    Verify {
        /// Of the signature.
        algorithm: &'static Algorithm,
        /// Of whoever signed: two coordinates.
        public_key: Vec<u8>,
        /// The integers r and s. Integers that no signature has are no error: the answer is no.
        signature: Vec<u8>,
    },
    /// The secret shared with the owner of a public key, which is the data: the x coordinate of
    /// a point, as long as the private key (SP 800-56A, 5.7.1.2). Derive keys from it.
    Agree(&'static Algorithm, RequestKey),
}

impl Request {
    /// The algorithm.
    pub fn algorithm(&self) -> &'static Algorithm {
        match self {
            Request::Cipher(request) => request.algorithm(),
            Request::Aead(request) => request.algorithm,
            Request::Digest(algorithm)
            | Request::Authenticate(algorithm, _)
            | Request::GenerateKey(algorithm)
            | Request::Sign(algorithm, _)
            | Request::Verify { algorithm, .. }
            | Request::Agree(algorithm, _) => algorithm,
        }
    }

    /// What the algorithm does.
    pub fn operation(&self) -> Operation {
        match self {
            Request::Cipher(request) => request.direction.into(),
            Request::Aead(request) => request.direction.into(),
            Request::Digest(_) => Operation::Digest,
            Request::Authenticate(..) => Operation::Authenticate,
            Request::GenerateKey(_) => Operation::GenerateKey,
            Request::Sign(..) => Operation::Sign,
            Request::Verify { .. } => Operation::Verify,
            Request::Agree(..) => Operation::Agree,
        }
    }

    /// The key that a device holds, where the request refers to one.
    pub fn held_key(&self) -> Option<&KeyReference> {
        match self {
            Request::Sign(_, RequestKey::Held(key)) | Request::Agree(_, RequestKey::Held(key)) => {
                Some(key)
            }
            _ => None,
        }
    }

    /// Bits of the key, where it takes one of a fixed length.
    pub fn key_bits(&self) -> Option<usize> {
        match self {
            Request::Cipher(request) => Some(request.key.bits()),
            Request::Aead(request) => Some(8 * request.key.as_bytes().len()),
            // Another length is refused by `check`.
            Request::Authenticate(algorithm, key) => {
                let bits = 8 * key.as_bytes().len();
                algorithm.key_bits.contains(&bits).then_some(bits)
            }
            _ => self.algorithm().key_bits.first().copied(),
        }
    }

    /// Bytes of output from so many bytes of data.
    pub fn output_bytes(&self, data_bytes: usize) -> usize {
        let key_bytes = self.algorithm().key_bytes();
        match self {
            Request::Cipher(request) => match request.output {
                Output::Return => data_bytes,
                Output::Sink => 0,
            },
            Request::Aead(_) => data_bytes,
            Request::Digest(algorithm) | Request::Authenticate(algorithm, _) => {
                algorithm.digest_bytes
            }
            // A private key, and a public one.
            Request::GenerateKey(_) => 3 * key_bytes,
            Request::Sign(..) => 2 * key_bytes,
            Request::Verify { .. } => 1,
            Request::Agree(..) => key_bytes,
        }
    }

    /// Whether a tag comes with the output.
    pub fn gives_tag(&self) -> bool {
        match self {
            Request::Cipher(request) => {
                request.is_authenticated() && request.direction == Direction::Encrypt
            }
            Request::Aead(request) => request.direction == Direction::Encrypt,
            _ => false,
        }
    }

    /// Whether this can be asked of any device with so many bytes of data.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`], for a cipher as [`CipherRequest::check`], and for a key of a
    /// length that the algorithm does not have.
    pub fn check(&self, bytes: usize) -> Result<()> {
        match self {
            Request::Cipher(request) => request.check(bytes),
            Request::Aead(request) => request.check(),
            Request::Digest(_) => Ok(()),
            Request::Authenticate(algorithm, _) if algorithm.key_bits.is_empty() => Ok(()),
            Request::Authenticate(algorithm, key) => check_key(algorithm, key),
            Request::GenerateKey(_) if bytes == 0 => Ok(()),
            Request::GenerateKey(_) => Err(Error::invalid("a key is generated from no data")),
            Request::Sign(algorithm, key) => {
                check_digest(bytes)?;
                key.check(algorithm)
            }
            Request::Verify {
                algorithm,
                public_key,
                signature,
            } => {
                let key_bytes = algorithm.key_bytes();
                check_digest(bytes)?;
                check_length(algorithm, "a public key", public_key.len(), 2 * key_bytes)?;
                check_length(algorithm, "a signature", signature.len(), 2 * key_bytes)
            }
            Request::Agree(algorithm, key) => {
                let key_bytes = algorithm.key_bytes();
                check_length(algorithm, "a public key", bytes, 2 * key_bytes)?;
                key.check(algorithm)
            }
        }
    }

    /// The cipher's part, for a device that has nothing else.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] for another operation.
    pub fn cipher(&self) -> Result<&CipherRequest> {
        match self {
            Request::Cipher(request) => Ok(request),
            _ => Err(self.unsupported("this device")),
        }
    }

    /// The error of a device that cannot do it.
    pub fn unsupported(&self, device: &str) -> Error {
        let (operation, algorithm) = (self.operation(), self.algorithm().name);
        Error::unsupported(match self {
            Request::Cipher(CipherRequest {
                gcm_iv: Some(iv), ..
            }) => format!(
                "{device} cannot {operation} by GCM with an IV of {} bytes: choose another device, \
                 or an IV of {GCM_IV_BYTES} bytes",
                iv.len()
            ),
            Request::Cipher(request) => format!(
                "{device} cannot {operation} {}-{} in mode {}: choose another device or mode",
                algorithm.to_uppercase(),
                request.key.bits(),
                request.mode
            ),
            _ => format!("{device} cannot {operation} by {algorithm}: choose another device"),
        })
    }
}

/// Longest digest that is signed: that of SHA-512.
const LONGEST_DIGEST_BYTES: usize = 64;

fn check_digest(bytes: usize) -> Result<()> {
    match bytes {
        1..=LONGEST_DIGEST_BYTES => Ok(()),
        _ => Err(Error::invalid(format!(
            "a digest to sign has 1 to {LONGEST_DIGEST_BYTES} bytes, not {bytes}: hash the message"
        ))),
    }
}

/// Of an algorithm whose keys have certain lengths.
fn check_key(algorithm: &Algorithm, key: &SecretKey) -> Result<()> {
    let key_bits = 8 * key.as_bytes().len();
    match algorithm.key_bits.contains(&key_bits) {
        true => Ok(()),
        false => Err(Error::invalid(format!(
            "{} has no key of {key_bits} bits",
            algorithm.name
        ))),
    }
}

impl From<CipherRequest> for Request {
    fn from(request: CipherRequest) -> Request {
        Request::Cipher(request)
    }
}

impl From<&CipherRequest> for Request {
    fn from(request: &CipherRequest) -> Request {
        Request::Cipher(request.clone())
    }
}

impl From<AeadRequest> for Request {
    fn from(request: AeadRequest) -> Request {
        Request::Aead(request)
    }
}

/// Encryption or decryption of one buffer by an authenticated cipher without modes, such as
/// Ascon-AEAD128.
#[derive(Debug, Clone)]
pub struct AeadRequest {
    /// The cipher.
    pub algorithm: &'static Algorithm,
    /// Encrypt or decrypt.
    pub direction: Direction,
    /// The key.
    pub key: SecretKey,
    /// The nonce, never used twice with a key.
    pub nonce: Vec<u8>,
    /// Additional authenticated data.
    pub associated_data: Vec<u8>,
    /// Decryption: the tag that must match.
    pub tag: Option<[u8; TAG_BYTES]>,
}

impl AeadRequest {
    /// [`crate::ErrorKind::Invalid`] for a key or a nonce of another length than the
    /// algorithm's, and for decryption without a tag.
    pub fn check(&self) -> Result<()> {
        let Algorithm { name, .. } = self.algorithm;
        check_key(self.algorithm, &self.key)?;
        if self.nonce.len() != self.algorithm.nonce_bytes {
            return Err(Error::invalid(format!(
                "{name} takes a nonce of {} bytes, not {}",
                self.algorithm.nonce_bytes,
                self.nonce.len()
            )));
        }
        if self.direction == Direction::Decrypt && self.tag.is_none() {
            return Err(Error::invalid(format!(
                "{name} decryption needs the tag that encryption gave"
            )));
        }
        Ok(())
    }
}

/// Longest GCM message in bytes: 2^39 - 256 bits (SP 800-38D, 5.2.1.1).
const GCM_BYTES: u64 = (1 << 36) - 32;

/// Encryption or decryption of one buffer by a block cipher, that of its key: as many bytes come
/// out as go in, and in GCM encryption a tag.
///
/// ```
/// use ciphermill::{CipherRequest, Direction, Key, Mode};
/// let key = Key::new(&[0; 32]).unwrap();
/// let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// assert_eq!(request.mode.name(), "ctr");
/// ```
#[derive(Debug, Clone)]
pub struct CipherRequest {
    /// Mode of operation.
    pub mode: Mode,
    /// Encrypt or decrypt.
    pub direction: Direction,
    /// The key, shared by the jobs of a message.
    pub key: Arc<Key>,
    /// CBC: the IV; CTR: the first counter block; both in as many bytes as a block has; GCM: the
    /// IV in the first 12 bytes; XTS: the first data unit's number, little endian; ECB: ignored.
    pub iv: [u8; BLOCK_BYTES],
    /// GCM: an IV of another length than 12 bytes, in the place of `iv` (SP 800-38D, 7.1). Devices
    /// without [`crate::Capabilities::any_gcm_iv`] refuse it.
    pub gcm_iv: Option<Vec<u8>>,
    /// XTS: the data units and their key. Other modes have none.
    pub data_units: Option<DataUnits>,
    /// GCM: additional authenticated data.
    pub associated_data: Vec<u8>,
    /// GCM decryption: the tag that must match.
    pub tag: Option<[u8; BLOCK_BYTES]>,
    /// Back to the host, or into the device's sink.
    pub output: Output,
    /// Data goes through the device uncoded (the bypass).
    pub bypass: bool,
}

impl CipherRequest {
    /// The block cipher.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.key.algorithm()
    }

    /// Whether the message has a tag, and so cannot be cut: GCM, but not its bypass.
    pub fn is_authenticated(&self) -> bool {
        self.mode == Mode::Gcm && !self.bypass
    }

    /// A request without associated data whose output comes back. XTS needs
    /// [`CipherRequest::xts`] instead.
    pub fn new(
        mode: Mode,
        direction: Direction,
        key: impl Into<Arc<Key>>,
        iv: [u8; BLOCK_BYTES],
    ) -> CipherRequest {
        CipherRequest {
            mode,
            direction,
            key: key.into(),
            iv,
            gcm_iv: None,
            data_units: None,
            associated_data: Vec::new(),
            tag: None,
            output: Output::Return,
            bypass: false,
        }
    }

    /// A request in GCM without associated data, with an IV of any length. One of 12 bytes is the
    /// usual one, which every device with GCM takes.
    ///
    /// ```
    /// use ciphermill::{CipherRequest, Direction, Key};
    /// let key = || Key::new(&[1; 16]).unwrap();
    /// let usual = CipherRequest::gcm(Direction::Encrypt, key(), &[7; 12]).unwrap();
    /// assert_eq!((usual.gcm_iv, usual.iv[..12].to_vec()), (None, vec![7; 12]));
    /// assert!(CipherRequest::gcm(Direction::Encrypt, key(), &[7; 60]).is_ok());
    /// assert!(CipherRequest::gcm(Direction::Encrypt, key(), &[]).is_err());
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for an empty IV.
    pub fn gcm(direction: Direction, key: impl Into<Arc<Key>>, iv: &[u8]) -> Result<CipherRequest> {
        let mut request = CipherRequest::new(Mode::Gcm, direction, key, [0; BLOCK_BYTES]);
        match iv.first_chunk::<GCM_IV_BYTES>() {
            Some(usual) if iv.len() == GCM_IV_BYTES => {
                request.iv[..GCM_IV_BYTES].copy_from_slice(usual);
            }
            _ => request.gcm_iv = Some(iv.to_vec()),
        }
        request.check_gcm_iv()?;
        Ok(request)
    }

    /// The IV of a request in GCM, whatever its length.
    pub fn gcm_iv_bytes(&self) -> &[u8] {
        self.gcm_iv.as_deref().unwrap_or(&self.iv[..GCM_IV_BYTES])
    }

    fn check_gcm_iv(&self) -> Result<()> {
        match &self.gcm_iv {
            Some(_) if self.mode != Mode::Gcm => Err(Error::invalid(format!(
                "only GCM has an IV of any length, not {}",
                self.mode.name().to_uppercase()
            ))),
            Some(iv) if iv.is_empty() => {
                Err(Error::invalid("GCM takes an IV of 1 byte or more, not 0"))
            }
            _ => Ok(()),
        }
    }

    /// A request in XTS.
    ///
    /// ```
    /// use ciphermill::{CipherRequest, Direction, Key};
    /// let key = || Key::new(&[1; 32]).unwrap();
    /// let tweak_key = Key::new(&[2; 32]).unwrap();
    /// let request = CipherRequest::xts(Direction::Encrypt, key(), tweak_key, 7, 512).unwrap();
    /// assert_eq!(request.iv, 7_u128.to_le_bytes());
    /// assert!(CipherRequest::xts(Direction::Encrypt, key(), key(), 7, 512).is_err());
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for keys of 192 bits or of two lengths, for two equal
    /// keys, with which XTS is not secure, and for data units of a length that cannot be.
    pub fn xts(
        direction: Direction,
        key: impl Into<Arc<Key>>,
        tweak_key: impl Into<Arc<Key>>,
        number: u128,
        data_unit_bytes: usize,
    ) -> Result<CipherRequest> {
        let mut request = CipherRequest::new(Mode::Xts, direction, key, number.to_le_bytes());
        let units = DataUnits {
            tweak_key: tweak_key.into(),
            bytes: data_unit_bytes,
        };
        units.check(&request.key)?;
        request.data_units = Some(units);
        Ok(request)
    }

    /// The data units of a request in XTS with so many bytes of data. Devices call it before
    /// they touch a byte.
    ///
    /// # Errors
    /// As [`CipherRequest::xts`], and [`crate::ErrorKind::Invalid`] where the request has no data
    /// units, or the last one of the data would have less than a block.
    pub fn check_data_units(&self, bytes: usize) -> Result<&DataUnits> {
        let units = self
            .data_units
            .as_ref()
            .ok_or_else(|| Error::invalid("XTS needs data units and their key"))?;
        units.check(&self.key)?;
        let last = bytes % units.bytes;
        if bytes == 0 || (1..BLOCK_BYTES).contains(&last) {
            return Err(Error::invalid(format!(
                "XTS data of {bytes} bytes in units of {} ends in one of {last}: \
                 a data unit has {BLOCK_BYTES} bytes or more",
                units.bytes
            )));
        }
        Ok(units)
    }

    /// Whether this can be asked of any device with so many bytes of data.
    ///
    /// ```
    /// use ciphermill::{CipherRequest, Direction, Key, Mode};
    /// let key = Key::new(&[0; 16]).unwrap();
    /// let request = CipherRequest::new(Mode::Cbc, Direction::Encrypt, key, [0; 16]);
    /// assert!(request.check(32).is_ok());
    /// assert!(request.check(33).is_err());
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for data that is not whole blocks where the mode needs
    /// them, an empty IV of GCM, a GCM message that is too long, GCM decryption without a tag, data
    /// units as in [`CipherRequest::check_data_units`], and for associated data or a tag where nothing
    /// looks at them: they would pass for authenticated.
    pub fn check(&self, bytes: usize) -> Result<()> {
        self.check_gcm_iv()?;
        if self.bypass {
            return self.check_unauthenticated(|| "the bypass".to_owned());
        }
        let mode = || self.mode.name().to_uppercase();
        match self.mode {
            Mode::Ecb | Mode::Cbc if !self.is_whole_blocks(bytes) => {
                let block_bytes = self.algorithm().block_bytes;
                return Err(Error::invalid(format!(
                    "{} takes whole blocks of {block_bytes} bytes, not {bytes} bytes: pad the data first",
                    mode()
                )));
            }
            Mode::Gcm if bytes as u64 > GCM_BYTES => {
                return Err(Error::invalid(format!(
                    "a GCM message has at most {GCM_BYTES} bytes, not {bytes}: split the data"
                )));
            }
            Mode::Gcm if self.direction == Direction::Decrypt && self.tag.is_none() => {
                return Err(Error::invalid(
                    "GCM decryption needs the tag that encryption gave",
                ));
            }
            Mode::Gcm => return Ok(()),
            Mode::Xts => {
                self.check_data_units(bytes)?;
            }
            Mode::Ecb | Mode::Cbc | Mode::Ctr => {}
        }
        self.check_unauthenticated(mode)
    }

    /// Whether so many bytes are whole blocks.
    pub(crate) fn is_whole_blocks(&self, bytes: usize) -> bool {
        bytes.is_multiple_of(self.algorithm().block_bytes)
    }

    fn check_unauthenticated(&self, mode: impl FnOnce() -> String) -> Result<()> {
        let what = match (&self.associated_data[..], self.tag) {
            ([], None) => return Ok(()),
            ([], Some(_)) => "a tag",
            _ => "associated data",
        };
        Err(Error::invalid(format!(
            "{} authenticates nothing: {what} needs GCM",
            mode()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, P_256, P_384, P_521, PRESENT};

    fn request(mode: Mode, direction: Direction) -> CipherRequest {
        CipherRequest::new(mode, direction, Key::new(&[0; 16]).unwrap(), [0; 16])
    }

    #[test]
    fn partial_blocks_are_for_ctr_and_gcm() {
        for (mode, right) in [
            (Mode::Ecb, false),
            (Mode::Cbc, false),
            (Mode::Ctr, true),
            (Mode::Gcm, true),
        ] {
            let request = request(mode, Direction::Encrypt);
            assert_eq!(request.check(17).is_ok(), right, "{mode:?}");
            assert!(request.check(32).is_ok());
        }
    }

    #[test]
    fn blocks_and_keys_are_those_of_the_cipher() {
        for (key_bytes, right) in [(10, true), (16, true), (24, false), (8, false)] {
            let key = Key::of(&PRESENT, &vec![0; key_bytes]);
            assert_eq!(key.is_ok(), right, "{key_bytes}");
        }
        let key = Arc::new(Key::of(&PRESENT, &[0; 16]).unwrap());
        for (mode, bytes, right) in [
            (Mode::Ecb, 24, true),
            (Mode::Ecb, 20, false),
            (Mode::Cbc, 8, true),
            (Mode::Cbc, 9, false),
            (Mode::Ctr, 13, true),
        ] {
            let key = Arc::clone(&key);
            let request = CipherRequest::new(mode, Direction::Encrypt, key, [0; 16]);
            assert_eq!(request.check(bytes).is_ok(), right, "{mode} {bytes}");
            assert_eq!(Request::from(request).algorithm(), &PRESENT);
        }
        assert!(Key::of(&P_256, &[0; 32]).is_err());
    }

    #[test]
    fn gcm_has_a_longest_message() {
        let request = request(Mode::Gcm, Direction::Encrypt);
        assert!(request.check(GCM_BYTES as usize).is_ok());
        let error = request.check(GCM_BYTES as usize + 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn gcm_decryption_needs_a_tag() {
        assert!(request(Mode::Gcm, Direction::Decrypt).check(16).is_err());
    }

    #[test]
    fn what_nobody_authenticates_is_not_silently_dropped() {
        for bypass in [false, true] {
            let mut request = request(Mode::Ctr, Direction::Decrypt);
            request.bypass = bypass;
            request.associated_data = vec![1];
            let error = request.check(16).unwrap_err().to_string();
            assert!(error.contains("associated data needs GCM"), "{error}");
            request.associated_data.clear();
            request.tag = Some([0; 16]);
            let error = request.check(16).unwrap_err().to_string();
            assert!(error.contains("a tag needs GCM"), "{error}");
        }
    }

    #[test]
    fn keys_digests_and_signatures_have_the_lengths_of_their_curve() {
        let secret = |bytes: usize| RequestKey::from(SecretKey::new(vec![1; bytes]));
        for (algorithm, bytes) in [(&P_256, 32), (&P_384, 48), (&P_521, 66)] {
            let verify = |public_bytes: usize, signature_bytes: usize| Request::Verify {
                algorithm,
                public_key: vec![0; public_bytes],
                signature: vec![0; signature_bytes],
            };
            // Each with the bytes of its data and of its output.
            for (request, data_bytes, output_bytes) in [
                (Request::GenerateKey(algorithm), 0, 3 * bytes),
                (Request::Sign(algorithm, secret(bytes)), 20, 2 * bytes),
                (verify(2 * bytes, 2 * bytes), 64, 1),
                (Request::Agree(algorithm, secret(bytes)), 2 * bytes, bytes),
            ] {
                request.check(data_bytes).unwrap();
                assert_eq!(request.output_bytes(data_bytes), output_bytes);
                let (operation, many) = (request.operation(), 2 * bytes + 1);
                assert!(request.check(many).is_err(), "{operation}");
            }
            for (request, data_bytes, reason) in [
                (Request::GenerateKey(algorithm), 1, "from no data"),
                (
                    Request::Sign(algorithm, secret(bytes)),
                    0,
                    "hash the message",
                ),
                (
                    Request::Sign(algorithm, secret(bytes - 1)),
                    32,
                    "a private key of",
                ),
                (verify(2 * bytes + 1, 2 * bytes), 32, "a public key of"),
                (verify(2 * bytes, 2 * bytes - 1), 32, "a signature of"),
                (verify(2 * bytes, 2 * bytes), 65, "hash the message"),
                (
                    Request::Agree(algorithm, secret(bytes + 1)),
                    2 * bytes,
                    "a private key of",
                ),
                (
                    Request::Agree(algorithm, secret(bytes)),
                    bytes,
                    "a public key of",
                ),
            ] {
                let error = request.check(data_bytes).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Invalid);
                assert!(error.to_string().contains(reason), "{error}");
            }
        }
    }

    #[test]
    fn bypass_takes_any_length() {
        let mut request = request(Mode::Cbc, Direction::Encrypt);
        request.bypass = true;
        assert!(request.check(17).is_ok());
    }
}
