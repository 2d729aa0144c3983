// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Outputs: a new file that appears whole or not at all, or a stream.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, IsTerminal, Write};
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::event::PollFlags;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::container::fresh_salt;
use crate::input::{self, Input, Source, wait};
use crate::pipeline::or_cancelled;
use crate::{Cancellation, Error, Result};

/// How to treat an output that exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputOptions {
    /// Overwrite a file that exists, write to a block device, and let encrypted
    /// bytes go to a terminal. The input is never overwritten.
    pub force: bool,
}

impl OutputOptions {
    /// Overwrite what exists (see [`OutputOptions::force`]) or, as by default, keep it.
    pub const fn new(force: bool) -> OutputOptions {
        OutputOptions { force }
    }
}

/// Bytes that a ready pipe takes without blocking (POSIX `PIPE_BUF` on Linux).
const PIPE_BYTES: usize = 4096;

/// Bytes after which a new file's data is sent on its way to the disk.
const WRITE_BACK_BYTES: u64 = 8 << 20;

/// An open output.
pub(crate) struct Output {
    file: File,
    place: Place,
    stop: Cancellation,
    written: u64,
    sent: u64,
}

enum Place {
    /// A pipe, a device or standard output: bytes go where they go.
    Stream {
        /// Wait for it to be ready before each write.
        waits: bool,
    },
    /// A file in this folder that gets its name in the end.
    New(Box<NewFile>),
}

struct NewFile {
    folder: File,
    /// The name that it will have.
    name: OsString,
    /// For messages.
    path: PathBuf,
    /// Its name until then; a file without any vanishes by itself.
    temporary: Option<OsString>,
    /// Permissions of the file that it replaces.
    replaced: Option<Permissions>,
}

/// An output that has been looked at, and can be opened.
pub(crate) enum Target {
    /// Standard output, open already.
    Standard { file: File, waits: bool },
    /// A pipe or device.
    Stream { path: PathBuf, waits: bool },
    /// A file, and what it replaces.
    File {
        path: PathBuf,
        replaced: Option<Metadata>,
    },
}

impl Target {
    /// Look at an output: `-` is standard output. Nothing is written or waited for.
    pub(crate) fn look(
        path: &Path,
        source: &Source,
        options: &OutputOptions,
        binary: bool,
    ) -> Result<Target> {
        if path == Path::new("-") {
            return Target::standard(source, options, binary);
        }
        let opening = |error| Error::io(format!("opening {}", path.display()), error);
        let existing = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(opening(error)),
        };
        if let Some(metadata) = &existing {
            check_existing(path, metadata, source, options)?;
            if !metadata.is_file() {
                let waits = !metadata.file_type().is_block_device();
                let path = path.to_owned();
                return Ok(Target::Stream { path, waits });
            }
        } else if fs::symlink_metadata(path).is_ok() {
            return Err(Error::invalid(format!(
                "{} is a symbolic link to nothing: remove it or name the file that it should be",
                path.display()
            )));
        }
        // A link stays; the file behind it is replaced, in its own folder.
        let path = match existing {
            Some(_) => fs::canonicalize(path).map_err(opening)?,
            None => path.to_owned(),
        };
        Ok(Target::File {
            path,
            replaced: existing,
        })
    }

    fn standard(source: &Source, options: &OutputOptions, binary: bool) -> Result<Target> {
        let opening = |error| Error::io("opening standard output", error);
        let stdout = io::stdout();
        if binary && stdout.is_terminal() && !options.force {
            return Err(Error::invalid(
                "not writing encrypted bytes to a terminal: redirect the output, name a file \
                 with --output, or force it with --force",
            ));
        }
        let file = File::from(stdout.as_fd().try_clone_to_owned().map_err(opening)?);
        let metadata = file.metadata().map_err(opening)?;
        if source.is_same(&metadata) {
            return Err(Error::invalid("input and output are the same file"));
        }
        let waits = !metadata.is_file() && !metadata.file_type().is_block_device();
        Ok(Target::Standard { file, waits })
    }

    /// See whether a file could be made, without leaving one.
    pub(crate) fn check(self, source: &Source) -> Result<()> {
        if let Target::File { path, replaced } = self {
            NewFile::create(path, replaced, source.permissions())?;
        }
        Ok(())
    }
}

