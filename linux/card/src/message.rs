// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The messages of the kernel's virtual PCI bus (`include/uapi/linux/virtio_pcidev.h`).

use std::fmt;

const HEADER_BYTES: usize = 16;
/// No access of the kernel is longer: longer ones would make this process allocate as it is told.
const MOST_BYTES: usize = 1 << 16;
const READ_CONFIGURATION: u8 = 1;
const WRITE_CONFIGURATION: u8 = 2;
const READ_MEMORY: u8 = 3;
const WRITE_MEMORY: u8 = 4;
const FILL_MEMORY: u8 = 5;
const MSI: u8 = 7;

/// An access of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message<'a> {
    /// Read so many bytes of the configuration space.
    ReadConfiguration(u64, usize),
    /// Write the configuration space.
    WriteConfiguration(u64, &'a [u8]),
    /// Read so many bytes of a BAR.
    ReadMemory(u8, u64, usize),
    /// Write a BAR.
    WriteMemory(u8, u64, &'a [u8]),
    /// Write the same byte so many times.
    FillMemory(u8, u64, u8, usize),
}

/// A message that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed(&'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a malformed message of the PCI bus: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

impl<'a> Message<'a> {
    /// Read a message.
    ///
    /// # Errors
    /// It is cut short, longer than any access, or of an unknown kind.
    pub fn parse(bytes: &'a [u8]) -> Result<Message<'a>, Malformed> {
        let (header, data) = (bytes.split_first_chunk::<HEADER_BYTES>())
            .ok_or(Malformed("it is shorter than its header"))?;
        let [operation, bar, _, _, size @ .., _, _, _, _, _, _, _, _] = *header;
        let size = u32::from_le_bytes(size) as usize;
        let [.., a, b, c, d, e, f, g, h] = *header;
        let address = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        if size > MOST_BYTES {
            return Err(Malformed("it is longer than any access"));
        }
        let written = || data.get(..size).ok_or(Malformed("its data are cut short"));
        Ok(match operation {
            READ_CONFIGURATION => Message::ReadConfiguration(address, size),
            WRITE_CONFIGURATION => Message::WriteConfiguration(address, written()?),
            READ_MEMORY => Message::ReadMemory(bar, address, size),
            WRITE_MEMORY => Message::WriteMemory(bar, address, written()?),
            FILL_MEMORY => {
                let byte = *data.first().ok_or(Malformed("its byte is not there"))?;
                Message::FillMemory(bar, address, byte, size)
            }
            _ => return Err(Malformed("its kind is unknown")),
        })
    }
}

/// The message of an interrupt: the write of its data to its address.
pub(crate) fn interrupt(address: u64, data: u32) -> [u8; HEADER_BYTES + 4] {
    let mut message = [0; HEADER_BYTES + 4];
    message[0] = MSI;
    message[4..8].copy_from_slice(&4_u32.to_le_bytes());
    message[8..16].copy_from_slice(&address.to_le_bytes());
    message[16..].copy_from_slice(&data.to_le_bytes());
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(operation: u8, size: u32, address: u64, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![operation, 2, 0, 0];
        bytes.extend(size.to_le_bytes());
        bytes.extend(address.to_le_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn each_kind_is_read() {
        let data = [1, 2, 3, 4];
        for (operation, expected) in [
            (1, Message::ReadConfiguration(9, 4)),
            (2, Message::WriteConfiguration(9, &data)),
            (3, Message::ReadMemory(2, 9, 4)),
            (4, Message::WriteMemory(2, 9, &data)),
            (5, Message::FillMemory(2, 9, 1, 4)),
        ] {
            let bytes = message(operation, 4, 9, &data);
            assert_eq!(Message::parse(&bytes), Ok(expected));
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for (bytes, reason) in [
            (message(1, 4, 0, &[])[..15].to_vec(), "shorter"),
            (message(4, 5, 0, &[0; 4]), "cut short"),
            (message(5, 5, 0, &[]), "its byte"),
            (message(1, 1 << 20, 0, &[]), "longer than any"),
            (message(0, 0, 0, &[]), "unknown"),
            (message(8, 0, 0, &[]), "unknown"),
        ] {
            let error = Message::parse(&bytes).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn an_interrupt_is_a_write() {
        let expected = message(7, 4, 0xa_0000, &0x41_u32.to_le_bytes());
        let mut given = interrupt(0xa_0000, 0x41);
        given[1] = 2;
        assert_eq!(given[..], expected);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Message::parse(&bytes);
        }
    }
}
