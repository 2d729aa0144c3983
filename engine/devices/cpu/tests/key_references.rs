// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Private keys that `cpu` holds.

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Algorithm, Cancellation, Device, Error, ErrorKind, KeyReference, P_256, P_384, P_521, Request,
    Result, SHA_256, SecretKey, process, run_batch, run_message,
};
use ciphermill_cpu::{CpuDevice, PrivateKey};

const CURVES: [&Algorithm; 3] = [&P_256, &P_384, &P_521];

fn hold(device: &CpuDevice, curve: &'static Algorithm, key: Option<&[u8]>) -> Result<KeyReference> {
    let key = key.map(SecretKey::new);
    device.hold_key(curve, key.as_ref(), &Cancellation::new())
}

fn run(device: &dyn Device, request: Request, data: &[u8]) -> Result<Vec<u8>> {
    let never = Cancellation::new();
    let outcome = run_message(device, request, data.to_vec(), &never, &mut |_| {})?;
    Ok(outcome.data.into_vec())
}

fn sign(device: &dyn Device, key: &KeyReference) -> Result<Vec<u8>> {
    let request = Request::Sign(key.algorithm(), key.clone().into());
    run(device, request, &[7; 32])
}

fn verifies(key: &KeyReference, signature: Vec<u8>) -> bool {
    let request = Request::Verify {
        algorithm: key.algorithm(),
        public_key: key.public_key().to_vec(),
        signature,
    };
    run(&CpuDevice::new(), request, &[7; 32]).unwrap() == [1]
}

#[test]
fn generated_keys_sign_and_agree() {
    let device = CpuDevice::new();
    for curve in CURVES {
        let [one, other] = [(); 2].map(|()| hold(&device, curve, None).unwrap());
        assert!(verifies(&one, sign(&device, &one).unwrap()));
        assert!(!verifies(&other, sign(&device, &one).unwrap()));
        let agree = |key: &KeyReference, peer: &KeyReference| {
            let request = Request::Agree(curve, key.clone().into());
            run(&device, request, peer.public_key()).unwrap()
        };
        assert_eq!(agree(&one, &other), agree(&other, &one));
    }
}

#[test]
fn an_imported_key_is_the_one_given() {
    let device = CpuDevice::new();
    for curve in CURVES {
        let mut bytes = vec![0x5a; curve.key_bytes()];
        bytes[0] = 0;
        let given = PrivateKey::new(curve, &bytes).unwrap();
        let public_key = given.public_key().unwrap().to_bytes().unwrap();
        let key = hold(&device, curve, Some(&bytes)).unwrap();
        assert_eq!(key.public_key(), public_key);
        assert!(verifies(&key, sign(&device, &key).unwrap()));
    }
}

#[test]
fn keys_that_cannot_be_are_refused() {
    let device = CpuDevice::new();
    let refusal = |curve, key: Option<&[u8]>| -> Error { hold(&device, curve, key).unwrap_err() };
    for key in [&[0; 32][..], &[0xff; 32], &[1; 31]] {
        assert_eq!(refusal(&P_256, Some(key)).kind(), ErrorKind::Invalid);
    }
    assert_eq!(refusal(&SHA_256, None).kind(), ErrorKind::Unsupported);
    // A device that holds none.
    let never = Cancellation::new();
    let error = ReferenceDevice::new()
        .hold_key(&P_256, None, &never)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error.to_string().contains("give the key's bytes"),
        "{error}"
    );
}

#[test]
fn a_request_of_another_curve_or_on_another_device_is_refused() {
    let device = CpuDevice::new();
    let key = hold(&device, &P_256, None).unwrap();
    let request = Request::Sign(&P_384, key.clone().into());
    let error = run(&device, request, &[7; 32]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("its key is one of p-256"));
    let error = sign(&ReferenceDevice::new(), &key).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("made on device cpu"));
}

#[test]
fn a_batch_signs_with_a_key_that_is_dropped_meanwhile() {
    let device = CpuDevice::new();
    let key = hold(&device, &P_256, None).unwrap();
    let request = Request::Sign(&P_256, key.clone().into());
    let messages = (0..20).map(|_| (request.clone(), vec![7; 32])).collect();
    let public = key.public_key().to_vec();
    drop((key, request));
    let outcomes = run_batch(&device, messages, &Cancellation::new()).unwrap();
    for outcome in outcomes {
        let verify = Request::Verify {
            algorithm: &P_256,
            public_key: public.clone(),
            signature: outcome.unwrap().data.to_vec(),
        };
        assert_eq!(run(&device, verify, &[7; 32]).unwrap(), [1]);
    }
}

#[test]
fn a_forked_child_signs_with_its_copy() {
    let device = CpuDevice::new();
    let key = hold(&device, &P_256, None).unwrap();
    assert!(process::in_a_child(
        || sign(&device, &key).is_ok_and(|signature| verifies(&key, signature))
    ));
    assert!(verifies(&key, sign(&device, &key).unwrap()));
}
