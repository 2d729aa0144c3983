// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Client and server of the device files, over the behavioural accelerator.

#[path = "../../accelerator/tests/support/fake.rs"]
mod fake;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ciphermill::{
    Buffer, Cancellation, CipherRequest, Completion, Device, Direction, Error, ErrorKind, Job, Key,
    Mode, Output, TimingMethod,
};
use ciphermill_accelerator::registers::*;
use ciphermill_accelerator::{CHANNEL_BYTES, RegisterFile};
use ciphermill_stream::{Channel, Description, Event, StreamDevice, serve};
use fake::{Bench, FakeAccelerator, Fault};

const KEY: [u8; 32] = [0xA5; 32];
const IV: [u8; 16] = [3; 16];

fn description() -> Description {
    Description::simulated("fake", 100.0)
}

/// A server in a thread of this process.
struct Server {
    folder: tempfile::TempDir,
    stop: Cancellation,
    bench: Arc<Mutex<Bench>>,
    events: Arc<Mutex<Vec<Event>>>,
    thread: Option<JoinHandle<Result<(), Error>>>,
}

impl Server {
    fn start(fifo_bytes: usize) -> Server {
        Server::start_in(tempfile::tempdir().unwrap(), fifo_bytes)
    }

    fn start_in(folder: tempfile::TempDir, fifo_bytes: usize) -> Server {
        Server::start_channels(folder, vec![FakeAccelerator::new(fifo_bytes).with_gcm()])
    }

    /// Its bench is that of the first channel.
    fn start_channels(folder: tempfile::TempDir, channels: Vec<FakeAccelerator>) -> Server {
        let bench = channels[0].bench();
        let stop = Cancellation::new();
        let events = Arc::new(Mutex::new(Vec::new()));
        let (ready, is_ready) = channel();
        let (directory, stopped) = (folder.path().to_owned(), stop.clone());
        let seen = Arc::clone(&events);
        let thread = thread::spawn(move || {
            let mut on_event = |event| {
                seen.lock().unwrap().push(event);
                if event == Event::Ready {
                    ready.send(()).unwrap();
                }
            };
            serve(
                channels,
                &description(),
                &directory,
                &stopped,
                &mut on_event,
            )
        });
        is_ready.recv_timeout(Duration::from_secs(10)).unwrap();
        Server {
            folder,
            stop,
            bench,
            events,
            thread: Some(thread),
        }
    }

    fn directory(&self) -> &Path {
        self.folder.path()
    }

    fn wait_until(&self, holds: impl Fn(&Bench) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !holds(&self.bench.lock().unwrap()) {
            assert!(Instant::now() < deadline, "waited in vain");
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        self.stop.cancel();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.thread.is_some() {
            let _ = self.end();
        }
    }
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length)
        .map(|index| (index * 11 + index / 256) as u8)
        .collect()
}

fn coded(data: &[u8]) -> Vec<u8> {
    (0..)
        .zip(data)
        .map(|(position, byte)| FakeAccelerator::code(*byte, position, &KEY, &IV))
        .collect()
}

fn request() -> CipherRequest {
    CipherRequest::new(Mode::Ctr, Direction::Encrypt, Key::new(&KEY).unwrap(), IV)
}

fn run(device: &StreamDevice, request: CipherRequest, data: impl Into<Buffer>) -> Completion {
    let mut queue = device.open(Cancellation::new()).unwrap();
    queue
        .submit(Job {
            token: 1,
            request: request.into(),
            data: data.into(),
        })
        .unwrap();
    queue.complete().unwrap()
}

fn refusal(directory: &Path) -> Error {
    match StreamDevice::new(directory) {
        Ok(_) => panic!("opened"),
        Err(error) => error,
    }
}

#[test]
fn gcm_has_its_associated_data_and_tag_through_the_files() {
    let server = Server::start(100);
    let device = StreamDevice::new(server.directory()).unwrap();
    for (aad, length) in [(20, 1000), (70_000, 5), (1, 0), (0, 70_000)] {
        let request = CipherRequest {
            mode: Mode::Gcm,
            associated_data: bytes(aad),
            ..request()
        };
        let done = run(&device, request.clone(), bytes(length));
        let sealed = done.result.unwrap();
        assert_eq!(sealed, coded(&bytes(length)));
        assert_eq!(done.tag, Some(FakeAccelerator::tag(&bytes(aad), &sealed)));
        let request = CipherRequest {
            direction: Direction::Decrypt,
            tag: done.tag,
            ..request
        };
        let opened = run(&device, request, sealed).result.unwrap();
        assert_eq!(opened, bytes(length));
    }
}

