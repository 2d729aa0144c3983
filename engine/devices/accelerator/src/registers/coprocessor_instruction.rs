// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_instruction.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the custom instructions.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Zkne and Zknd.
pub const ZKN: u32 = 0x00;
/// Mask in [`ZKN`]. This unit.
pub const ZKN_FUNCT3_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`ZKN_FUNCT3_MASK`].
pub const ZKN_FUNCT3_SHIFT: u32 = 0;
/// What [`ZKN_FUNCT3_MASK`] reads as, shifted down.
pub const ZKN_FUNCT3_VALUE: u32 = 0x0000_0000;
/// Mask in [`ZKN`]. Low bits of funct7.
pub const ZKN_OPERATION_MASK: u32 = 0x0000_00F8;
/// Lowest bit of [`ZKN_OPERATION_MASK`].
pub const ZKN_OPERATION_SHIFT: u32 = 3;
/// Value of [`ZKN_OPERATION_MASK`], shifted down: SubBytes of a byte, added to rs1: the last round
/// to encrypt.
pub const ZKN_OPERATION_AES32ESI: u32 = 0x0000_0011;
/// Value of [`ZKN_OPERATION_MASK`], shifted down: the same with MixColumns: the other rounds.
pub const ZKN_OPERATION_AES32ESMI: u32 = 0x0000_0013;
/// Value of [`ZKN_OPERATION_MASK`], shifted down: InvSubBytes of a byte, added to rs1: the last
/// round to decrypt.
pub const ZKN_OPERATION_AES32DSI: u32 = 0x0000_0015;
/// Value of [`ZKN_OPERATION_MASK`], shifted down: the same with InvMixColumns: the other rounds.
pub const ZKN_OPERATION_AES32DSMI: u32 = 0x0000_0017;
/// Mask in [`ZKN`]. High bits of funct7: which byte of rs2.
pub const ZKN_BYTE_SELECT_MASK: u32 = 0x0000_0300;
/// Lowest bit of [`ZKN_BYTE_SELECT_MASK`].
pub const ZKN_BYTE_SELECT_SHIFT: u32 = 8;

/// Offset. Half columns.
pub const COLUMN: u32 = 0x04;
/// Mask in [`COLUMN`]. This unit.
pub const COLUMN_FUNCT3_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`COLUMN_FUNCT3_MASK`].
pub const COLUMN_FUNCT3_SHIFT: u32 = 0;
/// What [`COLUMN_FUNCT3_MASK`] reads as, shifted down.
pub const COLUMN_FUNCT3_VALUE: u32 = 0x0000_0001;
/// Mask in [`COLUMN`]. Rows 2 and 3, else rows 0 and 1.
pub const COLUMN_HALF_MASK: u32 = 0x0000_0008;
/// Mask in [`COLUMN`]. Decrypt, else encrypt.
pub const COLUMN_DECRYPT_MASK: u32 = 0x0000_0010;
/// Mask in [`COLUMN`]. Without MixColumns or InvMixColumns.
pub const COLUMN_FINAL_ROUND_MASK: u32 = 0x0000_0020;

/// Offset. Whole blocks.
pub const BLOCK: u32 = 0x08;
/// Mask in [`BLOCK`]. This unit.
pub const BLOCK_FUNCT3_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`BLOCK_FUNCT3_MASK`].
pub const BLOCK_FUNCT3_SHIFT: u32 = 0;
/// What [`BLOCK_FUNCT3_MASK`] reads as, shifted down.
pub const BLOCK_FUNCT3_VALUE: u32 = 0x0000_0002;
/// Mask in [`BLOCK`]. The function.
pub const BLOCK_FUNCT7_MASK: u32 = 0x0000_03F8;
/// Lowest bit of [`BLOCK_FUNCT7_MASK`].
pub const BLOCK_FUNCT7_SHIFT: u32 = 3;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: a pair of words of a 128-bit key; the pair's
/// number is added.
pub const BLOCK_FUNCT7_KEY_128: u32 = 0x0000_0000;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: a pair of words of a 192-bit key; the pair's
/// number is added.
pub const BLOCK_FUNCT7_KEY_192: u32 = 0x0000_0004;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: a pair of words of a 256-bit key; the pair's
/// number is added.
pub const BLOCK_FUNCT7_KEY_256: u32 = 0x0000_0008;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: a pair of words of a block to encrypt; the pair's
/// number is added.
pub const BLOCK_FUNCT7_ENCRYPT: u32 = 0x0000_0010;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: a pair of words of a block to decrypt; the pair's
/// number is added.
pub const BLOCK_FUNCT7_DECRYPT: u32 = 0x0000_0012;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: a word of the oldest result; the word's number is
/// added.
pub const BLOCK_FUNCT7_GET: u32 = 0x0000_0020;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: STATUS, as the block coprocessors have it.
pub const BLOCK_FUNCT7_STATUS: u32 = 0x0000_0030;
/// Value of [`BLOCK_FUNCT7_MASK`], shifted down: erase key, data and results, and clear the error.
pub const BLOCK_FUNCT7_ZEROISE: u32 = 0x0000_0031;

