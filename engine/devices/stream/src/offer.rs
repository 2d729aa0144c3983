// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Making the device files, and removing them.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;

use ciphermill::{Error, Result};
use rustix::fs::{CWD, FileType, FlockOperation, Mode, OFlags, flock, mknodat};
use rustix::io::Errno;

use crate::Description;
use crate::files::Files;

/// Device files that this process serves; removed when dropped.
pub(crate) struct Offer<'directory> {
    /// Those of each channel.
    pub ports: Vec<Port>,
    directory: &'directory Path,
    /// Locked as long as it is open: one server a directory.
    _lock: File,
}

/// The device files of a channel.
pub(crate) struct Port {
    pub listener: UnixListener,
    /// Both pipes are open for reading and writing, so that they last from one
    /// client to the next.
    pub input: File,
    pub output: File,
}

impl Port {
    /// Make the files. The input comes first, and is removed last: it shows the channel.
    fn new(files: &Files) -> Result<Port> {
        Ok(Port {
            input: pipe(&files.input)?,
            output: pipe(&files.output)?,
            listener: listen(&files.socket)?,
        })
    }
}

impl<'directory> Offer<'directory> {
    /// Make the files of so many channels in a directory, which is made where it is missing, for
    /// this user alone. Calls `replaced` when files of a dead server were in the way.
    pub fn new(
        directory: &'directory Path,
        channels: usize,
        description: &Description,
        replaced: &mut dyn FnMut(),
    ) -> Result<Offer<'directory>> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| doing(directory, error))?;
        let lock = File::open(directory).map_err(|error| doing(directory, error))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(Error::invalid(format!(
                    "another simulator serves {} already",
                    directory.display()
                )));
            }
            Err(error) => return Err(doing(directory, error.into())),
        }
        if Files::new(directory, 0).memory.exists() {
            return Err(Error::invalid(format!(
                "{} has the registers of a board; serve a simulated device elsewhere",
                directory.display()
            )));
        }
        if remove(directory).map_err(|error| doing(directory, error))? {
            replaced();
        }
        let mut offer = Offer {
            ports: Vec::new(),
            directory,
            _lock: lock,
        };
        for channel in 0..channels {
            offer
                .ports
                .push(Port::new(&Files::new(directory, channel))?);
        }
        offer.announce(description)?;
        Ok(offer)
    }

    /// Write the description, in one step and last: whoever sees it can use the rest.
    fn announce(&self, description: &Description) -> Result<()> {
        let target = &Files::new(self.directory, 0).description;
        let draft = target.with_extension("draft");
        fs::write(&draft, description.to_json())
            .and_then(|()| fs::rename(&draft, target))
            .map_err(|error| Error::io(format!("writing {}", target.display()), error))
    }
}

impl Drop for Offer<'_> {
    fn drop(&mut self) {
        // The next server removes files that cannot be removed now.
        let _ = remove(self.directory);
    }
}

/// Remove the files; whether there were any. The last channel goes first, so that the channels
/// are still counted when a server dies here.
fn remove(directory: &Path) -> io::Result<bool> {
    let mut any = false;
    for channel in (0..Files::channels(directory)).rev() {
        let files = Files::new(directory, channel);
        for path in [files.description, files.socket, files.output, files.input] {
            match fs::remove_file(path) {
                Ok(()) => any = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(any)
}

fn doing(what: &Path, error: io::Error) -> Error {
    Error::io(format!("serving device files: {}", what.display()), error)
}

fn listen(path: &Path) -> Result<UnixListener> {
    let listener = UnixListener::bind(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => Error::invalid(format!(
            "{} is too long a name for a socket; choose a shorter directory",
            path.display()
        )),
        _ => doing(path, error),
    })?;
    fs::set_permissions(path, Permissions::from_mode(0o600))
        .and_then(|()| listener.set_nonblocking(true))
        .map_err(|error| doing(path, error))?;
    Ok(listener)
}

fn pipe(path: &Path) -> Result<File> {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .map_err(io::Error::from)
        .and_then(|()| {
            OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(OFlags::NONBLOCK.bits() as i32)
                .open(path)
        })
        .map_err(|error| doing(path, error))
}
