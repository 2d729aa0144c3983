// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Every input that is kept under `fuzz/corpus/`, through the fuzz target.

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/target.rs"]
mod target;

#[test]
fn every_kept_input_of_a_hostile_host_ends_without_a_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Shown when the target fails.
        println!("{}", path.display());
        target::run(&fs::read(path).unwrap());
        count += 1;
    }
    assert!(count > 0, "the corpus is empty");
}
