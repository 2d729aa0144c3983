// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Settings of a device, as they follow its name.

use crate::{Error, Result};

/// The names and values of settings such as `kernel=tables,queues=3`. A setting without a value
/// has an empty one.
///
/// ```
/// use ciphermill::settings;
/// assert_eq!(settings("clock_mhz=50,quick").unwrap(), [("clock_mhz", "50"), ("quick", "")]);
/// assert!(settings("").unwrap().is_empty());
/// assert!(settings("queues=2,queues=3").is_err());
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Invalid`] for a setting that is given twice.
pub fn settings(text: &str) -> Result<Vec<(&str, &str)>> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for setting in text.split(',').filter(|setting| !setting.is_empty()) {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        if found.iter().any(|(other, _)| *other == name) {
            return Err(Error::invalid(format!(
                "the setting {name} is given twice: give it once"
            )));
        }
        found.push((name, value));
    }
    Ok(found)
}
