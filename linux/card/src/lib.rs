// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A PCI function for a Linux kernel without a board.
//!
//! User Mode Linux with `UML_PCI_OVER_VIRTIO` has a PCI bus whose devices are processes behind a
//! socket. [`serve`] is such a process: it answers the kernel's reads and writes of the configuration
//! space ([`ConfigurationSpace`]) and of BAR 0 (a [`Function`]), and gives the function the kernel's
//! memory and interrupts ([`Bus`]). [`card::Card`] is the card of `hw/card` in software,
//! [`model::ModelCard`] the RTL itself, simulated.

mod bus;
pub mod card;
mod configuration;
mod forward;
mod message;
pub mod model;
mod server;
mod table;
mod words;

pub use bus::{Bus, Function};
pub use configuration::{ConfigurationSpace, Delivery, Identity};
pub use message::{Malformed, Message};
pub use server::serve;
