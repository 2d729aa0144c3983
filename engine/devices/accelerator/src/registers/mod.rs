// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Register maps of the hardware, generated from `hw/*/*.rdl`: one module a map. The
//! accelerator's constants stand here too.
//!
//! The maps of accelerators begin with the registers of [`header`], so that a host finds
//! out by [`Map::of`] what is behind an address. The coprocessor shell has them at
//! [`coprocessor_shell::IDENTIFICATION`].

pub mod accel;
pub mod card;
pub mod card_ring;
pub mod coprocessor;
pub mod coprocessor_ascon;
pub mod coprocessor_ecc;
pub mod coprocessor_instruction;
pub mod coprocessor_sha2;
pub mod coprocessor_shell;
pub mod dma;
pub mod header;
mod maps;
pub mod soc;
pub mod soc_system;

pub use accel::*;
pub use maps::Map;
