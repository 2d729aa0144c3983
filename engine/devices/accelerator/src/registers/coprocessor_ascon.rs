// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_ascon.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the Ascon coprocessor.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x5341_4D43;

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
/// Mask in [`CAPABILITY`]. Operations, a bit for each number of MESSAGE.operation.
pub const CAPABILITY_OPERATIONS_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`CAPABILITY_OPERATIONS_MASK`].
pub const CAPABILITY_OPERATIONS_SHIFT: u32 = 0;
/// What [`CAPABILITY_OPERATIONS_MASK`] reads as, shifted down.
pub const CAPABILITY_OPERATIONS_VALUE: u32 = 0x0000_0007;
/// Mask in [`CAPABILITY`]. Rounds of the permutation in a cycle.
pub const CAPABILITY_ROUNDS_PER_CYCLE_MASK: u32 = 0x0000_0F00;
/// Lowest bit of [`CAPABILITY_ROUNDS_PER_CYCLE_MASK`].
pub const CAPABILITY_ROUNDS_PER_CYCLE_SHIFT: u32 = 8;

/// Offset. Control.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. Start a message; ignored, with ERROR.order, in a message or without a key
/// that it needs.
pub const CONTROL_START_MASK: u32 = 0x0000_0001;
/// Mask in [`CONTROL`]. Drop the message that is inside. The key stays.
pub const CONTROL_DROP_MASK: u32 = 0x0000_0002;
/// Mask in [`CONTROL`]. Drop the message, and erase key, nonce, data and results.
pub const CONTROL_ZEROISE_MASK: u32 = 0x0000_0100;

/// Offset. Message.
pub const MESSAGE: u32 = 0x14;
/// Mask in [`MESSAGE`]. Of the next message.
pub const MESSAGE_OPERATION_MASK: u32 = 0x0000_0003;
/// Lowest bit of [`MESSAGE_OPERATION_MASK`].
pub const MESSAGE_OPERATION_SHIFT: u32 = 0;
/// Value of [`MESSAGE_OPERATION_MASK`], shifted down: Ascon-AEAD128: associated data and text in;
/// text and tag out.
pub const MESSAGE_OPERATION_ENCRYPT: u32 = 0x0000_0000;
/// Value of [`MESSAGE_OPERATION_MASK`], shifted down: Ascon-AEAD128: associated data, text and tag
/// in; text out, which ERROR.tag says to discard.
pub const MESSAGE_OPERATION_DECRYPT: u32 = 0x0000_0001;
/// Value of [`MESSAGE_OPERATION_MASK`], shifted down: Ascon-Hash256: a message in; two blocks of
/// digest out.
pub const MESSAGE_OPERATION_DIGEST: u32 = 0x0000_0002;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. The permutation runs, or an access waits.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. A block can be read.
pub const STATUS_AVAILABLE_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. A message is inside: not all of it has gone in or come out.
pub const STATUS_MESSAGE_MASK: u32 = 0x0000_0004;

/// Offset. Error.
pub const ERROR: u32 = 0x1C;
/// Mask in [`ERROR`]. A start, key or block was dropped, or DATA_OUT was read with nothing to come.
pub const ERROR_ORDER_MASK: u32 = 0x0000_0001;
/// Mask in [`ERROR`]. The tag of a message to decrypt was wrong: discard its text.
pub const ERROR_TAG_MASK: u32 = 0x0000_0002;

/// Offset. Key. Writing word 3 loads the key, between messages. The words are forgotten then.
pub const KEY: u32 = 0x20;
/// Number of words of [`KEY`].
pub const KEY_WORDS: usize = 4;

/// Offset. Nonce. Of the next message of AEAD; it must not come twice with a key.
pub const NONCE: u32 = 0x30;
/// Number of words of [`NONCE`].
pub const NONCE_WORDS: usize = 4;

/// Offset. Length of the associated data.
pub const ASSOCIATED_BYTES: u32 = 0x40;

/// Offset. Length of the text.
pub const TEXT_BYTES: u32 = 0x44;

/// Offset. Blocks in. Blocks of 16 bytes: associated data, then text, each to the end of its last
/// block; to decrypt, then the tag. What stands behind the last byte does not matter. The low bits
/// of the address are the word within a block. Writing the last word of a block pushes it.
pub const DATA_IN: u32 = 0x100;
/// Number of words of [`DATA_IN`].
pub const DATA_IN_WORDS: usize = 64;

/// Offset. Blocks out. A block for each block of text, zero behind the last byte; then the tag of a
/// message to encrypt; two blocks of a digest. Reading the last word pops the block; a read waits
/// for a block that is to come. Read the block before the next block of text is pushed.
pub const DATA_OUT: u32 = 0x200;
/// Number of words of [`DATA_OUT`].
pub const DATA_OUT_WORDS: usize = 32;

/// Offset. Blocks out, several in a beat. As DATA_OUT, but a beat wider than a block has as many
/// blocks as it has places.
pub const DATA_OUT_WIDE: u32 = 0x280;
/// Number of words of [`DATA_OUT_WIDE`].
pub const DATA_OUT_WIDE_WORDS: usize = 32;
