// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Settings: the provider's section in openssl.cnf, and the environment above it.

use std::path::PathBuf;

use ciphermill::{Error, Result};

/// What to do with an operation whose device fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// It is completed in software.
    Software,
    /// It fails.
    Fail,
}

/// From how many bytes on an update goes to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threshold {
    /// From where the device is faster than software, as measured.
    Calibrated,
    /// From so many bytes on.
    Bytes(usize),
    /// Nothing does.
    Never,
}

/// Keys of elliptic curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// They are not offered.
    No,
    /// Programs may read the private keys.
    Yes,
    /// The device holds the private keys that it generates, and none is given out.
    Held,
}

impl Keys {
    /// Whether keys are offered, with ECDSA and ECDH.
    pub(crate) fn are_offered(self) -> bool {
        self != Keys::No
    }

    /// Whether no private key is given out.
    pub(crate) fn are_held(self) -> bool {
        self == Keys::Held
    }
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Config {
    /// The device's name.
    pub device: String,
    /// The folder of built models, for `model:NAME`.
    pub models: Option<PathBuf>,
    /// What a failing device means.
    pub on_failure: OnFailure,
    /// What goes to the device.
    pub threshold: Threshold,
    /// Whether CBC is offered.
    pub cbc: bool,
    /// Whether digests are offered.
    pub digests: bool,
    /// Whether message authentication codes are offered.
    pub macs: bool,
    /// Whether keys of elliptic curves are offered, with ECDSA and ECDH, and who holds them.
    pub keys: Keys,
    /// The file that the counters are added to.
    pub log: Option<PathBuf>,
}

/// Devices that are OpenSSL: within it they would wait for themselves while it loads its
/// configuration, call the provider back, and their threads would not survive a fork.
const INSIDE_OPENSSL: [&str; 2] = ["software", "software+"];

impl Config {
    /// Read the settings. `section` and `environment` give the value of a name; the
    /// environment counts more.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] for a value that a setting does not have, and
    /// for a device that is OpenSSL itself.
    pub(crate) fn read(
        section: impl Fn(&str) -> Option<String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Config> {
        let value = |name: &str| setting(name, &section, &environment);
        // One that is off by default.
        let is_on = |name: &str| match value(name).as_deref() {
            None | Some("no") => Ok(false),
            Some("yes") => Ok(true),
            Some(other) => Err(wrong(name, other, "yes or no")),
        };
        let device = value("device").unwrap_or_else(|| "cpu".to_owned());
        if INSIDE_OPENSSL.contains(&device.as_str()) {
            return Err(Error::invalid(format!(
                "device = {device}: that is OpenSSL itself, which cannot be a device to \
                 OpenSSL: choose cpu, which has the AES instructions too"
            )));
        }
        Ok(Config {
            device,
            models: value("models").map(PathBuf::from),
            on_failure: match value("on_failure").as_deref() {
                None | Some("software") => OnFailure::Software,
                Some("fail") => OnFailure::Fail,
                Some(other) => return Err(wrong("on_failure", other, "software or fail")),
            },
            threshold: match value("threshold").as_deref() {
                None | Some("auto") => Threshold::Calibrated,
                Some("never") => Threshold::Never,
                Some(number) => {
                    Threshold::Bytes(number.parse().map_err(|_| {
                        wrong("threshold", number, "auto, never or a number of bytes")
                    })?)
                }
            },
            cbc: is_on("cbc")?,
            digests: is_on("digests")?,
            macs: is_on("macs")?,
            keys: match value("keys").as_deref() {
                None | Some("no") => Keys::No,
                Some("yes") => Keys::Yes,
                Some("held") => Keys::Held,
                Some(other) => return Err(wrong("keys", other, "yes, no or held")),
            },
            log: log_path(&section, &environment),
        })
    }
}

/// The log alone, for when the other settings are wrong.
pub(crate) fn log_path(
    section: impl Fn(&str) -> Option<String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Option<PathBuf> {
    setting("log", section, environment).map(PathBuf::from)
}

/// The value of a setting in the environment, else in the section.
fn setting(
    name: &str,
    section: impl Fn(&str) -> Option<String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let variable = match name {
        "log" => "CIPHERMILL_PROVIDER_LOG".to_owned(),
        _ => format!("CIPHERMILL_{}", name.to_uppercase()),
    };
    environment(&variable)
        .filter(|value| !value.is_empty())
        .or_else(|| section(name))
}

fn wrong(name: &str, value: &str, choice: &str) -> Error {
    Error::invalid(format!("{name} = {value}: choose {choice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(section: &[(&str, &str)], environment: &[(&str, &str)]) -> Result<Config> {
        let find = |pairs: &[(&str, &str)], name: &str| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Config::read(|name| find(section, name), |name| find(environment, name))
    }

    #[test]
    fn nothing_set_is_the_processor() {
        let config = read(&[], &[]).unwrap();
        assert_eq!(config.device, "cpu");
        assert_eq!(config.on_failure, OnFailure::Software);
        assert_eq!(config.threshold, Threshold::Calibrated);
        assert_eq!((config.log, config.models), (None, None));
        assert!(!config.cbc);
        assert!(read(&[("cbc", "yes")], &[]).unwrap().cbc);
        assert!(!config.keys.are_offered());
        let keys = |value| read(&[("keys", value)], &[]).unwrap().keys;
        assert_eq!((keys("yes"), keys("held")), (Keys::Yes, Keys::Held));
    }

    #[test]
    fn the_environment_counts_more_than_the_section_unless_it_is_empty() {
        let section = [
            ("device", "software"),
            ("threshold", "4096"),
            ("log", "/a"),
            ("on_failure", "fail"),
        ];
        let config = read(
            &section,
            &[("CIPHERMILL_DEVICE", "cpu"), ("CIPHERMILL_THRESHOLD", "")],
        )
        .unwrap();
        assert_eq!(config.device, "cpu");
        assert_eq!(config.threshold, Threshold::Bytes(4096));
        assert_eq!(config.on_failure, OnFailure::Fail);
        assert_eq!(config.log, Some(PathBuf::from("/a")));
    }

    #[test]
    fn openssl_is_no_device_to_itself() {
        for device in INSIDE_OPENSSL {
            let error = read(&[], &[("CIPHERMILL_DEVICE", device)]).unwrap_err();
            assert!(error.to_string().contains("choose cpu"), "{error}");
        }
    }

    #[test]
    fn wrong_values_are_named_with_what_to_choose() {
        for (name, value) in [
            ("threshold", "4 KiB"),
            ("threshold", "-1"),
            ("on_failure", ""),
            ("cbc", "1"),
            ("digests", "1"),
            ("macs", "1"),
            ("keys", "1"),
        ] {
            let error = read(&[(name, value)], &[]).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("choose"), "{error}");
        }
    }
}
