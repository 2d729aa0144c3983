// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One loaded provider: its settings, its device and what its contexts share.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ciphermill::process::PerProcess;
use ciphermill::{
    Answer, BLOCK_BYTES, Broken, Cancellation, Capabilities, CipherRequest, Direction, Error,
    ErrorKind, Key, Mode, Request, Result, Session, Span,
};

use crate::account::{Account, Log};
use crate::calibration;
use crate::config::{Config, OnFailure, Threshold};
use crate::counters::{Tally, add};
use crate::failure::{Failure, Outcome, Reason};
use crate::runtime::{Lease, Opener, Runtime, Unavailable};
use crate::selftest;
use crate::threshold::{Of, Thresholds};
use crate::work::{self, CipherKey};

mod keys;
mod pipeline;

/// A loaded provider.
pub(crate) struct Provider {
    pub config: Config,
    opener: Box<Opener>,
    runtime: PerProcess<Runtime>,
    /// Shorter updates never go to the device.
    shortest: usize,
}

/// A context's hold on the provider, with what it did in software and has not yet added to the
/// process's counts.
pub(crate) struct Share {
    provider: Arc<Provider>,
    tally: Tally,
}

impl Share {
    /// Nothing counted yet.
    pub(crate) fn new(provider: Arc<Provider>) -> Share {
        let tally = Tally::default();
        Share { provider, tally }
    }

    /// Another context's.
    pub(crate) fn another(&self) -> Share {
        Share::new(Arc::clone(&self.provider))
    }

    /// Count an update of so many bytes in software.
    #[inline(always)]
    pub(crate) fn count(&mut self, bytes: usize) {
        if self.tally.add(bytes) {
            self.flush();
        }
    }

    #[cold]
    fn flush(&mut self) {
        self.provider.flush(&mut self.tally);
    }
}

impl Deref for Share {
    type Target = Provider;

    fn deref(&self) -> &Provider {
        &self.provider
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.flush();
    }
}

/// The state in a context.
pub(crate) trait State: Sized {
    /// A copy in the same state.
    fn duplicate(&self) -> Outcome<Self>;
    /// Nothing more until the next initialisation.
    fn spoil(&mut self);
}

/// How far the device came with an operation.
pub(crate) enum OnDevice<T> {
    /// All of it.
    Done(T),
    /// Nothing, or a part: software goes on from there.
    Left(Broken),
}

/// The state after a device that did nothing.
fn nothing(iv: [u8; BLOCK_BYTES], error: Error) -> Broken {
    let bytes = 0;
    Broken { bytes, iv, error }
}

/// How long unused queues are kept. Their buffers hold data of the last jobs, and a device may
/// have one queue for all processes.
const IDLE_LIMIT: Duration = Duration::from_secs(1);

impl Provider {
    /// Test the software. The device is opened, and tested, by the first update that is
    /// long enough for it: most programs that load OpenSSL encrypt nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] when a known answer is wrong.
    pub(crate) fn load(config: Config, opener: Box<Opener>) -> Result<Provider> {
        selftest::software()?;
        if config.keys.are_offered() {
            selftest::keys()?;
        }
        let opener = move || {
            let device = opener()?;
            let mut session = Session::open(&*device, Cancellation::new())?;
            selftest::device(&*device, &mut session)?;
            Ok(device)
        };
        let log = config.log.clone().map(|path| Log {
            path,
            device: config.device.clone(),
        });
        let account = Account::new(log, Thresholds::default());
        let runtime = Runtime::new(account).with_idle_limit(Some(IDLE_LIMIT));
        let shortest = match config.threshold {
            Threshold::Calibrated => calibration::SHORTEST_BYTES,
            Threshold::Bytes(bytes) => bytes.max(1),
            Threshold::Never => usize::MAX,
        };
        Ok(Provider {
            config,
            opener: Box::new(opener),
            runtime: PerProcess::new(runtime),
            shortest,
        })
    }

    /// The opener of a configured device. A privileged process takes no folder of models
    /// from its environment: models are code.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for a name that no device has.
    pub(crate) fn opener(config: &Config, privileged: bool) -> Result<Box<Opener>> {
        let (name, models) = (config.device.clone(), config.models.clone());
        ciphermill_devices::check_name(&name, models.as_deref())?;
        if privileged && models.is_none() && name.starts_with("model:") {
            return Err(Error::invalid(
                "a privileged process needs `models = FOLDER` in its configuration",
            ));
        }
        Ok(Box::new(move || {
            ciphermill_devices::open(&name, models.as_deref())
        }))
    }

