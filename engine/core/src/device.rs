// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices: anything that the engine can hand work to at run time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::algorithm::AES;
use crate::{
    Algorithm, Allocator, Buffer, CipherRequest, Direction, Error, KeyBits, KeyReference, Mode,
    Operation, Request, Result, SecretKey,
};

/// An operation that a device has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ability {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// What it does.
    pub operation: Operation,
    /// The mode, where the algorithm is a block cipher.
    pub mode: Option<Mode>,
    /// Bits of its keys, smallest first; none where the algorithm says none.
    pub key_bits: Vec<usize>,
}

impl Ability {
    /// A block cipher in these modes and directions, each with keys of so many bits; XTS has none
    /// of 192.
    pub fn block_cipher(
        algorithm: &'static Algorithm,
        operations: &[(Mode, Direction)],
        key_bits: &[usize],
    ) -> Vec<Ability> {
        let key_bits = |mode| {
            let sizes = key_bits.iter().copied();
            sizes
                .filter(|bits| (mode, *bits) != (Mode::Xts, 192))
                .collect()
        };
        let ability = |&(mode, direction): &(Mode, Direction)| Ability {
            algorithm,
            operation: direction.into(),
            mode: Some(mode),
            key_bits: key_bits(mode),
        };
        operations.iter().map(ability).collect()
    }

    /// Everything that an algorithm without modes does.
    pub fn whole(algorithm: &'static Algorithm) -> Vec<Ability> {
        let ability = |&operation| Ability {
            algorithm,
            operation,
            mode: None,
            key_bits: algorithm.key_bits.to_vec(),
        };
        algorithm.operations.iter().map(ability).collect()
    }
}

/// A device's operations and properties.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Its operations.
    pub operations: Vec<Ability>,
    /// The chunk, in bytes, at which the device works best.
    pub preferred_chunk_bytes: usize,
    /// Jobs that the device can usefully hold at once.
    pub in_flight: usize,
    /// GCM takes an IV of any length; otherwise of 12 bytes alone.
    pub any_gcm_iv: bool,
    /// Output can be consumed on the device.
    pub sink: bool,
    /// Data can pass through unencrypted.
    pub bypass: bool,
    /// Clock of the device in MHz, where it has one of its own.
    pub clock_mhz: Option<f64>,
    /// Processors that compute at once: threads of a processor, compute units of a graphics
    /// processor, channels of an accelerator. Absent where the device does not say.
    pub processors: Option<usize>,
    /// Architecture of its core in a word, such as `pipelined`, where it says so.
    pub architecture: Option<&'static str>,
    /// Width of its data streams in bits, where it has streams.
    pub stream_bits: Option<u32>,
    /// Hardware channels: the messages of so many queues go side by side through one device.
    pub channels: usize,
    /// Streams: so many messages of one queue go side by side where none can be cut, in CBC
    /// encryption and CMAC; fewer of them in SHA-2, where the device does so at all. 1 where they go
    /// one after the other.
    pub streams: usize,
    /// One line for people that describes the device.
    pub description: String,
}

impl Capabilities {
    /// Capabilities with these operations; `description` is one line for people. The other
    /// fields are defaults to overwrite: a chunk of 64 KiB, one job at a time, GCM with IVs of 12
    /// bytes, neither sink nor bypass, no clock, no number of processors, one channel, one stream.
    pub fn new(description: impl Into<String>, operations: Vec<Ability>) -> Capabilities {
        Capabilities {
            operations,
            preferred_chunk_bytes: 64 << 10,
            in_flight: 1,
            any_gcm_iv: false,
            sink: false,
            bypass: false,
            clock_mhz: None,
            processors: None,
            architecture: None,
            stream_bits: None,
            channels: 1,
            streams: 1,
            description: description.into(),
        }
    }

    /// Whether AES in this mode and direction and with keys of so many bits is present.
    pub fn supports(&self, mode: Mode, direction: Direction, key_bits: usize) -> bool {
        self.has(&AES, direction.into(), Some(mode), Some(key_bits))
    }

