// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What no device can do, refused before a byte is touched.

use crate::{BLOCK_BYTES, Direction, Error, Mode, Request, Result};

/// Longest GCM message in bytes: 2^39 - 256 bits (SP 800-38D, 5.2.1.1).
const GCM_BYTES: u64 = (1 << 36) - 32;

impl Request {
    /// Whether this can be asked of any device with so many bytes of data.
    ///
    /// ```
    /// use ciphermill::{Direction, Key, Mode, Request};
    /// let key = Key::new(&[0; 16]).unwrap();
    /// let request = Request::new(Mode::Cbc, Direction::Encrypt, key, [0; 16]);
    /// assert!(request.check(32).is_ok());
    /// assert!(request.check(33).is_err());
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for data that is not whole blocks where the mode needs
    /// them, a GCM message that is too long, GCM decryption without a tag, data units as in
    /// [`Request::check_data_units`], and for associated data or a tag where nothing
    /// looks at them: they would pass for authenticated.
    pub fn check(&self, bytes: usize) -> Result<()> {
        if self.bypass {
            return self.check_unauthenticated("the bypass");
        }
        let mode = self.mode.name().to_uppercase();
        match self.mode {
            Mode::Ecb | Mode::Cbc if !bytes.is_multiple_of(BLOCK_BYTES) => {
                return Err(Error::invalid(format!(
                    "{mode} takes whole blocks of {BLOCK_BYTES} bytes, not {bytes} bytes: pad the data first"
                )));
            }
            Mode::Gcm if bytes as u64 > GCM_BYTES => {
                return Err(Error::invalid(format!(
                    "a GCM message has at most {GCM_BYTES} bytes, not {bytes}: split the data"
                )));
            }
            Mode::Gcm if self.direction == Direction::Decrypt && self.tag.is_none() => {
                return Err(Error::invalid(
                    "GCM decryption needs the tag that encryption gave",
                ));
            }
            Mode::Gcm => return Ok(()),
            Mode::Xts => {
                self.check_data_units(bytes)?;
            }
            Mode::Ecb | Mode::Cbc | Mode::Ctr => {}
        }
        self.check_unauthenticated(&mode)
    }

    fn check_unauthenticated(&self, mode: &str) -> Result<()> {
        let what = match (&self.associated_data[..], self.tag) {
            ([], None) => return Ok(()),
            ([], Some(_)) => "a tag",
            _ => "associated data",
        };
        Err(Error::invalid(format!(
            "{mode} authenticates nothing: {what} needs GCM"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, Key};

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
            let request = request(mode, Direction::Encrypt);
            assert_eq!(request.check(17).is_ok(), right, "{mode:?}");
            assert!(request.check(32).is_ok());
        }
    }

    #[test]
    fn gcm_has_a_longest_message() {
        let request = request(Mode::Gcm, Direction::Encrypt);
        assert!(request.check(GCM_BYTES as usize).is_ok());
        let error = request.check(GCM_BYTES as usize + 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn gcm_decryption_needs_a_tag() {
        assert!(request(Mode::Gcm, Direction::Decrypt).check(16).is_err());
    }

    #[test]
    fn what_nobody_authenticates_is_not_silently_dropped() {
        for bypass in [false, true] {
            let mut request = request(Mode::Ctr, Direction::Decrypt);
            request.bypass = bypass;
            request.associated_data = vec![1];
            let error = request.check(16).unwrap_err().to_string();
            assert!(error.contains("associated data needs GCM"), "{error}");
            request.associated_data.clear();
            request.tag = Some([0; 16]);
            let error = request.check(16).unwrap_err().to_string();
            assert!(error.contains("a tag needs GCM"), "{error}");
        }
    }

    #[test]
    fn bypass_takes_any_length() {
        let mut request = request(Mode::Cbc, Direction::Encrypt);
        request.bypass = true;
        assert!(request.check(17).is_ok());
    }
}
