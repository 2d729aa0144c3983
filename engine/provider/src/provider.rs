// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One loaded provider: its settings, its device and what its contexts share.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ciphermill::process::PerProcess;
use ciphermill::{
    BLOCK_BYTES, Broken, Capabilities, Device, Direction, Error, ErrorKind, Key, Mode, Request,
    Result, Span,
};

use crate::config::{Config, OnFailure, Threshold};
use crate::counters::add;
use crate::failure::{Failure, Outcome, Reason};
use crate::runtime::{Opener, Runtime, Unavailable};
use crate::selftest;
use crate::threshold::{self, Thresholds};
use crate::work::{self, Done, Operation};

/// A loaded provider.
pub(crate) struct Provider {
    config: Config,
    opener: Box<Opener>,
    capabilities: Capabilities,
    runtime: PerProcess<Runtime>,
    /// Shorter updates never go to the device.
    shortest: usize,
}

/// What the device did of an operation.
pub(crate) enum OnDevice<T> {
    /// All of it.
    Done(T),
    /// Nothing, or a part: software goes on from there.
    Left(Broken),
}

/// How long queues are kept that nobody uses: their buffers hold what the last jobs held, and
/// a device may have one queue for all processes.
const IDLE_LIMIT: Duration = Duration::from_secs(1);

impl Provider {
    /// Open the device and test it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] for a device that there is not, whatever opening it gives,
    /// and [`ErrorKind::Device`] when a known answer is wrong.
    pub(crate) fn load(config: Config, opener: Box<Opener>) -> Result<Provider> {
        let device = opener()?;
        let capabilities = device.capabilities().clone();
        let runtime = Runtime::new(Some(Arc::clone(&device)), Thresholds::default())
            .with_idle_limit(Some(IDLE_LIMIT));
        selftest::software()?;
        selftest::device(&*device, &|| Ok(runtime.session(&*opener)?))?;
        // The device's queue is nobody's until it is used.
        runtime.release_idle();
        let shortest = match config.threshold {
            Threshold::Calibrated => threshold::SHORTEST_BYTES,
            Threshold::Bytes(bytes) => bytes.max(1),
            Threshold::Never => usize::MAX,
        };
        Ok(Provider {
            config,
            opener,
            capabilities,
            runtime: PerProcess::new(runtime),
            shortest,
        })
    }

    /// The opener of a configured device. A privileged process takes no folder of models
    /// from its environment: models are code.
    pub(crate) fn opener(config: &Config, privileged: bool) -> Box<Opener> {
        let (name, models) = (config.device.clone(), config.models.clone());
        Box::new(move || -> Result<Arc<dyn Device>> {
            if privileged && models.is_none() && name.starts_with("model:") {
                return Err(Error::invalid(
                    "a privileged process needs `models = FOLDER` in its configuration",
                ));
            }
            ciphermill_devices::open(&name, models.as_deref())
        })
    }

    /// The device's name.
    pub(crate) fn device(&self) -> &str {
        &self.config.device
    }

    /// Whether GCM, or XTS, is offered: where the device has it.
    pub(crate) fn has(&self, wanted: Mode) -> bool {
        let operations = &self.capabilities.operations;
        operations.iter().any(|(mode, _)| *mode == wanted)
    }

    /// This process's part.
    pub(crate) fn runtime(&self) -> &Runtime {
        self.runtime.get(Runtime::renewed)
    }

    /// How the device is asked for an update of so many bytes; `None` where software is
    /// to do it.
    #[inline(always)]
    pub(crate) fn choose(
        &self,
        mode: Mode,
        direction: Direction,
        key: &Arc<Key>,
        bytes: usize,
    ) -> Option<Operation> {
        if !self.may_choose(bytes) {
            return None;
        }
        self.choose_long(mode, direction, key, bytes)
    }

    /// Whether the device could be asked for so many bytes at all.
    #[inline(always)]
    pub(crate) fn may_choose(&self, bytes: usize) -> bool {
        bytes >= self.shortest
    }

