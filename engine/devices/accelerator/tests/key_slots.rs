// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Private keys in the key slots of the behavioural accelerator.

mod support;

use std::sync::{Arc, Mutex};

use ciphermill::process::in_a_child;
use ciphermill::{
    Algorithm, Completion, ErrorKind, Job, KeyReference, P_256, P_384, P_521, Request, Result,
    SecretKey,
};
use ciphermill_accelerator::{Driver, Identity, KeySlots};
use support::fake::{Bench, FakeAccelerator};
use support::{driver, never};

/// A device with keys: each channel that is opened is a new accelerator with two slots.
struct Board {
    keys: KeySlots<FakeAccelerator>,
    opened: Mutex<Vec<Arc<Mutex<Bench>>>>,
}

impl Board {
    fn new(slots: usize) -> Board {
        let mut device = FakeAccelerator::new(64).with_key_slots(slots);
        Board {
            keys: KeySlots::new(&Identity::read(&mut device).unwrap()),
            opened: Mutex::default(),
        }
    }

    fn open(&self) -> Driver<FakeAccelerator> {
        let device = FakeAccelerator::new(64).with_key_slots(2);
        self.opened.lock().unwrap().push(device.bench());
        driver(device)
    }

    fn hold(&self, curve: &'static Algorithm, key: Option<&SecretKey>) -> Result<KeyReference> {
        let open = || Ok(self.open());
        self.keys.hold("board", curve, key, &never(), open)
    }

    /// The curves of the keys in the slots of an accelerator.
    fn slots(&self, opened: usize) -> Vec<Option<u32>> {
        let opened = Arc::clone(&self.opened.lock().unwrap()[opened]);
        let bench = opened.lock().unwrap();
        bench.slots.clone()
    }
}

fn sign(key: &KeyReference) -> Result<Vec<u8>> {
    let mut own = driver(FakeAccelerator::new(64).with_key_slots(2));
    let request = Request::Sign(key.algorithm(), key.clone().into());
    let job = Job {
        token: 0,
        request,
        data: vec![1; 32].into(),
    };
    let Completion { result, .. } = own.run_job(job, &never());
    result.map(|data| data.to_vec())
}

#[test]
fn every_key_has_a_slot_until_it_is_dropped() {
    let board = Board::new(2);
    let imported = SecretKey::new([7; 48]);
    let first = board.hold(&P_256, None).unwrap();
    let second = board.hold(&P_384, Some(&imported)).unwrap();
    assert_eq!(board.slots(0), [Some(0), Some(1)]);
    assert_eq!(first.public_key(), [1; 64]);
    assert_eq!(second.public_key(), [2; 96]);
    let error = board.hold(&P_256, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoRoom);
    drop(first);
    assert_eq!(board.slots(0), [None, Some(1)]);
    let third = board.hold(&P_256, None).unwrap();
    assert_eq!(third.public_key(), [1; 64]);
    assert_eq!(board.opened.lock().unwrap().len(), 1);
}

#[test]
fn a_request_runs_where_its_key_is() {
    let board = Board::new(2);
    let keys = [&P_256, &P_384].map(|curve| board.hold(curve, None).unwrap());
    assert_eq!(sign(&keys[0]).unwrap(), [1; 64]);
    assert_eq!(sign(&keys[1]).unwrap(), [2; 96]);
    let mut queue = board.keys.queue(never()).unwrap();
    let request = Request::Agree(&P_256, keys[0].clone().into());
    let data = vec![0; 64].into();
    queue
        .submit(Job {
            token: 0,
            request,
            data,
        })
        .unwrap();
    assert_eq!(queue.complete().unwrap().result.unwrap(), [1; 32]);
}

#[test]
fn the_last_key_gives_the_channel_back() {
    let board = Board::new(2);
    let key = board.hold(&P_256, None).unwrap();
    let sweeps = || board.opened.lock().unwrap()[0].lock().unwrap().sweeps;
    let before = sweeps();
    drop(key);
    assert_eq!(sweeps(), before + 1);
    assert!(board.keys.queue(never()).is_none());
    let _other = board.hold(&P_256, None).unwrap();
    assert_eq!(board.opened.lock().unwrap().len(), 2);
}

#[test]
fn a_device_that_vanishes_takes_its_keys_along() {
    let board = Board::new(2);
    let key = board.hold(&P_256, None).unwrap();
    {
        let opened = board.opened.lock().unwrap();
        let mut bench = opened[0].lock().unwrap();
        (bench.hopeless, bench.slots) = (true, vec![None; 2]);
    }
    assert_eq!(sign(&key).unwrap_err().kind(), ErrorKind::Device);
    // The next key is in another channel.
    board.hold(&P_256, None).unwrap();
    assert_eq!(board.opened.lock().unwrap().len(), 2);
}

#[test]
fn keys_that_cannot_be_held_are_refused() {
    let board = Board::new(2);
    let error = board.hold(&P_521, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let error = Board::new(0).hold(&P_256, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let short = SecretKey::new([1; 31]);
    let error = board.hold(&P_256, Some(&short)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(board.opened.lock().unwrap().is_empty());
}

#[test]
fn a_child_holds_keys_of_its_own() {
    let board = Board::new(2);
    let key = board.hold(&P_256, None).unwrap();
    assert!(in_a_child(|| {
        let refused = sign(&key).is_err_and(|error| error.to_string().contains("forked"));
        let own = board.hold(&P_256, None).unwrap();
        refused && sign(&own).is_ok() && board.opened.lock().unwrap().len() == 2
    }));
    assert!(sign(&key).is_ok());
}
