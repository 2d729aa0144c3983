// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Inputs: files, pipes and standard input, without waiting past a cancellation.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{Cancellation, Error, Result};

/// How long a wait goes on before it looks at the cancellation: 0.1 s.
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// An open input.
pub(crate) struct Input {
    file: File,
    metadata: Metadata,
    stop: Cancellation,
}

impl Input {
    /// Open a file, or standard input for `-`.
    pub(crate) fn open(path: &Path, stop: Cancellation) -> Result<Input> {
        let opening = |error| Error::io(format!("opening {}", path.display()), error);
        let file = if path == Path::new("-") {
            File::from(io::stdin().as_fd().try_clone_to_owned().map_err(opening)?)
        } else {
            File::open(path).map_err(opening)?
        };
        let metadata = file.metadata().map_err(opening)?;
        if metadata.is_dir() {
            return Err(opening(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Input {
            file,
            metadata,
            stop,
        })
    }

    /// Whether this is the file that an output would change.
    pub(crate) fn is_same(&self, output: &Metadata) -> bool {
        let kind = output.file_type();
        (kind.is_file() || kind.is_block_device()) && identity(&self.metadata) == identity(output)
    }

    /// Permission bits that an output may have: none that the input has not.
    pub(crate) fn permissions(&self) -> u32 {
        if self.metadata.is_file() {
            (self.metadata.mode() & 0o666) | 0o600
        } else {
            0o600
        }
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.metadata.is_file() {
            wait(self.file.as_fd(), PollFlags::IN, &self.stop)?;
        }
        self.file.read(buffer)
    }
}

/// Wait until a pipe, socket or terminal is ready; an error when the work stops before.
pub(crate) fn wait(file: BorrowedFd<'_>, ready: PollFlags, stop: &Cancellation) -> io::Result<()> {
    loop {
        if stop.is_cancelled() {
            return Err(io::Error::other("stopped"));
        }
        // Errors and hang-ups count as ready: the read or write that follows tells.
        match poll(
            &mut [PollFd::from_borrowed_fd(file, ready)],
            Some(&LOOK_EVERY),
        ) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
