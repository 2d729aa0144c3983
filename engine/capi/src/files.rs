// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Files as C describes them: zero is the default.

use std::ffi::c_char;
use std::path::Path;

use ciphermill::{
    Cancellation, CostLimits, DecryptOptions, Device, Direction, EncryptOptions, KeyBits,
    KeyDerivation, OutputOptions, Result, Secret, decrypt_path, encrypt_path,
};

/// `ciphermill_file_options`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CFileOptions {
    pub(crate) size: usize,
    pub(crate) password: *const u8,
    pub(crate) password_bytes: usize,
    pub(crate) key: *const u8,
    pub(crate) key_bytes: usize,
    pub(crate) mode: *const c_char,
    key_bits: usize,
    chunk_bytes: usize,
    pub(crate) kdf: *const c_char,
    kdf_memory_bytes: u64,
    kdf_passes: u32,
    kdf_iterations: u32,
    kdf_limit: u32,
    force: u32,
    pub(crate) cancellation: *const Cancellation,
}

/// How a file is encrypted or decrypted: C's options, with what their pointers lead to.
pub(crate) struct Options<'a> {
    pub(crate) given: CFileOptions,
    pub(crate) secret: Secret,
    pub(crate) mode: Option<&'a str>,
    pub(crate) kdf: Option<&'a str>,
}

impl Options<'_> {
    /// Encrypt a file into a container, or decrypt a container into a file.
    pub(crate) fn run(
        self,
        direction: Direction,
        device: &dyn Device,
        input: &Path,
        output: &Path,
        stop: &Cancellation,
    ) -> Result<()> {
        let place = OutputOptions::new(self.given.force != 0);
        let limits = CostLimits::default().times(self.given.kdf_limit.max(1));
        let mut unheard = |_| {};
        match direction {
            Direction::Encrypt => {
                let mut options = self.encryption()?;
                options.limits = limits;
                encrypt_path(input, output, device, &options, &place, &mut unheard, stop)?;
            }
            Direction::Decrypt => {
                let mut options = DecryptOptions::new(self.secret);
                options.limits = limits;
                decrypt_path(input, output, device, &options, &place, &mut unheard, stop)?;
            }
        }
        Ok(())
    }

    fn encryption(self) -> Result<EncryptOptions> {
        let given = self.given;
        let mut options = EncryptOptions::new(self.secret);
        options.mode = self.mode.map(str::parse).transpose()?;
        if given.key_bits != 0 {
            options.key_bits = KeyBits::from_bits(given.key_bits)?;
        }
        if given.chunk_bytes != 0 {
            options.chunk_bytes = given.chunk_bytes;
        }
        let derivation = match self.kdf {
            Some(name) => KeyDerivation::from_name(name)?,
            None => KeyDerivation::default(),
        };
        options.key_derivation = derivation.with_cost(
            Some(given.kdf_memory_bytes).filter(|bytes| *bytes != 0),
            Some(given.kdf_passes).filter(|passes| *passes != 0),
            Some(given.kdf_iterations).filter(|iterations| *iterations != 0),
        )?;
        Ok(options)
    }
}
