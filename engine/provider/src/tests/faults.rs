// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Tests of a device that begins to fail while it is in use, and ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Cancellation, Capabilities, Completion, Device, Direction, Error, Job, KeyBits, Mode, Queue,
    Result,
};

use crate::buffers::Buffers;
use crate::context::{Context, Value};
use crate::failure::Outcome;
use crate::provider::{Provider, with_device};

/// What is the matter with the device.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// It does not open, nor take jobs.
    Gone,
    /// Its encryptions in GCM have no tag.
    NoTag,
}

/// A device with a fault that a test chooses.
#[derive(Clone)]
struct Faulty {
    device: ReferenceDevice,
    fault: Arc<Mutex<Fault>>,
    /// Times that somebody tried to open it or to give it a job while it was gone.
    refusals: Arc<AtomicUsize>,
}

struct FaultyQueue(Faulty, Box<dyn Queue>);

impl Faulty {
    fn new() -> Faulty {
        Faulty {
            device: ReferenceDevice::new(),
            fault: Arc::new(Mutex::new(Fault::Nothing)),
            refusals: Arc::default(),
        }
    }

    fn is(&self, fault: Fault) -> bool {
        *self.fault.lock().unwrap() == fault
    }

    fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    fn check(&self) -> Result<()> {
        if self.is(Fault::Gone) {
            self.refusals.fetch_add(1, Ordering::SeqCst);
            return Err(Error::device("gone"));
        }
        Ok(())
    }

    fn refusals(&self) -> usize {
        self.refusals.load(Ordering::SeqCst)
    }
}

impl Device for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn capabilities(&self) -> &Capabilities {
        self.device.capabilities()
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        self.check()?;
        let queue = self.device.open(cancellation)?;
        Ok(Box::new(FaultyQueue(self.clone(), queue)))
    }
}

impl Queue for FaultyQueue {
    fn submit(&mut self, job: Job) -> Result<()> {
        self.0.check()?;
        self.1.submit(job)
    }

    fn complete(&mut self) -> Option<Completion> {
        let mut completion = self.1.complete()?;
        if self.0.is(Fault::NoTag) {
            completion.tag = None;
        }
        Some(completion)
    }

    fn in_flight(&self) -> usize {
        self.1.in_flight()
    }
}

fn loaded(settings: &[(&str, &str)]) -> (Faulty, Arc<Provider>) {
    let device = Faulty::new();
    let provider = with_device(device.clone(), settings);
    (device, provider)
}

fn context(provider: &Arc<Provider>, mode: Mode) -> Context {
    let mut context = Context::new(Arc::clone(provider), mode, KeyBits::Bits128);
    let iv = &[9; 16][..if mode == Mode::Gcm { 12 } else { 16 }];
    let begun = context.initialise(Direction::Encrypt, Some(&[5; 16]), Some(iv));
    begun.unwrap();
    context
}

/// An update of so many bytes; what it gives.
fn update(context: &mut Context, bytes: usize) -> Outcome<Vec<u8>> {
    let mut data = vec![0; bytes];
    context.update(Buffers::InPlace {
        buffer: &mut data,
        bytes,
    })?;
    Ok(data)
}

fn failures(provider: &Provider) -> u64 {
    provider.count("device_failures").unwrap()
}

#[test]
fn a_device_that_is_left_alone_does_not_fail_again_and_is_tried_after_the_pause() {
    for mode in [Mode::Ctr, Mode::Gcm] {
        let (device, provider) = loaded(&[("threshold", "16")]);
        let plain = with_device(ReferenceDevice::new(), &[("threshold", "never")]);
        let mut expected = context(&plain, mode);
        let mut context = context(&provider, mode);
        device.set(Fault::Gone);
        for round in 0..2 {
            let data = update(&mut context, 4096).unwrap();
            assert!(
                data == update(&mut expected, 4096).unwrap(),
                "{mode} {round}"
            );
        }
        assert_eq!((failures(&provider), device.refusals()), (1, 1), "{mode}");
    }
    let (device, provider) = loaded(&[("threshold", "16")]);
    let mut context = context(&provider, Mode::Ctr);
    device.set(Fault::Gone);
    update(&mut context, 4096).unwrap();
    // An update within the pause does not begin another pause.
    let ends = provider.runtime().pause_ends();
    update(&mut context, 4096).unwrap();
    assert_eq!(provider.runtime().pause_ends(), ends);
    provider.runtime().end_pause();
    device.set(Fault::Nothing);
    let before = provider.count("device_bytes").unwrap();
    update(&mut context, 4096).unwrap();
    assert_eq!(provider.count("device_bytes").unwrap(), before + 4096);
    assert_eq!(failures(&provider), 1);
}

#[test]
fn a_device_that_fails_while_it_is_measured_is_left_alone_only_where_software_completes() {
    for (on_failure, failed) in [("software", 1), ("fail", 2)] {
        let (device, provider) = loaded(&[("threshold", "auto"), ("on_failure", on_failure)]);
        // It opens for another mode.
        update(&mut context(&provider, Mode::Ecb), 4096).unwrap();
        let mut context = context(&provider, Mode::Ctr);
        device.set(Fault::Gone);
        update(&mut context, 4096).unwrap();
        // Now it does not open any more.
        update(&mut context, 4096).unwrap();
        assert_eq!(failures(&provider), failed, "{on_failure}");
        assert_eq!(device.refusals() as u64, failed, "{on_failure}");
    }
}

#[test]
fn an_encryption_without_a_tag_is_a_failure_of_the_device() {
    let tag = |context: &mut Context| {
        context.finish(&mut []).unwrap();
        match context.parameter(b"tag", 16).unwrap() {
            Some(Value::Octets(tag)) => tag.to_vec(),
            _ => panic!("no tag"),
        }
    };
    let (device, provider) = loaded(&[("threshold", "16")]);
    let mut expected = context(&provider, Mode::Gcm);
    let output = update(&mut expected, 100).unwrap();
    device.set(Fault::NoTag);
    let mut completed = context(&provider, Mode::Gcm);
    assert_eq!(update(&mut completed, 100).unwrap(), output);
    assert_eq!(tag(&mut completed), tag(&mut expected));
    assert_eq!(failures(&provider), 1);

    let (device, provider) = loaded(&[("threshold", "16"), ("on_failure", "fail")]);
    device.set(Fault::NoTag);
    let failure = update(&mut context(&provider, Mode::Gcm), 100).unwrap_err();
    let (_, message) = *failure.report.unwrap();
    assert!(message.contains("gave no tag"), "{message}");
    assert_eq!(failures(&provider), 1);
}
