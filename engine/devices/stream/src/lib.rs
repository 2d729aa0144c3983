// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! An accelerator behind device files: a board's driver, or a simulator in another
//! process.
//!
//! docs/reference/device-files.md is the specification of the files. A
//! [`StreamDevice`] opens them; [`serve`] offers them from a simulation.
//!
//! Unsafe code is confined to `memory_map`.

#![deny(unsafe_code)]

mod buffer;
mod channel;
mod description;
mod device;
mod event;
mod files;
mod link;
mod memory_map;
mod offer;
mod patience;
pub mod protocol;
mod server;
mod service;
mod turn;

pub use channel::Channel;
pub use description::{Description, INTERFACE};
pub use device::StreamDevice;
pub use event::Event;
pub use memory_map::MemoryMap;
pub use server::serve;
pub use turn::Turn;
