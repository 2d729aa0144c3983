// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! OpenSSL 3 provider: AES in ECB, CBC, CTR, GCM and XTS, digests and HMAC, through the engine's
//! devices; keys of elliptic curves, ECDSA and ECDH by cpu's own code.
//!
//! ```text
//! OpenSSL ─► ffi::entry, ffi::cipher ─► context (block, counter, gcm, xts)
//!                                          │ short updates        │ long ones
//!                                          ▼                      ▼
//!                                     cpu's own code         work ─► runtime ─► device
//! ```
//!
//! - `ffi`: all that has to do with OpenSSL's interface, and all unsafe code. No panic
//!   leaves it.
//! - `context`: the state of one cipher context, by mode.
//! - `curve_key`: a key of an elliptic curve.
//! - `hasher`: the state of one digest or message authentication code.
//! - `work`: a long update cut into jobs, several in flight.
//! - `side_by_side`: the pipes of a pipeline on the device at the same time.
//! - `runtime`: the device of this process and its queues; a forked child gets its own.
//! - `account`: the counters of the process, and the log that they are written to.
//! - `threshold`: from how many bytes on the device is faster.
//! - `selftest`: known answers, of the software at load and of a device that is opened.

#![deny(unsafe_code)]

mod account;
mod buffers;
mod calibration;
mod config;
mod context;
mod counters;
mod curve_key;
mod failure;
#[allow(unsafe_code)]
mod ffi;
mod hasher;
mod private_part;
mod provider;
mod runtime;
mod selftest;
mod side_by_side;
#[cfg(test)]
mod tests {
    mod faults;
    pub(crate) mod held_keys;
}
mod threshold;
mod work;
