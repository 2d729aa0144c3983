// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Which rings a device's name means: `linux:`, `linux:0`, `linux:0-3`, `linux:/dev/ciphermill0-3`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use ciphermill::{Error, Result};

use crate::calls::FOLDER;

/// What the names of the driver's files begin with.
const FILE_PREFIX: &str = "ciphermill";

/// Rings that a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Those of every card.
    AnyCard,
    /// Those of one card.
    Card(u32),
    /// This file.
    File(PathBuf),
}

impl FromStr for Place {
    type Err = Error;

    /// The part of a name behind `linux:`.
    fn from_str(text: &str) -> Result<Place> {
        if text.is_empty() {
            return Ok(Place::AnyCard);
        }
        if text.starts_with('/') {
            return Ok(Place::File(text.into()));
        }
        if let Some(card) = number(text) {
            return Ok(Place::Card(card));
        }
        match ring(text) {
            Some(place) => Ok(Place::File(path(place))),
            None => Err(Error::invalid(format!(
                "{text:?} is no ring of the kernel driver: take linux: (any free ring), linux:0 (of card 0), \
                 linux:0-3 (its ring 3) or linux:/dev/ciphermill0-3"
            ))),
        }
    }
}

impl Place {
    /// The rings that it means, of the files with these names: by card and number.
    pub(crate) fn rings(&self, names: &[String]) -> Vec<PathBuf> {
        let card = match self {
            Place::File(path) => return vec![path.clone()],
            Place::Card(card) => Some(*card),
            Place::AnyCard => None,
        };
        let names = names
            .iter()
            .filter_map(|name| name.strip_prefix(FILE_PREFIX));
        let mut rings: Vec<_> = names.filter_map(ring).collect();
        rings.retain(|(of, _)| card.is_none_or(|card| card == *of));
        rings.sort_unstable();
        rings.into_iter().map(path).collect()
    }
}

/// Whether a file's name is that of a ring.
pub(crate) fn is_ring(name: &str) -> bool {
    name.strip_prefix(FILE_PREFIX).and_then(ring).is_some()
}

/// Card and ring of `0-3`.
fn ring(text: &str) -> Option<(u32, u32)> {
    let (card, ring) = text.split_once('-')?;
    Some((number(card)?, number(ring)?))
}

fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn path((card, ring): (u32, u32)) -> PathBuf {
    Path::new(FOLDER).join(format!("{FILE_PREFIX}{card}-{ring}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(place: &str, names: &[&str]) -> Vec<String> {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let rings = place.parse::<Place>().unwrap().rings(&names);
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        rings.into_iter().map(text).collect()
    }

    #[test]
    fn a_name_means_rings_by_card_and_number() {
        let names = [
            "ciphermill1-0",
            "ciphermill0-10",
            "ciphermill0-2",
            "ciphermill0-x",
            "ciphermillion",
            "null",
        ];
        let all = ["0-2", "0-10", "1-0"].map(|ring| format!("/dev/ciphermill{ring}"));
        assert_eq!(rings("", &names), all);
        assert_eq!(rings("0", &names), all[..2]);
        assert_eq!(rings("1", &names), all[2..]);
        assert!(rings("2", &names).is_empty());
        // Whether this file is there is seen when it is opened.
        assert_eq!(rings("5-6", &names), ["/dev/ciphermill5-6"]);
        assert_eq!(rings("/dev/other", &names), ["/dev/other"]);
        assert!(is_ring("ciphermill0-2") && !is_ring("ciphermill0"));
    }

    #[test]
    fn other_names_are_refused_with_those_that_exist() {
        for text in [
            "x",
            "0-",
            "-1",
            "0-1-2",
            "+1",
            "dev/ciphermill0-0",
            "99999999999",
        ] {
            let error = text.parse::<Place>().unwrap_err().to_string();
            assert!(error.contains("linux:0-3"), "{error}");
        }
    }
}
