// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Known answers: the software's and the device's code, before OpenSSL gets to use it.

use std::sync::Arc;

use ciphermill::{
    ASCON_HASH256, Algorithm, Buffer, CipherRequest, Device, Direction, Error, ErrorKind,
    HMAC_SHA_256, Key, KeyBits, Mode, Request, Result, SHA_256, SHA_512, SecretKey, Session, Span,
};
use ciphermill_cpu::{Direct, DirectDigest, DirectGcm, DirectXts, HmacHash};

/// The keys of SP 800-38A, appendix F, of 128, 192 and 256 bits.
const KEYS: [&str; 3] = [
    "2b7e151628aed2a6abf7158809cf4f3c",
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
];
/// The first two blocks of the plaintext there.
const PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";
/// F.1, F.2 and F.5: mode, IV, and the ciphertext with each key.
const CIPHERTEXTS: [(Mode, &str, [&str; 3]); 3] = [
    (
        Mode::Ecb,
        "00000000000000000000000000000000",
        [
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf",
            "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef",
            "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870",
        ],
    ),
    (
        Mode::Cbc,
        "000102030405060708090a0b0c0d0e0f",
        [
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
            "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d",
        ],
    ),
    (
        Mode::Ctr,
        "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        [
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94",
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5",
        ],
    ),
];

/// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 4, 10 and 16: the
/// key is the beginning of this.
const GCM_KEY: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
const GCM_IV: &str = "cafebabefacedbaddecaf888";
const GCM_ASSOCIATED: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const GCM_PLAINTEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
/// Ciphertext and tag with each key.
const GCM_CIPHERTEXTS: [&str; 3] = [
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5a\
     ac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47",
    "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18\
     c84a3f4718e2448b2fe324d9ccda27102519498e80f1478f37ba55bd6d27618c",
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b10\
     56828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b",
];

/// XTS (IEEE 1619-2018, annex B, vectors 2 and 17, the second with ciphertext stealing; and
/// NIST's CAVP, XTSGenAES256): both keys, the data unit's number, plaintext, ciphertext.
const XTS: [[&str; 4]; 3] = [
    [
        "1111111111111111111111111111111122222222222222222222222222222222",
        "3333333333",
        "4444444444444444444444444444444444444444444444444444444444444444",
        "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
    ],
    [
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "9a78563412",
        "000102030405060708090a0b0c0d0e0f101112",
        "e5df1351c0544ba1350b3363cd8ef4beedbf9d",
    ],
    [
        "f6db5326ea996b16ca0d439b5a0106e3a34ed343db489faad06979009399b03b\
         3cd9ef23332d46414216531d9885a5a30b1964523992f42748202b80a4190d45",
        "f5",
        "bf6a09f93f94d6bdc8c5f5e158916c3371a540e46644f79414d84dda1339397c\
         e90ebb768deeb88ecd2be175a396bb85",
        "b11a252c5776c439ea7baeaae7830418e574b2248cc8b524b7fd0cc8e1ecffa9\
         812f45ae313e3e1f44127b27fb08a613",
    ],
];

/// FIPS 180-4's "abc", and the empty message in the known answers for SP 800-232.
const DIGESTS: [(&Algorithm, &[u8], &str); 3] = [
    (
        &SHA_256,
        b"abc",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ),
    (
        &SHA_512,
        b"abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    (
        &ASCON_HASH256,
        b"",
        "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2",
    ),
];

/// The second test case of HMAC in RFC 2202 and RFC 4231: key, message, and the code with each
/// hash.
const HMAC_KEY: &[u8] = b"Jefe";
const HMAC_MESSAGE: &[u8] = b"what do ya want for nothing?";
const HMAC_SHA_256_CODE: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
const HMAC_CODES: [(HmacHash, &str); 6] = [
    (HmacHash::Md5, "750c783e6ab0b503eaa86e310a5db738"),
    (HmacHash::Sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    (
        HmacHash::Sha224,
        "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
    ),
    (HmacHash::Sha256, HMAC_SHA_256_CODE),
    (
        HmacHash::Sha384,
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e\
         8e2240ca5e69e2c78b3239ecfab21649",
    ),
    (
        HmacHash::Sha512,
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
         9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ),
];

/// The known answers of digests and MACs that a device can have.
fn hashes() -> impl Iterator<Item = (Request, &'static [u8], &'static str)> {
    let digests = DIGESTS.into_iter();
    let digests = digests.map(|(hash, message, digest)| (Request::Digest(hash), message, digest));
    let hmac = Request::Authenticate(&HMAC_SHA_256, SecretKey::new(HMAC_KEY));
    digests.chain([(hmac, HMAC_MESSAGE, HMAC_SHA_256_CODE)])
}

/// One answer: GCM's tag is apart.
struct Answer {
    request: CipherRequest,
    input: Vec<u8>,
    output: Vec<u8>,
    tag: Option<[u8; 16]>,
}

/// Every mode, direction and key size.
fn answers() -> Result<Vec<Answer>> {
    let mut answers = Vec::new();
    for (number, size) in KeyBits::ALL.into_iter().enumerate() {
        let key = Arc::new(Key::new(&bytes(KEYS[number]))?);
        for (mode, iv, ciphertexts) in CIPHERTEXTS {
            let texts = [bytes(PLAINTEXT), bytes(ciphertexts[number])];
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let request = CipherRequest::new(mode, direction, Arc::clone(&key), block(iv));
                answers.push(Answer::new(request, texts.clone(), None));
            }
        }
        let key = Arc::new(Key::new(&bytes(GCM_KEY)[..size.bytes()])?);
        let mut ciphertext = bytes(GCM_CIPHERTEXTS[number]);
        let mut tag = [0; 16];
        tag.copy_from_slice(&ciphertext.split_off(ciphertext.len() - 16));
        let texts = [bytes(GCM_PLAINTEXT), ciphertext];
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let mut request =
                CipherRequest::new(Mode::Gcm, direction, Arc::clone(&key), block(GCM_IV));
            request.associated_data = bytes(GCM_ASSOCIATED);
            request.tag = (direction == Direction::Decrypt).then_some(tag);
            answers.push(Answer::new(request, texts.clone(), Some(tag)));
        }
    }
    for [keys, number, plaintext, ciphertext] in XTS {
        let (keys, texts) = (bytes(keys), [bytes(plaintext), bytes(ciphertext)]);
        let (key, tweak_key) = keys.split_at(keys.len() / 2);
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let (key, tweak_key) = (Key::new(key)?, Key::new(tweak_key)?);
            let number = u128::from_le_bytes(block(number));
            let request = CipherRequest::xts(direction, key, tweak_key, number, texts[0].len())?;
            answers.push(Answer::new(request, texts.clone(), None));
        }
    }
    Ok(answers)
}

