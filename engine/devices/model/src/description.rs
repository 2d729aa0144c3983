// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a model's library says about itself.

use ciphermill::{Error, Result};
use ciphermill_accelerator::CLOCK_MHZ;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The description that a library gives (`ciphermill_model_description`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Description {
    /// Name of the design that it was built from.
    pub design: String,
    /// Core clock in MHz.
    pub clock_mhz: f64,
    /// Width of the data streams in bits.
    pub stream_bits: u32,
    /// Messages that it can have under way at once.
    pub channels: u32,
    /// First digits (hex) of the hash over everything that it was built from.
    pub design_hash: String,
    /// Simulator and version.
    pub tool: String,
}

impl Description {
    /// Read a description.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] for what is no JSON object with these fields, and for
    /// a clock that cannot be.
    pub fn parse(text: &str) -> Result<Description> {
        let description: Description = parse(text)?;
        check_clock(description.clock_mhz)?;
        Ok(description)
    }
}

/// Fails for a clock that cannot be.
pub(crate) fn check_clock(mhz: f64) -> Result<()> {
    match CLOCK_MHZ.contains(&mhz) {
        true => Ok(()),
        false => Err(Error::device(format!(
            "the model's description: its clock is {mhz} MHz, which no device has"
        ))),
    }
}

/// Read a JSON object.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    // Without this an array of the fields' values would be taken too.
    if !text.trim_ascii_start().starts_with('{') {
        return Err(Error::device(
            "the model's description is not a JSON object",
        ));
    }
    serde_json::from_str(text)
        .map_err(|error| Error::device(format!("the model's description: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"design": "aes-iterative", "clock_mhz": 100.0, "stream_bits": 128,
        "channels": 1, "design_hash": "00ff", "tool": "Verilator 5.48.0"}"#;

    #[test]
    fn a_good_description_is_read() {
        let description = Description::parse(GOOD).unwrap();
        assert_eq!(description.design, "aes-iterative");
        assert_eq!(description.clock_mhz, 100.0);
    }

    #[test]
    fn a_bad_description_is_refused() {
        for bad in [
            "",
            "[]",
            r#"["aes-iterative", 100.0, 128, 1, "00ff", "Verilator 5.48.0"]"#,
            &GOOD[..40],
            &GOOD.replace("100.0", "-1"),
            &GOOD.replace("\"tool\"", "\"toll\""),
        ] {
            assert!(Description::parse(bad).is_err(), "{bad}");
        }
    }
}
