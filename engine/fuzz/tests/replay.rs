// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Every input that is kept under `corpus/`, through its target.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ciphermill_fuzz::TARGETS;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn replay(name: &str) {
    let (_, target) = TARGETS
        .into_iter()
        .find(|(known, _)| *known == name)
        .unwrap();
    let mut count = 0;
    for entry in fs::read_dir(corpus().join(name)).unwrap() {
        let path = entry.unwrap().path();
        // Shown when the target fails.
        println!("{}", path.display());
        target(&fs::read(path).unwrap());
        count += 1;
    }
    assert!(count > 0, "the corpus of {name} is empty");
}

#[test]
fn container() {
    replay("container");
}

#[test]
fn openssl_format() {
    replay("openssl_format");
}

#[test]
fn device_files() {
    replay("device_files");
}

#[test]
fn provider() {
    replay("provider");
}

#[test]
fn provider_hashes() {
    replay("provider_hashes");
}

#[test]
fn c_library() {
    replay("c_library");
}

#[test]
fn c_files() {
    replay("c_files");
}

#[test]
fn every_target_has_a_corpus_and_every_corpus_a_target() {
    let folders: BTreeSet<String> = fs::read_dir(corpus())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let targets = TARGETS.map(|(name, _)| name.to_owned());
    assert_eq!(folders, BTreeSet::from(targets));
}
