// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A simulated accelerator in this process, loaded as a shared library.
//!
//! `ciphermill build NAME` makes the library of a design (hw/model). A
//! [`ModelDevice`] is the device `model:NAME`; each of its queues has a channel of an
//! [`Accelerator`], which queues share as far as it has channels. A [`BoardDevice`] is the device
//! of a board with an FPGA beside memory banks. [`open`] opens either.
//!
//! Unsafe code is confined to `library` and `board_library`, which call the libraries' functions
//! (hw/model/ciphermill_model.h, hw/board/model/ciphermill_board.h).

#![deny(unsafe_code)]

mod accelerator;
mod board;
mod board_library;
mod description;
mod device;
mod library;
mod options;

pub use accelerator::{Accelerator, AtWork, Channel};
pub use board::BoardDevice;
pub use description::Description;
pub use device::{ModelDevice, open};
pub use library::{Model, ModelLibrary};
pub use options::Options;
