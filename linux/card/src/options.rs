// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use ciphermill_card::card::{Faults, Settings, number};
use ciphermill_card::model::Link;

/// What `--help` prints.
pub const HELP: &str = "\
The card of hw/card, in software or simulated, on the PCI bus of a Linux kernel (User Mode Linux):
virtio_uml.device=SOCKET:1234 on the kernel's command line.

Usage: card [OPTION]... SOCKET

  --rings N           rings and vectors, 1 to 32 (6)
  --key-slots N       key slots of each ring, 0 to 255 (8)
  --log2-entries N    base-2 logarithm of the most entries of a ring, 0 to 31 (10)
  --khz N             the clock, which times interrupts (100000)
  --fault KIND=VALUE  hang, wedge, dead, hang-error, lose-interrupt, spurious-interrupt,
                      fetch-error, completion-error, read-error, write-error, wrong-cookie,
                      wrong-count, wrong-phase, remove. VALUE is N: once, at the Nth time;
                      every:N; random:N: one in N; never.
                      delay=N: each message takes N microseconds longer
  --lie NAME=VALUE    what a register says: identification, version, rings, key-slots,
                      log2-entries, data-bytes, clock, channel-offset, ring-identification,
                      ring-version, channel-identification, channel-version,
                      channel-capability
  --seed N            of the faults at random, 1 to 4294967295 (1)
  --model LIBRARY     the RTL, simulated: what scripts/build_card.py built. Its build is that of
                      the library, and it has no faults and does not lie
  --latency N         of the model: cycles from a request to the memory's answer, from 1 (64)
  --bytes-per-cycle N of the model: what the link to the memory moves each way (as the bus)
  --control FOLDER    carry out the commands in FOLDER/NAME.do (README.md)
  --help

The process ends when the kernel does. linux/card/README.md says more.
";

/// The options.
pub struct Options {
    /// The socket.
    pub socket: PathBuf,
    /// The folder of commands.
    pub control: Option<PathBuf>,
    /// The build of the card.
    pub settings: Settings,
    /// What is to go wrong.
    pub faults: Faults,
    /// The library of the simulated card, instead of that in software.
    pub model: Option<PathBuf>,
    /// Of the simulated card.
    pub link: Link,
}

impl Options {
    /// Read the arguments; none where they ask for help.
    ///
    /// # Errors
    /// They are none of these.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>, String> {
        let mut arguments = arguments.into_iter();
        let (mut socket, mut control, mut model) = (None, None, None);
        let mut link = Link::default();
        let mut settings = Settings::default();
        let (mut faults, mut lies, mut seed) = (Vec::new(), Vec::new(), 1);
        while let Some(argument) = arguments.next() {
            let option = argument.to_str().filter(|text| text.starts_with('-'));
            let Some(option) = option else {
                if socket.replace(PathBuf::from(&argument)).is_some() {
                    return Err("name one socket".to_owned());
                }
                continue;
            };
            if option == "--help" {
                return Ok(None);
            }
            let value = (arguments.next()).ok_or_else(|| format!("{option} needs a value"))?;
            let path = match option {
                "--control" => Some(&mut control),
                "--model" => Some(&mut model),
                _ => None,
            };
            if let Some(path) = path {
                *path = Some(PathBuf::from(value));
                continue;
            }
            let value = value
                .into_string()
                .map_err(|_| format!("the value of {option} is no text"))?;
            let byte = || small(option, &value);
            match option {
                "--rings" => settings.rings = byte()?,
                "--key-slots" => settings.key_slots = byte()?,
                "--log2-entries" => settings.log2_entries = byte()?,
                "--khz" => settings.khz = number(&value)?,
                "--seed" => seed = number(&value)?,
                "--fault" => faults.push(value),
                "--lie" => lies.push(value),
                "--latency" => link.latency = number(&value)?,
                "--bytes-per-cycle" => link.bytes_per_cycle = number(&value)?,
                _ => return Err(format!("{option} is no option")),
            }
        }
        settings.check()?;
        let is_of_software =
            settings != Settings::default() || !faults.is_empty() || !lies.is_empty();
        if model.is_some() && is_of_software {
            return Err("a model has a build of its own, no faults and no lies".to_owned());
        }
        if model.is_none() && link != Link::default() {
            return Err("the link is one of a model".to_owned());
        }
        let planned = Faults::new(seed.into());
        faults.iter().try_for_each(|text| planned.set(text))?;
        lies.iter().try_for_each(|text| planned.lie(text))?;
        Ok(Some(Options {
            socket: socket.ok_or("name the socket")?,
            control,
            settings,
            faults: planned,
            model,
            link,
        }))
    }
}

fn small(option: &str, value: &str) -> Result<u8, String> {
    number(value)?
        .try_into()
        .map_err(|_| format!("{option} is at most 255"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermill_card::card::{Fault, Lie};

    fn parse(line: &str) -> Result<Option<Options>, String> {
        Options::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn all_options_are_read() {
        let line = "--rings 2 --key-slots 0 --log2-entries 0x4 --khz 7 --fault hang=every:3 \
                    --lie rings=0 --seed 9 --control folder socket";
        let options = parse(line).unwrap().unwrap();
        assert_eq!(options.socket, PathBuf::from("socket"));
        assert_eq!(options.control, Some(PathBuf::from("folder")));
        let expected = Settings {
            rings: 2,
            key_slots: 0,
            log2_entries: 4,
            khz: 7,
        };
        assert_eq!(options.settings, expected);
        let line = "--model m.so --latency 9 --bytes-per-cycle 8 --control folder socket";
        let options = parse(line).unwrap().unwrap();
        assert_eq!(options.model, Some(PathBuf::from("m.so")));
        let expected = Link {
            latency: 9,
            bytes_per_cycle: 8,
        };
        assert_eq!(options.link, expected);
        assert!(parse("socket").unwrap().unwrap().settings == Settings::default());
        assert!(parse("socket --help").unwrap().is_none());
    }

    #[test]
    fn what_is_none_is_refused() {
        for (line, reason) in [
            ("", "name the socket"),
            ("a b", "name one socket"),
            ("--rings 0 a", "1 to 32 rings"),
            ("--rings 300 a", "at most 255"),
            ("--rings", "needs a value"),
            ("--ring 3 a", "no option"),
            ("--fault hang a", "not NAME=VALUE"),
            ("--lie hang=1 a", "choose from"),
            ("--model m.so --rings 2 a", "build of its own"),
            ("--model m.so --fault hang=1 a", "no faults"),
            ("--model m.so --lie rings=1 a", "no lies"),
            ("--latency 9 a", "one of a model"),
        ] {
            let error = parse(line).err().unwrap();
            assert!(error.contains(reason), "{line}: {error}");
        }
    }

    #[test]
    fn the_help_names_all_that_can_go_wrong() {
        for name in (Fault::ALL.iter().map(|fault| fault.name()))
            .chain(Lie::ALL.iter().map(|lie| lie.name()))
        {
            assert!(HELP.contains(&format!(" {name}")), "{name}");
        }
    }
}