    /// Whether the device offers this request's operation, wherever the output goes.
    pub fn can(&self, request: &Request) -> bool {
        let cipher = request.cipher().ok();
        if !self.any_gcm_iv && cipher.is_some_and(|request| request.gcm_iv.is_some()) {
            return false;
        }
        let mode = cipher.map(|request| request.mode);
        let key_bits = request.key_bits();
        self.has(request.algorithm(), request.operation(), mode, key_bits)
    }

    fn has(
        &self,
        algorithm: &Algorithm,
        operation: Operation,
        mode: Option<Mode>,
        key_bits: Option<usize>,
    ) -> bool {
        self.operations.iter().any(|ability| {
            (ability.algorithm, ability.operation, ability.mode) == (algorithm, operation, mode)
                && key_bits.is_none_or(|bits| ability.key_bits.contains(&bits))
        })
    }

    /// Modes and directions of AES that are present.
    pub fn aes_operations(&self) -> Vec<(Mode, Direction)> {
        let aes = self.aes().filter_map(|ability| {
            let direction = match ability.operation {
                Operation::Encrypt => Direction::Encrypt,
                Operation::Decrypt => Direction::Decrypt,
                _ => return None,
            };
            ability.mode.map(|mode| (mode, direction))
        });
        aes.collect()
    }

    /// Key sizes of AES that are present, smallest first.
    pub fn aes_key_sizes(&self) -> Vec<KeyBits> {
        let present = |size: &KeyBits| {
            let mut aes = self.aes();
            aes.any(|ability| ability.key_bits.contains(&size.bits()))
        };
        KeyBits::ALL.into_iter().filter(present).collect()
    }

    fn aes(&self) -> impl Iterator<Item = &Ability> {
        (self.operations.iter()).filter(|ability| ability.algorithm == &AES)
    }

    /// The direction in which to ask for this: in CTR a device that only encrypts decrypts too.
    pub fn direction(
        &self,
        mode: Mode,
        direction: Direction,
        key_bits: usize,
    ) -> Option<Direction> {
        let has = |direction| self.supports(mode, direction, key_bits);
        if has(direction) {
            return Some(direction);
        }
        (mode == Mode::Ctr && has(Direction::Encrypt)).then_some(Direction::Encrypt)
    }
}

/// How a time was obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimingMethod {
    /// Wall time of this machine.
    Measured,
    /// Cycles of a cycle-accurate model, divided by its clock.
    Simulated,
}

/// The times of a job. On a simulated device these are simulated times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// From the first register write (or call) to the last byte of output.
    pub total: Duration,
    /// Time in which data moved between host and device.
    pub transfer: Duration,
    /// Time in which the device worked on the data.
    pub processing: Duration,
    /// Cycles of the device, from start to its last output, where it counts them.
    pub cycles: Option<u64>,
    /// Measured or simulated.
    pub method: TimingMethod,
}

impl Timing {
    /// The time of two jobs, one after the other; simulated when one of them is.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ciphermill::{Timing, TimingMethod};
    /// let one = Timing {
    ///     total: Duration::from_micros(3),
    ///     transfer: Duration::from_micros(1),
    ///     processing: Duration::from_micros(2),
    ///     cycles: Some(200),
    ///     method: TimingMethod::Simulated,
    /// };
    /// assert_eq!(one.then(one).cycles, Some(400));
    /// ```
    #[must_use]
    pub fn then(self, next: Timing) -> Timing {
        let simulated = [self.method, next.method].contains(&TimingMethod::Simulated);
        Timing {
            total: self.total + next.total,
            transfer: self.transfer + next.transfer,
            processing: self.processing + next.processing,
            cycles: match (self.cycles, next.cycles) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            },
            method: if simulated {
                TimingMethod::Simulated
            } else {
                TimingMethod::Measured
            },
        }
    }

    /// The timing of work that was measured in wall time only.
    pub(crate) fn measured(elapsed: Duration) -> Timing {
        Timing {
            total: elapsed,
            transfer: Duration::ZERO,
            processing: elapsed,
            cycles: None,
            method: TimingMethod::Measured,
        }
    }

    /// As [`Timing::then`], for timings that may be absent.
    pub(crate) fn sum(one: Option<Timing>, next: Option<Timing>) -> Option<Timing> {
        match (one, next) {
            (Some(one), Some(next)) => Some(one.then(next)),
            (one, next) => one.or(next),
        }
    }
}

