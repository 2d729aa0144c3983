// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a request must fulfil before a byte is touched, and what becomes of its
//! output: the same for every device here.

use ciphermill::{BLOCK_BYTES, Direction, Error, Mode, Output, Request, Result};

/// Longest GCM message in bytes: 2^39 - 256 bits (SP 800-38D, 5.2.1.1).
const GCM_BYTES: u64 = (1 << 36) - 32;

/// [`ciphermill::ErrorKind::Invalid`] for a request that cannot be.
pub(crate) fn check(request: &Request, length: usize) -> Result<()> {
    if request.bypass {
        return Ok(());
    }
    let mode = request.mode.name().to_uppercase();
    match request.mode {
        Mode::Ecb | Mode::Cbc if !length.is_multiple_of(BLOCK_BYTES) => {
            return Err(Error::invalid(format!(
                "{mode} takes whole blocks of {BLOCK_BYTES} bytes, not {length} bytes: pad the data first"
            )));
        }
        Mode::Gcm if length as u64 > GCM_BYTES => {
            return Err(Error::invalid(format!(
                "a GCM message has at most {GCM_BYTES} bytes, not {length}: split the data"
            )));
        }
        Mode::Gcm if request.direction == Direction::Decrypt && request.tag.is_none() => {
            return Err(Error::invalid(
                "GCM decryption needs the tag that encryption gave",
            ));
        }
        Mode::Xts => {
            request.check_data_units(length)?;
        }
        _ => {}
    }
    if request.mode != Mode::Gcm && !request.associated_data.is_empty() {
        return Err(Error::invalid(format!(
            "{mode} authenticates nothing: associated data needs GCM"
        )));
    }
    Ok(())
}

/// The error of a tag that does not match.
#[cfg(not(miri))]
pub(crate) fn wrong_tag() -> Error {
    Error::authentication("the tag does not match: wrong key, or altered data")
}

/// Back to the host, or into the sink: here the sink only lets go of the data.
pub(crate) fn deliver(output: Output, mut data: Vec<u8>) -> Vec<u8> {
    if output == Output::Sink {
        // Its room stays, for whoever uses and erases it again.
        data.clear();
    }
    data
}

#[cfg(test)]
mod tests {
    use ciphermill::{ErrorKind, Key};

    use super::*;

    fn request(mode: Mode, direction: Direction) -> Request {
        Request::new(mode, direction, Key::new(&[0; 16]).unwrap(), [0; 16])
    }

    #[test]
    fn partial_blocks_are_for_ctr_and_gcm() {
        for (mode, right) in [
            (Mode::Ecb, false),
            (Mode::Cbc, false),
            (Mode::Ctr, true),
            (Mode::Gcm, true),
        ] {
            let outcome = check(&request(mode, Direction::Encrypt), 17);
            assert_eq!(outcome.is_ok(), right, "{mode:?}");
            assert!(check(&request(mode, Direction::Encrypt), 32).is_ok());
        }
    }

    #[test]
    fn gcm_has_a_longest_message() {
        let request = request(Mode::Gcm, Direction::Encrypt);
        assert!(check(&request, GCM_BYTES as usize).is_ok());
        let error = check(&request, GCM_BYTES as usize + 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn gcm_decryption_needs_a_tag() {
        assert!(check(&request(Mode::Gcm, Direction::Decrypt), 16).is_err());
    }

    #[test]
    fn associated_data_is_not_silently_dropped() {
        let mut request = request(Mode::Ctr, Direction::Encrypt);
        request.associated_data = vec![1];
        assert!(check(&request, 16).is_err());
    }

    #[test]
    fn bypass_takes_any_length() {
        let mut request = request(Mode::Cbc, Direction::Encrypt);
        request.bypass = true;
        assert!(check(&request, 17).is_ok());
    }
}
