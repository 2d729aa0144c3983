// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_shell.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the coprocessor shell.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Command. A write is an instruction, a read the status.
pub const COMMAND: u32 = 0x00;
/// Mask in [`COMMAND`]. The instruction.
pub const COMMAND_INSTRUCTION_MASK: u32 = 0x0000_000F;
/// Lowest bit of [`COMMAND_INSTRUCTION_MASK`].
pub const COMMAND_INSTRUCTION_SHIFT: u32 = 0;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: leave the stream mode.
pub const COMMAND_INSTRUCTION_NONE: u32 = 0x0000_0000;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: DATA_IN becomes the key word of the index;
/// the last one loads the key.
pub const COMMAND_INSTRUCTION_LOAD_KEY: u32 = 0x0000_0001;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: DATA_IN becomes the text word of the index.
pub const COMMAND_INSTRUCTION_LOAD_TEXT: u32 = 0x0000_0002;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: the text goes to the cipher.
pub const COMMAND_INSTRUCTION_RUN: u32 = 0x0000_0003;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: choose the result word of the index.
pub const COMMAND_INSTRUCTION_READ: u32 = 0x0000_0004;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: each write of DATA_IN is the next text
/// word, each read of DATA_OUT the next result word.
pub const COMMAND_INSTRUCTION_STREAM: u32 = 0x0000_0005;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: as stream, with the words of a fresh key
/// before those of each text.
pub const COMMAND_INSTRUCTION_STREAM_KEY: u32 = 0x0000_0006;
/// Value of [`COMMAND_INSTRUCTION_MASK`], shifted down: erase key, texts and results, and clear the
/// error.
pub const COMMAND_INSTRUCTION_ZEROISE: u32 = 0x0000_0007;
/// Mask in [`COMMAND`]. The cipher computes.
pub const COMMAND_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`COMMAND`]. A result can be read.
pub const COMMAND_AVAILABLE_MASK: u32 = 0x0000_0002;
/// Mask in [`COMMAND`]. A text would be taken at once.
pub const COMMAND_ACCEPTS_MASK: u32 = 0x0000_0004;
/// Mask in [`COMMAND`]. A text was dropped, or DATA_OUT was read with nothing in flight. Stays
/// until ERROR is cleared, or until zeroise.
pub const COMMAND_ERROR_MASK: u32 = 0x0000_0008;
/// Mask in [`COMMAND`]. Word of the key, text or result.
pub const COMMAND_INDEX_MASK: u32 = 0x0000_0030;
/// Lowest bit of [`COMMAND_INDEX_MASK`].
pub const COMMAND_INDEX_SHIFT: u32 = 4;
/// Mask in [`COMMAND`]. 0 encrypt, 1 decrypt: the runs from this instruction on.
pub const COMMAND_DECRYPT_MASK: u32 = 0x0000_0100;

/// Offset. Data in.
pub const DATA_IN: u32 = 0x04;

/// Offset. Data out.
pub const DATA_OUT: u32 = 0x08;

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x100;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x4853_4D43;

/// Offset. Version of this register map.
pub const VERSION: u32 = 0x104;
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
pub const CAPABILITY: u32 = 0x108;
/// Mask in [`CAPABILITY`]. Algorithm.
pub const CAPABILITY_ALGORITHM_MASK: u32 = 0x0000_000F;
/// Lowest bit of [`CAPABILITY_ALGORITHM_MASK`].
pub const CAPABILITY_ALGORITHM_SHIFT: u32 = 0;
/// Value of [`CAPABILITY_ALGORITHM_MASK`], shifted down: AES with keys of 128 bits.
pub const CAPABILITY_ALGORITHM_AES_128: u32 = 0x0000_0000;
/// Value of [`CAPABILITY_ALGORITHM_MASK`], shifted down: PRESENT with keys of 80 bits.
pub const CAPABILITY_ALGORITHM_PRESENT_80: u32 = 0x0000_0001;
/// Mask in [`CAPABILITY`]. Encryption is present.
pub const CAPABILITY_ENCRYPT_MASK: u32 = 0x0000_0010;
/// Mask in [`CAPABILITY`]. Decryption is present.
pub const CAPABILITY_DECRYPT_MASK: u32 = 0x0000_0020;

/// Offset. Control.
pub const CONTROL: u32 = 0x110;
/// Mask in [`CONTROL`]. As the instruction zeroise; reads as zero.
pub const CONTROL_ZEROISE_MASK: u32 = 0x0000_0100;

/// Offset. Status.
pub const STATUS: u32 = 0x118;
/// Mask in [`STATUS`]. As COMMAND.busy.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. As COMMAND.available.
pub const STATUS_AVAILABLE_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. As COMMAND.accepts.
pub const STATUS_ACCEPTS_MASK: u32 = 0x0000_0004;
/// Mask in [`STATUS`]. As COMMAND.error.
pub const STATUS_ERROR_MASK: u32 = 0x0000_0008;

/// Offset. Error.
pub const ERROR: u32 = 0x11C;
/// Mask in [`ERROR`]. As COMMAND.error.
pub const ERROR_ORDER_MASK: u32 = 0x0000_0001;
