// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Reader, device and writer overlap; when any of them fails the others end.

mod common;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Cancellation, DecryptOptions, ErrorKind, Mode, TimingMethod, decrypt, encrypt, seal,
};
use common::{
    FailingReader, FailingWriter, HEADER_BYTES, data, decrypt_from, encrypt_to, ends, key, options,
};

const CHUNK: usize = 64;

/// Counts the chunks that were asked for.
struct CountingReader {
    left: usize,
    chunks: Arc<AtomicUsize>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.left);
        self.left -= count;
        self.chunks.fetch_add(1, Ordering::SeqCst);
        Ok(count)
    }
}

/// Holds the first chunk back until the reader is this far ahead.
struct WaitingWriter {
    chunks: Arc<AtomicUsize>,
    ahead: usize,
    taken: usize,
}

impl Write for WaitingWriter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.taken += buffer.len();
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.taken > HEADER_BYTES && self.chunks.load(Ordering::SeqCst) < self.ahead {
            if Instant::now() > deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::yield_now();
        }
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn run_ahead(mode: Mode, ahead: usize) -> ciphermill::Result<()> {
    let chunks = Arc::new(AtomicUsize::new(0));
    let reader = CountingReader {
        left: 200 * CHUNK,
        chunks: chunks.clone(),
    };
    let writer = WaitingWriter {
        chunks,
        ahead,
        taken: 0,
    };
    let device = ReferenceDevice::new();
    let never = Cancellation::new();
    encrypt(
        reader,
        writer,
        &device,
        &options(mode, CHUNK),
        &mut |_| {},
        &never,
    )
    .map(drop)
}

#[test]
fn reading_goes_on_while_writing_waits() {
    for mode in Mode::MESSAGES {
        // Three in flight, and one more at either end.
        run_ahead(mode, 5).unwrap();
    }
}

#[test]
fn buffers_are_bounded() {
    // The whole input never fits: the writer gives up waiting for its end.
    let chunks = Arc::new(AtomicUsize::new(0));
    let reader = CountingReader {
        left: 1000 * CHUNK,
        chunks: chunks.clone(),
    };
    let seen = chunks.clone();
    let writer = FailingAfterPause { chunks };
    let device = ReferenceDevice::new();
    let never = Cancellation::new();
    let outcome = encrypt(
        reader,
        writer,
        &device,
        &options(Mode::Gcm, CHUNK),
        &mut |_| {},
        &never,
    );
    outcome.unwrap_err();
    assert!(seen.load(Ordering::SeqCst) < 20);
}

/// Lets the reader run as far ahead as it can, and then fails.
struct FailingAfterPause {
    chunks: Arc<AtomicUsize>,
}

