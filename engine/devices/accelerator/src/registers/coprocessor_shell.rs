// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_shell.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the coprocessor shell.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Control. A write is an instruction, a read the status.
pub const CONTROL: u32 = 0x00;
/// Mask in [`CONTROL`]. The instruction.
pub const CONTROL_INSTRUCTION_MASK: u32 = 0x0000_000F;
/// Lowest bit of [`CONTROL_INSTRUCTION_MASK`].
pub const CONTROL_INSTRUCTION_SHIFT: u32 = 0;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: leave the stream mode.
pub const CONTROL_INSTRUCTION_NONE: u32 = 0x0000_0000;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: DATA_IN becomes the key word of the index;
/// the last one loads the key.
pub const CONTROL_INSTRUCTION_LOAD_KEY: u32 = 0x0000_0001;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: DATA_IN becomes the text word of the index.
pub const CONTROL_INSTRUCTION_LOAD_TEXT: u32 = 0x0000_0002;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: the text goes to the cipher.
pub const CONTROL_INSTRUCTION_RUN: u32 = 0x0000_0003;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: choose the result word of the index.
pub const CONTROL_INSTRUCTION_READ: u32 = 0x0000_0004;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: each write of DATA_IN is the next text
/// word, each read of DATA_OUT the next result word.
pub const CONTROL_INSTRUCTION_STREAM: u32 = 0x0000_0005;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: as stream, with the words of a fresh key
/// before those of each text.
pub const CONTROL_INSTRUCTION_STREAM_KEY: u32 = 0x0000_0006;
/// Value of [`CONTROL_INSTRUCTION_MASK`], shifted down: erase key, texts and results, and clear the
/// error.
pub const CONTROL_INSTRUCTION_ZEROISE: u32 = 0x0000_0007;
/// Mask in [`CONTROL`]. The cipher computes.
pub const CONTROL_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`CONTROL`]. A result can be read.
pub const CONTROL_AVAILABLE_MASK: u32 = 0x0000_0002;
/// Mask in [`CONTROL`]. A text would be taken at once.
pub const CONTROL_ACCEPTS_MASK: u32 = 0x0000_0004;
/// Mask in [`CONTROL`]. A text was dropped, or DATA_OUT was read with nothing in flight. Stays
/// until zeroise.
pub const CONTROL_ERROR_MASK: u32 = 0x0000_0008;
/// Mask in [`CONTROL`]. Word of the key, text or result.
pub const CONTROL_INDEX_MASK: u32 = 0x0000_0030;
/// Lowest bit of [`CONTROL_INDEX_MASK`].
pub const CONTROL_INDEX_SHIFT: u32 = 4;
/// Mask in [`CONTROL`]. 0 encrypt, 1 decrypt: the runs from this instruction on.
pub const CONTROL_DECRYPT_MASK: u32 = 0x0000_0100;

/// Offset. Data in.
pub const DATA_IN: u32 = 0x04;

/// Offset. Data out.
pub const DATA_OUT: u32 = 0x08;
