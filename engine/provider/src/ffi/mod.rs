// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! OpenSSL's interface: the only room with unsafe code.

mod abi;
mod cipher;
mod context;
mod core;
mod digest;
mod entry;
mod exchange;
mod groups;
mod hashes;
mod key;
#[cfg(test)]
mod key_tests;
mod mac;
mod parameters;
mod pipeline;
pub(crate) mod process;
mod signature;
mod tables;