impl Output {
    /// Prepare an output: `-` is standard output; pipes and devices are written
    /// as they are; anything else becomes a new file in [`Output::commit`].
    pub(crate) fn open(
        path: &Path,
        input: &Input,
        options: &OutputOptions,
        binary: bool,
        stop: Cancellation,
    ) -> Result<Output> {
        let source = input.source();
        match Target::look(path, source, options, binary)? {
            Target::Standard { file, waits } => {
                Ok(Output::new(file, Place::Stream { waits }, stop))
            }
            Target::Stream { path, waits } => {
                let opening = |error| Error::io(format!("opening {}", path.display()), error);
                let file = input::open(&path, File::options().write(true), &stop);
                let file = or_cancelled(file.map_err(opening), &stop)?;
                Ok(Output::new(file, Place::Stream { waits }, stop))
            }
            Target::File { path, replaced } => {
                let (file, new) = NewFile::create(path, replaced, source.permissions())?;
                Ok(Output::new(file, Place::New(Box::new(new)), stop))
            }
        }
    }

    fn new(file: File, place: Place, stop: Cancellation) -> Output {
        Output {
            file,
            place,
            stop,
            written: 0,
            sent: 0,
        }
    }

    /// Let the disk begin while the rest is still being encrypted, so that the sync
    /// in the end finds little left to do.
    fn count(&mut self, bytes: usize) {
        self.written += bytes as u64;
        let length = self.written - self.sent;
        if length >= WRITE_BACK_BYTES && matches!(self.place, Place::New(_)) {
            write_back(&self.file, self.sent, length);
            self.sent = self.written;
        }
    }

