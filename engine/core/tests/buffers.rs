// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A device's own buffers: input is read straight into them, and the device gets the same memory
//! back with its jobs.

use std::collections::HashSet;
use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Allocator, Application, Buffer, Cancellation, Capabilities, CipherRequest, Completion,
    DecryptOptions, Device, Direction, EncryptOptions, Job, Key, Mode, Queue, Result, Secret,
    Session, Span, decrypt, encrypt, run_message, run_span, stream,
};

/// Memory of the device.
struct Pinned(Vec<u8>);

impl AsRef<[u8]> for Pinned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsMut<[u8]> for Pinned {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Counts the buffers that it gives, and notes where the data of its jobs is.
struct PinnedDevice {
    device: ReferenceDevice,
    given: Arc<AtomicUsize>,
    jobs: Arc<Mutex<Vec<Range<usize>>>>,
}

impl PinnedDevice {
    fn new() -> PinnedDevice {
        PinnedDevice {
            device: ReferenceDevice::new().with_chunk(64).with_in_flight(3),
            given: Arc::default(),
            jobs: Arc::default(),
        }
    }
}

impl Device for PinnedDevice {
    fn name(&self) -> &str {
        "pinned"
    }

    fn capabilities(&self) -> &Capabilities {
        self.device.capabilities()
    }

    fn allocator(&self) -> Allocator {
        let given = Arc::clone(&self.given);
        Allocator::new(move |bytes| {
            given.fetch_add(1, Ordering::SeqCst);
            Buffer::in_device(Pinned(vec![0; bytes.next_multiple_of(128)]))
        })
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let queue = self.device.open(cancellation)?;
        Ok(Box::new(PinnedQueue(queue, Arc::clone(&self.jobs))))
    }
}

struct PinnedQueue(Box<dyn Queue>, Arc<Mutex<Vec<Range<usize>>>>);

impl Queue for PinnedQueue {
    fn submit(&mut self, mut job: Job) -> Result<()> {
        let own = job.data.memory::<Pinned>();
        assert!(own.is_some(), "not a buffer of the device's");
        self.1.lock().unwrap().push(range(&job.data));
        self.0.submit(job)
    }

    fn complete(&mut self) -> Option<Completion> {
        self.0.complete()
    }

    fn in_flight(&self) -> usize {
        self.0.in_flight()
    }
}

fn range(bytes: &[u8]) -> Range<usize> {
    let place = bytes.as_ptr_range();
    place.start.addr()..place.end.addr()
}

/// Notes where its bytes are written.
struct Reader<'a>(&'a [u8], &'a Mutex<HashSet<usize>>);

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1.lock().unwrap().insert(buffer.as_ptr().addr());
        self.0.read(buffer)
    }
}

/// The bytes of every job were written where the device got them, in few buffers of its own.
#[track_caller]
fn check(device: &PinnedDevice, written: &Mutex<HashSet<usize>>, jobs: usize) {
    let places = device.jobs.lock().unwrap();
    let written = written.lock().unwrap();
    assert_eq!(places.len(), jobs);
    for place in places.iter() {
        assert!(place.clone().any(|byte| written.contains(&byte)));
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let most = 3 + 4 + 4 * processors.min(8);
    assert!(device.given.load(Ordering::SeqCst) <= most, "not reused");
}

#[test]
fn a_stream_is_read_straight_into_the_device_s_buffers() {
    let key = Key::new(&[7; 32]).unwrap();
    let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
    let data = [9; 64 * 100];
    let never = Cancellation::new();
    let (device, written) = (PinnedDevice::new(), Mutex::default());
    let mut output = Vec::new();
    let (reader, kind) = (Reader(&data, &written), Application::Throughput);
    stream(
        reader,
        Some(&mut output),
        &device,
        &request,
        kind,
        &mut |_| {},
        &never,
    )
    .unwrap();
    check(&device, &written, 100);
    let expected = run_message(
        &ReferenceDevice::new(),
        request,
        data.to_vec(),
        &never,
        &mut |_| {},
    );
    assert!(expected.unwrap().data == output);
}

#[test]
fn a_file_is_read_straight_into_the_device_s_buffers_both_ways() {
    let secret = Secret::key([7; 32]).unwrap();
    let mut options = EncryptOptions::new(secret.clone());
    options.chunk_bytes = 64;
    let data = [9; 64 * 100];
    let never = Cancellation::new();
    let (device, written) = (PinnedDevice::new(), Mutex::default());
    let mut sealed = Vec::new();
    let reader = Reader(&data, &written);
    encrypt(reader, &mut sealed, &device, &options, &mut |_| {}, &never).unwrap();
    check(&device, &written, 100);
    // A sealed file is read through a buffer: its chunks are short beside their fields.
    let device = PinnedDevice::new();
    let mut opened = Vec::new();
    let options = DecryptOptions::new(secret);
    decrypt(
        &sealed[..],
        &mut opened,
        &device,
        &options,
        &mut |_| {},
        &never,
    )
    .unwrap();
    assert!(opened == data);
    assert_eq!(device.jobs.lock().unwrap().len(), 100);
}

#[test]
fn a_message_in_a_device_s_buffer_is_its_job() {
    let key = Key::new(&[7; 32]).unwrap();
    let request = CipherRequest::new(Mode::Gcm, Direction::Encrypt, key, [0; 16]);
    let device = PinnedDevice::new();
    let message = device.allocator().filled(&[9; 1000]).unwrap();
    let place = range(&message);
    let never = Cancellation::new();
    let outcome = run_message(&device, &request, message, &never, &mut |_| {}).unwrap();
    assert_eq!(
        device.jobs.lock().unwrap()[..],
        *std::slice::from_ref(&place)
    );
    // The output comes back in the same place.
    assert_eq!(range(&outcome.data), place);
    assert_eq!(device.given.load(Ordering::SeqCst), 1);
}

#[test]
fn a_session_copies_into_buffers_of_the_device_s_and_uses_them_again() {
    let key = Key::new(&[7; 32]).unwrap();
    let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
    let device = PinnedDevice::new();
    let mut session = Session::open(&device, Cancellation::new()).unwrap();
    let mut data = [9; 1000];
    for _ in 0..10 {
        let mut span = Span::InPlace(&mut data);
        run_span(&device, &mut session, &(&request).into(), &mut span).unwrap();
    }
    // An even number of times: the same keystream takes itself off again.
    assert_eq!(data, [9; 1000]);
    assert_eq!(device.given.load(Ordering::SeqCst), 3);
}
