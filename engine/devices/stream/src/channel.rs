// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Registers through a request/response channel.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use ciphermill::{Error, Result};
use ciphermill_accelerator::RegisterFile;

use crate::files::vanished;
use crate::protocol::{Access, MESSAGE_BYTES, Response};

/// A server that takes longer for one access has died or been stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// The client's side of `registers.sock`.
pub struct Channel {
    socket: UnixStream,
}

impl Channel {
    /// Connect to the socket at this path.
    pub fn connect(path: &Path) -> Result<Channel> {
        let socket = UnixStream::connect(path).map_err(|error| match error.kind() {
            ErrorKind::ConnectionRefused | ErrorKind::NotFound => Error::device(format!(
                "nobody serves {} any more (was the simulator killed?); start it again with: ciphermill serve",
                path.display()
            )),
            _ => Error::device(format!("connecting to {}: {error}", path.display())),
        })?;
        Channel::over(socket)
    }

    /// A channel over a connected socket.
    pub fn over(socket: UnixStream) -> Result<Channel> {
        socket
            .set_read_timeout(Some(PATIENCE))
            .and_then(|()| socket.set_write_timeout(Some(PATIENCE)))
            .map_err(|error| Error::io("setting up the register channel", error))?;
        Ok(Channel { socket })
    }

    /// Cycles that have passed on the simulated device.
    pub fn cycles(&mut self) -> Result<u64> {
        self.exchange(Access::Cycles)
    }

    fn exchange(&mut self, access: Access) -> Result<u64> {
        let mut answer = [0; MESSAGE_BYTES];
        self.socket
            .write_all(&access.encode())
            .and_then(|()| self.socket.read_exact(&mut answer))
            .map_err(|error| match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => Error::device(format!(
                    "the device has not answered a register access for {} seconds",
                    PATIENCE.as_secs()
                )),
                _ => vanished(),
            })?;
        match Response::decode(&answer) {
            Some(Response::Done(value)) => Ok(value),
            Some(Response::NotUnderstood) => Err(Error::device(
                "the server of the device files does not understand a register access",
            )),
            Some(Response::Failed) => Err(Error::device("the device failed on a register access")),
            None => Err(Error::device(
                "the server of the device files answers nonsense",
            )),
        }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl RegisterFile for Channel {
    fn read(&mut self, offset: u32) -> Result<u32> {
        let value = self.exchange(Access::Read(offset))?;
        u32::try_from(value)
            .map_err(|_| Error::device("the server of the device files answers nonsense"))
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<()> {
        self.exchange(Access::Write(offset, value)).map(|_| ())
    }
}
