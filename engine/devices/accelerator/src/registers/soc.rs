// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/soc/soc.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the peripherals.

#![allow(dead_code)] // not every field has a reader here

/// Base address. System registers.
pub const SYSTEM: u32 = 0x8000_0000;

/// Base address. Ciphermill block coprocessor.
pub const COPROCESSOR: u32 = 0x8001_0000;

/// Base address. Ciphermill accelerator.
pub const ACCELERATOR: u32 = 0x8002_0000;

/// Base address. Ciphermill DMA engine.
pub const DMA: u32 = 0x8003_0000;
