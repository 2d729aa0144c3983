// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `model:NAME`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ciphermill::{Cancellation, Capabilities, Device, Error, Queue, Result};
use ciphermill_accelerator::{Driver, Options, queue};

use crate::{Model, ModelLibrary};

/// A simulated accelerator as a device. Each queue simulates one of its own.
pub struct ModelDevice {
    name: String,
    capabilities: Capabilities,
    library: Arc<ModelLibrary>,
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
        let driver = open(&library)?;
        let clock_mhz = Some(library.description().clock_mhz);
        Ok(ModelDevice {
            name: format!("model:{design}"),
            capabilities: driver
                .identity()
                .capabilities(clock_mhz, "simulated in this process"),
            library,
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

fn open(library: &Arc<ModelLibrary>) -> Result<Driver<Model>> {
    let mut options = Options::default();
    options.clock_mhz = Some(library.description().clock_mhz);
    Driver::new(Model::open(library)?, options)
}

impl Device for ModelDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        queue(open(&self.library)?, cancellation)
    }
}
