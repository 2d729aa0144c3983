// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Known answers: the software's and the device's code, before OpenSSL gets to use it.

use ciphermill::{
    Algorithm, CipherRequest, Device, Direction, Error, ErrorKind, HMAC_SHA_256, Key, Mode,
    Operation, Request, Result, SecretKey, Session,
};
use ciphermill_cpu::{Direct, DirectDigest, DirectGcm, DirectXts, HmacHash, PrivateKey, PublicKey};

const TABLE: &str = include_str!("known_answers.txt");

/// The hashes of HMAC.
const HMAC_HASHES: [(&str, HmacHash); 6] = [
    ("hmac-md5", HmacHash::Md5),
    ("hmac-sha1", HmacHash::Sha1),
    ("hmac-sha224", HmacHash::Sha224),
    ("hmac-sha256", HmacHash::Sha256),
    ("hmac-sha384", HmacHash::Sha384),
    ("hmac-sha512", HmacHash::Sha512),
];

/// A line of the table.
struct Answer {
    name: &'static str,
    key: Vec<u8>,
    iv: Vec<u8>,
    associated: Vec<u8>,
    input: Vec<u8>,
    output: Vec<u8>,
}

/// What a device may be asked, with input and output; GCM's tag is behind the ciphertext.
type Question = (Request, Vec<u8>, Vec<u8>);

fn answers() -> impl Iterator<Item = Answer> {
    let lines = TABLE.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut fields = line.split(' ');
        let name = fields.next().unwrap_or_default();
        let mut next = || bytes(fields.next().unwrap_or_default());
        Answer {
            name,
            key: next(),
            iv: next(),
            associated: next(),
            input: next(),
            output: next(),
        }
    })
}

impl Answer {
    /// Both directions of a cipher; none for a hash of HMAC that only software has. A signature is
    /// verified, since that of a device may be another one.
    fn questions(&self) -> Result<Vec<Question>> {
        if let Some(mode) = Mode::ALL.into_iter().find(|mode| mode.name() == self.name) {
            let directions = [Direction::Encrypt, Direction::Decrypt].into_iter();
            return directions
                .map(|direction| self.cipher(mode, direction))
                .collect();
        }
        if let Some(curve) = self.curve() {
            return Ok(vec![self.on_curve(curve)]);
        }
        let request = match self.name {
            "hmac-sha256" => Request::Authenticate(&HMAC_SHA_256, SecretKey::new(&self.key[..])),
            _ if self.hmac().is_some() => return Ok(Vec::new()),
            digest => Request::Digest(Algorithm::find(digest, Operation::Digest)?),
        };
        Ok(vec![(request, self.input.clone(), self.output.clone())])
    }

    fn on_curve(&self, algorithm: &'static Algorithm) -> Question {
        if self.name.starts_with("ecdh-") {
            let request = Request::Agree(algorithm, SecretKey::new(&self.key[..]).into());
            return (request, self.iv.clone(), self.output.clone());
        }
        let request = Request::Verify {
            algorithm,
            public_key: self.iv.clone(),
            signature: self.associated.clone(),
        };
        (request, self.input.clone(), vec![1])
    }

    /// The curve of an answer of ECDSA or ECDH.
    fn curve(&self) -> Option<&'static Algorithm> {
        let (_, name) = self
            .name
            .split_once("ecdsa-")
            .or(self.name.split_once("ecdh-"))?;
        Algorithm::find(name, Operation::Sign).ok()
    }

    fn hmac(&self) -> Option<HmacHash> {
        let mut hashes = HMAC_HASHES.into_iter();
        hashes.find_map(|(name, hash)| (name == self.name).then_some(hash))
    }

    fn cipher(&self, mode: Mode, direction: Direction) -> Result<Question> {
        let mut iv = [0; 16];
        iv[..self.iv.len()].copy_from_slice(&self.iv);
        let (mut input, mut output) = (self.input.clone(), self.output.clone());
        let mut request = match mode {
            Mode::Xts => {
                let (key, tweak_key) = self.key.split_at(self.key.len() / 2);
                let (key, tweak_key) = (Key::new(key)?, Key::new(tweak_key)?);
                let number = u128::from_le_bytes(iv);
                CipherRequest::xts(direction, key, tweak_key, number, input.len())?
            }
            _ => CipherRequest::new(mode, direction, Key::new(&self.key)?, iv),
        };
        request.associated_data.clone_from(&self.associated);
        if direction == Direction::Decrypt {
            (input, output) = (output, input);
            // A decryption is given the tag, and gives none.
            request.tag = input.split_off(output.len()).try_into().ok();
        }
        Ok((request.into(), input, output))
    }

    fn check(&self, who: &str, what: &str, given: &[u8], expected: &[u8]) -> Result<()> {
        if given == expected {
            return Ok(());
        }
        let (name, bits) = (self.name, 8 * self.key.len());
        let message =
            format!("self-test: {who} gives a wrong answer in {name}, {what}, {bits} bits of key");
        Err(Error::new(ErrorKind::Device, message))
    }
}

