// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Driver of the Ciphermill accelerator, over any register file and data streams.
//!
//! A [`RegisterFile`] and [`DataStreams`] are all that the driver knows of a
//! device: a memory map and character devices on a board, a request/response
//! channel and pipes to a simulator in another process, function calls to a
//! model in this one. [`Driver`] runs one message at a time over them;
//! [`queue`] gives it a thread, and so a
//! device its [`ciphermill::Queue`].

#![forbid(unsafe_code)]

mod check;
mod curve;
mod driver;
mod fault;
mod identity;
mod key_slots;
mod link;
mod message;
mod nonce;
mod packets;
mod patience;
mod public_key;
mod queue;
pub mod registers;
mod request;
mod timing;

pub use driver::{Driver, Finished, Options};
pub use identity::{Identity, JOBS_IN_FLIGHT};
pub use key_slots::KeySlots;
pub use link::{Advanced, CHANNEL_BYTES, DataStreams, Link, Received, RegisterFile, Simulation};
pub use message::{ChainingState, Gives, Message, Tag};
pub use queue::queue;
pub use timing::CLOCK_MHZ;
