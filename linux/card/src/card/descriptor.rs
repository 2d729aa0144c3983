// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The structures in the host's memory: descriptors, segments of lists, completions
//! (hw/card/README.md).

/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: usize = 64;
/// Bytes of a segment of a list.
pub const SEGMENT_BYTES: usize = 16;
/// Bytes of a completion.
pub const COMPLETION_BYTES: usize = 32;
/// Where a completion has its status.
pub(crate) const STATUS_AT: usize = 8;

/// Flags of a descriptor.
pub mod flags {
    /// The source is the address of a list.
    pub const SOURCE_LIST: u32 = 1 << 0;
    /// The destination is the address of a list.
    pub const DESTINATION_LIST: u32 = 1 << 1;
    /// Interrupt without waiting for others.
    pub const INTERRUPT: u32 = 1 << 2;
    /// 16 bytes behind the text are a packet of their own.
    pub const TAG_PACKET: u32 = 1 << 3;
    /// Lowest bit of the key slot.
    pub const KEY_SLOT_SHIFT: u32 = 8;
}

/// Bits of a completion's status.
pub mod status {
    /// The message ended well.
    pub const DONE: u32 = 1 << 0;
    /// The tag was wrong.
    pub const FORGED: u32 = 1 << 1;
    /// The accelerator refused the message.
    pub const REFUSED: u32 = 1 << 2;
    /// The key slot is empty, not there, or none although the message needs a key.
    pub const KEY: u32 = 1 << 3;
    /// The memory answered a read of data with an error.
    pub const READ: u32 = 1 << 4;
    /// The memory answered a write of data with an error.
    pub const WRITE: u32 = 1 << 5;
    /// A list is not aligned, or a segment is empty.
    pub const LIST: u32 = 1 << 6;
    /// Input or output are not as long as the descriptor says.
    pub const LENGTHS: u32 = 1 << 7;
    /// Lowest bit of the accelerator's ERROR.
    pub const ERROR_SHIFT: u32 = 8;
    /// The pass through the ring.
    pub const PHASE: u32 = 1 << 31;
}

/// A descriptor: a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// CONFIGURATION of the accelerator.
    pub configuration: u32,
    /// [`flags`], and the key slot.
    pub flags: u32,
    /// IV of the accelerator.
    pub iv: [u8; 16],
    /// Bytes of the message.
    pub length: u32,
    /// Bytes of associated data or of HMAC's key.
    pub associated: u32,
    /// Address of the source or of its list.
    pub source: u64,
    /// Address of the destination or of its list.
    pub destination: u64,
    /// Bytes of a data unit of XTS.
    pub data_unit: u32,
    /// Bytes of the output.
    pub output: u32,
    /// The host's own.
    pub cookie: u64,
}

impl Descriptor {
    /// Read a descriptor; any bytes are one.
    pub fn parse(bytes: &[u8; DESCRIPTOR_BYTES]) -> Descriptor {
        let mut words = [0_u32; DESCRIPTOR_BYTES / 4];
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*chunk);
        }
        let long = |low: usize| u64::from(words[low]) | u64::from(words[low + 1]) << 32;
        let mut iv = [0; 16];
        iv.copy_from_slice(&bytes[8..24]);
        Descriptor {
            configuration: words[0],
            flags: words[1],
            iv,
            length: words[6],
            associated: words[7],
            source: long(8),
            destination: long(10),
            data_unit: words[12],
            output: words[13],
            cookie: long(14),
        }
    }

    /// The bytes of a descriptor.
    pub fn bytes(&self) -> [u8; DESCRIPTOR_BYTES] {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &self.configuration.to_le_bytes());
        put(4, &self.flags.to_le_bytes());
        put(8, &self.iv);
        put(24, &self.length.to_le_bytes());
        put(28, &self.associated.to_le_bytes());
        put(32, &self.source.to_le_bytes());
        put(40, &self.destination.to_le_bytes());
        put(48, &self.data_unit.to_le_bytes());
        put(52, &self.output.to_le_bytes());
        put(56, &self.cookie.to_le_bytes());
        bytes
    }

    /// Whether a flag is set.
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The key slot, from 1; zero for none.
    pub(crate) fn key_slot(&self) -> u8 {
        (self.flags >> flags::KEY_SLOT_SHIFT) as u8
    }
}