#[test]
fn messages_of_every_size_come_back_through_the_files() {
    let server = Server::start(4096);
    let device = StreamDevice::new(server.directory()).unwrap();
    let mut queue = device.open(Cancellation::new()).unwrap();
    for length in [0, 1, 15, 16, 4096, 65_536, 65_537, 1_000_003] {
        let data = bytes(length);
        queue
            .submit(Job {
                token: 1,
                request: request().into(),
                data: data.into(),
            })
            .unwrap();
        let done = queue.complete().unwrap();
        assert_eq!(
            done.result.unwrap(),
            coded(&bytes(length)),
            "{length} bytes"
        );
        assert_eq!(done.timing.unwrap().method, TimingMethod::Simulated);
    }
}

#[test]
fn simulated_time_does_not_depend_on_the_hosts() {
    let server = Server::start(4096);
    let device = StreamDevice::new(server.directory()).unwrap();
    let mut queue = device.open(Cancellation::new()).unwrap();
    let mut times = Vec::new();
    for _ in 0..4 {
        let data = bytes(300_000);
        queue
            .submit(Job {
                token: 1,
                request: request().into(),
                data: data.into(),
            })
            .unwrap();
        let timing = queue.complete().unwrap().timing.unwrap();
        times.push((timing.total, timing.cycles));
    }
    // The first message also loads the key.
    assert_eq!(times[1], times[2]);
    assert_eq!(times[2], times[3]);
}

#[test]
fn the_sink_works_through_the_files() {
    let server = Server::start(100);
    let device = StreamDevice::new(server.directory()).unwrap();
    let mut request = request();
    request.output = Output::Sink;
    assert!(
        run(&device, request, bytes(100_000))
            .result
            .unwrap()
            .is_empty()
    );
}

#[test]
fn one_client_at_a_time() {
    let server = Server::start(64);
    let device = StreamDevice::new(server.directory()).unwrap();
    let queue = device.open(Cancellation::new()).unwrap();
    let error = refusal(server.directory());
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.to_string().contains("busy"), "{error}");
    assert!(device.open(Cancellation::new()).is_err());
    drop(queue);
    assert!(run(&device, request(), bytes(10)).result.is_ok());
}

/// A server of two channels.
fn two_channels() -> Server {
    let channels = vec![FakeAccelerator::new(64), FakeAccelerator::new(64)];
    Server::start_channels(tempfile::tempdir().unwrap(), channels)
}

#[test]
fn two_streams_go_through_two_channels() {
    let server = two_channels();
    let device = StreamDevice::new(server.directory()).unwrap();
    assert_eq!(device.capabilities().channels, 2);
    let description = &device.capabilities().description;
    assert!(description.contains("2 channels"), "{description}");
    let mut queues = [(); 2].map(|()| device.open(Cancellation::new()).unwrap());
    let error = device.open(Cancellation::new()).err().unwrap();
    assert!(error.to_string().contains("no channel"), "{error}");
    // Both messages are under way before either is waited for, each with a key of its own.
    let keys = [KEY, [0x5A; 32]];
    for (queue, key) in queues.iter_mut().zip(keys) {
        let key = Key::new(&key).unwrap();
        let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, IV);
        let data = bytes(300_000).into();
        let (token, request) = (1, request.into());
        queue
            .submit(Job {
                token,
                request,
                data,
            })
            .unwrap();
    }
    for (queue, key) in queues.iter_mut().zip(keys) {
        let coded: Vec<u8> = (0..)
            .zip(bytes(300_000))
            .map(|(position, byte)| FakeAccelerator::code(byte, position, &key, &IV))
            .collect();
        assert!(queue.complete().unwrap().result.unwrap() == coded);
    }
}

