// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The queue: order, overlap, and ends of every kind.

#[path = "support/fake.rs"]
mod fake;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ciphermill::{Cancellation, CipherRequest, Direction, ErrorKind, Job, Key, Mode, Queue};
use ciphermill_accelerator::{Driver, Options, queue};
use fake::{FakeAccelerator, Fault};

fn open(device: FakeAccelerator, cancellation: Cancellation) -> Box<dyn Queue> {
    let driver = Driver::new(device, Options::default()).unwrap();
    queue(driver, cancellation).unwrap()
}

fn job(token: u64, mode: Mode, key: &Arc<Key>, length: usize) -> Job {
    Job {
        token,
        request: CipherRequest::new(mode, Direction::Encrypt, Arc::clone(key), [0; 16]).into(),
        data: vec![token as u8; length].into(),
    }
}

#[test]
fn completions_come_in_order_and_an_error_is_its_own_jobs() {
    let mut queue = open(FakeAccelerator::new(100), Cancellation::new());
    let key = Arc::new(Key::new(&[3; 32]).unwrap());
    for token in 0..6 {
        let mode = if token == 2 { Mode::Gcm } else { Mode::Ctr };
        queue.submit(job(token, mode, &key, 999)).unwrap();
    }
    assert_eq!(queue.in_flight(), 6);
    for token in 0..6 {
        let done = queue.complete().unwrap();
        assert_eq!(done.token, token);
        match token {
            2 => assert_eq!(done.result.unwrap_err().kind(), ErrorKind::Unsupported),
            _ => {
                assert_eq!(done.result.unwrap().len(), 999);
                assert!(done.timing.is_some());
            }
        }
    }
    assert!(queue.complete().is_none());
}

#[test]
fn dropping_the_queue_drops_its_jobs_and_the_key() {
    let device = FakeAccelerator::new(1);
    let bench = device.bench();
    let mut queue = open(device, Cancellation::new());
    let key = Arc::new(Key::new(&[3; 32]).unwrap());
    queue.submit(job(0, Mode::Ctr, &key, 5_000_000)).unwrap();
    let begun = Instant::now();
    drop(queue);
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!(!bench.lock().unwrap().holds_key);
}

#[test]
fn cancelling_ends_the_job_in_flight_and_those_behind_it() {
    let cancellation = Cancellation::new();
    let device = FakeAccelerator::new(64);
    device.bench().lock().unwrap().fault = Some((10, Fault::Stall));
    let mut queue = open(device, cancellation.clone());
    let key = Arc::new(Key::new(&[3; 32]).unwrap());
    queue.submit(job(0, Mode::Ctr, &key, 5000)).unwrap();
    queue.submit(job(1, Mode::Ctr, &key, 5000)).unwrap();
    cancellation.cancel();
    for _ in 0..2 {
        let done = queue.complete().unwrap();
        assert_eq!(done.result.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
