// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/prim/header.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of every accelerator.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;

/// Offset. Version of this register map.
pub const VERSION: u32 = 0x04;
/// Mask in [`VERSION`]. Raised by a change that no host can see.
pub const VERSION_PATCH_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`VERSION_PATCH_MASK`].
pub const VERSION_PATCH_SHIFT: u32 = 0;
/// Mask in [`VERSION`]. Raised by an addition.
pub const VERSION_MINOR_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`VERSION_MINOR_MASK`].
pub const VERSION_MINOR_SHIFT: u32 = 8;
/// Mask in [`VERSION`]. Raised by a change that an older host would misread.
pub const VERSION_MAJOR_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`VERSION_MAJOR_MASK`].
pub const VERSION_MAJOR_SHIFT: u32 = 16;

/// Offset. Capabilities.
pub const CAPABILITY: u32 = 0x08;

/// Offset. Control.
pub const CONTROL: u32 = 0x10;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. Work is in progress.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. As the device's own map says.
pub const STATUS_VALUE_MASK: u32 = 0xFFFF_FFFE;
/// Lowest bit of [`STATUS_VALUE_MASK`].
pub const STATUS_VALUE_SHIFT: u32 = 1;

/// Offset. Error.
pub const ERROR: u32 = 0x1C;
