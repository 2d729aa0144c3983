// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Operations other than AES on `cpu`, against the standards' own examples.

use ciphermill::{
    AES_CMAC, ASCON_AEAD128, ASCON_HASH256, AeadRequest, Algorithm, Cancellation, Device,
    Direction, ErrorKind, HMAC_SHA_224, HMAC_SHA_256, HMAC_SHA_384, HMAC_SHA_512, MessageOutcome,
    Operation, P_256, P_384, P_521, Request, Result, SHA_224, SHA_256, SHA_384, SHA_512,
    SHA_512_224, SHA_512_256, SecretKey, run_batch, run_message,
};
use ciphermill_cpu::{CpuDevice, PrivateKey, PublicKey};
use proptest::prelude::*;

fn run(request: impl Into<Request>, data: &[u8]) -> Result<MessageOutcome> {
    let never = Cancellation::new();
    run_message(
        &CpuDevice::new(),
        request,
        data.to_vec(),
        &never,
        &mut |_| {},
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digest(algorithm: &'static Algorithm, data: &[u8]) -> String {
    hex(&run(Request::Digest(algorithm), data).unwrap().data)
}

#[test]
fn hashes_give_the_digests_of_their_standards() {
    // FIPS 180-4, as NIST's examples "abc" and the message of two blocks.
    assert_eq!(
        digest(&SHA_256, b"abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(
        digest(
            &SHA_256,
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        ),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    );
    assert_eq!(
        digest(&SHA_224, b"abc"),
        "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
    );
    assert_eq!(
        digest(&SHA_384, b"abc"),
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
         8086072ba1e7cc2358baeca134c825a7"
    );
    assert_eq!(
        digest(&SHA_512_224, b"abc"),
        "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"
    );
    assert_eq!(
        digest(&SHA_512_256, b"abc"),
        "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"
    );
    assert_eq!(
        digest(&SHA_512, b"abc"),
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    );
    // The empty message is a message.
    assert_eq!(
        digest(&SHA_256, b""),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    // The first of the known answers that the designers publish for SP 800-232.
    assert_eq!(
        digest(&ASCON_HASH256, b""),
        "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"
    );
}

#[test]
fn a_long_message_is_hashed_in_slices() {
    // FIPS 180-2, B.3, a million times "a"; then more than one slice.
    assert_eq!(
        digest(&SHA_256, &[b'a'; 1_000_000]),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    );
    let long = vec![b'a'; (1 << 20) + 1];
    assert_eq!(
        digest(&SHA_256, &long),
        "4a3f0c0c213adea174f9a3d4c13177315b588bdb2e9c1012d3d0bf0453ca0f6a"
    );
}

/// SP 800-38B, appendix D, as NIST corrected it in 2016; the examples of AES-128 are those of
/// RFC 4493, section 4.
#[test]
fn cmac_gives_the_codes_of_sp_800_38b() {
    const TEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
        30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
    let vectors = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            [
                (0, "bb1d6929e95937287fa37d129b756746"),
                (16, "070a16b46b4d4144f79bdd9dd04a287c"),
                (40, "dfa66747de9ae63030ca32611497c827"),
                (64, "51f0bebf7e3b9d92fc49741779363cfe"),
            ],
        ),
        (
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            [
                (0, "d17ddf46adaacde531cac483de7a9367"),
                (16, "9e99a7bf31e710900662f65e617c5184"),
                (40, "8a1de5be2eb31aad089a82e6ee908b0e"),
                (64, "a1d5df0eed790f794d77589659f39a11"),
            ],
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            [
                (0, "028962f61b7bf89efc6b551f4667d983"),
                (16, "28a7023f452e8f82bd4bf28d8c37c35c"),
                (40, "aaf3d8f1de5640c232f5b169b9c911e6"),
                (64, "e1992190549f6ed5696a2c056c315410"),
            ],
        ),
    ];
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len() / 2)
            .map(|index| u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).unwrap())
            .collect()
    };
    let mut messages = Vec::new();
    let mut codes = Vec::new();
    for (key, examples) in vectors {
        for (length, code) in examples {
            let key = SecretKey::new(bytes(key));
            let request = Request::Authenticate(&AES_CMAC, key);
            let text = bytes(TEXT)[..length].to_vec();
            assert_eq!(hex(&run(request.clone(), &text).unwrap().data), code);
            messages.push((request, text));
            codes.push(code);
        }
    }
    // The same side by side.
    let outcomes = run_batch(&CpuDevice::new(), messages, &Cancellation::new()).unwrap();
    for (outcome, code) in outcomes.into_iter().zip(codes) {
        assert_eq!(hex(&outcome.unwrap().data), code);
    }
    let request = Request::Authenticate(&AES_CMAC, SecretKey::new([0; 20]));
    let error = run(request, b"").unwrap_err();
    assert_eq!(error.to_string(), "aes-cmac has no key of 160 bits");
}