    /// Whether a digest's message is kept for the device: where the configuration says from how
    /// many bytes on. None is measured, since to keep a message costs time whatever it says.
    pub(crate) fn keeps_messages(&self) -> bool {
        matches!(self.config.threshold, Threshold::Bytes(_))
    }

    /// The digest or the authentication code of a message by the device; `None` where software is
    /// to compute it.
    ///
    /// # Errors
    /// When the device fails and is configured to fail the operation.
    pub(crate) fn hash(&self, request: &Request, message: &[u8]) -> Outcome<Option<Vec<u8>>> {
        if !self.may_choose(message.len()) {
            return Ok(None);
        }
        if !self
            .capabilities()?
            .is_some_and(|device| device.can(request))
        {
            return Ok(None);
        }
        let run = |lease: Lease<'_>| {
            let hashed = work::hash(lease, request, message);
            hashed.map_err(|error| nothing([0; BLOCK_BYTES], error))
        };
        Ok(
            match self.on_device(message.len(), [0; BLOCK_BYTES], run)? {
                OnDevice::Done(digest) => Some(digest),
                OnDevice::Left(_) => None,
            },
        )
    }

    /// The device's; `None` where it is left alone, or has failed now.
    ///
    /// # Errors
    /// When the device does not open and is configured to fail the operation.
    fn capabilities(&self) -> Outcome<Option<&Capabilities>> {
        match self.runtime().capabilities(&*self.opener) {
            Ok(capabilities) => Ok(Some(capabilities)),
            Err(Unavailable::Paused) => Ok(None),
            Err(Unavailable::Failed(error)) => {
                self.after_failure(self.runtime(), &error).map(|()| None)
            }
        }
    }

    /// Known answers on the software and on the device, which is opened for that.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] when an answer is wrong, and what opening the device gives.
    pub(crate) fn test(&self) -> Result<()> {
        selftest::software()?;
        if self.config.keys.are_offered() {
            selftest::keys()?;
        }
        let device = self.runtime().device(&*self.opener)?;
        let mut lease = self.runtime().session(&*self.opener)?;
        selftest::device(&*device, &mut lease)?;
        lease.keep();
        Ok(())
    }

    /// This process's part.
    pub(crate) fn runtime(&self) -> &Runtime {
        self.runtime.get(Runtime::renewed)
    }

    /// How the device is asked for an update of so many bytes; `None` where software is
    /// to do it.
    ///
    /// # Errors
    /// When the device does not open and is configured to fail the operation.
    #[inline(always)]
    pub(crate) fn choose(
        &self,
        mode: Mode,
        direction: Direction,
        key: &Arc<Key>,
        bytes: usize,
    ) -> Outcome<Option<CipherKey>> {
        if !self.may_choose(bytes) {
            return Ok(None);
        }
        self.choose_long(Of::Message, mode, direction, key, bytes)
    }

    /// Whether the device could be asked for so many bytes at all.
    #[inline(always)]
    pub(crate) fn may_choose(&self, bytes: usize) -> bool {
        bytes >= self.shortest
    }

    /// Bytes from which on the device could be asked.
    pub(crate) fn shortest(&self) -> usize {
        self.shortest
    }

    #[inline(never)]
    fn choose_long(
        &self,
        of: Of,
        mode: Mode,
        direction: Direction,
        key: &Arc<Key>,
        bytes: usize,
    ) -> Outcome<Option<CipherKey>> {
        let runtime = self.runtime();
        let Some(capabilities) = self.capabilities()? else {
            return Ok(None);
        };
        let Some(direction) = capabilities.direction(mode, direction, key.bits()) else {
            return Ok(None);
        };
        if self.config.threshold == Threshold::Calibrated {
            let measured = runtime.account.thresholds.get(of, mode, direction, || {
                if runtime.is_paused() {
                    return Err(Unavailable::Paused);
                }
                let opener = &*self.opener;
                let measured =
                    calibration::measure(runtime, opener, capabilities, of, mode, direction);
                if let Err(Unavailable::Failed(error)) = &measured {
                    // Software does this update, whatever a failure means.
                    let _ = self.after_failure(runtime, error);
                }
                measured
            });
            if bytes < measured {
                return Ok(None);
            }
        }
        Ok(Some(CipherKey {
            mode,
            direction,
            key: Arc::clone(key),
        }))
    }

    /// Whole blocks in ECB, CBC or CTR on the device; the IV that comes next.
    ///
    /// # Errors
    /// When the device fails and is configured to fail the operation.
    pub(crate) fn run(
        &self,
        operation: &CipherKey,
        iv: [u8; BLOCK_BYTES],
        span: &mut Span<'_>,
    ) -> Outcome<OnDevice<[u8; BLOCK_BYTES]>> {
        let bytes = span.len();
        self.on_device(bytes, iv, |lease| work::run(lease, operation, iv, span))
    }

    /// A whole GCM message on the device, or one record, or a data unit in XTS. A tag that
    /// does not match leaves it to software to say so.
    ///
    /// # Errors
    /// As [`Provider::run`].
    pub(crate) fn run_message(
        &self,
        request: CipherRequest,
        span: &mut Span<'_>,
    ) -> Outcome<OnDevice<Answer>> {
        let (bytes, iv) = (span.len(), request.iv);
        let run = |lease: Lease<'_>| {
            work::run_whole(lease, request, span).map_err(|error| nothing(iv, error))
        };
        self.on_device(bytes, iv, run)
    }

    /// Work for so many bytes, counted; how far it came, where the device fails or is left alone.
    ///
    /// # Errors
    /// As [`Provider::run`].
    fn on_device<T>(
        &self,
        bytes: usize,
        iv: [u8; BLOCK_BYTES],
        run: impl FnOnce(Lease<'_>) -> std::result::Result<T, Broken>,
    ) -> Outcome<OnDevice<T>> {
        let runtime = self.runtime();
        let outcome = match runtime.session(&*self.opener) {
            Ok(lease) => run(lease),
            Err(Unavailable::Failed(error)) => Err(nothing(iv, error)),
            Err(paused) => return Ok(OnDevice::Left(nothing(iv, paused.into()))),
        };
        let done_bytes = outcome
            .as_ref()
            .map_or_else(|broken| broken.bytes, |_| bytes);
        if outcome.is_ok() || done_bytes > 0 {
            Provider::count_on_device(runtime, done_bytes);
        }
        match outcome {
            Ok(done) => {
                runtime.account.note();
                Ok(OnDevice::Done(done))
            }
            Err(broken) => {
                if broken.error.kind() != ErrorKind::Authentication {
                    self.after_failure(runtime, &broken.error)?;
                }
                Ok(OnDevice::Left(broken))
            }
        }
    }

    /// Count an update of so many bytes on the device.
    fn count_on_device(runtime: &Runtime, bytes: usize) {
        add(&runtime.account.counters.device_updates, 1);
        add(&runtime.account.counters.device_bytes, bytes);
    }

    /// Whether software completes what the device does not.
    fn completes(&self) -> bool {
        self.config.on_failure == OnFailure::Software
    }

    /// The device failed: leave it alone for a while, or fail the operation. A buffer that there
    /// is no memory for is no failure of the device.
    fn after_failure(&self, runtime: &Runtime, error: &Error) -> Outcome<()> {
        let message = format!("device {}: {error}", self.config.device);
        if !error.is_out_of_memory() && runtime.failed(self.completes()) {
            runtime.account.complain(&message);
        }
        runtime.account.note();
        if self.completes() {
            return Ok(());
        }
        Err(Failure::new(Reason::of(error), message))
    }

    /// Write to the log what it does not say yet.
    pub(crate) fn log(&self) {
        self.runtime().account.write_due();
    }

    /// Add what a context has counted to the process's counts.
    fn flush(&self, tally: &mut Tally) {
        let account = &self.runtime().account;
        tally.flush(&account.counters);
        account.note();
    }

    /// The counter of this name.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.runtime().account.counters.value(name)
    }

    /// A TLS 1.2 record was done.
    pub(crate) fn count_record(&self, on_device: bool) {
        let counters = &self.runtime().account.counters;
        let counter = match on_device {
            true => &counters.device_records,
            false => &counters.software_records,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// For tests: a provider on a given device.
#[cfg(test)]
pub(crate) fn with_device(
    device: impl ciphermill::Device + Clone + 'static,
    settings: &[(&str, &str)],
) -> Arc<Provider> {
    let setting = |name: &str| {
        let found = settings.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let config = Config::read(setting, |_| None).unwrap();
    let opener = move || Ok(Arc::new(device.clone()) as Arc<dyn ciphermill::Device>);
    Arc::new(Provider::load(config, Box::new(opener)).unwrap())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use ciphermill::Device;
    use ciphermill::testing::ReferenceDevice;

    use super::*;

    #[test]
    fn ctr_is_asked_in_the_direction_that_there_is() {
        let device = ReferenceDevice::new().with_operations(&[
            (Mode::Ctr, Direction::Encrypt),
            (Mode::Cbc, Direction::Encrypt),
        ]);
        let provider = with_device(device, &[("threshold", "16")]);
        let key = Arc::new(Key::new(&[0; 16]).unwrap());
        let choose = |mode, bytes| provider.choose(mode, Direction::Decrypt, &key, bytes);
        let operation = choose(Mode::Ctr, 16).unwrap().unwrap();
        assert_eq!(operation.direction, Direction::Encrypt);
        assert!(choose(Mode::Ctr, 15).unwrap().is_none());
        assert!(choose(Mode::Cbc, 16).unwrap().is_none());
        assert!(choose(Mode::Gcm, 16).unwrap().is_none());
    }

    #[test]
    fn what_a_decryption_leaves_in_buffers_is_not_kept_for_long() {
        let provider = with_device(ReferenceDevice::new(), &[("threshold", "16")]);
        let key = Arc::new(Key::new(&[0; 16]).unwrap());
        let operation = provider.choose(Mode::Ctr, Direction::Decrypt, &key, 64);
        let mut data = [1; 64];
        let mut span = Span::InPlace(&mut data);
        let done = provider.run(&operation.unwrap().unwrap(), [0; 16], &mut span);
        assert!(matches!(done, Ok(OnDevice::Done(_))));
        assert_eq!(provider.runtime().idle(), 1);
        let began = std::time::Instant::now();
        while provider.runtime().idle() > 0 {
            assert!(began.elapsed() < 60 * IDLE_LIMIT, "it is kept for ever");
            std::thread::sleep(IDLE_LIMIT / 20);
        }
    }

    #[test]
    fn a_device_that_answers_wrong_does_no_work() {
        let provider = with_device(
            ReferenceDevice::new().cutting_answers(),
            &[("threshold", "16")],
        );
        assert!(provider.test().is_err());
        let key = Arc::new(Key::new(&[0; 16]).unwrap());
        let chosen = provider.choose(Mode::Ctr, Direction::Encrypt, &key, 64);
        assert!(chosen.unwrap().is_none());
        assert_eq!(provider.count("device_failures"), Some(1));
    }

    #[test]
    fn the_device_is_opened_by_the_first_update_that_is_long_enough() {
        let opened = Arc::new(AtomicUsize::new(0));
        let config = Config::read(|name| (name == "threshold").then(|| "64".into()), |_| None);
        let opener = {
            let opened = Arc::clone(&opened);
            move || {
                opened.fetch_add(1, Ordering::Relaxed);
                Ok(Arc::new(ReferenceDevice::new()) as Arc<dyn Device>)
            }
        };
        let provider = Provider::load(config.unwrap(), Box::new(opener)).unwrap();
        assert_eq!(opened.load(Ordering::Relaxed), 0);
        let key = Arc::new(Key::new(&[0; 16]).unwrap());
        for (bytes, expected) in [(16, 0), (64, 1), (64, 1)] {
            let chosen = provider.choose(Mode::Ctr, Direction::Encrypt, &key, bytes);
            assert_eq!(chosen.unwrap().is_some(), expected == 1);
            assert_eq!(opened.load(Ordering::Relaxed), expected);
        }
        for _ in 0..2 {
            provider.test().unwrap();
        }
        assert_eq!(opened.load(Ordering::Relaxed), 1);
    }
}
