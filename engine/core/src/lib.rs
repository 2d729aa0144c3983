// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Ciphermill's engine.
//!
//! A [`Device`] is anything that can be handed work at run time: the host's
//! processor, a simulated accelerator, a board behind device files. A
//! [`Request`] says what to do with a buffer; a device's [`Queue`] takes
//! [`Job`]s, several in flight, and gives [`Completion`]s back in order.
//!
//! Unsafe code is confined to [`process`]: signal masks and fork handlers.

#![deny(unsafe_code)]

mod algorithm;
mod buffer;
mod chain;
mod chunk;
mod chunker;
mod container;
mod data_units;
mod device;
mod error;
mod files;
mod hash;
mod input;
mod key;
mod key_derivation;
mod key_reference;
mod message;
pub mod openssl_format;
mod output;
pub mod padding;
mod pipeline;
pub mod process;
mod request;
mod request_key;
mod secret;
mod session;
mod settings;
mod span;
mod streaming;
mod support;
mod synchronous;
#[cfg(feature = "testing")]
pub mod testing;

pub use algorithm::{
    AES, AES_CMAC, ASCON_AEAD128, ASCON_HASH256, Algorithm, Direction, GCM_IV_BYTES, HMAC_SHA_224,
    HMAC_SHA_256, HMAC_SHA_384, HMAC_SHA_512, HMAC_SHA_512_224, HMAC_SHA_512_256, Mode, Operation,
    P_256, P_384, P_521, PRESENT, SHA_224, SHA_256, SHA_384, SHA_512, SHA_512_224, SHA_512_256,
};
pub use buffer::{Allocator, Buffer, Memory};
pub use chain::Chain;
pub use container::{
    DEFAULT_CHUNK_BYTES, DecryptOptions, EncryptOptions, Header, MAXIMUM_CHUNK_BYTES,
    MINIMUM_CHUNK_BYTES, Summary, check_encryption, choose_mode, decrypt, encrypt, inspect, open,
    open_until, seal,
};
pub use data_units::{DataUnits, MAXIMUM_DATA_UNIT_BYTES};
pub use device::{
    Ability, Cancellation, Capabilities, Completion, Device, DeviceMemory, Job, MessageHash, Queue,
    Timing, TimingMethod,
};
pub use error::{Error, ErrorKind, Result};
pub use files::{check_paths, decrypt_path, encrypt_path};
pub use hash::hash_path;
pub use key::{BLOCK_BYTES, Key, KeyBits};
pub use key_derivation::{CostLimits, KeyDerivation};
pub use key_reference::{HeldKey, KeyReference};
pub use message::{MessageOutcome, run_batch, run_message, run_span};
pub use output::OutputOptions;
pub use request::{AeadRequest, CipherRequest, Output, Request, TAG_BYTES};
pub use request_key::{RequestKey, SecretKey};
pub use secret::Secret;
pub use session::{Answer, Broken, Session, Step};
pub use settings::settings;
pub use span::Span;
pub use streaming::{Application, StreamTimes, stream, stream_path};
pub use synchronous::SynchronousQueue;
