// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Every input that is kept under `fuzz/corpus/`, through the fuzz target.

use std::fs;
use std::panic;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether any thread has panicked: those of the card too, whose panics end only themselves.
static PANICKED: AtomicBool = AtomicBool::new(false);

#[path = "../fuzz/src/target.rs"]
mod target;

#[test]
fn every_kept_input_of_a_hostile_host_ends_without_a_panic() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        PANICKED.store(true, Ordering::Relaxed);
        print(panicked);
    }));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Shown when the target fails.
        println!("{}", path.display());
        target::run(&fs::read(path).unwrap());
        assert!(!PANICKED.load(Ordering::Relaxed), "the card panicked");
        count += 1;
    }
    assert!(count > 0, "the corpus is empty");
}
