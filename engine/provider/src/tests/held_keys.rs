// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Tests of keys that a device with few key slots holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ciphermill::process::in_a_child;
use ciphermill::{
    Algorithm, Cancellation, Capabilities, Completion, Device, Error, HeldKey, Job, KeyReference,
    P_256, Queue, Request, RequestKey, Result, SecretKey, SynchronousQueue,
};
use ciphermill_cpu::{CpuDevice, PrivateKey, PublicKey};
use zeroize::Zeroizing;

use crate::failure::{Failure, Outcome};
use crate::private_part::PrivatePart;
use crate::provider::{Provider, Share, with_device};

/// A device with key slots.
#[derive(Clone)]
pub(crate) struct Board {
    cpu: Arc<CpuDevice>,
    free: Arc<AtomicUsize>,
    gone: Arc<AtomicBool>,
    /// Counts how often it has lost its keys.
    resets: Arc<AtomicUsize>,
}

/// A key in one of the slots.
struct Slot {
    key: KeyReference,
    free: Arc<AtomicUsize>,
    resets: usize,
}

impl HeldKey for Slot {}

impl Drop for Slot {
    fn drop(&mut self) {
        self.free.fetch_add(1, Ordering::SeqCst);
    }
}

impl Board {
    pub(crate) fn new(slots: usize) -> Board {
        Board {
            cpu: Arc::new(CpuDevice::new()),
            free: Arc::new(AtomicUsize::new(slots)),
            gone: Arc::default(),
            resets: Arc::default(),
        }
    }

    fn resets(&self) -> usize {
        self.resets.load(Ordering::SeqCst)
    }

    /// It is gone, and back without its keys.
    fn lose_keys(&self) {
        self.resets.fetch_add(1, Ordering::SeqCst);
    }

    fn free(&self) -> usize {
        self.free.load(Ordering::SeqCst)
    }

    fn check(&self) -> Result<()> {
        match self.gone.load(Ordering::SeqCst) {
            true => Err(Error::device("gone")),
            false => Ok(()),
        }
    }

    fn run(&self, mut job: Job, queue: &mut dyn Queue) -> Result<Completion> {
        self.check()?;
        if let Request::Sign(_, key) | Request::Agree(_, key) = &mut job.request
            && let RequestKey::Held(held) = key
        {
            let slot = held.held::<Slot>("device board")?;
            if slot.resets != self.resets() {
                return Err(held.elsewhere("device board"));
            }
            *key = slot.key.clone().into();
        }
        queue.submit(job)?;
        queue.complete().ok_or_else(|| Error::device("no answer"))
    }
}

impl Device for Board {
    fn name(&self) -> &str {
        "board"
    }

    fn capabilities(&self) -> &Capabilities {
        self.cpu.capabilities()
    }

    fn hold_key(
        &self,
        algorithm: &'static Algorithm,
        key: Option<&SecretKey>,
        cancellation: &Cancellation,
    ) -> Result<KeyReference> {
        self.check()?;
        if self.free() == 0 {
            return Err(Error::key_slots_in_use("device board"));
        }
        let key = self.cpu.hold_key(algorithm, key, cancellation)?;
        self.free.fetch_sub(1, Ordering::SeqCst);
        let public_key = key.public_key().to_vec();
        let slot = Slot {
            key,
            free: Arc::clone(&self.free),
            resets: self.resets(),
        };
        Ok(KeyReference::new("board", algorithm, public_key, slot))
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        self.check()?;
        let (board, mut queue) = (self.clone(), self.cpu.open(cancellation.clone())?);
        let run = move |job: Job, _: &Cancellation| {
            let token = job.token;
            let outcome = board.run(job, &mut *queue);
            outcome.unwrap_or_else(|error| Completion::failed(token, error))
        };
        Ok(Box::new(SynchronousQueue::start(1, cancellation, run)))
    }
}

fn provider(board: &Board, on_failure: &str) -> Arc<Provider> {
    let settings = [
        ("keys", "held"),
        ("device", "board"),
        ("threshold", "1"),
        ("on_failure", on_failure),
    ];
    with_device(board.clone(), &settings)
}

fn sign(provider: &Arc<Provider>, key: &PrivatePart) -> Outcome<Zeroizing<Vec<u8>>> {
    key.run(
        &mut Share::new(Arc::clone(provider)),
        |key| Request::Sign(&P_256, key),
        &[7; 32],
        |key| Ok(key.sign(&[7; 32])?.into()),
        32,
    )
}

fn is_right(key: &PublicKey, signature: &[u8]) -> bool {
    key.verify(&[7; 32], signature).unwrap()
}

fn message(failure: Failure) -> String {
    failure.report.map(|report| report.1).unwrap_or_default()
}

/// A key that comes from outside.
fn imported() -> PrivatePart {
    PrivatePart::imported(&P_256, PrivateKey::generate(&P_256).unwrap(), true)
}

