// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/coprocessor/coprocessor_ecc.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the ECC coprocessor.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x4345_4D43;

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
/// Mask in [`CAPABILITY`]. Curves, a bit for each number of OPERATION.curve.
pub const CAPABILITY_CURVES_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`CAPABILITY_CURVES_MASK`].
pub const CAPABILITY_CURVES_SHIFT: u32 = 0;
/// Mask in [`CAPABILITY`]. Multipliers.
pub const CAPABILITY_MULTIPLIERS_MASK: u32 = 0x0000_0300;
/// Lowest bit of [`CAPABILITY_MULTIPLIERS_MASK`].
pub const CAPABILITY_MULTIPLIERS_SHIFT: u32 = 8;

/// Offset. Control.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. Start an operation; ignored, with ERROR.order, during another one, while a
/// result waits to be read, or if operation or curve is not there.
pub const CONTROL_START_MASK: u32 = 0x0000_0001;
/// Mask in [`CONTROL`]. Drop the operation, and erase operands and results.
pub const CONTROL_ZEROISE_MASK: u32 = 0x0000_0100;

/// Offset. Operation.
pub const OPERATION: u32 = 0x14;
/// Mask in [`OPERATION`]. Of the next start.
pub const OPERATION_OPERATION_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`OPERATION_OPERATION_MASK`].
pub const OPERATION_OPERATION_SHIFT: u32 = 0;
/// Value of [`OPERATION_OPERATION_MASK`], shifted down: random bits in; private key, public key x,
/// y out.
pub const OPERATION_OPERATION_GENERATE: u32 = 0x0000_0000;
/// Value of [`OPERATION_OPERATION_MASK`], shifted down: private key in; x, y out.
pub const OPERATION_OPERATION_PUBLIC_KEY: u32 = 0x0000_0001;
/// Value of [`OPERATION_OPERATION_MASK`], shifted down: private key, nonce, digest in; r, s out.
pub const OPERATION_OPERATION_SIGN: u32 = 0x0000_0002;
/// Value of [`OPERATION_OPERATION_MASK`], shifted down: x, y, r, s, digest in; the outcome is the
/// answer.
pub const OPERATION_OPERATION_VERIFY: u32 = 0x0000_0003;
/// Value of [`OPERATION_OPERATION_MASK`], shifted down: private key, x, y of the other party in; x
/// coordinate of the product out.
pub const OPERATION_OPERATION_AGREE: u32 = 0x0000_0004;
/// Mask in [`OPERATION`]. Of the next start.
pub const OPERATION_CURVE_MASK: u32 = 0x0000_0300;
/// Lowest bit of [`OPERATION_CURVE_MASK`].
pub const OPERATION_CURVE_SHIFT: u32 = 8;
/// Value of [`OPERATION_CURVE_MASK`], shifted down: P-256: integers of 32 bytes.
pub const OPERATION_CURVE_P256: u32 = 0x0000_0000;
/// Value of [`OPERATION_CURVE_MASK`], shifted down: P-384: 48 bytes.
pub const OPERATION_CURVE_P384: u32 = 0x0000_0001;
/// Value of [`OPERATION_CURVE_MASK`], shifted down: P-521: 66 bytes.
pub const OPERATION_CURVE_P521: u32 = 0x0000_0002;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. The operation has all operands, and no result can be read yet.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. A block of results can be read.
pub const STATUS_AVAILABLE_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. The operation has ended, until the next start.
pub const STATUS_ENDED_MASK: u32 = 0x0000_0004;
/// Mask in [`STATUS`]. How it ended.
pub const STATUS_OUTCOME_MASK: u32 = 0x0000_0F00;
/// Lowest bit of [`STATUS_OUTCOME_MASK`].
pub const STATUS_OUTCOME_SHIFT: u32 = 8;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: it is done; of verify: the signature is
/// authentic.
pub const STATUS_OUTCOME_GOOD: u32 = 0x0000_0000;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the random bits give no private key.
pub const STATUS_OUTCOME_RANDOM: u32 = 0x0000_0001;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the private key is zero, or not below the order.
pub const STATUS_OUTCOME_PRIVATE_KEY: u32 = 0x0000_0002;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the nonce is zero, or not below the order.
pub const STATUS_OUTCOME_NONCE: u32 = 0x0000_0003;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: a coordinate is not below p.
pub const STATUS_OUTCOME_COORDINATE: u32 = 0x0000_0004;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the point is (0, 0), which stands for infinity.
pub const STATUS_OUTCOME_INFINITY: u32 = 0x0000_0005;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the point is not on the curve.
pub const STATUS_OUTCOME_OFF_CURVE: u32 = 0x0000_0006;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: r or s is zero, or not below the order.
pub const STATUS_OUTCOME_SIGNATURE: u32 = 0x0000_0007;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the signature is wrong.
pub const STATUS_OUTCOME_INVALID: u32 = 0x0000_0008;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: r would be zero.
pub const STATUS_OUTCOME_ZERO_R: u32 = 0x0000_0009;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: s would be zero.
pub const STATUS_OUTCOME_ZERO_S: u32 = 0x0000_000A;

/// Offset. Error.
pub const ERROR: u32 = 0x1C;
/// Mask in [`ERROR`]. A start or block was dropped, or DATA_OUT was read without a block.
pub const ERROR_ORDER_MASK: u32 = 0x0000_0001;

/// Offset. Blocks in. The operands, one behind the other, most significant bytes first, in blocks
/// of 16 bytes. What stands behind the last byte does not matter. The low bits of the address are
/// the word within a block. Writing the last word of a block pushes it.
pub const DATA_IN: u32 = 0x100;
/// Number of words of [`DATA_IN`].
pub const DATA_IN_WORDS: usize = 64;

/// Offset. Blocks out. The results in the same form, zero behind the last byte. Reading the last
/// word pops the block.
pub const DATA_OUT: u32 = 0x200;
/// Number of words of [`DATA_OUT`].
pub const DATA_OUT_WORDS: usize = 32;

/// Offset. Blocks out, several in a beat. As DATA_OUT, but a beat wider than a block has as many
/// blocks as it has places.
pub const DATA_OUT_WIDE: u32 = 0x280;
/// Number of words of [`DATA_OUT_WIDE`].
pub const DATA_OUT_WIDE_WORDS: usize = 32;
