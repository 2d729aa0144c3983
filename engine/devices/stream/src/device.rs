// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `stream:DIRECTORY`.

use std::path::{Path, PathBuf};

use ciphermill::{Cancellation, Capabilities, Device, Queue, Result};
use ciphermill_accelerator::{Driver, Options, queue};

use crate::Description;
use crate::link::FileLink;

/// An accelerator behind device files. It has one queue at a time: whoever asks
/// for a second, in this process or another, is told that the device is busy.
pub struct StreamDevice {
    name: String,
    directory: PathBuf,
    capabilities: Capabilities,
}

impl StreamDevice {
    /// The device whose files are in this directory.
    ///
    /// Fails with [`ciphermill::ErrorKind::Device`] when there is none, nobody
    /// serves it any more, or another client has it.
    pub fn new(directory: &Path) -> Result<StreamDevice> {
        let (description, driver) = open(directory)?;
        let place = match description.simulated {
            true => format!("{} simulated behind device files", description.name),
            false => format!("{} behind device files", description.name),
        };
        Ok(StreamDevice {
            name: format!("stream:{}", directory.display()),
            directory: directory.to_owned(),
            capabilities: driver
                .identity()
                .capabilities(description.clock_mhz, &place),
        })
    }
}

fn open(directory: &Path) -> Result<(Description, Driver<FileLink>)> {
    let link = FileLink::open(directory)?;
    let description = link.description().clone();
    let mut options = Options::default();
    options.clock_mhz = description.clock_mhz;
    Ok((description, Driver::new(link, options)?))
}

impl Device for StreamDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        queue(open(&self.directory)?.1, cancellation)
    }
}
