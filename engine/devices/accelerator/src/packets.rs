// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The packets of a message, fed and collected: text, associated data, tag and digest.

use std::time::Duration;

use ciphermill::{Cancellation, Error, Result};

use crate::driver::dropped;
use crate::patience::Patience;
use crate::registers::*;
use crate::{Driver, Link, Received};

impl<L: Link> Driver<L> {
    /// Feed the message and collect its output in place, both as far as each goes. The packet
    /// behind it is fed while output is awaited, and is then what is left of it: a device that
    /// has given the last byte but lacks that packet raises nothing that would end a wait.
    pub(crate) fn exchange(
        &mut self,
        data: &mut [u8],
        behind: &mut &[u8],
        cancellation: &Cancellation,
    ) -> Result<()> {
        let length = data.len();
        let (mut sent, mut received) = (0, 0);
        let mut patience = Patience::new(self.options.patience);
        while received < length {
            cancellation.check()?;
            let mut taken = self.send(&data[sent..])?;
            sent += taken;
            if sent == length {
                let fed = self.send(behind)?;
                *behind = &behind[fed..];
                taken += fed;
            }
            // Output never overtakes the input that it came from, so what is
            // still to be sent is never written over.
            let got = self.link.receive(&mut data[received..sent])?;
            received += got.bytes;
            check_end(got, received, length)?;
            if taken + got.bytes > 0 {
                patience.progress();
            } else {
                self.pause(sent < length || !behind.is_empty(), &mut patience)?;
            }
        }
        Ok(())
    }

    /// Take a packet whose input has all been sent. A refused operation on a curve has none.
    pub(crate) fn collect(
        &mut self,
        data: &mut [u8],
        patience: Duration,
        cancellation: &Cancellation,
    ) -> Result<()> {
        let mut received = 0;
        let mut patience = Patience::new(patience);
        while received < data.len() {
            cancellation.check()?;
            let got = self.link.receive(&mut data[received..])?;
            received += got.bytes;
            check_end(got, received, data.len())?;
            match got.bytes {
                0 if self.pause(false, &mut patience)? => break,
                0 => {}
                _ => patience.progress(),
            }
        }
        Ok(())
    }

    /// Feed all of a packet that gives no output.
    pub(crate) fn feed(&mut self, data: &[u8], cancellation: &Cancellation) -> Result<()> {
        let mut sent = 0;
        let mut patience = Patience::new(self.options.patience);
        while sent < data.len() {
            cancellation.check()?;
            let taken = self.send(&data[sent..])?;
            sent += taken;
            if taken > 0 {
                patience.progress();
            } else {
                self.pause(true, &mut patience)?;
            }
        }
        Ok(())
    }

    /// Wait until the message has ended: until the sink has consumed all that was sent, which
    /// may still be on its way, or an operation has its outcome.
    pub(crate) fn wait_until_idle(
        &mut self,
        patience: Duration,
        cancellation: &Cancellation,
    ) -> Result<()> {
        let mut patience = Patience::new(patience);
        while self.status()? & STATUS_BUSY_MASK != 0 {
            cancellation.check()?;
            self.pause(false, &mut patience)?;
        }
        Ok(())
    }

    fn send(&mut self, data: &[u8]) -> Result<usize> {
        match data.is_empty() {
            true => Ok(0),
            false => self.link.send(data, true),
        }
    }

    /// Wait for the device; find out why when it does not move. Whether it has refused the
    /// operation.
    fn pause(&mut self, sending: bool, patience: &mut Patience) -> Result<bool> {
        self.link.wait(sending)?;
        if patience.waits > 0 {
            self.check_error()?;
            const KNOWN: u32 =
                STATUS_BUSY_MASK | STATUS_DONE_MASK | STATUS_FORGED_MASK | STATUS_OUTCOME_MASK;
            match self.status()? & KNOWN {
                0 => return Err(dropped()),
                status if status & STATUS_OUTCOME_MASK != 0 => return Ok(true),
                _ => {}
            }
        }
        patience.waited().map(|()| false)
    }
}

/// An error unless the output ends with the message, where the link tells.
fn check_end(got: Received, received: usize, length: usize) -> Result<()> {
    match got.last {
        Some(last) if got.bytes > 0 && last != (received == length) => Err(Error::device(format!(
            "the accelerator ended its output after {received} of {length} bytes, or not at all"
        ))),
        _ => Ok(()),
    }
}
