// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The places of a message in memory: an address, or a list of segments.

use super::descriptor::{SEGMENT_BYTES, Segment, status};
use super::port::{Failure, Port};

/// What is left of a source or destination. An address of none lies beyond the last.
pub(crate) struct Places {
    /// The next segment of a list.
    list: Option<Option<u64>>,
    address: Option<u64>,
    /// Bytes of this segment that are left; unused without a list.
    left: u64,
}

impl Places {
    /// The bytes from an address, or those of the list there.
    pub(crate) fn new(address: u64, is_list: bool) -> Places {
        Places {
            list: is_list.then_some(Some(address)),
            address: (!is_list).then_some(address),
            left: 0,
        }
    }

    /// The next bytes that lie together: their address, and how many, at least 1 and at most as wanted.
    fn take(&mut self, port: &Port<'_>, wanted: usize) -> Result<(Option<u64>, usize), Failure> {
        let mut bytes = wanted;
        if let Some(next) = &mut self.list {
            if self.left == 0 {
                if next.is_some_and(|next| !next.is_multiple_of(SEGMENT_BYTES as u64)) {
                    return Err(Failure::Message(status::LIST));
                }
                let segment = Segment::parse(&port.segment(*next)?);
                if segment.length == 0 {
                    return Err(Failure::Message(status::LIST));
                }
                *next = next.and_then(|next| next.checked_add(SEGMENT_BYTES as u64));
                self.address = Some(segment.address);
                self.left = segment.length.into();
            }
            bytes = bytes.min(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.left -= bytes as u64;
        }
        let address = self.address;
        self.address = address.and_then(|address| address.checked_add(bytes as u64));
        Ok((address, bytes))
    }

    /// Read the next bytes.
    pub(crate) fn read(&mut self, port: &Port<'_>, mut data: &mut [u8]) -> Result<(), Failure> {
        while !data.is_empty() {
            let (address, bytes) = self.take(port, data.len())?;
            let (now, later) = data.split_at_mut(bytes);
            port.read(address, now)?;
            data = later;
        }
        Ok(())
    }

    /// Write the next bytes, and count them.
    pub(crate) fn write(
        &mut self,
        port: &Port<'_>,
        mut data: &[u8],
        count: &mut u32,
    ) -> Result<(), Failure> {
        while !data.is_empty() {
            let (address, bytes) = self.take(port, data.len())?;
            let (now, later) = data.split_at(bytes);
            port.write(address, now)?;
            *count = count.wrapping_add(bytes as u32);
            data = later;
        }
        Ok(())
    }
}
