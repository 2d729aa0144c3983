// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `model:NAME`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ciphermill::{Cancellation, Capabilities, Device, Error, Queue, Result, SynchronousQueue};
use ciphermill_accelerator::{Driver, JOBS_IN_FLIGHT, Options};

use crate::{Accelerator, Channel, ModelLibrary};

/// A simulated accelerator as a device.
///
/// Each queue has a channel. The messages of queues whose channels are of one accelerator go side
/// by side, in the same simulated time. When all channels are taken, the next queue simulates a
/// further accelerator: with one channel, each queue simulates one of its own.
pub struct ModelDevice {
    name: String,
    capabilities: Capabilities,
    library: Arc<ModelLibrary>,
    /// Those of which a queue has a channel.
    accelerators: Mutex<Vec<Weak<Accelerator>>>,
}

impl ModelDevice {
    /// The model of a design, from the folder of built models.
    ///
    /// Fails with [`ciphermill::ErrorKind::Device`] when it has not been built or
    /// cannot be used; the message says how to build it.
    pub fn new(design: &str, models: &Path) -> Result<ModelDevice> {
        let advice = || format!("build it with: ciphermill build {design}");
        let path = library_path(design, models);
        if !path.is_file() {
            return Err(Error::device(format!(
                "there is no model {design} in {}; {}",
                models.display(),
                advice()
            )));
        }
        let device = ModelLibrary::load(&path).and_then(|library| ModelDevice::of(design, library));
        device.map_err(|error| Error::device(format!("{error}; {}", advice())))
    }

    fn of(design: &str, library: ModelLibrary) -> Result<ModelDevice> {
        let library = Arc::new(library);
        let description = library.description();
        let place = match description.channels {
            1 => "simulated in this process".to_owned(),
            channels => format!("{channels} channels, simulated in this process"),
        };
        let driver = drive(free_channel(&mut Vec::new(), &library)?, &library)?;
        let clock_mhz = Some(description.clock_mhz);
        let mut capabilities = driver.identity().capabilities(clock_mhz, &place);
        capabilities.channels = description.channels as usize;
        drop(driver);
        Ok(ModelDevice {
            name: format!("model:{design}"),
            capabilities,
            library,
            accelerators: Mutex::default(),
        })
    }

    /// The model's library.
    pub fn library(&self) -> &Arc<ModelLibrary> {
        &self.library
    }
}

/// Where the library of a design is, in the folder of built models.
pub fn library_path(design: &str, models: &Path) -> PathBuf {
    models.join(format!("{design}.so"))
}

/// A channel that nobody has; of a further accelerator where all are taken.
fn free_channel(
    accelerators: &mut Vec<Weak<Accelerator>>,
    library: &Arc<ModelLibrary>,
) -> Result<Channel> {
    accelerators.retain(|accelerator| accelerator.strong_count() > 0);
    let mut open = accelerators.iter().filter_map(Weak::upgrade);
    if let Some(channel) = open.find_map(|accelerator| accelerator.take_channel()) {
        return Ok(channel);
    }
    let accelerator = Accelerator::open(library)?;
    accelerators.push(Arc::downgrade(&accelerator));
    let channel = accelerator.take_channel();
    channel.ok_or_else(|| Error::device("the model has no channels"))
}

fn drive(channel: Channel, library: &ModelLibrary) -> Result<Driver<Channel>> {
    let mut options = Options::default();
    options.clock_mhz = Some(library.description().clock_mhz);
    Driver::new(channel, options)
}

impl Device for ModelDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let channel = {
            let accelerators = self.accelerators.lock();
            let mut accelerators = accelerators.unwrap_or_else(PoisonError::into_inner);
            free_channel(&mut accelerators, &self.library)?
        };
        let accelerator = Arc::clone(channel.accelerator());
        let mut driver = drive(channel, &self.library)?;
        let run = move |job, cancellation: &_| {
            let _working = accelerator.at_work();
            driver.run_job(job, cancellation)
        };
        let depth = JOBS_IN_FLIGHT - 1;
        Ok(Box::new(SynchronousQueue::start(depth, cancellation, run)))
    }
}
