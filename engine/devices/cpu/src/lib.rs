// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices on the host's processor: the best implementation here, and OpenSSL
//! with or without AES instructions.
//!
//! - [`CpuDevice`], `cpu`: VAES instructions for ECB, CBC decryption, CTR and XTS where the
//!   processor has them; VAES or AES-NI for CBC encryption and CMAC of several streams side by side,
//!   AVX-512 for SHA-2 of several messages; AWS-LC for the rest, for SHA-2, HMAC, ECDSA and ECDH;
//!   RustCrypto for Ascon.
//! - [`OpenSslDevice`], `software` and `software+`: the system's OpenSSL 3, loaded
//!   at run time, kept from the AES instructions or with them. A process has one of the two.
//!
//! - [`Direct`], [`DirectGcm`], [`DirectXts`] and [`DirectDigest`]: what `cpu` runs on, without queue
//!   and threads, for callers with many small chunks of a message. [`PrivateKey`] and [`PublicKey`]: the same for
//!   callers that do more than one thing with a key.
//!
//! All of them run in constant time with respect to keys and data: AES
//! instructions, or implementations without table look-ups.
//!
//! Unsafe code is confined to `aes` and `sha2_lanes` (intrinsics), and to `algorithms::cmac`,
//! `algorithms::elliptic_curve`, `algorithms::sha2`, `blocks`, `evp` and `openssl` (foreign functions).

#![deny(unsafe_code)]
// Miri runs no foreign code: it checks the kernels alone.
#![cfg_attr(miri, allow(dead_code))]

#[cfg(target_arch = "x86_64")]
mod aes;
#[cfg(not(miri))]
mod algorithms;
#[cfg(not(miri))]
mod answer;
#[cfg(not(miri))]
mod blocks;
#[cfg(not(miri))]
mod caller;
#[cfg(not(miri))]
mod cpu;
#[cfg(not(miri))]
mod direct;
#[cfg(not(miri))]
mod evp;
mod instructions;
#[cfg(all(unix, not(miri)))]
mod openssl;
#[cfg(not(miri))]
mod pool;
#[cfg(test)]
#[path = "../tests/common/reference.rs"]
mod reference;
#[cfg(target_arch = "x86_64")]
mod sha2_lanes;
#[cfg(not(miri))]
mod side_by_side;
#[cfg(not(miri))]
mod work;
#[cfg(not(miri))]
mod xts;

#[cfg(not(miri))]
pub use algorithms::{
    DirectDigest, HmacHash, PrivateKey, PublicKey, signature_from_der, signature_to_der,
};
#[cfg(not(miri))]
pub use cpu::CpuDevice;
#[cfg(not(miri))]
pub use direct::{Direct, DirectGcm};
pub use instructions::Instructions;
#[cfg(all(unix, not(miri)))]
pub use openssl::OpenSslDevice;
#[cfg(not(miri))]
pub use xts::DirectXts;