impl Answer {
    fn new(request: CipherRequest, [plain, cipher]: [Vec<u8>; 2], tag: Option<[u8; 16]>) -> Answer {
        let (input, output) = match request.direction {
            Direction::Encrypt => (plain, cipher),
            Direction::Decrypt => (cipher, plain),
        };
        // A decryption is given the tag, and gives none.
        let tag = tag.filter(|_| request.direction == Direction::Encrypt);
        Answer {
            request,
            input,
            output,
            tag,
        }
    }

    fn check(&self, who: &str, output: &[u8], tag: Option<[u8; 16]>) -> Result<()> {
        if output == self.output && tag == self.tag {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Device,
            format!(
                "self-test: {who} gives a wrong answer in AES-{} {} {:?}",
                self.request.key.size().bits(),
                self.request.mode,
                self.request.direction
            ),
        ))
    }
}

/// The software that short updates go to.
///
/// # Errors
/// [`ErrorKind::Device`] when an answer is wrong.
pub(crate) fn software() -> Result<()> {
    for answer in answers()? {
        let request = &answer.request;
        let mut data = answer.input.clone();
        let mut tag = None;
        if request.mode == Mode::Gcm {
            let mut gcm = DirectGcm::new(request.direction, &request.key)?;
            gcm.start(&request.iv[..12])?;
            gcm.associate(&request.associated_data)?;
            gcm.process(&mut data)?;
            match request.tag {
                None => tag = Some(gcm.tag()?),
                Some(tag) => gcm.verify(&tag)?,
            }
        } else if request.mode == Mode::Xts {
            DirectXts::new(request)?.process(request.iv, &mut data)?;
        } else {
            Direct::new(request)?.process(&mut data)?;
        }
        answer.check("software", &data, tag)?;
    }
    for (request, message, expected) in hashes() {
        let mut digest = DirectDigest::of(&request)?;
        digest.update(message)?;
        check_hash(
            "software",
            request.algorithm().name,
            &digest.finish()?,
            expected,
        )?;
    }
    for (hash, expected) in HMAC_CODES {
        let mut code = DirectDigest::hmac(hash, HMAC_KEY)?;
        code.update(HMAC_MESSAGE)?;
        check_hash(
            "software",
            &format!("HMAC, {hash:?}"),
            &code.finish()?,
            expected,
        )?;
    }
    Ok(())
}

fn check_hash(who: &str, name: &str, digest: &[u8], expected: &str) -> Result<()> {
    if digest == bytes(expected) {
        return Ok(());
    }
    let message = format!("self-test: {who} gives a wrong answer in {name}");
    Err(Error::new(ErrorKind::Device, message))
}

/// Test the device on a queue of its own, in every operation that it has.
///
/// # Errors
/// As [`software`], and what the device gives.
pub(crate) fn device(device: &dyn Device, session: &mut Session) -> Result<()> {
    for answer in answers()? {
        let request = &answer.request;
        let size = request.key.size();
        let capabilities = device.capabilities();
        // Ciphertext stealing is software's, whatever the device.
        let steals = request.data_units.as_ref();
        let steals = steals.is_some_and(|units| units.steals(answer.input.len()));
        if capabilities.supports(request.mode, request.direction, size) && !steals {
            let mut data = answer.input.clone();
            let mut span = Span::InPlace(&mut data);
            let done = session.whole(request.clone(), &mut span)?;
            answer.check(device.name(), &done.data, done.tag)?;
        }
    }
    for (request, message, expected) in hashes() {
        let name = request.algorithm().name;
        if device.capabilities().can(&request) {
            session.submit(request, Buffer::from(message.to_vec()))?;
            let answer = session.complete()?;
            check_hash(device.name(), name, &answer.data, expected)?;
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

/// A block that begins with these bytes.
fn block(hexadecimal: &str) -> [u8; 16] {
    let mut block = [0; 16];
    let bytes = bytes(hexadecimal);
    block[..bytes.len()].copy_from_slice(&bytes);
    block
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
        tested(None).unwrap();
        for mode in Mode::ALL {
            let error = tested(Some(mode)).unwrap_err().to_string();
            assert!(error.contains("self-test: wrong gives"), "{error}");
            assert!(error.contains(mode.name()), "{error}");
        }
    }
}
