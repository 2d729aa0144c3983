// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a user may set, behind the device's name.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use ciphermill::{Error, Result, settings};

use crate::Implementation;

/// What a user may set. As text: `kernel=tables,chunk_bytes=4194304,queues=3`.
///
/// ```
/// use ciphermill_gpu::{Implementation, Options};
/// let options: Options = "kernel=tables,queues=3".parse().unwrap();
/// assert_eq!(options.implementation, Implementation::Tables);
/// assert_eq!((options.queues, options.chunk_bytes), (3, None));
/// assert_eq!(options.to_string(), ",kernel=tables,queues=3");
/// assert!("speed=11".parse::<Options>().is_err());
/// assert!("kernel=tables,lanes=4".parse::<Options>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How the kernels compute AES.
    pub implementation: Implementation,
    /// Bytes that the device works on at once, so that others may have it in between: 64 KiB to
    /// 1 GiB, where the driver is not to choose.
    pub chunk_bytes: Option<usize>,
    /// Command queues, whose copies and kernels overlap: 1 to 16, by default 2.
    pub queues: usize,
    /// Work-items of a group, a power of two, where the driver is not to choose.
    pub group_items: Option<usize>,
    /// Words that a work-item computes side by side in bit slices (1, 4, 8 or 16), where the
    /// driver is not to choose. CUDA takes 1, and tables take none.
    pub lanes: Option<usize>,
}

/// What can be set, for messages.
const SETTINGS: &str = "kernel=bitsliced, kernel=tables, chunk_bytes=NUMBER, queues=NUMBER, \
                        group_items=NUMBER, lanes=NUMBER and, where a device is opened by its \
                        name, on_loss=DEVICE";

/// Least and most bytes of a chunk.
pub(crate) const CHUNK_BYTES: RangeInclusive<usize> = 64 << 10..=1 << 30;

/// Bytes of a chunk, where neither the user nor the driver chooses.
const DEFAULT_CHUNK_BYTES: usize = 8 << 20;

impl Options {
    /// Bytes of a chunk.
    pub(crate) fn chunk(&self) -> usize {
        self.chunk_bytes.unwrap_or(DEFAULT_CHUNK_BYTES)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            implementation: Implementation::default(),
            chunk_bytes: None,
            queues: 2,
            group_items: None,
            lanes: None,
        }
    }
}

impl fmt::Display for Options {
    /// The settings that are not the defaults, each behind a comma, as they follow a device's name.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = Options::default();
        if self.implementation != default.implementation {
            write!(formatter, ",kernel={}", self.implementation)?;
        }
        if let Some(bytes) = self.chunk_bytes {
            write!(formatter, ",chunk_bytes={bytes}")?;
        }
        if self.queues != default.queues {
            write!(formatter, ",queues={}", self.queues)?;
        }
        if let Some(items) = self.group_items {
            write!(formatter, ",group_items={items}")?;
        }
        if let Some(lanes) = self.lanes {
            write!(formatter, ",lanes={lanes}")?;
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
                "kernel" => options.implementation = value.parse()?,
                "chunk_bytes" => options.chunk_bytes = Some(number(name, value, CHUNK_BYTES)?),
                "queues" => options.queues = number(name, value, 1..=16)?,
                "group_items" => {
                    let items = number(name, value, 1..=1024)?;
                    if !items.is_power_of_two() {
                        return Err(Error::invalid(format!(
                            "group_items is a power of two, not {items}"
                        )));
                    }
                    options.group_items = Some(items);
                }
                "lanes" => {
                    let lanes = number(name, value, 1..=16)?;
                    if ![1, 4, 8, 16].contains(&lanes) {
                        return Err(Error::invalid(format!(
                            "lanes are 1, 4, 8 or 16, not {lanes}"
                        )));
                    }
                    options.lanes = Some(lanes);
                }
                _ => {
                    return Err(Error::invalid(format!(
                        "{name:?} sets nothing of this device: there are {SETTINGS}"
                    )));
                }
            }
        }
        if options.lanes.is_some() && options.implementation != Implementation::Bitsliced {
            return Err(Error::invalid(format!(
                "lanes are words of kernel=bitsliced: leave them out with kernel={}",
                options.implementation
            )));
        }
        Ok(options)
    }
}

fn number(name: &str, value: &str, range: RangeInclusive<usize>) -> Result<usize> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (least, most) = range.into_inner();
        Error::invalid(format!(
            "{name} is a number from {least} to {most}, not {value:?}"
        ))
    })
}
