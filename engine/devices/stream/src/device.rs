// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `stream:DIRECTORY`.

use std::path::{Path, PathBuf};

use ciphermill::{
    Algorithm, Cancellation, Capabilities, Device, Error, KeyReference, Queue, Result, SecretKey,
};
use ciphermill_accelerator::{Driver, KeySlots, Options, queue};

use crate::Description;
use crate::files::Files;
use crate::link::FileLink;
use crate::turn::Turn;

/// An accelerator behind device files. Each queue has a channel of it. When other clients, in this
/// process or another, have all of them, a queue waits its [`Turn`] for as long as the device's name
/// says, then reports that the device is busy.
///
/// Private keys that the device holds have a channel, too. Queues share it where it is the only
/// one; it must be free when the first key comes.
pub struct StreamDevice {
    name: String,
    directory: PathBuf,
    turn: Turn,
    capabilities: Capabilities,
    keys: KeySlots<FileLink>,
}

impl StreamDevice {
    /// The device whose files are in this directory.
    ///
    /// Fails with [`ciphermill::ErrorKind::Device`] when there is none, nobody
    /// serves it any more, or other clients have all of its channels.
    pub fn new(directory: &Path) -> Result<StreamDevice> {
        StreamDevice::with_turn(directory, Turn::NONE)
    }

    /// The device of a directory and its settings, `DIRECTORY` or
    /// `DIRECTORY,wait_seconds=NUMBER`.
    ///
    /// Fails as [`StreamDevice::new`] does, and with [`ciphermill::ErrorKind::Invalid`] for another
    /// number than [`Turn`] takes.
    pub fn at(place: &str) -> Result<StreamDevice> {
        let (directory, turn) = Turn::of(place)?;
        StreamDevice::with_turn(directory, turn)
    }

    fn with_turn(directory: &Path, turn: Turn) -> Result<StreamDevice> {
        let (description, driver) = open(directory, turn, &Cancellation::new())?;
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
            name: format!("stream:{}{turn}", directory.display()),
            directory: directory.to_owned(),
            turn,
            capabilities,
            keys: KeySlots::new(driver.identity()),
        })
    }
}

/// Open a free channel, or wait for one.
fn open(
    directory: &Path,
    turn: Turn,
    cancellation: &Cancellation,
) -> Result<(Description, Driver<FileLink>)> {
    let link = turn.wait(cancellation, || FileLink::open(directory))?;
    let link = link.ok_or_else(|| busy(directory, turn))?;
    let description = link.description().clone();
    let mut options = Options::default();
    options.clock_mhz = description.clock_mhz;
    Ok((description, Driver::new(link, options)?))
}

fn busy(directory: &Path, turn: Turn) -> Error {
    let directory = directory.display();
    let what_to_do = match turn {
        Turn::NONE => {
            format!("try again, or wait for one with the device stream:{directory},wait_seconds=60")
        }
        _ => "try again later, or wait longer".to_owned(),
    };
    Error::device(format!(
        "the device in {directory} is busy: no channel of it is free; {what_to_do}"
    ))
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
        let open = || Ok(open(&self.directory, self.turn, cancellation)?.1);
        self.keys
            .hold(&self.name, algorithm, key, cancellation, open)
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        match open(&self.directory, self.turn, &cancellation) {
            Ok((_, driver)) => queue(driver, cancellation),
            Err(error) => self.keys.queue(cancellation).ok_or(error),
        }
    }
}
