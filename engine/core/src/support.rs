// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Whether a device can do what is asked, before anything is done.

use crate::{Device, Direction, Error, KeyBits, Mode, Output, Request, Result};

/// [`crate::ErrorKind::Unsupported`] unless the device can do this, and
/// [`crate::ErrorKind::Invalid`] where another device holds the request's key.
pub(crate) fn check_request(device: &dyn Device, request: &Request) -> Result<()> {
    let name = format!("device {}", device.name());
    let capabilities = device.capabilities();
    let lacks = |what: &str| Err(Error::unsupported(format!("{name} {what}")));
    let cipher = request.cipher().ok();
    let bypass = cipher.is_some_and(|request| request.bypass);
    if let Some(key) = request
        .held_key()
        .filter(|key| key.device() != device.name())
    {
        return Err(key.elsewhere(&name));
    }
    if bypass && !capabilities.bypass {
        return lacks("has no bypass");
    }
    if !bypass && !capabilities.can(request) {
        return Err(request.unsupported(&name));
    }
    if cipher.is_some_and(|request| request.output == Output::Sink) && !capabilities.sink {
        return lacks("has no sink");
    }
    Ok(())
}

/// The direction to ask the device for ([`crate::Capabilities::direction`]), or why there is
/// none.
pub(crate) fn supported_direction(
    device: &dyn Device,
    mode: Mode,
    direction: Direction,
    key_bits: KeyBits,
) -> Result<Direction> {
    let capabilities = device.capabilities();
    capabilities
        .direction(mode, direction, key_bits.bits())
        .ok_or_else(|| {
            Error::unsupported(format!(
                "device {} cannot {direction} AES-{} in mode {mode}: choose another device or mode",
                device.name(),
                key_bits.bits()
            ))
        })
}
