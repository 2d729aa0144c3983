// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Operations other than AES on `cpu`, against the standards' own examples.

use ciphermill::{
    ASCON_AEAD128, ASCON_HASH256, AeadRequest, Algorithm, Cancellation, Device, Direction,
    ErrorKind, HMAC_SHA_256, MessageOutcome, Operation, P_256, Request, Result, SHA_256, SHA_512,
    SecretKey, run_batch, run_message,
};
use ciphermill_cpu::CpuDevice;

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

#[test]
fn hmac_gives_the_codes_of_rfc_4231() {
    let code = |key: &[u8], data: &[u8]| {
        let request = Request::Authenticate(&HMAC_SHA_256, SecretKey::new(key));
        hex(&run(request, data).unwrap().data)
    };
    assert_eq!(
        code(&[0x0b; 20], b"Hi There"),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    );
    assert_eq!(
        code(b"Jefe", b"what do ya want for nothing?"),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
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
    let error = run(Request::GenerateKey(&P_256), b"").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(
        error.to_string(),
        "device cpu cannot generate-key by p-256: choose another device"
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
    messages.insert(7, (Request::GenerateKey(&P_256), Vec::new()));
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
