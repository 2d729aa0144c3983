// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the block coprocessors.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// Mask in [`IDENTIFICATION`]. The letters CM, C lowest, which every map has.
pub const IDENTIFICATION_MAGIC_MASK: u32 = 0x0000_FFFF;
/// Lowest bit of [`IDENTIFICATION_MAGIC_MASK`].
pub const IDENTIFICATION_MAGIC_SHIFT: u32 = 0;
/// What [`IDENTIFICATION_MAGIC_MASK`] reads as, shifted down.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x0000_4D43;
/// Mask in [`IDENTIFICATION`]. What the coprocessor computes.
pub const IDENTIFICATION_KIND_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`IDENTIFICATION_KIND_MASK`].
pub const IDENTIFICATION_KIND_SHIFT: u32 = 16;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: AES, all rounds, combinational between two
/// registers.
pub const IDENTIFICATION_KIND_UNROLLED: u32 = 0x0000_0010;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: AES, all rounds, pipelined.
pub const IDENTIFICATION_KIND_UNROLLED_PIPELINED: u32 = 0x0000_0011;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: AES, one round used again and again.
pub const IDENTIFICATION_KIND_ITERATIVE: u32 = 0x0000_0012;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: one AES round; key expansion and loop in
/// software.
pub const IDENTIFICATION_KIND_ROUND: u32 = 0x0000_0013;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: one AES round without SubBytes.
pub const IDENTIFICATION_KIND_LINEAR_LAYER: u32 = 0x0000_0014;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: PRESENT, one round used again and again.
pub const IDENTIFICATION_KIND_PRESENT_ITERATIVE: u32 = 0x0000_0020;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: PRESENT, all rounds.
pub const IDENTIFICATION_KIND_PRESENT_UNROLLED: u32 = 0x0000_0021;
/// Value of [`IDENTIFICATION_KIND_MASK`], shifted down: PRESENT, four bits a cycle.
pub const IDENTIFICATION_KIND_PRESENT_SERIAL: u32 = 0x0000_0022;
/// Mask in [`IDENTIFICATION`]. The letter B: this register map.
pub const IDENTIFICATION_MAP_MASK: u32 = 0xFF00_0000;
/// Lowest bit of [`IDENTIFICATION_MAP_MASK`].
pub const IDENTIFICATION_MAP_SHIFT: u32 = 24;
/// What [`IDENTIFICATION_MAP_MASK`] reads as, shifted down.
pub const IDENTIFICATION_MAP_VALUE: u32 = 0x0000_0042;

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
pub const VERSION_MAJOR_VALUE: u32 = 0x0000_0002;

/// Offset. Capabilities.
pub const CAPABILITY: u32 = 0x08;
/// Mask in [`CAPABILITY`]. Most blocks in flight.
pub const CAPABILITY_BLOCKS_IN_FLIGHT_MASK: u32 = 0x0000_000F;
/// Lowest bit of [`CAPABILITY_BLOCKS_IN_FLIGHT_MASK`].
pub const CAPABILITY_BLOCKS_IN_FLIGHT_SHIFT: u32 = 0;

/// Offset. Control. Direction, key size and final round are those of the keys and blocks that
/// follow.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. 0 encrypt, 1 decrypt.
pub const CONTROL_DECRYPT_MASK: u32 = 0x0000_0001;
/// Mask in [`CONTROL`]. Ignored by round and linear layer.
pub const CONTROL_KEY_SIZE_MASK: u32 = 0x0000_0006;
/// Lowest bit of [`CONTROL_KEY_SIZE_MASK`].
pub const CONTROL_KEY_SIZE_SHIFT: u32 = 1;
/// Value of [`CONTROL_KEY_SIZE_MASK`], shifted down: 128 bits; PRESENT: 80.
pub const CONTROL_KEY_SIZE_AES_128_PRESENT_80: u32 = 0x0000_0000;
/// Value of [`CONTROL_KEY_SIZE_MASK`], shifted down: 192 bits; PRESENT: 128.
pub const CONTROL_KEY_SIZE_AES_192_PRESENT_128: u32 = 0x0000_0001;
/// Value of [`CONTROL_KEY_SIZE_MASK`], shifted down: 256 bits.
pub const CONTROL_KEY_SIZE_AES_256: u32 = 0x0000_0002;
/// Mask in [`CONTROL`]. Round and linear layer: leave MixColumns out.
pub const CONTROL_FINAL_ROUND_MASK: u32 = 0x0000_0008;
/// Mask in [`CONTROL`]. Erase key, data and results, and clear STATUS.error; reads as zero.
pub const CONTROL_ZEROISE_MASK: u32 = 0x0000_0100;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. The cipher computes, or memories are swept after zeroise and reset.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. A result can be read.
pub const STATUS_AVAILABLE_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. A block would be taken at once.
pub const STATUS_ACCEPTS_MASK: u32 = 0x0000_0004;
/// Mask in [`STATUS`]. A key or block was dropped, or DATA_OUT was read with no block in flight.
/// Stays until ERROR is cleared, or until zeroise.
pub const STATUS_ERROR_MASK: u32 = 0x0000_0008;

/// Offset. Error.
pub const ERROR: u32 = 0x1C;
/// Mask in [`ERROR`]. As STATUS.error.
pub const ERROR_ORDER_MASK: u32 = 0x0000_0001;

/// Offset. Key. Writing the last word of the key size loads the key: word 3, 5 or 7 (PRESENT: 2 or
/// 3; round and linear layer: the round key, word 3). The words are forgotten then.
pub const KEY: u32 = 0x20;
/// Number of words of [`KEY`].
pub const KEY_WORDS: usize = 8;

/// Offset. Blocks in. The low bits of the address are the word within a block. Writing the last
/// word of a block pushes it.
pub const DATA_IN: u32 = 0x100;
/// Number of words of [`DATA_IN`].
pub const DATA_IN_WORDS: usize = 64;

/// Offset. Blocks out. The low bits of the address are the word within a block. Reading the last
/// word of a block pops it; a read waits for the oldest block in flight. A beat wider than a block
/// has the block in each of its places.
pub const DATA_OUT: u32 = 0x200;
/// Number of words of [`DATA_OUT`].
pub const DATA_OUT_WORDS: usize = 32;

/// Offset. Blocks out, several in a beat. As DATA_OUT, but a beat wider than a block has as many
/// blocks as it has places.
pub const DATA_OUT_WIDE: u32 = 0x280;
/// Number of words of [`DATA_OUT_WIDE`].
pub const DATA_OUT_WIDE_WORDS: usize = 32;