impl Write for FailingAfterPause {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if buffer.len() == HEADER_BYTES {
            return Ok(buffer.len());
        }
        let mut before = usize::MAX;
        while before != self.chunks.load(Ordering::SeqCst) {
            before = self.chunks.load(Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failing_writer_ends_everything() {
    for mode in Mode::MESSAGES {
        let whole = seal(
            &data(40 * CHUNK),
            &ReferenceDevice::new(),
            &options(mode, CHUNK),
        );
        let whole = whole.unwrap().len();
        for room in [0, 1, HEADER_BYTES, HEADER_BYTES + 1, 1000, whole - 1] {
            let kind = ends(move || {
                let writer = FailingWriter {
                    room,
                    kind: io::ErrorKind::StorageFull,
                };
                let device = ReferenceDevice::new();
                encrypt_to(&data(40 * CHUNK), writer, &device, &options(mode, CHUNK))
                    .unwrap_err()
                    .to_string()
            });
            assert!(
                kind.starts_with("writing the output: "),
                "{mode} {room} {kind}"
            );
        }
    }
}

#[test]
fn a_writer_that_takes_nothing_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Ok(0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let device = ReferenceDevice::new();
    let error = encrypt_to(b"x", Full, &device, &options(Mode::Gcm, CHUNK)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[test]
fn a_failing_reader_ends_everything() {
    for mode in Mode::MESSAGES {
        for left in [0, 1, CHUNK, 10 * CHUNK + 3] {
            let error = ends(move || {
                let device = ReferenceDevice::new();
                encrypt(
                    FailingReader { left },
                    io::sink(),
                    &device,
                    &options(mode, CHUNK),
                    &mut |_| {},
                    &Cancellation::new(),
                )
                .unwrap_err()
            });
            assert!(
                error.to_string().starts_with("reading the input: "),
                "{error}"
            );
        }
    }
}

#[test]
fn a_failing_device_ends_everything() {
    for mode in Mode::MESSAGES {
        for jobs in [0, 1, 5] {
            for device in [
                ReferenceDevice::new().failing_after(jobs),
                ReferenceDevice::new().panicking_after(jobs),
                ReferenceDevice::new().cutting_answers(),
            ] {
                let error = ends(move || {
                    let plain = data(40 * CHUNK);
                    encrypt_to(&plain, io::sink(), &device, &options(mode, CHUNK)).unwrap_err()
                });
                assert_eq!(error.kind(), ErrorKind::Device, "{mode} {jobs} {error}");
            }
        }
    }
}

#[test]
fn chunks_before_the_failure_are_written() {
    let plain = data(20 * CHUNK);
    for mode in Mode::MESSAGES {
        let sealed = seal(&plain, &ReferenceDevice::new(), &options(mode, CHUNK)).unwrap();
        let device = ReferenceDevice::new().failing_after(7);
        let (released, outcome) = decrypt_from(&sealed[..], &device, key());
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Device);
        assert_eq!(released, plain[..7 * CHUNK]);
    }
}

#[test]
fn cancellation_ends_everything() {
    for mode in Mode::MESSAGES {
        let kind = ends(move || {
            let cancellation = Cancellation::new();
            let seen = cancellation.clone();
            let device = ReferenceDevice::new().with_delay(Duration::from_millis(1));
            let mut progress = |bytes| {
                if bytes > 5 * CHUNK as u64 {
                    seen.cancel();
                }
            };
            let options = options(mode, CHUNK);
            encrypt(
                io::repeat(7),
                io::sink(),
                &device,
                &options,
                &mut progress,
                &cancellation,
            )
            .unwrap_err()
            .kind()
        });
        assert_eq!(kind, ErrorKind::Cancelled);
    }
}

#[test]
fn a_failure_leaves_the_callers_cancellation_alone() {
    let cancellation = Cancellation::new();
    let device = ReferenceDevice::new();
    let options = options(Mode::Gcm, CHUNK);
    let reader = FailingReader { left: 100 };
    encrypt(
        reader,
        io::sink(),
        &device,
        &options,
        &mut |_| {},
        &cancellation,
    )
    .unwrap_err();
    assert!(!cancellation.is_cancelled());
}

#[test]
fn a_panicking_callback_reaches_the_caller() {
    let panic = ends(|| {
        std::panic::catch_unwind(|| {
            let device = ReferenceDevice::new();
            let mut progress = |_| panic!("from the callback");
            let options = options(Mode::Ctr, CHUNK);
            let never = Cancellation::new();
            encrypt(
                io::repeat(7),
                io::sink(),
                &device,
                &options,
                &mut progress,
                &never,
            )
        })
        .is_err()
    });
    assert!(panic);
}

#[test]
fn devices_times_are_summed() {
    let device = ReferenceDevice::new().with_delay(Duration::from_millis(2));
    let summary = encrypt_to(
        &data(5 * CHUNK),
        io::sink(),
        &device,
        &options(Mode::Ctr, CHUNK),
    )
    .unwrap();
    let timing = summary.device.unwrap();
    assert_eq!(timing.method, TimingMethod::Measured);
    assert!(timing.processing >= Duration::from_millis(10));
    assert!(summary.time >= Duration::from_millis(10));
}

#[test]
fn one_byte_at_a_time_is_enough() {
    struct Drip<'a>(&'a [u8]);
    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1).min(self.0.len());
            self.0.read(&mut buffer[..count])
        }
    }
    struct Sip(Vec<u8>);
    impl Write for Sip {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.0.extend_from_slice(&buffer[..buffer.len().min(1)]);
            Ok(buffer.len().min(1))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (device, never) = (ReferenceDevice::new(), Cancellation::new());
    let plain = data(3 * CHUNK + 7);
    for mode in Mode::MESSAGES {
        let (mut sealed, mut opened) = (Sip(Vec::new()), Sip(Vec::new()));
        let drip = Drip(&plain);
        encrypt(
            drip,
            &mut sealed,
            &device,
            &options(mode, CHUNK),
            &mut |_| {},
            &never,
        )
        .unwrap();
        let options = DecryptOptions::new(key());
        let drip = Drip(&sealed.0);
        decrypt(drip, &mut opened, &device, &options, &mut |_| {}, &never).unwrap();
        assert_eq!(opened.0, plain);
    }
}
