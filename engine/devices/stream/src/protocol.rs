// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The request/response channel to the registers, as bytes.
//!
//! A request has 12 bytes, a response too; numbers are little endian. The client
//! sends the next request when it has the response to the last.
//!
//! | bytes | request | response |
//! |---|---|---|
//! | 0 | operation: 1 read, 2 write, 3 cycles | status: 0 done, 1 not understood, 2 failed |
//! | 1 to 3 | zero | zero |
//! | 4 to 7 | register offset, or zero | value, or zero: 64 bits |
//! | 8 to 11 | value, or zero | |

/// Bytes of a request and of a response.
pub const MESSAGE_BYTES: usize = 12;

/// A request of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read the register at this offset.
    Read(u32),
    /// Write a value to the register at this offset.
    Write(u32, u32),
    /// How many cycles have passed on the simulated device.
    Cycles,
}

/// A reply of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// It is done; the register's value, the cycles, or zero.
    Done(u64),
    /// The server does not understand the request.
    NotUnderstood,
    /// The device failed.
    Failed,
}

impl Access {
    /// The request's bytes.
    pub fn encode(self) -> [u8; MESSAGE_BYTES] {
        let (operation, offset, value) = match self {
            Access::Read(offset) => (1, offset, 0),
            Access::Write(offset, value) => (2, offset, value),
            Access::Cycles => (3, 0, 0),
        };
        let mut bytes = [0; MESSAGE_BYTES];
        bytes[0] = operation;
        bytes[4..8].copy_from_slice(&offset.to_le_bytes());
        bytes[8..12].copy_from_slice(&value.to_le_bytes());
        bytes
    }

    /// The request that these bytes are; `None` when they are none. Offsets are
    /// those of 32-bit words.
    pub fn decode(bytes: &[u8; MESSAGE_BYTES]) -> Option<Access> {
        let offset = word(bytes, 4);
        let value = word(bytes, 8);
        if bytes[1..4] != [0; 3] || !offset.is_multiple_of(4) {
            return None;
        }
        match (bytes[0], offset, value) {
            (1, offset, 0) => Some(Access::Read(offset)),
            (2, offset, value) => Some(Access::Write(offset, value)),
            (3, 0, 0) => Some(Access::Cycles),
            _ => None,
        }
    }
}

impl Response {
    /// The response's bytes.
    pub fn encode(self) -> [u8; MESSAGE_BYTES] {
        let (status, value) = match self {
            Response::Done(value) => (0, value),
            Response::NotUnderstood => (1, 0),
            Response::Failed => (2, 0),
        };
        let mut bytes = [0; MESSAGE_BYTES];
        bytes[0] = status;
        bytes[4..12].copy_from_slice(&value.to_le_bytes());
        bytes
    }

    /// The response that these bytes are; `None` when they are none.
    pub fn decode(bytes: &[u8; MESSAGE_BYTES]) -> Option<Response> {
        let value = u64::from(word(bytes, 8)) << 32 | u64::from(word(bytes, 4));
        match (bytes[0], &bytes[1..4], value) {
            (0, [0, 0, 0], value) => Some(Response::Done(value)),
            (1, [0, 0, 0], 0) => Some(Response::NotUnderstood),
            (2, [0, 0, 0], 0) => Some(Response::Failed),
            _ => None,
        }
    }
}

fn word(bytes: &[u8; MESSAGE_BYTES], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bytes_are_those_of_the_specification() {
        assert_eq!(
            Access::Write(0x10, 0x0102_0304).encode(),
            [2, 0, 0, 0, 0x10, 0, 0, 0, 4, 3, 2, 1]
        );
        assert_eq!(Access::Read(0x44).encode()[..5], [1, 0, 0, 0, 0x44]);
        assert_eq!(
            Response::Done(0x0102_0304_0506_0708).encode(),
            [0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]
        );
    }

    proptest! {
        #[test]
        fn whatever_is_understood_has_these_bytes_and_no_others(bytes: [u8; MESSAGE_BYTES]) {
            if let Some(access) = Access::decode(&bytes) {
                prop_assert_eq!(access.encode(), bytes);
            }
            if let Some(response) = Response::decode(&bytes) {
                prop_assert_eq!(response.encode(), bytes);
            }
        }

        #[test]
        fn what_is_sent_is_understood(offset in 0u32..64, value: u32, long: u64) {
            for access in [Access::Read(offset * 4), Access::Write(offset * 4, value), Access::Cycles] {
                prop_assert_eq!(Access::decode(&access.encode()), Some(access));
            }
            for response in [Response::Done(long), Response::NotUnderstood, Response::Failed] {
                prop_assert_eq!(Response::decode(&response.encode()), Some(response));
            }
        }
    }
}
