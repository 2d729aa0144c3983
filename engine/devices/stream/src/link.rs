// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The open device files, as the driver's link.

use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use ciphermill::{Error, Result};
use ciphermill_accelerator::{DataStreams, Received, RegisterFile};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::files::{self, Files, Moved, vanished};
use crate::{Channel, Description, MemoryMap};

/// How long a wait lasts at most, in milliseconds.
const WAIT_MILLISECONDS: u32 = 100;

/// Either back end of the registers.
enum Registers {
    Memory(MemoryMap),
    Channel(Channel),
}

/// The files of a device's channel, held by this client alone.
pub(crate) struct FileLink {
    registers: Registers,
    input: File,
    output: File,
    description: Description,
    /// Holds the lock of channel 0; the input that of any other.
    _about: File,
}

impl FileLink {
    /// Open the files of the first channel of a directory that nobody has; `None` where other
    /// clients have all of them.
    pub fn open(directory: &Path) -> Result<Option<FileLink>> {
        for channel in 0..Files::channels(directory) {
            if let Some(link) = FileLink::open_channel(directory, channel)? {
                return Ok(Some(link));
            }
        }
        Ok(None)
    }

    /// Open the files of a channel; `None` where another client has it.
    fn open_channel(directory: &Path, channel: usize) -> Result<Option<FileLink>> {
        let files = Files::new(directory, channel);
        let about = File::open(&files.description).map_err(|error| {
            Error::device(format!(
                "no device files in {} ({error}); serve a simulated device with: ciphermill serve NAME --dir {}",
                directory.display(),
                directory.display()
            ))
        })?;
        if channel == 0 && !lock(&about, &files.description)? {
            return Ok(None);
        }
        let input = stream(&files.input, OpenOptions::new().write(true))?;
        if channel > 0 && !lock(&input, &files.input)? {
            return Ok(None);
        }
        let description = Description::read(&about, &files.description)?;
        let registers = match files.socket.exists() {
            true => Registers::Channel(Channel::connect(&files.socket)?),
            false if description.simulated => {
                return Err(Error::device(format!(
                    "{} is missing, and a simulated device has no other registers",
                    files.socket.display()
                )));
            }
            false => Registers::Memory(MemoryMap::open(&files.memory, channel)?),
        };
        Ok(Some(FileLink {
            registers,
            input,
            output: stream(&files.output, OpenOptions::new().read(true))?,
            description,
            _about: about,
        }))
    }

    /// The description of the board behind the files.
    pub fn description(&self) -> &Description {
        &self.description
    }
}

/// Lock an open file as long as it is open; whether nobody else has it.
fn lock(file: &File, path: &Path) -> Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(Error::device(format!(
            "locking {}: {error}",
            path.display()
        ))),
    }
}

fn stream(path: &Path, options: &mut OpenOptions) -> Result<File> {
    let nonblocking = OFlags::NONBLOCK.bits() as i32;
    options.custom_flags(nonblocking).open(path).map_err(|error| {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NXIO | Errno::NOENT) => Error::device(format!(
                "nobody serves {} any more (was the simulator killed?); start it again with: ciphermill serve",
                path.display()
            )),
            _ => Error::device(format!("opening {}: {error}", path.display())),
        }
    })
}

impl RegisterFile for FileLink {
    fn read(&mut self, offset: u32) -> Result<u32> {
        match &mut self.registers {
            Registers::Memory(map) => map.read(offset),
            Registers::Channel(channel) => channel.read(offset),
        }
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<()> {
        match &mut self.registers {
            Registers::Memory(map) => map.write(offset, value),
            Registers::Channel(channel) => channel.write(offset, value),
        }
    }
}

impl DataStreams for FileLink {
    // The other side derives TLAST from MESSAGE_LENGTH: files carry bytes only.
    fn send(&mut self, data: &[u8], _last: bool) -> Result<usize> {
        match files::write(self.input.as_fd(), data)? {
            Moved::Bytes(bytes) => Ok(bytes),
            Moved::Nothing => Ok(0),
            Moved::Closed => Err(vanished()),
        }
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Received> {
        let bytes = match files::read(self.output.as_fd(), buffer)? {
            Moved::Bytes(bytes) => bytes,
            Moved::Nothing => 0,
            Moved::Closed => return Err(vanished()),
        };
        Ok(Received { bytes, last: None })
    }

    fn wait(&mut self, sending: bool) -> Result<()> {
        // A side that is asked for no event still reports that it was closed.
        let writable = if sending {
            PollFlags::OUT
        } else {
            PollFlags::empty()
        };
        let mut ready = vec![
            PollFd::new(&self.output, PollFlags::IN),
            PollFd::new(&self.input, writable),
        ];
        if let Registers::Channel(channel) = &self.registers {
            ready.push(PollFd::new(channel, PollFlags::empty()));
        }
        files::wait(&mut ready, WAIT_MILLISECONDS)?;
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        let has_output = ready[0].revents().contains(PollFlags::IN);
        if !has_output && ready.iter().any(|file| file.revents().intersects(gone)) {
            return Err(vanished());
        }
        Ok(())
    }

    fn discard(&mut self) -> Result<()> {
        let mut rest = [0; 4096];
        while self.receive(&mut rest)?.bytes > 0 {}
        Ok(())
    }

    fn cycles(&mut self) -> Result<Option<u64>> {
        match &mut self.registers {
            Registers::Channel(channel) if self.description.simulated => channel.cycles().map(Some),
            _ => Ok(None),
        }
    }
}
