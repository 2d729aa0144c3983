// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The engine for C: see `include/ciphermill.h`, which says what the functions do.
//!
//! `ffi` has the functions and all unsafe code; `message` and `files` what they do.

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod ffi;
mod files;
mod message;
