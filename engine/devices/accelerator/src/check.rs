// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Requests that are refused before they reach the device.

use ciphermill::{CipherRequest, Error, Mode, Output, Request, Result};

use crate::Identity;

impl Identity {
    /// Check that the device takes a request with so many bytes of data.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for a request that this device lacks, and
    /// [`ciphermill::ErrorKind::Invalid`] for one that no device can run.
    pub fn check_request(&self, request: &Request, bytes: usize) -> Result<()> {
        match request {
            Request::Cipher(request) => check(self, request, bytes),
            other => check_whole(self, other, bytes),
        }
    }
}

/// Fails with [`ciphermill::ErrorKind::Unsupported`] for a request that this device lacks, and
/// with [`ciphermill::ErrorKind::Invalid`] for one that no device can run.
pub(crate) fn check(identity: &Identity, request: &CipherRequest, length: usize) -> Result<()> {
    if request.output == Output::Sink && !identity.sink {
        return Err(Error::unsupported("this accelerator has no sink"));
    }
    if request.bypass {
        return match identity.bypass {
            true => request.check(length),
            false => Err(Error::unsupported("this accelerator has no bypass")),
        };
    }
    let algorithm = request.algorithm();
    if identity.cipher != Some(algorithm) {
        let name = algorithm.name.to_uppercase();
        return Err(Error::unsupported(format!(
            "this accelerator has no {name}"
        )));
    }
    if !identity
        .operations
        .contains(&(request.mode, request.direction))
    {
        return Err(Error::unsupported(format!(
            "this accelerator cannot {} in {} mode",
            request.direction,
            request.mode.name().to_uppercase(),
        )));
    }
    if !identity.key_bits.contains(&request.key.bits()) {
        return Err(Error::unsupported(format!(
            "this accelerator takes no {}-bit keys",
            request.key.bits()
        )));
    }
    request.check(length)?;
    if request.gcm_iv.is_some() {
        return Err(Request::from(request.clone()).unsupported("this accelerator"));
    }
    if request.mode == Mode::Xts && request.check_data_units(length)?.steals(length) {
        return Err(Error::unsupported(
            "this accelerator has no ciphertext stealing: XTS takes whole blocks of 16 bytes",
        ));
    }
    Ok(())
}

/// As [`check`], of a request to an algorithm without modes.
pub(crate) fn check_whole(identity: &Identity, request: &Request, length: usize) -> Result<()> {
    let (algorithm, operation) = (request.algorithm(), request.operation());
    match identity.whole.contains(&(algorithm, operation)) {
        true => request.check(length),
        false => Err(request.unsupported("this accelerator")),
    }
}
