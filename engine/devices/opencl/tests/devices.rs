// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The default OpenCL device against the reference implementation. Where there is none, the tests say
//! so and pass.

use std::sync::OnceLock;

use ciphermill::process::in_a_child;
use ciphermill::{Cancellation, CipherRequest, Device, Direction, ErrorKind, Job, Key, Mode};
use ciphermill_gpu::{GpuDevice, testing};

/// A processor's vectors, a graphics processor's words and groups, and both kinds of tables.
const SETTINGS: [&str; 6] = [
    "kernel=bitsliced,lanes=4",
    "kernel=bitsliced,lanes=8",
    "kernel=bitsliced,lanes=16",
    "kernel=bitsliced,lanes=1,group_items=4",
    "kernel=tables",
    "kernel=tables,group_items=64",
];

/// The default device with each of the settings; chunks are small, so that a job has several.
fn devices() -> &'static [GpuDevice] {
    static DEVICES: OnceLock<Vec<GpuDevice>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        if ciphermill_opencl::list().is_empty() {
            println!("skipped: no OpenCL device here; Debian's pocl-opencl-icd is one");
            return Vec::new();
        }
        let open = |settings: &str| {
            let options = format!("{settings},chunk_bytes=65536,queues=3").parse();
            ciphermill_opencl::open(None, options.unwrap()).unwrap()
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

/// The driver's threads are missing there, and a call of it would never come back.
#[test]
fn a_forked_child_calls_no_driver() {
    let Ok(device) = ciphermill_opencl::open(None, Default::default()) else {
        println!("skipped: no OpenCL device here");
        return;
    };
    let key = Key::new(&[1; 16]).unwrap();
    let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
    let job = |token| Job {
        token,
        request: (&request).into(),
        data: vec![0; 5000].into(),
    };
    let mut queue = device.open(Cancellation::new()).unwrap();
    queue.submit(job(0)).unwrap();
    queue.complete().unwrap().result.unwrap();
    queue.submit(job(1)).unwrap();
    assert!(in_a_child(move || {
        let error = queue.complete().unwrap().result.unwrap_err();
        let refused = device.open(Cancellation::new()).err().unwrap();
        let buffer = device.allocator().filled(&[8; 100]).unwrap();
        drop((queue, device));
        buffer == [8; 100]
            && [error, refused]
                .iter()
                .all(|one| one.kind() == ErrorKind::Device)
    }));
}

#[test]
fn a_device_that_is_not_there_is_named() {
    if devices().is_empty() {
        let error = ciphermill_opencl::open(None, Default::default())
            .err()
            .unwrap();
        assert!(error.to_string().contains("pocl-opencl-icd"), "{error}");
        return;
    }
    let error = ciphermill_opencl::open(Some(99), Default::default())
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("opencl:0"), "{error}");
}
