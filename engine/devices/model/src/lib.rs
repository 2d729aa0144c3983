// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A simulated accelerator in this process, loaded as a shared library.
//!
//! `ciphermill build NAME` makes the library of a design (hw/model). A
//! [`ModelDevice`] is the device `model:NAME`; each of its queues has a channel of an
//! [`Accelerator`], which queues share as far as it has channels.
//!
//! Unsafe code is confined to `library`, which calls the library's functions
//! (hw/model/ciphermill_model.h).

#![deny(unsafe_code)]

mod accelerator;
mod description;
mod device;
mod library;

pub use accelerator::{Accelerator, AtWork, Channel};
pub use description::Description;
pub use device::ModelDevice;
pub use library::{Model, ModelLibrary};