#[test]
fn a_client_reaches_the_registers_of_its_own_channel_only() {
    let server = two_channels();
    let mut client = Channel::connect(&server.directory().join("registers1.sock")).unwrap();
    assert_eq!(
        client.read(IDENTIFICATION).unwrap(),
        IDENTIFICATION_MAGIC_VALUE
    );
    let error = client.read(CHANNEL_BYTES).unwrap_err();
    assert!(error.to_string().contains("failed"), "{error}");
    assert!(
        client
            .write(CHANNEL_BYTES + CONTROL, CONTROL_ZEROISE_MASK)
            .is_err()
    );
}

#[test]
fn a_client_that_goes_leaves_no_key_and_no_data() {
    let server = Server::start(64);
    let device = StreamDevice::new(server.directory()).unwrap();
    server.bench.lock().unwrap().fault = Some((1000, Fault::Stall));
    let mut queue = device.open(Cancellation::new()).unwrap();
    let data = bytes(200_000);
    queue
        .submit(Job {
            token: 1,
            request: request().into(),
            data: data.into(),
        })
        .unwrap();
    server.wait_until(|bench| bench.fault.is_none());
    drop(queue);
    let done = run(&device, request(), bytes(5000));
    assert_eq!(done.result.unwrap(), coded(&bytes(5000)));
    server.wait_until(|bench| !bench.holds_key);
}

#[test]
fn an_error_of_the_device_is_its_jobs_and_the_next_goes_through() {
    let server = Server::start(64);
    let device = StreamDevice::new(server.directory()).unwrap();
    server.bench.lock().unwrap().fault = Some((90_000, Fault::Error(ERROR_COUNTER_MASK)));
    let mut queue = device.open(Cancellation::new()).unwrap();
    for token in 0..2 {
        let data = bytes(200_000);
        queue
            .submit(Job {
                token,
                request: request().into(),
                data: data.into(),
            })
            .unwrap();
    }
    let error = queue.complete().unwrap().result.unwrap_err();
    assert!(error.to_string().contains("value twice"), "{error}");
    assert_eq!(
        queue.complete().unwrap().result.unwrap(),
        coded(&bytes(200_000))
    );
}

#[test]
fn a_server_that_ends_in_a_message_is_an_error_at_once() {
    let mut server = Server::start(64);
    let device = StreamDevice::new(server.directory()).unwrap();
    server.bench.lock().unwrap().fault = Some((100_000, Fault::Stall));
    let mut queue = device.open(Cancellation::new()).unwrap();
    let data = bytes(1_000_000);
    queue
        .submit(Job {
            token: 1,
            request: request().into(),
            data: data.into(),
        })
        .unwrap();
    server.wait_until(|bench| bench.fault.is_none());
    server.end().unwrap();
    let error = queue.complete().unwrap().result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    // A driver whose patience has ended says something else.
    assert!(error.to_string().contains("vanished"), "{error}");
}

#[test]
fn a_server_removes_its_files_and_replaces_those_of_a_dead_one() {
    let mut server = two_channels();
    let names = [
        "description.json",
        "registers.sock",
        "stream0-in",
        "stream0-out",
        "registers1.sock",
        "stream1-in",
        "stream1-out",
    ];
    let path = |name: &&str| -> PathBuf { server.directory().join(name) };
    assert!(names.iter().all(|name| path(name).exists()));
    let kept: Vec<_> = names.iter().map(path).collect();
    server.end().unwrap();
    assert!(kept.iter().all(|path| !path.exists()));
    assert_eq!(fs::read_dir(server.directory()).unwrap().count(), 0);
    // What a killed server leaves: a socket that nobody listens to, and the rest.
    let folder = tempfile::tempdir().unwrap();
    drop(UnixListener::bind(folder.path().join("registers.sock")).unwrap());
    drop(UnixListener::bind(folder.path().join("registers1.sock")).unwrap());
    fs::write(folder.path().join("stream1-in"), "").unwrap();
    fs::write(
        folder.path().join("description.json"),
        description().to_json(),
    )
    .unwrap();
    let error = refusal(folder.path());
    assert!(error.to_string().contains("nobody serves"), "{error}");
    let server = Server::start_in(folder, 64);
    assert_eq!(
        server.events.lock().unwrap()[..2],
        [Event::Replaced, Event::Ready]
    );
    let device = StreamDevice::new(server.directory()).unwrap();
    assert_eq!(device.capabilities().channels, 1);
    assert!(!server.directory().join("registers1.sock").exists());
}

