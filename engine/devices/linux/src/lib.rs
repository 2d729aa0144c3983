// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A card, or a block of a system on a chip, behind the Linux kernel driver `ciphermill.ko`.
//!
//! Its character devices `/dev/ciphermillC-R` are ring R of card C, each for one process at a time.
//! `linux/include/uapi/linux/ciphermill.h` is the specification of their interface. Messages go by
//! `CIPHERMILL_IOC_MESSAGE`: the card reads and writes the buffers of the jobs themselves, without a
//! copy (but for plaintext that is not authenticated yet, which the kernel keeps to itself).
//!
//! Unsafe code is confined to `calls`.

#![deny(unsafe_code)]

mod abi;
mod calls;
mod device;
mod fault;
mod place;
mod ring;
mod rings;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use device::{LinuxDevice, is_present};
