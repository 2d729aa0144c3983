// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/*/*.rdl by `make generate`; do not edit.

//! The register maps that have the shared header.

/// A register map that has the shared header ([`super::header`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Map {
    /// Map of the accelerator ([`super::accel`]).
    Accelerator,
    /// Map of the DMA engine ([`super::dma`]).
    DmaEngine,
    /// Map of the card ([`super::card`]).
    Card,
    /// Map of the card ring ([`super::card_ring`]).
    CardRing,
    /// Map of the block coprocessor ([`super::coprocessor`]).
    BlockCoprocessor,
    /// Map of the coprocessor shell ([`super::coprocessor_shell`]).
    CoprocessorShell,
    /// Map of the Ascon coprocessor ([`super::coprocessor_ascon`]).
    AsconCoprocessor,
    /// Map of the SHA-2 coprocessor ([`super::coprocessor_sha2`]).
    Sha2Coprocessor,
    /// Map of the ECC coprocessor ([`super::coprocessor_ecc`]).
    EccCoprocessor,
}

impl Map {
    /// Each map, the constant bits of its identification register, and their values.
    const ALL: [(Map, u32, u32); 9] = [
        (Map::Accelerator, 0xFFFF_FFFF, 0x4C49_4D43),
        (Map::DmaEngine, 0xFFFF_FFFF, 0x4D44_4D43),
        (Map::Card, 0xFFFF_FFFF, 0x4443_4D43),
        (Map::CardRing, 0xFFFF_FFFF, 0x4752_4D43),
        (Map::BlockCoprocessor, 0xFF00_FFFF, 0x4200_4D43),
        (Map::CoprocessorShell, 0xFFFF_FFFF, 0x4853_4D43),
        (Map::AsconCoprocessor, 0xFFFF_FFFF, 0x5341_4D43),
        (Map::Sha2Coprocessor, 0xFFFF_FFFF, 0x3253_4D43),
        (Map::EccCoprocessor, 0xFFFF_FFFF, 0x4345_4D43),
    ];

    /// The map whose identification register reads as this word; `None` for an unknown one.
    pub fn of(identification: u32) -> Option<Map> {
        let found = Self::ALL
            .iter()
            .find(|(_, mask, value)| identification & mask == *value);
        found.map(|row| row.0)
    }

    /// The hardware that has this map, such as `accelerator`.
    pub fn title(self) -> &'static str {
        match self {
            Map::Accelerator => "accelerator",
            Map::DmaEngine => "DMA engine",
            Map::Card => "card",
            Map::CardRing => "card ring",
            Map::BlockCoprocessor => "block coprocessor",
            Map::CoprocessorShell => "coprocessor shell",
            Map::AsconCoprocessor => "Ascon coprocessor",
            Map::Sha2Coprocessor => "SHA-2 coprocessor",
            Map::EccCoprocessor => "ECC coprocessor",
        }
    }
}
