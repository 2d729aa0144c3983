// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/card/card.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the card.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x4443_4D43;

/// Offset. Version of this register map.
pub const VERSION: u32 = 0x04;
/// Mask in [`VERSION`]. Raised by a change that no host can see.
pub const VERSION_PATCH_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`VERSION_PATCH_MASK`].
pub const VERSION_PATCH_SHIFT: u32 = 0;
/// What [`VERSION_PATCH_MASK`] reads as, shifted down.
pub const VERSION_PATCH_VALUE: u32 = 0x0000_0000;
/// Mask in [`VERSION`]. Raised by an addition.
pub const VERSION_MINOR_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`VERSION_MINOR_MASK`].
pub const VERSION_MINOR_SHIFT: u32 = 8;
/// What [`VERSION_MINOR_MASK`] reads as, shifted down.
pub const VERSION_MINOR_VALUE: u32 = 0x0000_0000;
/// Mask in [`VERSION`]. Raised by a change that an older host would misread.
pub const VERSION_MAJOR_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`VERSION_MAJOR_MASK`].
pub const VERSION_MAJOR_SHIFT: u32 = 16;
/// What [`VERSION_MAJOR_MASK`] reads as, shifted down.
pub const VERSION_MAJOR_VALUE: u32 = 0x0000_0001;

/// Offset. Capabilities.
pub const CAPABILITY: u32 = 0x08;
/// Mask in [`CAPABILITY`]. Rings; ring n serves channel n of the accelerator with interrupt vector
/// n.
pub const CAPABILITY_RINGS_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`CAPABILITY_RINGS_MASK`].
pub const CAPABILITY_RINGS_SHIFT: u32 = 0;
/// Mask in [`CAPABILITY`]. Key slots of each ring; they are numbered from 1.
pub const CAPABILITY_KEY_SLOTS_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`CAPABILITY_KEY_SLOTS_MASK`].
pub const CAPABILITY_KEY_SLOTS_SHIFT: u32 = 8;
/// Mask in [`CAPABILITY`]. Base-2 logarithm of the most descriptors in a ring.
pub const CAPABILITY_LOG2_ENTRIES_MASK: u32 = 0x001F_0000;
/// Lowest bit of [`CAPABILITY_LOG2_ENTRIES_MASK`].
pub const CAPABILITY_LOG2_ENTRIES_SHIFT: u32 = 16;
/// Mask in [`CAPABILITY`]. Width of the memory bus in bytes.
pub const CAPABILITY_DATA_BYTES_MASK: u32 = 0x3F00_0000;
/// Lowest bit of [`CAPABILITY_DATA_BYTES_MASK`].
pub const CAPABILITY_DATA_BYTES_SHIFT: u32 = 24;

/// Offset. Clock.
pub const CLOCK: u32 = 0x0C;

/// Offset. Control. Each bit written as one starts its action; reads as zero.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. Stop every ring, drop every message, and overwrite all key slots, keys and
/// data; every register returns to its value after reset.
pub const CONTROL_RESET_MASK: u32 = 0x0000_0001;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. A ring is running or stopping, or memories are being cleared.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. A reset is in progress: nothing but this register may be used.
pub const STATUS_RESETTING_MASK: u32 = 0x0000_0002;

/// Offset. Error.
pub const ERROR: u32 = 0x1C;

/// Offset. Offset of the accelerator's registers.
pub const CHANNEL_OFFSET: u32 = 0x20;

/// Offset. Cycles, low word.
pub const CYCLES_LOW: u32 = 0x30;

/// Offset. Cycles, high word.
pub const CYCLES_HIGH: u32 = 0x34;
