// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `stream:DIRECTORY`.

use std::path::{Path, PathBuf};

use ciphermill::{Cancellation, Capabilities, Device, Queue, Result};
use ciphermill_accelerator::{Driver, Options, queue};

use crate::Description;
use crate::files::Files;
use crate::link::FileLink;

/// An accelerator behind device files. Each queue has a channel of it. Whoever asks for one, in
/// this process or another, when all are taken is told that the device is busy.
pub struct StreamDevice {
    name: String,
    directory: PathBuf,
    capabilities: Capabilities,
}

impl StreamDevice {
    /// The device whose files are in this directory.
    ///
    /// Fails with [`ciphermill::ErrorKind::Device`] when there is none, nobody
    /// serves it any more, or other clients have all of its channels.
    pub fn new(directory: &Path) -> Result<StreamDevice> {
        let (description, driver) = open(directory)?;
        let channels = Files::channels(directory);
        let place = format!(
            "{}{}{} behind device files",
            description.name,
            match channels {
                1 => String::new(),
                _ => format!(", {channels} channels,"),
            },
            match description.simulated {
                true => " simulated",
                false => "",
            }
        );
        let identity = driver.identity();
        let mut capabilities = identity.capabilities(description.clock_mhz, &place);
        capabilities.channels = channels;
        Ok(StreamDevice {
            name: format!("stream:{}", directory.display()),
            directory: directory.to_owned(),
            capabilities,
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
