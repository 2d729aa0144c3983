// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The first CUDA device against the reference implementation. Where there is none, the tests say so
//! and pass.

use std::sync::OnceLock;

use ciphermill::ErrorKind;
use ciphermill_gpu::{GpuDevice, testing};

/// Both kernels, and a group that is not the default.
const SETTINGS: [&str; 3] = [
    "kernel=bitsliced",
    "kernel=bitsliced,group_items=32",
    "kernel=tables",
];

/// The first device with each of the settings; chunks are small, so that a job has several.
fn devices() -> &'static [GpuDevice] {
    static DEVICES: OnceLock<Vec<GpuDevice>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        if ciphermill_cuda::list().is_empty() {
            println!("skipped: no CUDA device here");
            return Vec::new();
        }
        let open = |settings: &str| {
            let options = format!("{settings},chunk_bytes=65536,queues=3").parse();
            ciphermill_cuda::open(None, options.unwrap()).unwrap()
        };
        SETTINGS.map(open).into()
    })
}

#[test]
fn modes() {
    testing::modes(devices());
}

#[test]
fn data_units() {
    testing::data_units(devices());
}

#[test]
fn decryption_of_gcm_gives_data_only_where_the_tag_matches() {
    testing::gcm_decryption(devices());
}

#[test]
fn jobs_come_back_in_their_order_whatever_their_keys_and_lengths() {
    testing::order_of_jobs(devices());
}

#[test]
fn a_cancelled_queue_ends_its_jobs() {
    testing::cancellation(devices());
}

#[test]
fn operations_that_the_device_does_not_have_are_refused() {
    testing::refusals(devices());
}

#[test]
fn buffers_of_the_device_serve_as_others_do() {
    testing::own_buffers(devices());
}

#[test]
fn a_device_that_is_not_there_is_named() {
    if devices().is_empty() {
        let error = ciphermill_cuda::open(None, Default::default())
            .err()
            .unwrap();
        assert!(
            error.to_string().contains("nvidia-cuda-nvrtc-cu12"),
            "{error}"
        );
        return;
    }
    let error = ciphermill_cuda::open(Some(99), Default::default())
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("cuda:0"), "{error}");
}
