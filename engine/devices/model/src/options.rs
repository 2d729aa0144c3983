// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a user may set, behind the device's name.

use std::fmt;
use std::str::FromStr;

use ciphermill::{Error, Result, settings};
use ciphermill_accelerator::CLOCK_MHZ;

/// What a user may set. As text: `clock_mhz=50`.
///
/// ```
/// use ciphermill_model::Options;
/// let options: Options = "clock_mhz=50".parse().unwrap();
/// assert_eq!(options.clock_mhz, Some(50.0));
/// assert_eq!(options.to_string(), ",clock_mhz=50");
/// assert!("clock_mhz=0".parse::<Options>().is_err());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Clock in MHz at which the model's cycles become seconds; without it that of the model's
    /// description. Cycles of an accelerator do not depend on it. Of a board it is the clock of the
    /// cores, which wait for the memory, so that their cycles depend on both clocks.
    pub clock_mhz: Option<f64>,
    /// Clock in MHz of a board's memory banks.
    pub memory_clock_mhz: Option<f64>,
}

impl fmt::Display for Options {
    /// The settings, each behind a comma, as they follow a device's name.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(mhz) = self.clock_mhz {
            write!(formatter, ",clock_mhz={mhz}")?;
        }
        if let Some(mhz) = self.memory_clock_mhz {
            write!(formatter, ",memory_clock_mhz={mhz}")?;
        }
        Ok(())
    }
}

impl FromStr for Options {
    type Err = Error;

    fn from_str(text: &str) -> Result<Options> {
        let mut options = Options::default();
        for (name, value) in settings(text)? {
            match name {
                "clock_mhz" => options.clock_mhz = Some(clock(name, value)?),
                "memory_clock_mhz" => options.memory_clock_mhz = Some(clock(name, value)?),
                _ => {
                    return Err(Error::invalid(format!(
                        "{name:?} sets nothing of a simulated accelerator: there is \
                         clock_mhz=NUMBER, and of a board memory_clock_mhz=NUMBER"
                    )));
                }
            }
        }
        Ok(options)
    }
}

fn clock(name: &str, value: &str) -> Result<f64> {
    let number = value.parse().ok().filter(|mhz| CLOCK_MHZ.contains(mhz));
    number.ok_or_else(|| {
        let (least, most) = CLOCK_MHZ.into_inner();
        Error::invalid(format!(
            "{name} is a number from {least} to {most}, not {value:?}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_setting_is_answered_with_what_is_allowed() {
        for value in [
            "0", "-1", "NaN", "inf", "fast", "", "1e-4", "1e7", "50 MHz", " 50",
        ] {
            let error = format!("clock_mhz={value}").parse::<Options>().unwrap_err();
            let expected = format!("clock_mhz is a number from 0.001 to 1000000, not {value:?}");
            assert_eq!(error.to_string(), expected);
        }
        for (text, expected) in [
            ("clock_mhz", "clock_mhz is a number from"),
            ("kernel=tables", "there is clock_mhz=NUMBER"),
            ("clock_mhz=50,clock_mhz=50", "clock_mhz is given twice"),
        ] {
            let error = text.parse::<Options>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn options_are_read_as_they_are_written() {
        for text in [
            "",
            ",clock_mhz=0.001",
            ",clock_mhz=33.3",
            ",clock_mhz=1000000",
            ",clock_mhz=70,memory_clock_mhz=33",
        ] {
            assert_eq!(text.parse::<Options>().unwrap().to_string(), text);
        }
    }
}