/// A segment of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Address of its first byte.
    pub address: u64,
    /// Its bytes.
    pub length: u32,
}

impl Segment {
    /// Read a segment. The last word is not looked at.
    pub fn parse(bytes: &[u8; SEGMENT_BYTES]) -> Segment {
        let [a, b, c, d, e, f, g, h, length @ .., _, _, _, _] = *bytes;
        Segment {
            address: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            length: u32::from_le_bytes(length),
        }
    }

    /// The bytes of a segment.
    pub fn bytes(&self) -> [u8; SEGMENT_BYTES] {
        let mut bytes = [0; SEGMENT_BYTES];
        bytes[..8].copy_from_slice(&self.address.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }
}

/// A completion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completion {
    /// The descriptor's.
    pub cookie: u64,
    /// [`status`], without the phase.
    pub status: u32,
    /// Bytes written to the destination; zero unless it is done.
    pub count: u32,
    /// TAG of the accelerator.
    pub tag: [u8; 16],
}

impl Completion {
    /// The bytes of a completion in a pass of this phase.
    pub fn bytes(&self, phase: bool) -> [u8; COMPLETION_BYTES] {
        let mut bytes = [0; COMPLETION_BYTES];
        let status = self.status | if phase { status::PHASE } else { 0 };
        bytes[..8].copy_from_slice(&self.cookie.to_le_bytes());
        bytes[STATUS_AT..12].copy_from_slice(&status.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.count.to_le_bytes());
        bytes[16..].copy_from_slice(&self.tag);
        bytes
    }

    /// Read a completion and its phase.
    pub fn parse(bytes: &[u8; COMPLETION_BYTES]) -> (Completion, bool) {
        let words = bytes.as_chunks::<4>().0;
        let status = u32::from_le_bytes(words[2]);
        let (low, high) = (u32::from_le_bytes(words[0]), u32::from_le_bytes(words[1]));
        let mut tag = [0; 16];
        tag.copy_from_slice(&bytes[16..]);
        let completion = Completion {
            cookie: u64::from(low) | u64::from(high) << 32,
            status: status & !status::PHASE,
            count: u32::from_le_bytes(words[3]),
            tag,
        };
        (completion, status & status::PHASE != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_field_has_its_place() {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        for (place, byte) in (0..).zip(&mut bytes) {
            *byte = place;
        }
        let descriptor = Descriptor::parse(&bytes);
        assert_eq!(descriptor.configuration, 0x0302_0100);
        assert_eq!(descriptor.key_slot(), 5);
        assert_eq!(descriptor.iv[..2], [8, 9]);
        assert_eq!(descriptor.length, 0x1b1a_1918);
        assert_eq!(descriptor.associated, 0x1f1e_1d1c);
        assert_eq!(descriptor.source, 0x2726_2524_2322_2120);
        assert_eq!(descriptor.destination, 0x2f2e_2d2c_2b2a_2928);
        assert_eq!(descriptor.data_unit, 0x3332_3130);
        assert_eq!(descriptor.output, 0x3736_3534);
        assert_eq!(descriptor.cookie, 0x3f3e_3d3c_3b3a_3938);
        assert_eq!(descriptor.bytes(), bytes);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(cookie: u64, word: u32, count: u32, tag: [u8; 16], phase: bool) {
            let completion = Completion { cookie, status: word & !status::PHASE, count, tag };
            prop_assert_eq!(Completion::parse(&completion.bytes(phase)), (completion, phase));
            let segment = Segment { address: cookie, length: count };
            prop_assert_eq!(Segment::parse(&segment.bytes()), segment);
        }
    }
}