#[test]
fn a_second_server_and_a_boards_directory_are_refused() {
    let server = Server::start(64);
    let start = |directory: &Path| {
        let stop = Cancellation::new();
        stop.cancel();
        serve(
            vec![FakeAccelerator::new(64)],
            &description(),
            directory,
            &stop,
            &mut |_| {},
        )
    };
    let error = start(server.directory()).unwrap_err();
    assert!(error.to_string().contains("another simulator"), "{error}");
    StreamDevice::new(server.directory()).unwrap();
    let board = tempfile::tempdir().unwrap();
    fs::write(board.path().join("registers"), [0; 4096]).unwrap();
    let error = start(board.path()).unwrap_err();
    assert!(error.to_string().contains("board"), "{error}");
    let long = board.path().join("x".repeat(120));
    let error = start(&long).unwrap_err();
    assert!(error.to_string().contains("shorter directory"), "{error}");
}

#[test]
fn a_server_survives_clients_that_talk_nonsense() {
    let server = Server::start(64);
    let socket = server.directory().join("registers.sock");
    for nonsense in [&[0xFF; 12][..], &[1, 2, 3], &[], &[9; 100]] {
        let mut client = UnixStream::connect(&socket).unwrap();
        client
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        client.write_all(nonsense).unwrap();
        if nonsense.len() >= 12 {
            let mut answer = [0; 12];
            client.read_exact(&mut answer).unwrap();
            assert_eq!(answer[0], 1);
        }
    }
    let device = StreamDevice::new(server.directory()).unwrap();
    assert!(run(&device, request(), bytes(10)).result.is_ok());
}

#[test]
fn a_server_that_answers_nonsense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join("registers.sock")).unwrap();
    fs::write(
        folder.path().join("description.json"),
        description().to_json(),
    )
    .unwrap();
    for name in ["stream0-in", "stream0-out"] {
        fs::write(folder.path().join(name), b"").unwrap();
    }
    let other = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut request = [0; 12];
        client.read_exact(&mut request).unwrap();
        client.write_all(&[7; 12]).unwrap();
    });
    let error = refusal(folder.path());
    other.join().unwrap();
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.to_string().contains("nonsense"), "{error}");
}

/// A server of six channels, as the thesis has six streams.
fn six_channels() -> Server {
    let channels = (0..6).map(|_| FakeAccelerator::new(256)).collect();
    Server::start_channels(tempfile::tempdir().unwrap(), channels)
}

/// The request of the client of this number, with a key and an IV of its own, and what the device
/// makes of the data.
fn request_of(number: u8, data: &[u8]) -> (CipherRequest, Vec<u8>) {
    let (key, iv) = ([number; 32], [!number; 16]);
    let secret = Key::new(&key).unwrap();
    let coded = (0..)
        .zip(data)
        .map(|(position, byte)| FakeAccelerator::code(*byte, position, &key, &iv));
    let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, secret, iv);
    (request, coded.collect())
}

#[test]
fn six_clients_come_and_go_in_any_order() {
    let server = six_channels();
    thread::scope(|scope| {
        for number in 0..6u8 {
            let directory = server.directory();
            scope.spawn(move || {
                for round in 0..4u64 {
                    thread::sleep(Duration::from_millis(u64::from(number) * 7 % 5 * round));
                    let device = StreamDevice::new(directory).unwrap();
                    let data = bytes(10_000 + 30_000 * usize::from(number));
                    let (request, coded) = request_of(number, &data);
                    assert!(
                        run(&device, request, data).result.unwrap() == coded,
                        "{number}"
                    );
                }
            });
        }
    });
}

#[test]
fn clients_that_wait_share_one_channel() {
    let server = Server::start(256);
    let place = format!("{},wait_seconds=60", server.directory().display());
    thread::scope(|scope| {
        for number in 0..6u8 {
            let place = &place;
            scope.spawn(move || {
                for _ in 0..3 {
                    let device = StreamDevice::at(place).unwrap();
                    let data = bytes(20_000);
                    let (request, coded) = request_of(number, &data);
                    assert!(
                        run(&device, request, data).result.unwrap() == coded,
                        "{number}"
                    );
                }
            });
        }
    });
    let device = StreamDevice::at(&place).unwrap();
    assert_eq!(device.name(), format!("stream:{place}"));
}

