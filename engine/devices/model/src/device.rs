// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `model:NAME`.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ciphermill::{
    Algorithm, Cancellation, Capabilities, Completion, Device, Error, ErrorKind, Job, KeyReference,
    Queue, Result, SecretKey, SynchronousQueue,
};
use ciphermill_accelerator::{
    Driver, Identity, JOBS_IN_FLIGHT, KeySlots, Options as DriverOptions,
};

use crate::board_library::BoardLibrary;
use crate::{Accelerator, BoardDevice, Channel, ModelLibrary, Options};

/// A simulated accelerator as a device.
///
/// Each queue has a channel; where the channels have different algorithms, it has one for each of
/// those that its jobs need, from the first such job on. The messages of queues whose channels are
/// of one accelerator go side by side, in the same simulated time. When all channels are taken,
/// the next queue simulates a further accelerator: with one channel, each queue simulates one of
/// its own. So do the private keys that the device holds, all together: their number is that of the
/// key slots of a channel.
pub struct ModelDevice {
    name: String,
    capabilities: Capabilities,
    channels: Arc<Channels>,
    keys: KeySlots<Channel>,
}

/// The channels of a model, and the accelerators that are simulated.
struct Channels {
    library: Arc<ModelLibrary>,
    clock_mhz: f64,
    /// What each channel of an accelerator is.
    identities: Vec<Identity>,
    /// Those of which a queue has a channel.
    accelerators: Mutex<Vec<Weak<Accelerator>>>,
}

impl ModelDevice {
    /// The accelerator's model of a design, from the folder of built models, with what a user has set.
    ///
    /// Fails with [`ciphermill::ErrorKind::Device`] when it has not been built or
    /// cannot be used; the message says how to build it.
    pub fn new(design: &str, options: Options, models: &Path) -> Result<ModelDevice> {
        from_folder(design, models, |path| {
            if BoardLibrary::load(path)?.is_some() {
                return Err(Error::unsupported(format!(
                    "{design} is a board with memory banks, without data streams: use the device \
                     model:{design}"
                )));
            }
            ModelDevice::of(design, options, ModelLibrary::load(path)?)
        })
    }

    fn of(design: &str, options: Options, library: ModelLibrary) -> Result<ModelDevice> {
        if options.memory_clock_mhz.is_some() {
            return Err(Error::invalid(format!(
                "memory_clock_mhz sets nothing of {design}, which has no memory banks: there is \
                 clock_mhz=NUMBER"
            )));
        }
        let channels = Channels::of(Arc::new(library), options)?;
        let description = channels.library.description();
        let place = match description.channels {
            1 => "simulated in this process".to_owned(),
            channels => format!("{channels} channels, simulated in this process"),
        };
        let clock_mhz = Some(channels.clock_mhz);
        let mut capabilities = Identity::capabilities_of(&channels.identities, clock_mhz, &place);
        capabilities.channels = description.channels as usize;
        let keys = KeySlots::new(channels.with_key_slots());
        Ok(ModelDevice {
            name: format!("model:{design}{options}"),
            capabilities,
            channels: Arc::new(channels),
            keys,
        })
    }

    /// The model's library.
    pub fn library(&self) -> &Arc<ModelLibrary> {
        &self.channels.library
    }

    /// Clock in MHz at which cycles become seconds.
    pub fn clock_mhz(&self) -> f64 {
        self.channels.clock_mhz
    }

    /// Whether every channel has the same algorithms.
    pub fn has_channels_alike(&self) -> bool {
        self.channels.are_alike()
    }
}

/// The device of a design, from the folder of built models, with what a user has set.
///
/// # Errors
/// [`ciphermill::ErrorKind::Device`] when the model has not been built or cannot be used; the message
/// says how to build it. [`ciphermill::ErrorKind::Invalid`] for a setting that the design lacks.
pub fn open(design: &str, options: Options, models: &Path) -> Result<Arc<dyn Device>> {
    from_folder(design, models, |path| {
        Ok(match BoardLibrary::load(path)? {
            Some(library) => {
                Arc::new(BoardDevice::new(design, options, library)) as Arc<dyn Device>
            }
            None => Arc::new(ModelDevice::of(design, options, ModelLibrary::load(path)?)?),
        })
    })
}

/// What `load` makes of the library of a design.
fn from_folder<T>(design: &str, models: &Path, load: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let advice = format!("build it with: ciphermill build {design}");
    let path = library_path(design, models);
    if !path.is_file() {
        return Err(Error::device(format!(
            "there is no model {design} in {}; {advice}",
            models.display()
        )));
    }
    load(&path).map_err(|error| match error.kind() {
        ErrorKind::Invalid | ErrorKind::Unsupported => error,
        _ => Error::device(format!("{error}; {advice}")),
    })
}

