// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Interface of a back end: registers, and a stream each way.

use ciphermill::Result;

/// The accelerator's registers, 32 bits each, by byte offset.
///
/// An error is final: the device has vanished or does not answer.
pub trait RegisterFile: Send {
    /// Read a register.
    fn read(&mut self, offset: u32) -> Result<u32>;

    /// Write a register; it has happened when this returns.
    fn write(&mut self, offset: u32, value: u32) -> Result<()>;
}

/// What [`DataStreams::receive`] got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// Bytes put at the start of the buffer; 0 when there are none now.
    pub bytes: usize,
    /// Whether the message ended with the last of them; `None` where the back
    /// end carries bytes only.
    pub last: Option<bool>,
}

/// The accelerator's data streams. Neither `send` nor `receive` ever blocks:
/// the FIFOs are bounded both ways, so a host that waits for one side while the
/// other is full would wait for ever.
///
/// An error is final: the device has vanished or does not answer.
pub trait DataStreams: Send {
    /// Hand bytes to the device; returns how many it took, 0 when it has no
    /// room now. `last` says that the message ends with the last byte of `data`
    /// (it does not count when not all were taken).
    fn send(&mut self, data: &[u8], last: bool) -> Result<usize>;

    /// Take bytes that the device has given.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Received>;

    /// Wait until there are bytes to receive, room to send (where `sending`),
    /// or something to be read from the registers; at most some tenths of a second.
    fn wait(&mut self, sending: bool) -> Result<()>;

    /// Drop whatever is on its way in both directions; called before and after
    /// CONTROL.abort and CONTROL.zeroise.
    fn discard(&mut self) -> Result<()>;

    /// Cycles that have passed on a simulated device; `None` on a real one.
    fn cycles(&mut self) -> Result<Option<u64>>;
}

/// Bytes of a channel's registers: those of channel n begin at byte n times this.
pub const CHANNEL_BYTES: u32 = 256;

/// A device: registers and streams of the same accelerator.
pub trait Link: RegisterFile + DataStreams {}

impl<L: RegisterFile + DataStreams> Link for L {}

/// How a simulated device stands after [`Simulation::advance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advanced {
    /// Core cycles that have passed.
    pub cycles: u64,
    /// A channel asks for input, and none is queued.
    pub needs_input: bool,
    /// A channel has output for which there is no room.
    pub output_full: bool,
    /// An interrupt line is high.
    pub interrupt: bool,
}

/// A simulated device, or a channel of one, whose time passes only when asked to.
pub trait Simulation: Link {
    /// Let up to `cycles` core cycles pass, on all channels; stops early where something happens
    /// that the host would want to act on, on any of them.
    fn advance(&mut self, cycles: u64) -> Result<Advanced>;
}
