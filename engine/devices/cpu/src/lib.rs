// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices on the host's processor: the best implementation here, and OpenSSL
//! with and without AES instructions.
//!
//! - [`CpuDevice`], `cpu`: AES instructions, the widest that the processor has,
//!   for ECB, CBC, CTR and XTS; AWS-LC for GCM, and for everything where there are no
//!   AES instructions that we have a kernel for.
//! - [`OpenSslDevice`], `software` and `software+`: the system's OpenSSL 3, loaded
//!   at run time, kept from the AES instructions and with them.
//!
//! - [`Direct`], [`DirectGcm`] and [`DirectXts`]: what `cpu` runs on, without queue and threads, for
//!   callers with many small pieces of a message.
//!
//! All of them run in constant time with respect to keys and data: AES
//! instructions, or implementations without table look-ups.
//!
//! Unsafe code is confined to `aes` (intrinsics), `evp`, `openssl::ffi` and
//! `openssl::loader` (foreign functions).

#![deny(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod aes;
mod answer;
mod caller;
mod cpu;
#[cfg(not(miri))]
mod direct;
#[cfg(not(miri))]
mod evp;
mod instructions;
#[cfg(all(unix, not(miri)))]
mod openssl;
mod pool;
#[cfg(not(miri))]
mod xts;

pub use cpu::CpuDevice;
#[cfg(not(miri))]
pub use direct::{Direct, DirectGcm};
pub use instructions::Instructions;
#[cfg(all(unix, not(miri)))]
pub use openssl::OpenSslDevice;
#[cfg(not(miri))]
pub use xts::DirectXts;