/// A buffer and what to do with it.
#[derive(Debug)]
pub struct Job {
    /// The caller's own number; comes back with the completion.
    pub token: u64,
    /// What to do.
    pub request: Request,
    /// The data; replaced by the output, in place where the device can. It may be any buffer:
    /// the device's own need no copy ([`Device::allocator`]), others may.
    pub data: Buffer,
}

/// A finished job.
#[derive(Debug)]
pub struct Completion {
    /// The job's token.
    pub token: u64,
    /// The output, as long as [`Request::output_bytes`] says, or why there is none. Decryption
    /// whose tag does not match is [`crate::ErrorKind::Authentication`] and gives no data.
    pub result: Result<Buffer>,
    /// The tag of an encryption that gives one.
    pub tag: Option<[u8; 16]>,
    /// Its times, where the job ran.
    pub timing: Option<Timing>,
}

impl Completion {
    /// A job that gave this output.
    pub fn done(token: u64, data: impl Into<Buffer>) -> Completion {
        Completion {
            token,
            result: Ok(data.into()),
            tag: None,
            timing: None,
        }
    }

    /// A job that gave no output.
    pub fn failed(token: u64, error: Error) -> Completion {
        Completion {
            token,
            result: Err(error),
            tag: None,
            timing: None,
        }
    }
}

/// Cancels work from another thread; clones share one flag.
///
/// ```
/// use ciphermill::Cancellation;
/// let all = Cancellation::new();
/// let one = all.child();
/// one.cancel();
/// assert!(!all.is_cancelled());
/// all.cancel();
/// assert!(all.child().is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation {
    flag: Arc<AtomicBool>,
    parent: Option<Arc<Cancellation>>,
}

impl Cancellation {
    /// A flag that is not set.
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Ask for the work to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// A flag of its own that also counts as set when this one is.
    pub fn child(&self) -> Cancellation {
        Cancellation {
            flag: Arc::default(),
            parent: Some(Arc::new(self.clone())),
        }
    }

    /// Whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Acquire)
            || self
                .parent
                .as_ref()
                .is_some_and(|parent| parent.is_cancelled())
    }

    /// [`crate::ErrorKind::Cancelled`] when the work should stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            Err(Error::cancelled())
        } else {
            Ok(())
        }
    }
}

/// Bytes in a device's own memory, which the host need not be able to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Where they begin, as the device's driver counts: for `cuda` a `CUdeviceptr`.
    pub address: u64,
    /// How many there are.
    pub bytes: usize,
}

/// A digest or an authentication code of a message that comes in parts.
pub trait MessageHash: Send {
    /// The message's next bytes.
    ///
    /// # Errors
    /// Whatever the device reports.
    fn update(&mut self, data: &[u8]) -> Result<()>;

    /// The digest or the code.
    ///
    /// # Errors
    /// Whatever the device reports.
    fn finish(self: Box<Self>) -> Result<Vec<u8>>;
}

/// Anything that can be handed work at run time.
pub trait Device: Send + Sync {
    /// The name that selects it, such as `cpu` or `model:aes-iterative`.
    fn name(&self) -> &str;

    /// Its operations and properties.
    fn capabilities(&self) -> &Capabilities;

    /// Where the engine gets the buffers of this device's jobs: it reads files and messages
    /// straight into them, and writes straight out of the ones that come back. A device with
    /// pinned memory, or with memory of its own, gives buffers there, so that no copy is forced;
    /// it finds its own again in a job by [`Buffer::memory`]. By default ordinary memory.
    ///
    /// A job may still come with a buffer from elsewhere, and the device then copies if it must.
    fn allocator(&self) -> Allocator {
        Allocator::default()
    }

    /// Begin a digest or an authentication code of a message that comes in parts, so that a file
    /// need not be in memory. By default `None`: the device takes a message whole, as a job.
    ///
    /// # Errors
    /// As a job of this request.
    fn hash(&self, _: &Request) -> Result<Option<Box<dyn MessageHash>>> {
        Ok(None)
    }

