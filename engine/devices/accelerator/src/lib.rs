// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Driver of the Ciphermill accelerator, over any register file and data streams.
//!
//! A [`RegisterFile`] and [`DataStreams`] are all that the driver knows of a
//! device: a memory map and character devices on a board, a request/response
//! channel and pipes to a simulator in another process, function calls to a
//! model in this one. [`Driver`] runs one message at a time over them;
//! [`AcceleratorQueue`] gives it a thread, so that it is a device's
//! [`ciphermill::Queue`].

#![forbid(unsafe_code)]

mod driver;
#[cfg(feature = "fake")]
pub mod fake;
mod fault;
mod identity;
mod link;
mod queue;
pub mod registers;
mod timing;

pub use driver::{ChainingState, Driver, Options};
pub use identity::Identity;
pub use link::{DataStreams, Link, Received, RegisterFile};
pub use queue::{AcceleratorQueue, JOBS_IN_FLIGHT};
