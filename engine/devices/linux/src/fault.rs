// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the driver's error numbers mean to a user.

use std::io;
use std::path::Path;

use ciphermill::Error;
use rustix::io::Errno;

fn number(error: &io::Error) -> Option<Errno> {
    Errno::from_io_error(error)
}

/// Whether another process has the ring.
pub(crate) fn is_busy(error: &io::Error) -> bool {
    number(error) == Some(Errno::BUSY)
}

/// A ring could not be opened.
pub(crate) fn opening(path: &Path, error: io::Error) -> Error {
    let path = path.display();
    match number(&error) {
        Some(Errno::BUSY) => Error::device(format!(
            "{path} is busy: another process has it; take linux: for any free ring, or wait"
        )),
        Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => Error::device(format!(
            "there is no {path}: is the card in this machine, and the kernel driver loaded (modprobe ciphermill)?"
        )),
        Some(Errno::ACCESS | Errno::PERM) => Error::device(format!(
            "{path} may not be opened by this user: ask for read and write access to it"
        )),
        Some(Errno::NOTTY) => Error::device(format!(
            "{path} is no file of the kernel driver ciphermill: name one of /dev/ciphermill*"
        )),
        _ => Error::device(format!("opening {path}: {error}")),
    }
}

/// The card, or its driver, did not do a message.
pub(crate) fn running(path: &Path, error: io::Error) -> Error {
    let path = path.display();
    match number(&error) {
        Some(Errno::BADMSG) => {
            Error::authentication("the tag does not match: wrong key, or altered data")
        }
        Some(Errno::NODEV) => Error::device(format!(
            "the card of {path} has vanished: it was removed, or given up by its driver (see dmesg)"
        )),
        Some(Errno::IO) => Error::device(format!(
            "the card of {path} failed, or was reset during the message: try again, and see dmesg"
        )),
        Some(Errno::NOMEM) => Error::io(
            format!("{path}: the kernel has no memory for the message"),
            error,
        ),
        _ => Error::device(format!("{path} refused a message: {error}")),
    }
}