#[test]
fn a_wait_for_a_channel_ends() {
    let server = Server::start(64);
    let device = StreamDevice::new(server.directory()).unwrap();
    let queue = device.open(Cancellation::new()).unwrap();
    let place = format!("{},wait_seconds=1", server.directory().display());
    let error = StreamDevice::at(&place).err().unwrap();
    assert!(error.to_string().contains("wait longer"), "{error}");
    let error = refusal(server.directory());
    assert!(error.to_string().contains("wait_seconds=60"), "{error}");
    drop(queue);
    StreamDevice::at(&place).unwrap();
}

/// A client that starts a message of this length on a channel, and then does what the test says.
struct RawClient {
    _locked: fs::File,
    _registers: Channel,
    input: fs::File,
    output: fs::File,
}

impl RawClient {
    fn start(directory: &Path, channel: usize, length: u32) -> RawClient {
        let open = |name: &str, write: bool| {
            let path = directory.join(format!("stream{channel}-{name}"));
            fs::OpenOptions::new()
                .read(!write)
                .write(write)
                .custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
                .open(path)
                .unwrap()
        };
        let (input, output) = (open("in", true), open("out", false));
        let locked = match channel {
            0 => fs::File::open(directory.join("description.json")).unwrap(),
            _ => input.try_clone().unwrap(),
        };
        locked.lock().unwrap();
        let socket = match channel {
            0 => "registers.sock".to_owned(),
            _ => format!("registers{channel}.sock"),
        };
        let mut registers = Channel::connect(&directory.join(socket)).unwrap();
        for word in 0..8 {
            registers
                .write(ciphermill_accelerator::registers::KEY + 4 * word, 7)
                .unwrap();
        }
        let configuration = CONFIGURATION_MODE_CTR << CONFIGURATION_MODE_SHIFT
            | CONFIGURATION_KEY_SIZE_BITS_256 << CONFIGURATION_KEY_SIZE_SHIFT;
        registers.write(CONFIGURATION, configuration).unwrap();
        registers.write(CONTROL, CONTROL_LOAD_KEY_MASK).unwrap();
        registers.write(MESSAGE_LENGTH_LOW, length).unwrap();
        registers.write(CONTROL, CONTROL_START_MASK).unwrap();
        RawClient {
            _locked: locked,
            _registers: registers,
            input,
            output,
        }
    }
}

/// How long another client's message of a megabyte takes while this work goes on beside it.
fn time_beside(directory: &Path, mut work: impl FnMut() + Send) -> Duration {
    let done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        let done = &done;
        scope.spawn(move || {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                work();
            }
        });
        let data = bytes(1_000_000);
        let (request, coded) = request_of(9, &data);
        let began = Instant::now();
        let device = StreamDevice::new(directory).unwrap();
        let result = run(&device, request, data).result;
        let took = began.elapsed();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(result.unwrap() == coded);
        took
    })
}

#[test]
fn clients_that_do_not_read_or_do_not_write_or_die_hinder_no_other() {
    let server = six_channels();
    let directory = server.directory();
    // The message of the first cannot go on: nobody takes its output. That of the second has no
    // input. The third dies in the middle of its own.
    let mut slow = RawClient::start(directory, 0, 10_000_000);
    let _starved = RawClient::start(directory, 1, 10_000_000);
    let mut dead = RawClient::start(directory, 2, 10_000_000);
    dead.input.write_all(&[1; 30_000]).unwrap();
    drop(dead);
    let mut taken = 0;
    // A page each 15 milliseconds, less than the 20 for which time stands, holds nobody for good.
    let took = time_beside(directory, || {
        while slow.input.write(&[2; 4096]).is_ok() {}
        thread::sleep(Duration::from_millis(15));
        if let Ok(count) = slow.output.read(&mut [0; 4096]) {
            taken += count;
        }
    });
    assert!(taken > 0, "the slow reader's message does not run");
    println!("{took:?} beside a slow reader of {taken} bytes");
    let stopped = server.events.lock().unwrap().clone();
    assert!(stopped.contains(&Event::Closed), "{stopped:?}");
}
