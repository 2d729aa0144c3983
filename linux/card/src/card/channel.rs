// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The registers of the accelerator's channels, which the host only reads: what they can do.

use super::fault::{Faults, Lie};
use super::registers::{accel, place, version};
use super::settings::Settings;

/// AES with all modes and key sizes, SHA-2 and HMAC.
const CAPABILITY: u32 = place(
    accel::CAPABILITY_ALGORITHM_AES,
    accel::CAPABILITY_ALGORITHM_MASK,
) | place(
    accel::CAPABILITY_ARCHITECTURE_PIPELINED,
    accel::CAPABILITY_ARCHITECTURE_MASK,
) | place(accel::CAPABILITY_SBOX_TABLE, accel::CAPABILITY_SBOX_MASK)
    | accel::CAPABILITY_ENCRYPT_MASK
    | accel::CAPABILITY_DECRYPT_MASK
    | accel::CAPABILITY_KEY_128_MASK
    | accel::CAPABILITY_KEY_192_MASK
    | accel::CAPABILITY_KEY_256_MASK
    | accel::CAPABILITY_ECB_MASK
    | accel::CAPABILITY_CBC_MASK
    | accel::CAPABILITY_CTR_MASK
    | accel::CAPABILITY_BYPASS_MASK
    | accel::CAPABILITY_SINK_MASK
    | accel::CAPABILITY_GCM_MASK
    | accel::CAPABILITY_XTS_MASK
    | accel::CAPABILITY_SHA2_32_MASK
    | accel::CAPABILITY_SHA2_64_MASK;

const GEOMETRY: u32 = place(16, accel::GEOMETRY_STREAM_BYTES_MASK)
    | place(8, accel::GEOMETRY_INPUT_FIFO_BLOCKS_MASK)
    | place(8, accel::GEOMETRY_OUTPUT_FIFO_BLOCKS_MASK)
    | place(1, accel::GEOMETRY_STAGES_PER_ROUND_MASK);

const VERSION: u32 = version(
    accel::VERSION_MAJOR_VALUE,
    accel::VERSION_MINOR_VALUE,
    accel::VERSION_PATCH_VALUE,
);

/// Read a register of a channel. Those of messages belong to the card and read as zero.
pub(crate) fn read(settings: &Settings, faults: &Faults, channel: u32, offset: u32) -> u32 {
    match offset {
        accel::IDENTIFICATION => faults.said(
            Lie::ChannelIdentification,
            accel::IDENTIFICATION_MAGIC_VALUE,
        ),
        accel::VERSION => faults.said(Lie::ChannelVersion, VERSION),
        accel::CAPABILITY => faults.said(Lie::ChannelCapability, CAPABILITY),
        accel::GEOMETRY => GEOMETRY,
        accel::CHANNELS => {
            place(settings.rings.into(), accel::CHANNELS_COUNT_MASK)
                | place(1, accel::CHANNELS_CORES_MASK)
                | place(channel, accel::CHANNELS_INDEX_MASK)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_tells_what_it_has() {
        let (settings, faults) = (Settings::default(), Faults::default());
        let read = |offset| read(&settings, &faults, 3, offset);
        assert_eq!(read(accel::IDENTIFICATION).to_le_bytes(), *b"CMIL");
        assert_eq!(read(accel::VERSION), 0x0002_0300);
        assert_eq!(read(accel::CAPABILITY), 0x066f_fc10);
        assert_eq!(read(accel::CHANNELS), 0x0003_0106);
        assert_eq!(read(accel::KEY), 0);
    }
}