    /// Everything is written: sync the file, give it its name, sync the folder.
    /// Without this no file appears.
    pub(crate) fn commit(self) -> Result<()> {
        match self.place {
            Place::Stream { .. } => Ok(()),
            Place::New(new) => new.commit(&self.file, &self.stop),
        }
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if let Place::Stream { waits: true } = self.place {
            wait(self.file.as_fd(), PollFlags::OUT, &self.stop)?;
            return self.file.write(&buffer[..buffer.len().min(PIPE_BYTES)]);
        }
        let count = self.file.write(buffer)?;
        self.count(count);
        Ok(count)
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        if let Place::Stream { waits: true } = self.place {
            let first = slices.iter().find(|slice| !slice.is_empty());
            return first.map_or(Ok(0), |slice| self.write(slice));
        }
        let count = self.file.write_vectored(slices)?;
        self.count(count);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Start writing a range to the disk, without waiting for it. This advice does so on
/// Linux, and then keeps what is not on the disk yet; no data depends on it.
#[cfg(target_os = "linux")]
fn write_back(file: &File, start: u64, length: u64) {
    use rustix::fs::{Advice, fadvise};
    // Only the speed of the sync depends on it.
    let _ = fadvise(file, start, NonZeroU64::new(length), Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
fn write_back(_file: &File, _start: u64, _length: u64) {}

fn check_existing(
    path: &Path,
    metadata: &Metadata,
    source: &Source,
    options: &OutputOptions,
) -> Result<()> {
    let refuse = |what: &str| Err(Error::invalid(format!("{} {what}", path.display())));
    let kind = metadata.file_type();
    if kind.is_dir() {
        refuse("is a folder: name a file")
    } else if source.is_same(metadata) {
        refuse("is the input itself: name another output")
    } else if (kind.is_file() || kind.is_block_device()) && !options.force {
        refuse("exists: name another output with --output, or overwrite it with --force")
    } else {
        Ok(())
    }
}

impl NewFile {
    fn create(
        path: PathBuf,
        replaced: Option<Metadata>,
        permissions: u32,
    ) -> Result<(File, NewFile)> {
        let creating = |error: io::Error| Error::io(format!("creating {}", path.display()), error);
        let name = path
            .file_name()
            .filter(|_| !path.as_os_str().as_encoded_bytes().ends_with(b"/"))
            .ok_or_else(|| Error::invalid(format!("{} names no file", path.display())))?
            .to_owned();
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        let folder = File::open(parent.unwrap_or(Path::new("."))).map_err(creating)?;
        let mode = Mode::from_raw_mode(permissions as rustix::fs::RawMode);
        let (file, temporary) = match unnamed(&folder, mode) {
            Some(file) => (file, None),
            None => {
                let temporary = temporary_name()?;
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                let file = openat(&folder, &temporary, flags, mode)
                    .map_err(|error| creating(error.into()))?;
                (File::from(file), Some(temporary))
            }
        };
        let new = NewFile {
            folder,
            name,
            path,
            temporary,
            replaced: replaced.map(|metadata| metadata.permissions()),
        };
        Ok((file, new))
    }

    fn commit(mut self, file: &File, stop: &Cancellation) -> Result<()> {
        let path = self.path.clone();
        let writing = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::invalid(format!(
                "{} has appeared meanwhile: not overwritten",
                path.display()
            )),
            _ => Error::io(format!("writing {}", path.display()), error),
        };
        self.complete(file).map_err(writing)?;
        // The sync may have taken long: whoever interrupts it wants no file.
        stop.check()?;
        self.appear(file).map_err(writing)
    }

    /// Everything but the name.
    fn complete(&self, file: &File) -> io::Result<()> {
        if let Some(replaced) = &self.replaced {
            file.set_permissions(Permissions::from_mode(replaced.mode() & 0o777))?;
        }
        file.sync_all()
    }

    fn appear(&mut self, file: &File) -> io::Result<()> {
        match (&self.replaced, &self.temporary) {
            (None, None) => link_unnamed(file, &self.folder, &self.name)?,
            (None, Some(temporary)) => {
                give_name(&self.folder, temporary, &self.name)?;
                self.temporary = None;
            }
            (Some(_), None) => {
                let temporary = temporary_name().map_err(io::Error::other)?;
                link_unnamed(file, &self.folder, &temporary)?;
                self.temporary = Some(temporary);
                self.replace()?;
            }
            (Some(_), Some(_)) => self.replace()?,
        }
        self.folder.sync_all()
    }

    fn replace(&mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            renameat(&self.folder, temporary, &self.folder, &self.name)?;
        }
        self.temporary = None;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nobody is left to tell; the run has failed with an error of its own.
            let _ = unlinkat(&self.folder, temporary, AtFlags::empty());
        }
    }
}

/// A file without a name, which even a kill leaves no trace of, where the file
/// system and `/proc` allow to name it later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &File, mode: Mode) -> Option<File> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = File::from(openat(folder, ".", flags, mode).ok()?);
    fs::metadata(descriptor_path(&file)).ok()?;
    Some(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_folder: &File, _mode: Mode) -> Option<File> {
    None
}

fn descriptor_path(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn link_unnamed(file: &File, folder: &File, name: &OsStr) -> io::Result<()> {
    let path = descriptor_path(file);
    Ok(linkat(CWD, path, folder, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Rename, but never over another file.
fn give_name(folder: &File, temporary: &OsStr, name: &OsStr) -> io::Result<()> {
    match linkat(folder, temporary, folder, name, AtFlags::empty()) {
        Ok(()) => Ok(unlinkat(folder, temporary, AtFlags::empty())?),
        Err(Errno::EXIST) => Err(Errno::EXIST.into()),
        // No hard links on this file system: the next best is to have looked.
        Err(_) => match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Err(Errno::EXIST.into()),
            Err(_) => Ok(renameat(folder, temporary, folder, name)?),
        },
    }
}

fn temporary_name() -> Result<OsString> {
    let random = u64::from_be_bytes(fresh_salt()?);
    Ok(format!(".ciphermill-{random:016x}.part").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn a_cancellation_that_comes_with_the_sync_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::write(&from, "plain").unwrap();
        for cancelled in [true, false] {
            let stop = Cancellation::new();
            let input = Input::open(&from, stop.clone()).unwrap();
            let keep = OutputOptions::default();
            let mut output = Output::open(&to, &input, &keep, true, stop.clone()).unwrap();
            output.write_all(b"sealed").unwrap();
            if cancelled {
                stop.cancel();
                let error = output.commit().unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Cancelled);
                assert!(!to.exists());
            } else {
                output.commit().unwrap();
                assert_eq!(fs::read(&to).unwrap(), b"sealed");
            }
        }
    }
}