/// Offset. Stream.
pub const STREAM: u32 = 0x0C;
/// Mask in [`STREAM`]. This unit.
pub const STREAM_FUNCT3_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`STREAM_FUNCT3_MASK`].
pub const STREAM_FUNCT3_SHIFT: u32 = 0;
/// What [`STREAM_FUNCT3_MASK`] reads as, shifted down.
pub const STREAM_FUNCT3_VALUE: u32 = 0x0000_0003;
/// Mask in [`STREAM`]. The function.
pub const STREAM_FUNCT7_MASK: u32 = 0x0000_03F8;
/// Lowest bit of [`STREAM_FUNCT7_MASK`].
pub const STREAM_FUNCT7_SHIFT: u32 = 3;
/// Value of [`STREAM_FUNCT7_MASK`], shifted down: the next two words of a block.
pub const STREAM_FUNCT7_PUSH: u32 = 0x0000_0000;
/// Value of [`STREAM_FUNCT7_MASK`], shifted down: the next word of a result.
pub const STREAM_FUNCT7_PULL: u32 = 0x0000_0001;
/// Value of [`STREAM_FUNCT7_MASK`], shifted down: the next two words of a key.
pub const STREAM_FUNCT7_PUSH_KEY: u32 = 0x0000_0002;
/// Value of [`STREAM_FUNCT7_MASK`], shifted down: rs1 is CONTROL, as the block coprocessors have
/// it.
pub const STREAM_FUNCT7_CONTROL: u32 = 0x0000_0003;
/// Value of [`STREAM_FUNCT7_MASK`], shifted down: STATUS, as the block coprocessors have it.
pub const STREAM_FUNCT7_STATUS: u32 = 0x0000_0004;

/// Offset. State and permutation of Ascon.
pub const SPONGE: u32 = 0x10;
/// Mask in [`SPONGE`]. This unit.
pub const SPONGE_FUNCT3_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`SPONGE_FUNCT3_MASK`].
pub const SPONGE_FUNCT3_SHIFT: u32 = 0;
/// What [`SPONGE_FUNCT3_MASK`] reads as, shifted down.
pub const SPONGE_FUNCT3_VALUE: u32 = 0x0000_0004;
/// Mask in [`SPONGE`]. The function.
pub const SPONGE_FUNCT7_MASK: u32 = 0x0000_03F8;
/// Lowest bit of [`SPONGE_FUNCT7_MASK`].
pub const SPONGE_FUNCT7_SHIFT: u32 = 3;
/// Value of [`SPONGE_FUNCT7_MASK`], shifted down: add to a word of the state; the word's number is
/// added.
pub const SPONGE_FUNCT7_ADD: u32 = 0x0000_0000;
/// Value of [`SPONGE_FUNCT7_MASK`], shifted down: set a word of the state; the word's number is
/// added.
pub const SPONGE_FUNCT7_SET: u32 = 0x0000_0008;
/// Value of [`SPONGE_FUNCT7_MASK`], shifted down: half a word of the state; twice the word's number
/// and the half's are added.
pub const SPONGE_FUNCT7_GET: u32 = 0x0000_0010;
/// Value of [`SPONGE_FUNCT7_MASK`], shifted down: twelve rounds.
pub const SPONGE_FUNCT7_PERMUTE_12: u32 = 0x0000_0020;
/// Value of [`SPONGE_FUNCT7_MASK`], shifted down: the last eight rounds.
pub const SPONGE_FUNCT7_PERMUTE_8: u32 = 0x0000_0021;
/// Value of [`SPONGE_FUNCT7_MASK`], shifted down: erase the state.
pub const SPONGE_FUNCT7_ZEROISE: u32 = 0x0000_0031;
