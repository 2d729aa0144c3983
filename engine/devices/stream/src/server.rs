// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The other side of the device files: a simulation behind them.

use std::fmt;
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::path::Path;

use ciphermill::{Cancellation, Error, Result};
use ciphermill_accelerator::Simulation;
use rustix::event::{PollFd, PollFlags};

use crate::Description;
use crate::files;
use crate::offer::Offer;
use crate::service::Service;

/// How long the server sleeps at most before it looks whether it should stop.
const SLEEP_MILLISECONDS: u32 = 100;

/// Events of a server, for its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Files of a server that was killed were in the way, and were replaced.
    Replaced,
    /// The files are there.
    Ready,
    /// A client has opened the device.
    Opened,
    /// The client is gone; the device has been zeroised.
    Closed,
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Event::Replaced => "replaced the files of a simulator that was killed",
            Event::Ready => "ready",
            Event::Opened => "a client has opened the device",
            Event::Closed => "the client is gone, the device zeroised",
        })
    }
}

/// Serve a simulation as device files in a directory, one client at a time, until
/// `stop` is set; the files are then removed. A server that was killed leaves its
/// files; the next one replaces them.
///
/// Simulated time passes in register accesses and while a message runs; it stands
/// while the device waits for a client that is slower than 20 milliseconds allow.
///
/// Fails when the files cannot be made, another server has the directory, or the
/// simulation fails.
pub fn serve<S: Simulation>(
    simulation: S,
    description: &Description,
    directory: &Path,
    stop: &Cancellation,
    on_event: &mut dyn FnMut(Event),
) -> Result<()> {
    let offer = Offer::new(directory, description, &mut || on_event(Event::Replaced))?;
    let mut service = Service::new(simulation, &offer.input, &offer.output);
    on_event(Event::Ready);
    while !stop.is_cancelled() {
        if let Some(client) = accept(&offer)? {
            on_event(Event::Opened);
            service.run(client, stop)?;
            on_event(Event::Closed);
        }
    }
    Ok(())
}

/// The next client, where one comes soon.
fn accept(offer: &Offer) -> Result<Option<UnixStream>> {
    let mut ready = [PollFd::new(&offer.listener, PollFlags::IN)];
    files::wait(&mut ready, SLEEP_MILLISECONDS)?;
    match offer.listener.accept() {
        Ok((client, _)) => {
            client
                .set_nonblocking(true)
                .map_err(|error| Error::io("setting up a client's connection", error))?;
            Ok(Some(client))
        }
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted => {
                Ok(None)
            }
            _ => Err(Error::io("waiting for a client", error)),
        },
    }
}