#[test]
fn hmac_gives_the_codes_of_rfc_4231() {
    let by = |algorithm, key: &[u8], data: &[u8]| {
        let request = Request::Authenticate(algorithm, SecretKey::new(key));
        hex(&run(request, data).unwrap().data)
    };
    let code = |key: &[u8], data: &[u8]| by(&HMAC_SHA_256, key, data);
    assert_eq!(
        code(&[0x0b; 20], b"Hi There"),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    );
    assert_eq!(
        code(b"Jefe", b"what do ya want for nothing?"),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    let jefe = |algorithm| by(algorithm, b"Jefe", b"what do ya want for nothing?");
    assert_eq!(
        jefe(&HMAC_SHA_224),
        "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
    );
    assert_eq!(
        jefe(&HMAC_SHA_384),
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e\
         8e2240ca5e69e2c78b3239ecfab21649"
    );
    assert_eq!(
        jefe(&HMAC_SHA_512),
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
         9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    );
    // A key that is longer than a block.
    assert_eq!(
        code(
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First"
        ),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    );
}

fn ascon(
    direction: Direction,
    associated_data: &[u8],
    data: &[u8],
    tag: Option<[u8; 16]>,
) -> Result<MessageOutcome> {
    let bytes: Vec<u8> = (0..16).collect();
    let request = AeadRequest {
        algorithm: &ASCON_AEAD128,
        direction,
        key: SecretKey::new(&bytes[..]),
        nonce: bytes,
        associated_data: associated_data.to_vec(),
        tag,
    };
    run(request, data)
}

#[test]
fn ascon_gives_the_known_answers_and_refuses_what_was_altered() {
    // Known answers 1 and 271 that the designers publish for SP 800-232.
    let sent = ascon(Direction::Encrypt, b"", b"", None).unwrap();
    assert_eq!(hex(&sent.tag.unwrap()), "4427d64b8e1e1451fc445960f0839bb0");
    let sent = ascon(
        Direction::Encrypt,
        &[0, 1, 2, 3, 4, 5],
        &[0, 1, 2, 3, 4, 5, 6, 7],
        None,
    );
    let sent = sent.unwrap();
    assert_eq!(hex(&sent.data), "7cc88bdbf6d70605");
    assert_eq!(hex(&sent.tag.unwrap()), "6c8b219f65945332dede9303def1d5df");
    let sent = ascon(Direction::Encrypt, b"", b"attack at dawn", None).unwrap();
    let back = ascon(Direction::Decrypt, b"", &sent.data, sent.tag).unwrap();
    assert_eq!(back.data, b"attack at dawn");
    let mut altered = sent.data.clone();
    altered[3] ^= 1;
    let error = ascon(Direction::Decrypt, b"", &altered, sent.tag).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Authentication);
    let error = ascon(Direction::Decrypt, b"", &sent.data, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[test]
fn what_the_device_lacks_is_refused_by_name() {
    let error = run(Request::Digest(&P_256), b"").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(
        error.to_string(),
        "device cpu cannot digest by p-256: choose another device"
    );
    let device = CpuDevice::new();
    let mut offered = device.capabilities().operations.iter();
    assert!(offered.any(|one| one.operation == Operation::Authenticate));
}

#[test]
fn a_batch_gives_what_its_messages_give_and_a_refused_one_stops_no_other() {
    let message = |number: u8| vec![number; 10 * usize::from(number)];
    let mut messages: Vec<_> = (0..20)
        .map(|number| (Request::Digest(&SHA_256), message(number)))
        .collect();
    messages.insert(7, (Request::Digest(&P_256), Vec::new()));
    let never = Cancellation::new();
    let mut outcomes = run_batch(&CpuDevice::new(), messages, &never).unwrap();
    let refused = outcomes.remove(7).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    for (number, outcome) in (0..).zip(outcomes) {
        assert_eq!(
            hex(&outcome.unwrap().data),
            digest(&SHA_256, &message(number))
        );
    }
}

/// A key pair of RFC 6979, A.2, and its signature of a digest of "sample" by the hash of SHA-2
/// that is as long as the curve's order.
struct Pair {
    algorithm: &'static Algorithm,
    private: &'static str,
    public: &'static str,
    digest: &'static str,
    signature: &'static str,
}

static PAIRS: [Pair; 3] = [
    Pair {
        algorithm: &P_256,
        private: "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        public: "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
         7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
        digest: "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf",
        signature: "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
         f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    },
    Pair {
        algorithm: &P_384,
        private: "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8\
         96d5724e4c70a825f872c9ea60d2edf5",
        public: "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64\
         def8f0ea9055866064a254515480bc138015d9b72d7d57244ea8ef9ac0c62189\
         6708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
        digest: "9a9083505bc92276aec4be312696ef7bf3bf603f4bbd381196a029f340585312\
         313bca4a9b5b890efee42c77b1ee25fe",
        signature: "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c\
         81a648152e44acf96e36dd1e80fabe4699ef4aeb15f178cea1fe40db2603138f\
         130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
    },
    Pair {
        algorithm: &P_521,
        private: "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75\
         caa896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b8\
         3538",
        public: "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd\
         371123d46e45db6b5d5370a7f20fb633155d38ffa16d2bd761dcac474b9a2f50\
         23a400493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f\
         746a28a0db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa\
         2bfdfcf5",
        digest: "39a5e04aaff7455d9850c605364f514c11324ce64016960d23d5dc57d3ffd8f4\
         9a739468ab8049bf18eef820cdb1ad6c9015f838556bc7fad4138b23fdf986c7",
        signature: "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f\
         174e25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e3\
         77fa00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b\
         68af282623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e4\
         4da4a67a",
    },
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

fn sign(algorithm: &'static Algorithm, key: &[u8], digest: &[u8]) -> Result<Vec<u8>> {
    let request = Request::Sign(algorithm, SecretKey::new(key).into());
    Ok(run(request, digest)?.data.into_vec())
}

fn verify(
    algorithm: &'static Algorithm,
    public_key: &[u8],
    digest: &[u8],
    signature: &[u8],
) -> Result<bool> {
    let request = Request::Verify {
        algorithm,
        public_key: public_key.to_vec(),
        signature: signature.to_vec(),
    };
    Ok(run(request, digest)?.data == [1])
}

fn agree(algorithm: &'static Algorithm, key: &[u8], peer: &[u8]) -> Result<Vec<u8>> {
    let request = Request::Agree(algorithm, SecretKey::new(key).into());
    Ok(run(request, peer)?.data.into_vec())
}

#[test]
fn published_signatures_are_right_and_altered_ones_are_not() {
    for pair in &PAIRS {
        let (public, digest) = (bytes(pair.public), bytes(pair.digest));
        let published = bytes(pair.signature);
        let own = sign(pair.algorithm, &bytes(pair.private), &digest).unwrap();
        for signature in [&published, &own] {
            assert!(verify(pair.algorithm, &public, &digest, signature).unwrap());
            for place in [0, signature.len() / 2, signature.len() - 1] {
                let mut altered = signature.clone();
                altered[place] ^= 1;
                assert!(!verify(pair.algorithm, &public, &digest, &altered).unwrap());
            }
            let other = [&digest[1..], &[0]].concat();
            assert!(!verify(pair.algorithm, &public, &other, signature).unwrap());
        }
    }
}

#[test]
fn signatures_in_der_are_right_and_what_is_none_is_not() {
    for pair in &PAIRS {
        let key = PrivateKey::new(pair.algorithm, &bytes(pair.private)).unwrap();
        let public = PublicKey::new(pair.algorithm, &bytes(pair.public)).unwrap();
        let digest = bytes(pair.digest);
        let signature = key.sign_der(&digest).unwrap();
        assert!(public.verify_der(&digest, &signature));
        assert!(!public.verify_der(&digest[1..], &signature));
        let mut longer = signature.clone();
        longer.push(0);
        for wrong in [&longer[..], &signature[1..], &[], &bytes(pair.signature)] {
            assert!(!public.verify_der(&digest, wrong));
        }
    }
}

#[test]
fn a_point_is_taken_compressed_or_not() {
    for pair in &PAIRS {
        let (algorithm, public) = (pair.algorithm, bytes(pair.public));
        let (x, y) = public.split_at(algorithm.key_bytes());
        let parity = 2 + (y.last().unwrap() & 1);
        for point in [[&[4], &public[..]].concat(), [&[parity], x].concat()] {
            let key = PublicKey::from_point(algorithm, &point).unwrap();
            assert_eq!(key.to_bytes().unwrap(), public);
        }
        for (point, reason) in [
            (vec![0], "the point at infinity"),
            (vec![], "not a point of"),
            ([&[5], &public[..]].concat(), "not a point of"),
            ([&[4], x].concat(), "not a point of"),
        ] {
            let error = PublicKey::from_point(algorithm, &point).err().unwrap();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}

#[test]
fn two_signatures_of_a_digest_have_two_nonces() {
    let key = bytes(PAIRS[0].private);
    let [one, other] = [(); 2].map(|()| sign(&P_256, &key, &[7; 32]).unwrap());
    // r is a function of the nonce alone.
    assert_ne!(one[..32], other[..32]);
}

#[test]
fn a_long_digest_is_signed_by_its_first_bits() {
    let pair = &PAIRS[0];
    let (key, public) = (bytes(pair.private), bytes(pair.public));
    let signature = sign(&P_256, &key, &[7; 64]).unwrap();
    assert!(verify(&P_256, &public, &[7; 32], &signature).unwrap());
    assert!(!verify(&P_256, &public, &[7; 31], &signature).unwrap());
}

#[test]
fn integers_that_no_signature_has_are_answered_with_no() {
    for pair in &PAIRS {
        let (public, digest) = (bytes(pair.public), bytes(pair.digest));
        let signature = bytes(pair.signature);
        let length = signature.len() / 2;
        for wrong in [vec![0; length], order(pair.algorithm), vec![0xff; length]] {
            let (r, s) = signature.split_at(length);
            for forged in [[&wrong, s].concat(), [r, &wrong].concat()] {
                assert!(!verify(pair.algorithm, &public, &digest, &forged).unwrap());
            }
        }
    }
}

#[test]
fn two_new_keys_agree_and_sign() {
    for Pair { algorithm, .. } in &PAIRS {
        let [one, other] = [(); 2].map(|()| {
            let pair = run(Request::GenerateKey(algorithm), b"").unwrap().data;
            let (private, public) = pair.split_at(pair.len() / 3);
            (private.to_vec(), public.to_vec())
        });
        assert_ne!(one.0, other.0);
        let secret = agree(algorithm, &one.0, &other.1).unwrap();
        assert_eq!(agree(algorithm, &other.0, &one.1).unwrap(), secret);
        assert_ne!(agree(algorithm, &one.0, &one.1).unwrap(), secret);
        let signature = sign(algorithm, &one.0, &[7; 32]).unwrap();
        assert!(verify(algorithm, &one.1, &[7; 32], &signature).unwrap());
        assert!(!verify(algorithm, &other.1, &[7; 32], &signature).unwrap());
    }
}

/// The order of a curve (SP 800-186, 3.2.1).
fn order(algorithm: &Algorithm) -> Vec<u8> {
    bytes(match algorithm.name {
        "p-256" => "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        "p-384" => {
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf\
             581a0db248b0a77aecec196accc52973"
        }
        _ => {
            "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa\
             51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
        }
    })
}

#[test]
fn the_smallest_and_the_largest_private_key_sign() {
    for Pair { algorithm, .. } in &PAIRS {
        let mut smallest = vec![0; algorithm.key_bytes()];
        *smallest.last_mut().unwrap() = 1;
        let mut largest = order(algorithm);
        *largest.last_mut().unwrap() -= 1;
        // The base point and its negative, which have the same x coordinate.
        let [one, other] = [&smallest, &largest].map(|bytes| {
            let key = PrivateKey::new(algorithm, bytes).unwrap();
            assert_eq!(key.to_bytes().unwrap()[..], bytes[..]);
            let public = key.public_key().unwrap().to_bytes().unwrap();
            let signature = sign(algorithm, bytes, &[7; 32]).unwrap();
            assert!(verify(algorithm, &public, &[7; 32], &signature).unwrap());
            public
        });
        assert_eq!(one[..smallest.len()], other[..smallest.len()]);
        assert_ne!(one, other);
    }
}

#[test]
fn a_private_key_that_cannot_be_is_refused_for_its_own_reason() {
    for pair in &PAIRS {
        let (algorithm, public) = (pair.algorithm, bytes(pair.public));
        let (bytes, order) = (algorithm.key_bytes(), order(algorithm));
        for (key, reason) in [
            (vec![0; bytes], "the private key is zero"),
            (order, "the private key is not below the order"),
            (vec![0xff; bytes], "the private key is not below the order"),
            (vec![1; bytes - 1], "a private key of"),
        ] {
            for error in [
                sign(algorithm, &key, &[7; 32]).unwrap_err(),
                agree(algorithm, &key, &public).unwrap_err(),
            ] {
                assert_eq!(error.kind(), ErrorKind::Invalid);
                assert!(error.to_string().contains(reason), "{error}");
            }
        }
    }
}

#[test]
fn a_public_key_that_cannot_be_is_refused_for_its_own_reason() {
    for pair in &PAIRS {
        let (algorithm, public) = (pair.algorithm, bytes(pair.public));
        let length = algorithm.key_bytes();
        let mut off_curve = public.clone();
        *off_curve.last_mut().unwrap() ^= 1;
        let range = "not below the prime";
        for (key, reason) in [
            (vec![0; 2 * length], "the point at infinity"),
            (off_curve, "not a point of"),
            ([&vec![0xff; length], &public[length..]].concat(), range),
            ([&public[..length], &vec![0xff; length]].concat(), range),
            (public[1..].to_vec(), "a public key of"),
        ] {
            let signature = bytes(pair.signature);
            for error in [
                verify(algorithm, &key, &[7; 32], &signature).unwrap_err(),
                agree(algorithm, &bytes(pair.private), &key).unwrap_err(),
            ] {
                assert_eq!(error.kind(), ErrorKind::Invalid);
                assert!(error.to_string().contains(reason), "{error}");
            }
        }
    }
}

#[test]
fn keys_of_two_curves_share_no_secret() {
    let key = PrivateKey::new(&P_256, &bytes(PAIRS[0].private)).unwrap();
    let peer = PublicKey::new(&P_384, &bytes(PAIRS[1].public)).unwrap();
    assert_eq!(key.agree(&peer).unwrap_err().kind(), ErrorKind::Invalid);
    let error = PrivateKey::new(&SHA_256, &[1; 32]).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_digest_by_any_key_is_verified_by_its_public_key_alone(
        curve in 0_usize..3,
        seed in proptest::collection::vec(1_u8.., 66),
        digest in proptest::collection::vec(0_u8.., 20..=64),
        bit in 0_usize..(8 * 20),
    ) {
        let algorithm = PAIRS[curve].algorithm;
        let mut key = seed[..algorithm.key_bytes()].to_vec();
        // Below the order.
        key[0] = 0;
        key[1] &= 0x7f;
        let private = PrivateKey::new(algorithm, &key).unwrap();
        let public = private.public_key().unwrap().to_bytes().unwrap();
        let signature = sign(algorithm, &key, &digest).unwrap();
        prop_assert!(verify(algorithm, &public, &digest, &signature).unwrap());
        let mut altered = digest.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!verify(algorithm, &public, &altered, &signature).unwrap());
        let secret = agree(algorithm, &key, &bytes(PAIRS[curve].public)).unwrap();
        prop_assert_eq!(agree(algorithm, &bytes(PAIRS[curve].private), &public).unwrap(), secret);
    }
}
