// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The names of the device files, and reading and writing them without blocking.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use ciphermill::{Error, Result};
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

/// Where the device files of a channel are; all channels share description and memory map.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub description: PathBuf,
    pub socket: PathBuf,
    pub memory: PathBuf,
    pub input: PathBuf,
    pub output: PathBuf,
}

impl Files {
    pub fn new(directory: &Path, channel: usize) -> Files {
        let socket = match channel {
            0 => "registers.sock".to_owned(),
            _ => format!("registers{channel}.sock"),
        };
        Files {
            description: directory.join("description.json"),
            socket: directory.join(socket),
            memory: directory.join("registers"),
            input: directory.join(format!("stream{channel}-in")),
            output: directory.join(format!("stream{channel}-out")),
        }
    }

    /// Channels that have files in a directory; the first one counts in any case.
    pub fn channels(directory: &Path) -> usize {
        let further = (1..).map(|channel| Files::new(directory, channel));
        1 + further.take_while(|files| files.input.exists()).count()
    }
}

/// Result of an access that does not block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// So many bytes, at least one.
    Bytes(usize),
    /// Nothing now; try later.
    Nothing,
    /// The other side is gone.
    Closed,
}

/// Read what is there.
pub(crate) fn read(file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<Moved> {
    if buffer.is_empty() {
        return Ok(Moved::Nothing);
    }
    match rustix::io::read(file, buffer) {
        Ok(0) => Ok(Moved::Closed),
        Ok(bytes) => Ok(Moved::Bytes(bytes)),
        Err(error) => nothing_or(error, "reading from the device"),
    }
}

/// Write as many bytes as fit.
pub(crate) fn write(file: BorrowedFd<'_>, data: &[u8]) -> Result<Moved> {
    if data.is_empty() {
        return Ok(Moved::Nothing);
    }
    match rustix::io::write(file, data) {
        Ok(0) => Ok(Moved::Nothing),
        Ok(bytes) => Ok(Moved::Bytes(bytes)),
        Err(error) => nothing_or(error, "writing to the device"),
    }
}

fn nothing_or(error: Errno, doing: &str) -> Result<Moved> {
    match error {
        Errno::AGAIN | Errno::INTR => Ok(Moved::Nothing),
        Errno::PIPE | Errno::CONNRESET | Errno::NODEV | Errno::IO => Ok(Moved::Closed),
        other => Err(Error::device(format!("{doing}: {other}"))),
    }
}

/// Wait until one of the files is ready, at most so long.
pub(crate) fn wait(files: &mut [PollFd<'_>], milliseconds: u32) -> Result<()> {
    let limit = Timespec {
        tv_sec: i64::from(milliseconds / 1000),
        tv_nsec: i64::from(milliseconds % 1000) * 1_000_000,
    };
    match poll(files, Some(&limit)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(Error::device(format!("waiting for the device: {error}"))),
    }
}

/// The error of a device whose other side is gone.
pub(crate) fn vanished() -> Error {
    Error::device("the device has vanished: the other side of its files is closed")
}