    #[inline(never)]
    fn choose_long(
        &self,
        mode: Mode,
        direction: Direction,
        key: &Arc<Key>,
        bytes: usize,
    ) -> Option<Operation> {
        let direction = self.capabilities.direction(mode, direction, key.size())?;
        if self.config.threshold == Threshold::Calibrated {
            let runtime = self.runtime();
            let measured = runtime.thresholds.get(mode, direction, || {
                if runtime.is_paused() {
                    return Err(Unavailable::Paused);
                }
                let (opener, capabilities) = (&*self.opener, &self.capabilities);
                let measured = threshold::measure(runtime, opener, capabilities, mode, direction);
                if let Err(Unavailable::Failed(_)) = measured {
                    runtime.failed(self.completes());
                }
                measured
            });
            if bytes < measured {
                return None;
            }
        }
        Some(Operation {
            mode,
            direction,
            key: Arc::clone(key),
        })
    }

    /// Whole blocks in ECB, CBC or CTR on the device; the IV that comes next.
    ///
    /// # Errors
    /// When the device fails and is configured to fail the operation.
    pub(crate) fn run(
        &self,
        operation: &Operation,
        iv: [u8; BLOCK_BYTES],
        span: &mut Span<'_>,
    ) -> Outcome<OnDevice<[u8; BLOCK_BYTES]>> {
        let runtime = self.runtime();
        let counters = &runtime.counters;
        let nothing = |error| Broken {
            bytes: 0,
            iv,
            error,
        };
        let outcome = match runtime.session(&*self.opener) {
            Ok(lease) => work::run(lease, operation, iv, span),
            Err(Unavailable::Failed(error)) => Err(nothing(error)),
            Err(paused) => return Ok(OnDevice::Left(nothing(paused.into()))),
        };
        match outcome {
            Ok(next) => {
                add(&counters.device_updates, 1);
                add(&counters.device_bytes, span.len());
                Ok(OnDevice::Done(next))
            }
            Err(broken) => {
                if broken.bytes > 0 {
                    add(&counters.device_updates, 1);
                    add(&counters.device_bytes, broken.bytes);
                }
                self.after_failure(runtime, broken)
            }
        }
    }

    /// A whole GCM message on the device, or one record, or a data unit in XTS. A tag that
    /// does not match leaves it to software to say so.
    ///
    /// # Errors
    /// As [`Provider::run`].
    pub(crate) fn run_message(
        &self,
        request: Request,
        span: &mut Span<'_>,
    ) -> Outcome<OnDevice<Done>> {
        let runtime = self.runtime();
        let iv = request.iv;
        let nothing = |error| Broken {
            bytes: 0,
            iv,
            error,
        };
        let outcome = match runtime.session(&*self.opener) {
            Ok(lease) => work::run_whole(lease, request, span),
            Err(Unavailable::Failed(error)) => Err(error),
            Err(paused) => return Ok(OnDevice::Left(nothing(paused.into()))),
        };
        match outcome {
            Ok(done) => {
                add(&runtime.counters.device_updates, 1);
                add(&runtime.counters.device_bytes, span.len());
                Ok(OnDevice::Done(done))
            }
            Err(error) if error.kind() == ErrorKind::Authentication => {
                Ok(OnDevice::Left(nothing(error)))
            }
            Err(error) => self.after_failure(runtime, nothing(error)),
        }
    }

    /// Whether software completes what the device does not.
    fn completes(&self) -> bool {
        self.config.on_failure == OnFailure::Software
    }

    fn after_failure<T>(&self, runtime: &Runtime, broken: Broken) -> Outcome<OnDevice<T>> {
        runtime.failed(self.completes());
        if self.completes() {
            return Ok(OnDevice::Left(broken));
        }
        Err(Failure::new(
            Reason::CipherOperationFailed,
            format!("device {}: {}", self.config.device, broken.error),
        ))
    }

    /// The thresholds that are known: mode, direction, bytes (`None`: never).
    fn thresholds(&self) -> Vec<(String, Option<usize>)> {
        let mut known = Vec::new();
        for mode in Mode::ALL {
            for (direction, name) in [
                (Direction::Encrypt, "encrypt"),
                (Direction::Decrypt, "decrypt"),
            ] {
                if let Some(bytes) = self.runtime().thresholds.known(mode, direction) {
                    let bytes = (bytes != usize::MAX).then_some(bytes);
                    known.push((format!("{mode}-{name}"), bytes));
                }
            }
        }
        known
    }