/// The software that short updates go to.
///
/// # Errors
/// [`ErrorKind::Device`] when an answer is wrong.
pub(crate) fn software() -> Result<()> {
    for answer in answers() {
        for (request, input, expected) in answer.questions()? {
            let given = match &request {
                Request::Cipher(request) => by_cipher(request, input)?,
                // Those of `keys`.
                Request::Verify { .. } | Request::Agree(..) => continue,
                hash => by_hash(DirectDigest::of(hash)?, &input)?,
            };
            let what = request.operation().name();
            answer.check("software", what, &given, &expected)?;
        }
        if let Some(hash) = answer.hmac() {
            let given = by_hash(DirectDigest::hmac(hash, &answer.key)?, &answer.input)?;
            answer.check("software", "authenticate", &given, &answer.output)?;
        }
    }
    Ok(())
}

/// The software that works with keys of elliptic curves.
///
/// # Errors
/// As [`software`].
pub(crate) fn keys() -> Result<()> {
    for answer in answers() {
        let Some(curve) = answer.curve() else {
            continue;
        };
        let private = PrivateKey::new(curve, &answer.key)?;
        let public = PublicKey::new(curve, &answer.iv)?;
        if answer.name.starts_with("ecdh-") {
            let secret = private.agree(&public)?;
            answer.check("software", "agree", &secret, &answer.output)?;
            continue;
        }
        // Its signatures differ, so that one of them is verified in place of a comparison.
        for signature in [&answer.associated, &private.sign(&answer.input)?] {
            let right = public.verify(&answer.input, signature)?;
            answer.check("software", "verify", &[right.into()], &[1])?;
        }
    }
    Ok(())
}

fn by_cipher(request: &CipherRequest, mut data: Vec<u8>) -> Result<Vec<u8>> {
    match request.mode {
        Mode::Gcm => {
            let mut gcm = DirectGcm::new(request.direction, &request.key)?;
            gcm.start(&request.iv[..12])?;
            gcm.associate(&request.associated_data)?;
            gcm.process(&mut data)?;
            match request.tag {
                None => data.extend(gcm.tag()?),
                Some(tag) => gcm.verify(&tag)?,
            }
        }
        Mode::Xts => DirectXts::new(request)?.process(request.iv, &mut data)?,
        _ => Direct::new(request)?.process(&mut data)?,
    }
    Ok(data)
}

fn by_hash(mut hash: DirectDigest, message: &[u8]) -> Result<Vec<u8>> {
    hash.update(message)?;
    hash.finish()
}

/// Test the device on a queue of its own, in every operation that it has.
///
/// # Errors
/// As [`software`], and what the device gives.
pub(crate) fn device(device: &dyn Device, session: &mut Session) -> Result<()> {
    for answer in answers() {
        for (request, input, expected) in answer.questions()? {
            // Ciphertext stealing is software's, whatever the device.
            let units = request
                .cipher()
                .ok()
                .and_then(|cipher| cipher.data_units.as_ref());
            let steals = units.is_some_and(|units| units.steals(input.len()));
            if steals || !device.capabilities().can(&request) {
                continue;
            }
            let mut buffer = session.buffer(input.len())?;
            buffer.copy_from_slice(&input);
            session.submit(request.clone(), buffer)?;
            let done = session.complete()?;
            let given = [&done.data[..], done.tag.as_ref().map_or(&[], |tag| tag)].concat();
            answer.check(device.name(), request.operation().name(), &given, &expected)?;
        }
    }
    Ok(())
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
    let pairs = hexadecimal.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

#[cfg(test)]
mod tests {
    use ciphermill::testing::ReferenceDevice;
    use ciphermill::{Cancellation, Completion, Job, Queue};

    use super::*;

    /// A device with one wrong bit in what it gives in one mode.
    #[derive(Clone)]
    struct Wrong(ReferenceDevice, Option<Mode>);

    struct WrongQueue(Box<dyn Queue>, Option<Mode>, bool);

    impl Device for Wrong {
        fn name(&self) -> &str {
            "wrong"
        }

        fn capabilities(&self) -> &ciphermill::Capabilities {
            self.0.capabilities()
        }

        fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
            Ok(Box::new(WrongQueue(
                self.0.open(cancellation)?,
                self.1,
                false,
            )))
        }
    }

    impl Queue for WrongQueue {
        fn submit(&mut self, job: Job) -> Result<()> {
            self.2 = job.request.cipher().ok().map(|request| request.mode) == self.1;
            self.0.submit(job)
        }

        fn complete(&mut self) -> Option<Completion> {
            let mut completion = self.0.complete()?;
            if let (true, Ok(data)) = (self.2, &mut completion.result) {
                data[20] ^= 4;
            }
            Some(completion)
        }

        fn in_flight(&self) -> usize {
            self.0.in_flight()
        }
    }

    fn tested(wrong: Option<Mode>) -> Result<()> {
        let tested = Wrong(ReferenceDevice::new(), wrong);
        let mut session = Session::open(&tested, Cancellation::new())?;
        device(&tested, &mut session)
    }

    #[test]
    fn right_answers_pass_and_a_wrong_bit_in_any_mode_does_not() {
        software().unwrap();
        keys().unwrap();
        tested(None).unwrap();
        for mode in Mode::ALL {
            let error = tested(Some(mode)).unwrap_err().to_string();
            assert!(error.contains("self-test: wrong gives"), "{error}");
            assert!(error.contains(mode.name()), "{error}");
        }
    }
}
