// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Register maps of the hardware, generated from `hw/*/*.rdl`: one module a map. The
//! accelerator's constants stand here too.
//!
//! The maps of accelerators begin with the registers of [`header`], so that a host finds
//! out by [`Map::of`] what is behind an address.

pub mod accel;
pub mod coprocessor;
pub mod coprocessor_ascon;
pub mod coprocessor_instruction;
pub mod coprocessor_shell;
pub mod dma;
pub mod header;
pub mod soc;
pub mod soc_system;

pub use accel::*;

/// A register map that begins with the shared header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Map {
    /// The accelerator ([`accel`]).
    Accelerator,
    /// The DMA engine ([`dma`]).
    DmaEngine,
}

impl Map {
    /// The map whose identification register reads as this word; `None` for an unknown one.
    pub fn of(identification: u32) -> Option<Map> {
        match identification {
            accel::IDENTIFICATION_MAGIC_VALUE => Some(Map::Accelerator),
            dma::IDENTIFICATION_MAGIC_VALUE => Some(Map::DmaEngine),
            _ => None,
        }
    }
}