    /// A private key of an elliptic curve that the device holds from now on: this one, or, without
    /// one, one that it generates. By default no device holds keys.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] where the device lacks the curve or holds no keys,
    /// [`crate::ErrorKind::NoRoom`] where all of its key slots are in use
    /// ([`Error::key_slots_in_use`]), [`crate::ErrorKind::Invalid`] for a private key that the
    /// curve does not have, and whatever the device reports.
    fn hold_key(
        &self,
        algorithm: &'static Algorithm,
        _key: Option<&SecretKey>,
        _cancellation: &Cancellation,
    ) -> Result<KeyReference> {
        Err(Error::unsupported(format!(
            "device {} holds no private key of {}: give the key's bytes with each request, or \
             choose another device",
            self.name(),
            algorithm.name
        )))
    }

    /// Encrypt or decrypt data that are in the device's own memory, in their place: the tag of an
    /// encryption that gives one, and the times. The call waits for the device; data that the caller
    /// handed to the device's driver before are waited for first. By default no device has data in
    /// memory of its own.
    ///
    /// `cuda` takes memory of its primary context or of a memory pool, at any alignment; at multiples
    /// of 4 bytes nothing is copied. The thread's current context stays as it was.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] where the device has no such memory or not this request,
    /// [`crate::ErrorKind::Invalid`] where the driver says that the memory is another device's, another
    /// context's, or shorter, and [`crate::ErrorKind::Authentication`] where a tag does not match: the
    /// data are then zeroised, and where that fails, the message says that they may still be there.
    /// After any other error the data may be processed in part.
    ///
    /// # Safety
    /// So many bytes are allocated there on this device, and nobody else uses them during the call.
    #[allow(unsafe_code)]
    unsafe fn run_in_memory(
        &self,
        _request: &CipherRequest,
        _data: DeviceMemory,
        _cancellation: &Cancellation,
    ) -> Result<(Option<[u8; 16]>, Timing)> {
        Err(Error::unsupported(format!(
            "device {} takes no data in a device's memory: give the bytes, or choose cuda",
            self.name()
        )))
    }

    /// A queue of its own for one caller. The cancellation is looked at
    /// between, and where it can within, jobs.
    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>>;
}

/// Jobs in flight on a device; completions come back in the order of submission.
///
/// Messages that cannot be cut, as in CBC encryption, are put in flight together: one job for each,
/// of any length and key, by one [`Queue::submit_all`] or by a [`Queue::submit`] for each, before
/// the first [`Queue::complete`]. The device then works on up to [`Capabilities::streams`] of them
/// side by side, and when one ends the next takes its place. An error of one job is its own. To
/// cancel one message alone, open a queue for it: all jobs of a queue have one cancellation.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Cancellation, CipherRequest, Device, Direction, Job, Key, Mode};
/// let device = ReferenceDevice::new();
/// let mut queue = device.open(Cancellation::new()).unwrap();
/// let jobs = (0..8).map(|token| {
///     let key = Key::new(&[token as u8; 16]).unwrap();
///     let request = CipherRequest::new(Mode::Cbc, Direction::Encrypt, key, [0; 16]);
///     Job { token, request: request.into(), data: vec![0; 16 * token as usize].into() }
/// });
/// queue.submit_all(jobs.collect()).unwrap();
/// for token in 0..8 {
///     let completion = queue.complete().unwrap();
///     assert_eq!(completion.token, token);
///     assert_eq!(completion.result.unwrap().len(), 16 * token as usize);
/// }
/// ```
pub trait Queue: Send {
    /// Hand over a job. Blocks only while the device's own buffers are full. An
    /// error here means that the queue is broken; an error of the job itself
    /// comes with its completion.
    fn submit(&mut self, job: Job) -> Result<()>;

    /// Hand over several jobs at once: many small messages, where handing over each by itself
    /// would cost as much as its work. Otherwise as [`Queue::submit`] of one after the other.
    fn submit_all(&mut self, jobs: Vec<Job>) -> Result<()> {
        jobs.into_iter().try_for_each(|job| self.submit(job))
    }

    /// The oldest job's completion, waiting for it; `None` when nothing is in flight.
    fn complete(&mut self) -> Option<Completion>;

    /// Jobs submitted and not yet completed.
    fn in_flight(&self) -> usize;
}
