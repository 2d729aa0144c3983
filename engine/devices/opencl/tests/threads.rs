// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Threads that are the first in their process to ask for devices. This file has one test, because
//! drivers begin once in a process.

use std::sync::Barrier;
use std::thread;

const THREADS: usize = 16;

#[test]
fn threads_that_ask_at_once_get_the_same_devices() {
    let begun = Barrier::new(THREADS);
    let found: Vec<_> = thread::scope(|scope| {
        let ask = || {
            begun.wait();
            ciphermill_opencl::list()
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let names = |place: usize| -> Vec<_> { found[place].iter().map(|one| &one.device).collect() };
    assert!((1..THREADS).all(|place| names(place) == names(0)));
}
