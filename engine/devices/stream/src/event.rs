// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a server tells its user.

use std::fmt;

/// Events of a server, for its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Files of a server that was killed were in the way, and were replaced.
    Replaced,
    /// The files are there.
    Ready,
    /// A client has opened a channel of the device.
    Opened,
    /// A client is gone; its channel has been zeroised.
    Closed,
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Event::Replaced => "replaced the files of a simulator that was killed",
            Event::Ready => "ready",
            Event::Opened => "a client has opened the device",
            Event::Closed => "a client is gone, its channel zeroised",
        })
    }
}
