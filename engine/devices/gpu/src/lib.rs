// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AES on graphics processors, whatever their driver.
//!
//! | part | what |
//! |---|---|
//! | `kernels/` | one source for OpenCL C 1.2 and CUDA C++, compiled at run time ([`Shape::source`]) |
//! | [`Gpu`], [`Lane`] | what a driver gives: memory, commands in their order, times |
//! | [`GpuDevice`] | the device of the engine: jobs in chunks, on several lanes side by side |
//!
//! Two implementations of AES: bit slices, in constant time, and tables
//! ([`Implementation::Tables`]), whose times depend on the key and on data.

#![deny(unsafe_code)]

mod chunk;
mod device;
mod hash;
mod lane;
mod options;
mod queue;
mod schedule;
mod source;
mod spare;
mod stealing;
#[cfg(feature = "testing")]
pub mod testing;
mod work;

pub use device::GpuDevice;
pub use lane::{Gpu, Lane, Launch, Place, Times};
pub use options::Options;
pub use source::{Dialect, Implementation, Kernel, Shape};
