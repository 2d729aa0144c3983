// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Inputs: files, pipes and standard input, without waiting past a cancellation.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use crate::{Cancellation, Error, Result};

/// How long a wait goes on before it looks at the cancellation: 0.1 s.
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// The kind of an input, known without reading it.
pub(crate) struct Source(Metadata);

impl Source {
    /// Look at a file, or at standard input for `-`, without waiting. A file is opened to see
    /// that it can be; a pipe is not, since its writer would notice.
    pub(crate) fn look(path: &Path) -> Result<Source> {
        if path == Path::new("-") {
            return Ok(Source(standard(path)?.metadata().map_err(opening(path))?));
        }
        let metadata = fs::metadata(path).map_err(opening(path))?;
        if metadata.is_file() {
            File::open(path).map_err(opening(path))?;
        }
        Source::of(metadata, path)
    }

    fn of(metadata: Metadata, path: &Path) -> Result<Source> {
        if metadata.is_dir() {
            return Err(opening(path)(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Source(metadata))
    }

    /// Whether this is the file that an output would change.
    pub(crate) fn is_same(&self, output: &Metadata) -> bool {
        let kind = output.file_type();
        (kind.is_file() || kind.is_block_device()) && identity(&self.0) == identity(output)
    }

    /// Permission bits that an output may have: none that the input has not.
    pub(crate) fn permissions(&self) -> u32 {
        if self.0.is_file() {
            (self.0.mode() & 0o666) | 0o600
        } else {
            0o600
        }
    }
}

fn opening(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    move |error| Error::io(format!("opening {}", path.display()), error)
}

fn standard(path: &Path) -> Result<File> {
    let descriptor = io::stdin().as_fd().try_clone_to_owned();
    Ok(File::from(descriptor.map_err(opening(path))?))
}

/// An open input.
pub(crate) struct Input {
    file: File,
    source: Source,
    stop: Cancellation,
}

impl Input {
    /// Open a file, or standard input for `-`.
    pub(crate) fn open(path: &Path, stop: Cancellation) -> Result<Input> {
        let file = if path == Path::new("-") {
            standard(path)?
        } else {
            open(path, File::options().read(true), &stop).map_err(opening(path))?
        };
        let source = Source::of(file.metadata().map_err(opening(path))?, path)?;
        Ok(Input { file, source, stop })
    }

    /// What it is.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }
}

/// Open a file. Opening a named pipe waits for its other end, and that wait would not
/// see the cancellation: so a reader does not wait here, but in [`wait`], and a writer
/// looks again and again whether somebody reads.
pub(crate) fn open(path: &Path, options: &OpenOptions, stop: &Cancellation) -> io::Result<File> {
    if !fs::metadata(path)?.file_type().is_fifo() {
        return options.open(path);
    }
    let mut options = options.clone();
    options.custom_flags(OFlags::NONBLOCK.bits() as i32);
    loop {
        match options.open(path) {
            Ok(file) => {
                let flags = fcntl_getfl(&file)?;
                fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
                return Ok(file);
            }
            Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {}
            Err(error) => return Err(error),
        }
        stopped(stop)?;
        thread::sleep(Duration::from_millis(100));
    }
}

/// An error when the work stops.
fn stopped(stop: &Cancellation) -> io::Result<()> {
    match stop.is_cancelled() {
        true => Err(io::Error::other("stopped")),
        false => Ok(()),
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.source.0.is_file() {
            wait(self.file.as_fd(), PollFlags::IN, &self.stop)?;
        }
        self.file.read(buffer)
    }
}

/// Wait until a pipe, socket or terminal is ready; an error when the work stops before.
pub(crate) fn wait(file: BorrowedFd<'_>, ready: PollFlags, stop: &Cancellation) -> io::Result<()> {
    loop {
        stopped(stop)?;
        // Errors and hang-ups count as ready: the read or write that follows tells.
        match poll(
            &mut [PollFd::from_borrowed_fd(file, ready)],
            Some(&LOOK_EVERY),
        ) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
