// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `stream:DIRECTORY`.

use std::path::{Path, PathBuf};

use ciphermill::{
    Algorithm, Cancellation, Capabilities, Device, KeyReference, Queue, Result, SecretKey,
};
use ciphermill_accelerator::{Driver, KeySlots, Options, queue};

use crate::Description;
use crate::files::Files;
use crate::link::FileLink;

/// An accelerator behind device files. Each queue has a channel of it. Whoever asks for one, in
/// this process or another, when all are taken is told that the device is busy.
///
/// Private keys that the device holds have a channel, too. Queues share it where it is the only
/// one; it must be free when the first key comes.
pub struct StreamDevice {
    name: String,
    directory: PathBuf,
    capabilities: Capabilities,
    keys: KeySlots<FileLink>,
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
            keys: KeySlots::new(driver.identity()),
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

    fn hold_key(
        &self,
        algorithm: &'static Algorithm,
        key: Option<&SecretKey>,
        cancellation: &Cancellation,
    ) -> Result<KeyReference> {
        let open = || Ok(open(&self.directory)?.1);
        self.keys
            .hold(&self.name, algorithm, key, cancellation, open)
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        match open(&self.directory) {
            Ok((_, driver)) => queue(driver, cancellation),
            Err(error) => self.keys.queue(cancellation).ok_or(error),
        }
    }
}