    /// Add a line with the counters to the log, where one is configured: a JSON object.
    pub(crate) fn log(&self) {
        let Some(path) = &self.config.log else {
            return;
        };
        let mut line = format!(
            "{{\"process\": {}, \"device\": \"{}\"",
            std::process::id(),
            escaped(&self.config.device)
        );
        for (name, value) in self.runtime().counters.values() {
            line += &format!(", \"{name}\": {value}");
        }
        let thresholds: Vec<String> = self
            .thresholds()
            .into_iter()
            .map(|(name, bytes)| match bytes {
                Some(bytes) => format!("\"{name}\": {bytes}"),
                None => format!("\"{name}\": \"never\""),
            })
            .collect();
        line += &format!(", \"thresholds\": {{{}}}}}\n", thresholds.join(", "));
        append(path, &line);
    }

    /// The counter of this name.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.runtime().count(name)
    }

    /// A TLS 1.2 record was done.
    pub(crate) fn count_record(&self, on_device: bool) {
        let counters = &self.runtime().counters;
        let counter = match on_device {
            true => &counters.device_records,
            false => &counters.software_records,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Add a line to the log: why there is no provider.
pub(crate) fn log_refusal(path: &Path, reason: &str) {
    let process = std::process::id();
    let reason = escaped(reason);
    append(
        path,
        &format!("{{\"process\": {process}, \"error\": \"{reason}\"}}\n"),
    );
}

/// In one write, so that lines of several processes stay whole. That it cannot be written
/// is nothing that a process at its end could still tell anyone.
fn append(path: &Path, line: &str) {
    let _ = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
}

/// As the contents of a JSON string.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|character| match character {
            '"' | '\\' => vec!['\\', character],
            control if u32::from(control) < 0x20 => vec![' '],
            other => vec![other],
        })
        .collect()
}

/// For tests: a provider on a given device.
#[cfg(test)]
pub(crate) fn with_device(
    device: impl Device + Clone + 'static,
    settings: &[(&str, &str)],
) -> Arc<Provider> {
    let setting = |name: &str| {
        let found = settings.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let config = Config::read(setting, |_| None).unwrap();
    let opener = move || Ok(Arc::new(device.clone()) as Arc<dyn Device>);
    Arc::new(Provider::load(config, Box::new(opener)).unwrap())
}

#[cfg(test)]
mod tests {
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
        let operation = choose(Mode::Ctr, 16).unwrap();
        assert_eq!(operation.direction, Direction::Encrypt);
        assert!(choose(Mode::Ctr, 15).is_none());
        assert!(choose(Mode::Cbc, 16).is_none());
        assert!(!provider.has(Mode::Gcm));
    }

    #[test]
    fn what_a_decryption_leaves_in_buffers_is_not_kept_for_long() {
        let provider = with_device(ReferenceDevice::new(), &[("threshold", "16")]);
        let key = Arc::new(Key::new(&[0; 16]).unwrap());
        let operation = provider.choose(Mode::Ctr, Direction::Decrypt, &key, 64);
        let mut data = [1; 64];
        let mut span = Span::InPlace(&mut data);
        let done = provider.run(&operation.unwrap(), [0; 16], &mut span);
        assert!(matches!(done, Ok(OnDevice::Done(_))));
        assert_eq!(provider.runtime().idle(), 1);
        let began = std::time::Instant::now();
        while provider.runtime().idle() > 0 {
            assert!(began.elapsed() < 20 * IDLE_LIMIT, "it is kept for ever");
            std::thread::sleep(IDLE_LIMIT / 20);
        }
    }

    #[test]
    fn names_in_the_log_are_escaped() {
        assert_eq!(escaped("stream:/a\"b\\c\n"), "stream:/a\\\"b\\\\c ");
    }

    #[test]
    fn a_device_that_answers_wrong_is_refused() {
        let device = ReferenceDevice::new().cutting_answers();
        let config = Config::read(|_| None, |_| None).unwrap();
        let opener = move || Ok(Arc::new(device.clone()) as Arc<dyn Device>);
        assert!(Provider::load(config, Box::new(opener)).is_err());
    }
}