#[test]
fn a_generated_key_takes_a_slot_until_it_is_dropped() {
    let board = Board::new(2);
    let provider = provider(&board, "fail");
    let key = PrivatePart::generate(&provider, &P_256).unwrap();
    assert_eq!(board.free(), 1);
    let signature = sign(&provider, &key).unwrap();
    assert!(is_right(&key.public_key().unwrap(), &signature));
    assert_eq!(provider.count("device_updates"), Some(1));
    assert!(message(key.to_bytes().unwrap_err()).contains("never given out"));
    drop(key);
    assert_eq!(board.free(), 2);
}

#[test]
fn without_a_free_slot_software_keeps_the_key_or_there_is_none() {
    for on_failure in ["software", "fail"] {
        let board = Board::new(0);
        let provider = provider(&board, on_failure);
        match PrivatePart::generate(&provider, &P_256) {
            Ok(key) => {
                assert_eq!(on_failure, "software");
                // The device gets its bytes with each operation.
                let signature = sign(&provider, &key).unwrap();
                assert!(is_right(&key.public_key().unwrap(), &signature));
                assert_eq!(provider.count("device_updates"), Some(1));
                assert!(message(key.to_bytes().unwrap_err()).contains("never given out"));
            }
            Err(failure) => {
                assert_eq!(on_failure, "fail");
                assert!(message(failure).contains("all key slots of device board are in use"));
            }
        }
        assert_eq!(provider.count("device_failures"), Some(0));
    }
}

#[test]
fn a_key_on_a_device_that_is_lost_signs_when_the_device_is_back() {
    let board = Board::new(1);
    let provider = provider(&board, "software");
    let key = PrivatePart::generate(&provider, &P_256).unwrap();
    board.gone.store(true, Ordering::SeqCst);
    assert!(message(sign(&provider, &key).unwrap_err()).contains("gone"));
    // Nothing else has the key; the device is left alone.
    assert!(message(sign(&provider, &key).unwrap_err()).contains("left alone"));
    assert_eq!(provider.count("device_failures"), Some(1));
    board.gone.store(false, Ordering::SeqCst);
    provider.runtime().end_pause();
    let signature = sign(&provider, &key).unwrap();
    assert!(is_right(&key.public_key().unwrap(), &signature));
    board.lose_keys();
    assert!(message(sign(&provider, &key).unwrap_err()).contains("does not hold it"));
    assert_eq!(provider.count("device_failures"), Some(1));
}

#[test]
fn a_device_that_is_lost_generates_no_key() {
    for on_failure in ["software", "fail"] {
        let board = Board::new(1);
        let provider = provider(&board, on_failure);
        board.gone.store(true, Ordering::SeqCst);
        let generated = PrivatePart::generate(&provider, &P_256);
        assert_eq!(generated.is_ok(), on_failure == "software");
        assert_eq!(provider.count("device_failures"), Some(1));
        if on_failure == "software" {
            // The device is left alone.
            PrivatePart::generate(&provider, &P_256).unwrap();
            assert_eq!(provider.count("device_failures"), Some(1));
        }
    }
}

#[test]
fn an_imported_key_is_copied_once_and_again_after_a_failure() {
    let board = Board::new(2);
    let provider = provider(&board, "software");
    let key = imported();
    assert_eq!(board.free(), 2);
    for _ in 0..3 {
        sign(&provider, &key).unwrap();
        assert_eq!(board.free(), 1);
    }
    assert_eq!(provider.count("device_updates"), Some(3));
    board.gone.store(true, Ordering::SeqCst);
    let signature = sign(&provider, &key).unwrap();
    assert!(is_right(&key.public_key().unwrap(), &signature));
    assert_eq!(provider.count("device_updates"), Some(3));
    board.gone.store(false, Ordering::SeqCst);
    board.lose_keys();
    provider.runtime().end_pause();
    sign(&provider, &key).unwrap();
    assert_eq!(provider.count("device_updates"), Some(4));
    // The copy of before the failure is dropped.
    assert_eq!(board.free(), 1);
    drop(key);
    assert_eq!(board.free(), 2);
}

#[test]
fn a_worker_process_uses_a_key_that_its_master_imported_and_none_that_it_generated() {
    let board = Board::new(3);
    let provider = provider(&board, "fail");
    let (mut own, mut given) = (
        Some(PrivatePart::generate(&provider, &P_256).unwrap()),
        Some(imported()),
    );
    sign(&provider, given.as_ref().unwrap()).unwrap();
    assert_eq!(board.free(), 1);
    assert!(in_a_child(|| {
        let refused = sign(&provider, own.as_ref().unwrap());
        let refused = refused.is_err_and(|failure| message(failure).contains("forked"));
        let signed = sign(&provider, given.as_ref().unwrap()).is_ok() && board.free() == 0;
        drop((own.take(), given.take()));
        // Its own copy alone.
        refused && signed && board.free() == 1 && provider.count("device_failures") == Some(0)
    }));
    assert_eq!(board.free(), 1);
    for key in [own.take().unwrap(), given.take().unwrap()] {
        sign(&provider, &key).unwrap();
    }
    assert_eq!(board.free(), 3);
}
