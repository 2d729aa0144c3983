// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Files as C describes them: zero is the default.

use std::path::Path;

use ciphermill::{
    Cancellation, CostLimits, DecryptOptions, Device, EncryptOptions, KeyBits, KeyDerivation,
    OutputOptions, Result, Secret, decrypt_path, encrypt_path,
};

/// How a password is stretched.
pub(crate) struct Cost<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) memory_bytes: u64,
    pub(crate) passes: u32,
    pub(crate) iterations: u32,
    pub(crate) limit: u32,
}

/// How a file is encrypted or decrypted.
pub(crate) struct Options<'a> {
    pub(crate) secret: Secret,
    pub(crate) mode: Option<&'a str>,
    pub(crate) key_bits: usize,
    pub(crate) chunk_bytes: usize,
    pub(crate) cost: Cost<'a>,
    pub(crate) output: OutputOptions,
}

impl Options<'_> {
    /// Encrypt a file into a container.
    pub(crate) fn encrypt(
        self,
        device: &dyn Device,
        input: &Path,
        output: &Path,
        stop: &Cancellation,
    ) -> Result<()> {
        let limits = self.limits();
        let mut options = EncryptOptions::new(self.secret);
        options.mode = self.mode.map(str::parse).transpose()?;
        if self.key_bits != 0 {
            options.key_bits = KeyBits::from_bits(self.key_bits)?;
        }
        if self.chunk_bytes != 0 {
            options.chunk_bytes = self.chunk_bytes;
        }
        let derivation = match self.cost.name {
            Some(name) => KeyDerivation::from_name(name)?,
            None => KeyDerivation::default(),
        };
        options.key_derivation = derivation.with_cost(
            Some(self.cost.memory_bytes).filter(|bytes| *bytes != 0),
            Some(self.cost.passes).filter(|passes| *passes != 0),
            Some(self.cost.iterations).filter(|iterations| *iterations != 0),
        )?;
        options.limits = limits;
        let mut unheard = |_| {};
        encrypt_path(
            input,
            output,
            device,
            &options,
            &self.output,
            &mut unheard,
            stop,
        )?;
        Ok(())
    }

    /// Decrypt a container into a file.
    pub(crate) fn decrypt(
        self,
        device: &dyn Device,
        input: &Path,
        output: &Path,
        stop: &Cancellation,
    ) -> Result<()> {
        let limits = self.limits();
        let mut options = DecryptOptions::new(self.secret);
        options.limits = limits;
        let mut unheard = |_| {};
        decrypt_path(
            input,
            output,
            device,
            &options,
            &self.output,
            &mut unheard,
            stop,
        )?;
        Ok(())
    }

    fn limits(&self) -> CostLimits {
        CostLimits::default().times(self.cost.limit.max(1))
    }
}
