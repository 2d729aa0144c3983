// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_sha2.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the SHA-2 coprocessor.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x3253_4D43;

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
/// Mask in [`CAPABILITY`]. Functions, a bit for each number of MESSAGE.function.
pub const CAPABILITY_FUNCTIONS_MASK: u32 = 0x0000_003F;
/// Lowest bit of [`CAPABILITY_FUNCTIONS_MASK`].
pub const CAPABILITY_FUNCTIONS_SHIFT: u32 = 0;
/// Mask in [`CAPABILITY`]. Rounds in a cycle.
pub const CAPABILITY_ROUNDS_PER_CYCLE_MASK: u32 = 0x0000_0F00;
/// Lowest bit of [`CAPABILITY_ROUNDS_PER_CYCLE_MASK`].
pub const CAPABILITY_ROUNDS_PER_CYCLE_SHIFT: u32 = 8;

/// Offset. Control.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. Start a message; ignored, with ERROR.order, in a message or with a function
/// that is not there.
pub const CONTROL_START_MASK: u32 = 0x0000_0001;
/// Mask in [`CONTROL`]. Drop the message that is inside.
pub const CONTROL_DROP_MASK: u32 = 0x0000_0002;
/// Mask in [`CONTROL`]. Drop the message, and erase data and results.
pub const CONTROL_ZEROISE_MASK: u32 = 0x0000_0100;

/// Offset. Message.
pub const MESSAGE: u32 = 0x14;
/// Mask in [`MESSAGE`]. Of the next message.
pub const MESSAGE_FUNCTION_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`MESSAGE_FUNCTION_MASK`].
pub const MESSAGE_FUNCTION_SHIFT: u32 = 0;
/// Value of [`MESSAGE_FUNCTION_MASK`], shifted down: SHA-224: 28 bytes of digest.
pub const MESSAGE_FUNCTION_SHA224: u32 = 0x0000_0000;
/// Value of [`MESSAGE_FUNCTION_MASK`], shifted down: SHA-256: 32 bytes.
pub const MESSAGE_FUNCTION_SHA256: u32 = 0x0000_0001;
/// Value of [`MESSAGE_FUNCTION_MASK`], shifted down: SHA-384: 48 bytes.
pub const MESSAGE_FUNCTION_SHA384: u32 = 0x0000_0002;
/// Value of [`MESSAGE_FUNCTION_MASK`], shifted down: SHA-512: 64 bytes.
pub const MESSAGE_FUNCTION_SHA512: u32 = 0x0000_0003;
/// Value of [`MESSAGE_FUNCTION_MASK`], shifted down: SHA-512/224: 28 bytes.
pub const MESSAGE_FUNCTION_SHA512_224: u32 = 0x0000_0004;
/// Value of [`MESSAGE_FUNCTION_MASK`], shifted down: SHA-512/256: 32 bytes.
pub const MESSAGE_FUNCTION_SHA512_256: u32 = 0x0000_0005;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. Rounds run, or an access waits.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. A block of the digest can be read.
pub const STATUS_AVAILABLE_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. A message is inside: not all of it has gone in, or its digest has not come
/// out.
pub const STATUS_MESSAGE_MASK: u32 = 0x0000_0004;

/// Offset. Error.
pub const ERROR: u32 = 0x1C;
/// Mask in [`ERROR`]. A start or block was dropped, or DATA_OUT was read with nothing to come.
pub const ERROR_ORDER_MASK: u32 = 0x0000_0001;

/// Offset. Length of the message.
pub const MESSAGE_BYTES: u32 = 0x20;

/// Offset. Blocks in. Blocks of 16 bytes, to the end of the message's last block. What stands
/// behind the last byte does not matter. The low bits of the address are the word within a block.
/// Writing the last word of a block pushes it.
pub const DATA_IN: u32 = 0x100;
/// Number of words of [`DATA_IN`].
pub const DATA_IN_WORDS: usize = 64;

/// Offset. Blocks out. The digest in blocks of 16 bytes, zero behind the last byte. Reading the
/// last word pops the block; a read waits for a block that is to come.
pub const DATA_OUT: u32 = 0x200;
/// Number of words of [`DATA_OUT`].
pub const DATA_OUT_WORDS: usize = 32;

/// Offset. Blocks out, several in a beat. As DATA_OUT, but a beat wider than a block has as many
/// blocks as it has places.
pub const DATA_OUT_WIDE: u32 = 0x280;
/// Number of words of [`DATA_OUT_WIDE`].
pub const DATA_OUT_WIDE_WORDS: usize = 32;
