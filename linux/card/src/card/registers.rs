// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The register maps, as `make generate` writes them for the engine from `hw/*/*.rdl`.

#[path = "../../../../engine/devices/accelerator/src/registers/accel.rs"]
pub(crate) mod accel;
#[path = "../../../../engine/devices/accelerator/src/registers/card.rs"]
pub(crate) mod card;
#[path = "../../../../engine/devices/accelerator/src/registers/card_ring.rs"]
pub(crate) mod ring;

/// The value of a field of a register.
pub(crate) const fn field(word: u32, mask: u32) -> u32 {
    (word & mask) >> mask.trailing_zeros()
}

/// A field's place in its register with this value; what is too large is cut.
pub(crate) const fn place(value: u32, mask: u32) -> u32 {
    (value << mask.trailing_zeros()) & mask
}

/// VERSION of a map.
pub(crate) const fn version(major: u32, minor: u32, patch: u32) -> u32 {
    place(major, card::VERSION_MAJOR_MASK)
        | place(minor, card::VERSION_MINOR_MASK)
        | place(patch, card::VERSION_PATCH_MASK)
}
