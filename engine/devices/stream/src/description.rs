// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! `description.json`: the device behind the files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ciphermill::{Error, Result};
use ciphermill_accelerator::CLOCK_MHZ;
use serde::{Deserialize, Serialize};

/// Version of the device files that this program speaks.
pub const INTERFACE: u32 = 1;

/// A description has a few lines: a longer file is refused.
const LIMIT: u64 = 64 * 1024;

/// The device behind the files. Unknown fields are ignored: later versions may add some.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Description {
    /// Version of the device files, [`INTERFACE`].
    pub interface: u32,
    /// Name of the device, for people.
    pub name: String,
    /// Core clock in MHz, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// Time is simulated: cycles count, not the wall's time.
    #[serde(default)]
    pub simulated: bool,
}

impl Description {
    /// That of a simulated device with this name and clock in MHz.
    pub fn simulated(name: &str, clock_mhz: f64) -> Description {
        Description {
            interface: INTERFACE,
            name: name.to_owned(),
            clock_mhz: Some(clock_mhz),
            simulated: true,
        }
    }

    /// Read a description from its text.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] for text that is not a JSON object with these fields, for
    /// another version, and for an invalid clock frequency.
    pub fn parse(text: &[u8]) -> Result<Description> {
        // Without this an array of the fields' values would be accepted too.
        if !text.trim_ascii_start().starts_with(b"{") {
            return Err(Error::device("it is not a JSON object"));
        }
        let description: Description =
            serde_json::from_slice(text).map_err(|error| Error::device(error.to_string()))?;
        if description.interface != INTERFACE {
            return Err(Error::device(format!(
                "its device files have version {}, this program speaks version {INTERFACE}",
                description.interface
            )));
        }
        match description.clock_mhz {
            Some(mhz) if !CLOCK_MHZ.contains(&mhz) => Err(Error::device(format!(
                "its clock is {mhz} MHz, which no device has"
            ))),
            None if description.simulated => Err(Error::device(
                "it is simulated, but has no clock_mhz to turn cycles into time",
            )),
            _ => Ok(description),
        }
    }

    /// Read a description from an open file; `path` is for messages.
    pub(crate) fn read(file: &File, path: &Path) -> Result<Description> {
        let mut text = Vec::new();
        let wrong = |what: &dyn std::fmt::Display| {
            Error::device(format!(
                "{} is not a device's description: {what}",
                path.display()
            ))
        };
        file.take(LIMIT + 1)
            .read_to_end(&mut text)
            .map_err(|error| Error::io(format!("reading {}", path.display()), error))?;
        if text.len() as u64 > LIMIT {
            return Err(wrong(&"it is longer than 64 KiB"));
        }
        Description::parse(&text).map_err(|error| wrong(&error))
    }

    /// The description's text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain fields");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn description() -> Description {
        Description::simulated("aes-iterative", 100.0)
    }

    #[test]
    fn what_is_written_is_read() {
        let text = description().to_json();
        assert_eq!(Description::parse(text.as_bytes()).unwrap(), description());
    }

    #[test]
    fn a_clock_is_read_to_its_last_digit() {
        // Found by the fuzz target `device_files`: read in a hurry, these are one too many or
        // too few in the last place.
        for mhz in [
            "122.416294033786585",
            "1.1e-2",
            "900719.92547409935",
            "0.1e-1",
        ] {
            let text = format!(r#"{{"interface": 1, "name": "x", "clock_mhz": {mhz}}}"#);
            let description = Description::parse(text.as_bytes()).unwrap();
            assert_eq!(description.clock_mhz, mhz.parse().ok(), "{mhz}");
            let again = Description::parse(description.to_json().as_bytes()).unwrap();
            assert_eq!(again, description);
        }
    }

    #[test]
    fn fields_of_later_versions_are_ignored_and_optional_ones_may_be_missing() {
        let text = br#"{"interface": 1, "name": "board", "colour": "green"}"#;
        let board = Description::parse(text).unwrap();
        assert_eq!((board.clock_mhz, board.simulated), (None, false));
    }

    #[test]
    fn nonsense_is_refused_with_its_reason() {
        for (text, reason) in [
            (r#"{"interface": 2, "name": "x"}"#, "version 2"),
            (r#"{"interface": 1, "name": "x", "clock_mhz": 0}"#, "0 MHz"),
            (
                r#"{"interface": 1, "name": "x", "clock_mhz": 1e-300}"#,
                "no device has",
            ),
            (
                r#"{"interface": 1, "name": "x", "simulated": true}"#,
                "clock_mhz",
            ),
            (r#"{"interface": 1}"#, "name"),
            (r#"[1, "x", 100.0, true]"#, "not a JSON object"),
            (r#"{"interface": 1"#, "EOF"),
            ("", "not a JSON object"),
        ] {
            let error = Description::parse(text.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(text in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Description::parse(&text);
        }

        #[test]
        fn a_damaged_description_is_read_or_refused(at in 0usize..80, byte in any::<u8>()) {
            let mut text = description().to_json().into_bytes();
            let at = at % text.len();
            text[at] = byte;
            if let Ok(read) = Description::parse(&text) {
                prop_assert_eq!(read.interface, INTERFACE);
                prop_assert!(read.clock_mhz.is_none_or(|mhz| CLOCK_MHZ.contains(&mhz)));
            }
        }
    }
}
