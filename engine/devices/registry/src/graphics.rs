// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices of a driver that are numbered: `opencl`, `opencl:1`, `opencl:1,kernel=tables`.

use std::io::{self, Write};
use std::sync::Arc;

use ciphermill::{Device, Error, Result};

use crate::is_privileged;
use crate::loss::Replaceable;

/// The setting that names the device on which work goes on when this one is lost.
const ON_LOSS: &str = "on_loss=";

/// Opens the device of a number with settings.
type Open = fn(Option<usize>, &str) -> Result<Arc<dyn Device>>;

/// The devices of one driver.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    open: Open,
    count: fn() -> usize,
}

/// The drivers. A new one is a row here. Miri runs no foreign code, which all of them need.
pub(crate) const FAMILIES: &[Family] = &[
    #[cfg(not(miri))]
    Family {
        name: "cuda",
        open: |number, settings| {
            let device = ciphermill_cuda::open(number, settings.parse()?)?;
            Ok(Arc::new(device))
        },
        count: || ciphermill_cuda::list().len(),
    },
    #[cfg(not(miri))]
    Family {
        name: "opencl",
        open: |number, settings| {
            Ok(Arc::new(ciphermill_opencl::open(
                number,
                settings.parse()?,
            )?))
        },
        count: || ciphermill_opencl::list().len(),
    },
];

impl Family {
    /// The family of a device's name, and what follows its own.
    pub(crate) fn of(name: &str) -> Option<(&'static Family, &str)> {
        FAMILIES.iter().find_map(|family| {
            let rest = name.strip_prefix(family.name)?;
            let ends = rest.is_empty() || rest.starts_with([':', ',']);
            ends.then_some((family, rest))
        })
    }

    /// Open the device with this number and these settings: `:1,kernel=tables`.
    pub(crate) fn open(&self, rest: &str) -> Result<Arc<dyn Device>> {
        if is_privileged() {
            return Err(Error::unsupported(format!(
                "this program runs with more rights than its user has, and the environment says \
                 which drivers {} loads: choose another device",
                self.name
            )));
        }
        let (place, settings) = rest.split_once(',').unwrap_or((rest, ""));
        let number = match place.strip_prefix(':') {
            None => None,
            Some(number) => Some(number.parse().map_err(|_| {
                Error::invalid(format!(
                    "{number:?} is no number of a device: take {0}, {0}:0 or {0}:1",
                    self.name
                ))
            })?),
        };
        let is_on_loss = |setting: &&str| setting.starts_with(ON_LOSS);
        let (on_loss, others): (Vec<_>, Vec<_>) = settings.split(',').partition(is_on_loss);
        let spare = match on_loss[..] {
            [] => return (self.open)(number, settings),
            [setting] => &setting[ON_LOSS.len()..],
            _ => {
                return Err(Error::invalid(format!(
                    "{ON_LOSS} is given twice: name one device"
                )));
            }
        };
        let spare = crate::on_this_machine(spare).ok_or_else(|| {
            Error::invalid(format!(
                "{ON_LOSS} names a device of the processor, such as cpu or software, not {spare:?}"
            ))
        })?;
        let first = (self.open)(number, &others.join(","))?;
        let warn = |text: &str| {
            // Without a standard error nobody can be warned, and the work goes on all the same.
            let _ = writeln!(io::stderr(), "ciphermill: warning: {text}");
        };
        Ok(Arc::new(Replaceable::new(first, spare()?, warn)))
    }

    /// The names of those that are here. It loads the driver.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let count = if is_privileged() { 0 } else { (self.count)() };
        (0..count).map(|number| format!("{}:{number}", self.name))
    }
}
