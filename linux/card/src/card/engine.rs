// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The accelerator of a ring: what it refuses, and its algorithms.

mod aes;
mod digest;
mod gcm;
mod modes;
mod xts;

use self::aes::Aes;
use super::descriptor::Descriptor;
use super::keys::{Key, Slot};
use super::registers::{accel, field};

pub(crate) const BLOCK_BYTES: usize = 16;

/// What an engine has at the end of a message.
#[derive(Default)]
pub(crate) struct End {
    /// The output of a digest.
    pub(crate) digest: Option<Vec<u8>>,
    /// The tag of GCM, in either direction.
    pub(crate) tag: Option<[u8; 16]>,
}

/// An algorithm at work on a message. Pieces are whole blocks, except the last.
pub(crate) trait Engine {
    /// Bytes of the output, where it is not as long as the text.
    fn digest_bytes(&self) -> Option<usize> {
        None
    }

    /// Take a piece of the associated data.
    fn associated(&mut self, _: &[u8]) {}

    /// Replace a piece of the text by its output; a digest leaves it.
    fn text(&mut self, data: &mut [u8]);

    /// End the message.
    fn finish(self: Box<Self>) -> End {
        End::default()
    }
}

/// Passes data through.
struct Bypass;

impl Engine for Bypass {
    fn text(&mut self, _: &mut [u8]) {}
}

/// Whether a message needs a key, and a key of the tweaks.
pub(crate) fn needs(configuration: u32) -> (bool, bool) {
    let mode = field(configuration, accel::CONFIGURATION_MODE_MASK);
    let is_bypass = configuration & accel::CONFIGURATION_BYPASS_MASK != 0;
    (
        !is_bypass && mode != accel::CONFIGURATION_MODE_DIGEST,
        !is_bypass && mode == accel::CONFIGURATION_MODE_XTS,
    )
}

/// Whether a message may have associated data, or a key of HMAC.
pub(crate) fn takes_associated(configuration: u32) -> bool {
    let mode = field(configuration, accel::CONFIGURATION_MODE_MASK);
    let is_bypass = configuration & accel::CONFIGURATION_BYPASS_MASK != 0;
    let authenticates = configuration & accel::CONFIGURATION_AUTHENTICATE_MASK != 0;
    !is_bypass
        && (mode == accel::CONFIGURATION_MODE_GCM
            || mode == accel::CONFIGURATION_MODE_DIGEST && authenticates)
}

/// Begin a message, or give the bits of ERROR with which it is refused, as `accel_control` does.
pub(crate) fn start(descriptor: &Descriptor, slot: Option<&Slot>) -> Result<Box<dyn Engine>, u32> {
    let configuration = descriptor.configuration;
    if configuration & accel::CONFIGURATION_BYPASS_MASK != 0 {
        return Ok(Box::new(Bypass));
    }
    let mode = field(configuration, accel::CONFIGURATION_MODE_MASK);
    if mode == accel::CONFIGURATION_MODE_DIGEST {
        return digest::start(configuration);
    }
    let first = slot.and_then(|slot| slot.first.as_ref());
    let tweak = slot.and_then(|slot| slot.tweak.as_ref());
    let is_xts = mode == accel::CONFIGURATION_MODE_XTS;
    let counts = field(configuration, accel::CONFIGURATION_COUNTER_WIDTH_MASK);
    let is_supported = match mode {
        accel::CONFIGURATION_MODE_ECB
        | accel::CONFIGURATION_MODE_CBC
        | accel::CONFIGURATION_MODE_GCM => true,
        accel::CONFIGURATION_MODE_CTR => counts <= accel::CONFIGURATION_COUNTER_WIDTH_BITS_128,
        accel::CONFIGURATION_MODE_XTS => xts::fits(first, tweak),
        _ => false,
    };
    let is_whole = |bytes: u32| bytes.is_multiple_of(BLOCK_BYTES as u32);
    let any_length = [accel::CONFIGURATION_MODE_CTR, accel::CONFIGURATION_MODE_GCM];
    let units_fit = descriptor.data_unit != 0 && is_whole(descriptor.data_unit);
    let mut error = 0;
    let mut refuse = |condition: bool, bit: u32| error |= if condition { bit } else { 0 };
    refuse(!is_supported, accel::ERROR_UNSUPPORTED_MASK);
    // AES has no key of 80 bits, and XTS none of 192: such a key is not loaded, and so is not there.
    let is_odd = |key: Option<&Key>| key.is_some_and(|key| key.of_aes().is_none());
    let is_long = |key: &Key| key.size == accel::CONFIGURATION_KEY_SIZE_BITS_192;
    let first_fails = is_odd(first);
    let tweak_fails = is_xts && (is_odd(tweak) || tweak.is_some_and(is_long));
    refuse(first_fails || tweak_fails, accel::ERROR_UNSUPPORTED_MASK);
    let has_first = first.is_some() && !first_fails;
    let has_tweak = tweak.is_some() && !tweak_fails;
    refuse(!has_first || is_xts && !has_tweak, accel::ERROR_NO_KEY_MASK);
    refuse(
        !(any_length.contains(&mode) || is_whole(descriptor.length)) || (is_xts && !units_fit),
        accel::ERROR_LENGTH_MASK,
    );
    let (0, Some(aes)) = (error, first.and_then(Aes::new)) else {
        return Err(error);
    };
    let decrypts = configuration & accel::CONFIGURATION_DIRECTION_MASK != 0;
    let iv = descriptor.iv;
    Ok(match mode {
        accel::CONFIGURATION_MODE_ECB => Box::new(modes::Ecb { aes, decrypts }),
        accel::CONFIGURATION_MODE_CBC => Box::new(modes::Cbc::new(aes, decrypts, iv)),
        accel::CONFIGURATION_MODE_CTR => Box::new(modes::Ctr::new(aes, iv, 32 << counts)),
        accel::CONFIGURATION_MODE_GCM => Box::new(gcm::Gcm::new(aes, decrypts, &iv)),
        _ => match tweak.and_then(Aes::new) {
            Some(tweak) => Box::new(xts::Xts::new(
                aes,
                tweak,
                decrypts,
                iv,
                descriptor.data_unit,
            )),
            None => return Err(accel::ERROR_NO_KEY_MASK),
        },
    })
}

#[cfg(test)]
mod tests;
