// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Accesses of a message to memory, with their faults and with what ends a message.

use super::descriptor::{COMPLETION_BYTES, DESCRIPTOR_BYTES, SEGMENT_BYTES, status};
use super::fault::{Fault, Faults};
use super::host::Host;
use super::registers::ring;

/// Why a message did not end well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It fails with these bits of its completion's status; the ring goes on.
    Message(u32),
    /// The ring stops with this bit of its ERROR.
    Ring(u32),
    /// The ring was stopped, and has no completion of it.
    Dropped,
}

/// The way of one message to memory.
pub(crate) struct Port<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) faults: &'a Faults,
    /// Called between the pieces of a message: whether it goes on.
    pub(crate) goes_on: &'a dyn Fn() -> bool,
}

impl Port<'_> {
    fn check(&self) -> Result<(), Failure> {
        match (self.goes_on)() {
            true => Ok(()),
            false => Err(Failure::Dropped),
        }
    }

    pub(crate) fn descriptor(&self, address: u64) -> Result<[u8; DESCRIPTOR_BYTES], Failure> {
        self.check()?;
        let mut data = [0; DESCRIPTOR_BYTES];
        let fails = self.faults.strikes(Fault::FetchError);
        if fails || self.host.read(address, &mut data).is_err() {
            return Err(Failure::Ring(ring::ERROR_FETCH_MASK));
        }
        Ok(data)
    }

    pub(crate) fn segment(&self, address: Option<u64>) -> Result<[u8; SEGMENT_BYTES], Failure> {
        let mut data = [0; SEGMENT_BYTES];
        self.read(address, &mut data)?;
        Ok(data)
    }

    pub(crate) fn read(&self, address: Option<u64>, data: &mut [u8]) -> Result<(), Failure> {
        self.check()?;
        let fails = self.faults.strikes(Fault::ReadError);
        match address {
            Some(address) if !fails && self.host.read(address, data).is_ok() => Ok(()),
            _ => Err(Failure::Message(status::READ)),
        }
    }

    pub(crate) fn write(&self, address: Option<u64>, data: &[u8]) -> Result<(), Failure> {
        self.check()?;
        let fails = self.faults.strikes(Fault::WriteError);
        match address {
            Some(address) if !fails && self.host.write(address, data).is_ok() => Ok(()),
            _ => Err(Failure::Message(status::WRITE)),
        }
    }

    pub(crate) fn publish(
        &self,
        address: u64,
        completion: &[u8; COMPLETION_BYTES],
    ) -> Result<(), Failure> {
        self.check()?;
        let fails = self.faults.strikes(Fault::CompletionError);
        if fails || self.host.publish(address, completion).is_err() {
            return Err(Failure::Ring(ring::ERROR_COMPLETION_MASK));
        }
        Ok(())
    }
}