/// Where the library of a design is, in the folder of built models.
pub fn library_path(design: &str, models: &Path) -> PathBuf {
    models.join(format!("{design}.so"))
}

impl Channels {
    /// Ask each channel of an accelerator what it is.
    fn of(library: Arc<ModelLibrary>, options: Options) -> Result<Channels> {
        let accelerator = Accelerator::open(&library)?;
        let mut taken: Vec<_> = iter::from_fn(|| accelerator.take_channel()).collect();
        let identities = taken.iter_mut().map(Identity::read);
        let identities = identities.collect::<Result<_>>()?;
        let clock_mhz = options.clock_mhz.unwrap_or(library.description().clock_mhz);
        Ok(Channels {
            library,
            clock_mhz,
            identities,
            accelerators: Mutex::default(),
        })
    }

    /// Whether all channels have the same algorithms.
    fn are_alike(&self) -> bool {
        self.identities.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// The first channel that has key slots, or the first one.
    fn with_key_slots(&self) -> &Identity {
        let mut identities = self.identities.iter();
        let found = identities.find(|identity| identity.key_slots > 0);
        found.unwrap_or(&self.identities[0])
    }

    /// A channel that nobody has and that suits; of a further accelerator where all such are taken.
    fn drive_free(&self, suits: impl Fn(&Identity) -> bool) -> Result<Driver<Channel>> {
        let suits = |number: usize| self.identities.get(number).is_some_and(&suits);
        let channel = {
            let mut accelerators =
                (self.accelerators.lock()).unwrap_or_else(PoisonError::into_inner);
            accelerators.retain(|accelerator| accelerator.strong_count() > 0);
            let mut open = accelerators.iter().filter_map(Weak::upgrade);
            match open.find_map(|accelerator| accelerator.take_channel_that(suits)) {
                Some(channel) => channel,
                None => {
                    let channel = self.take_of_new(suits)?;
                    accelerators.push(Arc::downgrade(channel.accelerator()));
                    channel
                }
            }
        };
        self.drive(channel)
    }

    /// A channel with key slots, of an accelerator for it alone: a queue that holds the clock of
    /// another one may wait for the keys.
    fn drive_for_keys(&self) -> Result<Driver<Channel>> {
        self.drive(self.take_of_new(|number| self.identities[number].key_slots > 0)?)
    }

    fn take_of_new(&self, suits: impl Fn(usize) -> bool) -> Result<Channel> {
        let channel = Accelerator::open(&self.library)?.take_channel_that(suits);
        channel.ok_or_else(|| Error::device("the model has no such channel"))
    }

    fn drive(&self, channel: Channel) -> Result<Driver<Channel>> {
        let mut options = DriverOptions::default();
        options.clock_mhz = Some(self.clock_mhz);
        Driver::new(channel, options)
    }
}

/// The channels that a queue has.
struct Taken {
    channels: Arc<Channels>,
    drivers: Vec<Driver<Channel>>,
}

impl Taken {
    fn run(&mut self, job: Job, cancellation: &Cancellation) -> Completion {
        let fits = |identity: &Identity| self.channels.are_alike() || identity.has(&job.request);
        let drivers = &mut self.drivers;
        let found = drivers.iter().position(|driver| fits(driver.identity()));
        let found = found.map_or_else(
            || {
                let driver = self.channels.drive_free(fits)?;
                drivers.push(driver);
                Ok(drivers.len() - 1)
            },
            Ok,
        );
        match found {
            Ok(index) => {
                let accelerator = Arc::clone(drivers[index].link().accelerator());
                let _working = accelerator.at_work();
                drivers[index].run_job(job, cancellation)
            }
            Err(error) => Completion::failed(job.token, error),
        }
    }
}

impl Device for ModelDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn hold_key(
        &self,
        algorithm: &'static Algorithm,
        key: Option<&SecretKey>,
        cancellation: &Cancellation,
    ) -> Result<KeyReference> {
        let open = || self.channels.drive_for_keys();
        self.keys
            .hold(&self.name, algorithm, key, cancellation, open)
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let channels = Arc::clone(&self.channels);
        let mut drivers = Vec::new();
        if channels.are_alike() {
            drivers.push(channels.drive_free(|_| true)?);
        }
        let mut taken = Taken { channels, drivers };
        let run = move |job, cancellation: &_| taken.run(job, cancellation);
        let depth = JOBS_IN_FLIGHT - 1;
        Ok(Box::new(SynchronousQueue::start(depth, cancellation, run)))
    }
}
