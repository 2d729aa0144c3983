// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What is refused before the device is asked.

use ciphermill::{BLOCK_BYTES, Direction, Error, Mode, Output, Request, Result};

use crate::Identity;

/// Longest GCM message in bytes: 2^39 - 256 bits (SP 800-38D, 5.2.1.1).
const GCM_BYTES: u64 = (1 << 36) - 32;

/// [`ciphermill::ErrorKind::Unsupported`] for what this device cannot do,
/// [`ciphermill::ErrorKind::Invalid`] for what none can.
pub(crate) fn check(identity: &Identity, request: &Request, length: usize) -> Result<()> {
    if request.output == Output::Sink && !identity.sink {
        return Err(Error::unsupported("this accelerator has no sink"));
    }
    if request.bypass {
        return match identity.bypass {
            true => check_unauthenticated(request, "the bypass"),
            false => Err(Error::unsupported("this accelerator has no bypass")),
        };
    }
    let mode = request.mode.name().to_uppercase();
    if !identity
        .operations
        .contains(&(request.mode, request.direction))
    {
        return Err(Error::unsupported(format!(
            "this accelerator cannot {} in {mode} mode",
            match request.direction {
                Direction::Encrypt => "encrypt",
                Direction::Decrypt => "decrypt",
            },
        )));
    }
    if !identity.key_sizes.contains(&request.key.size()) {
        return Err(Error::unsupported(format!(
            "this accelerator takes no {}-bit keys",
            request.key.size().bits()
        )));
    }
    if request.mode.needs_whole_blocks() && !length.is_multiple_of(BLOCK_BYTES) {
        return Err(Error::invalid(format!(
            "{mode} needs whole blocks of {BLOCK_BYTES} bytes, not {length} bytes"
        )));
    }
    if request.mode == Mode::Xts && request.check_data_units(length)?.steals(length) {
        return Err(Error::unsupported(
            "this accelerator has no ciphertext stealing: XTS takes whole blocks of 16 bytes",
        ));
    }
    if request.mode != Mode::Gcm {
        return check_unauthenticated(request, &mode);
    }
    if length as u64 > GCM_BYTES {
        return Err(Error::invalid(format!(
            "a GCM message has at most {GCM_BYTES} bytes, not {length}: split the data"
        )));
    }
    if request.direction == Direction::Decrypt && request.tag.is_none() {
        return Err(Error::invalid(
            "GCM decryption needs the tag that encryption gave",
        ));
    }
    Ok(())
}

/// [`ciphermill::ErrorKind::Invalid`] for what only GCM would look at: a tag that nobody
/// compares would pass for one that matches.
fn check_unauthenticated(request: &Request, mode: &str) -> Result<()> {
    let what = match (&request.associated_data[..], request.tag) {
        ([], None) => return Ok(()),
        ([], Some(_)) => "a tag",
        _ => "associated data",
    };
    Err(Error::invalid(format!(
        "{mode} authenticates nothing: {what} needs GCM"
    )))
}
