// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! How long a device may make no progress.

use std::time::{Duration, Instant};

use ciphermill::{Error, ErrorKind, Result};

/// Least number of waits without progress before time counts: a host that was
/// suspended for an hour has not waited for an hour.
const WAITS_WITHOUT_PROGRESS: u32 = 20;

/// Tells a slow device from a dead one.
pub(crate) struct Patience {
    limit: Duration,
    since: Instant,
    /// Waits since the last progress.
    pub waits: u32,
}

impl Patience {
    pub fn new(limit: Duration) -> Patience {
        Patience {
            limit,
            since: Instant::now(),
            waits: 0,
        }
    }

    pub fn progress(&mut self) {
        self.waits = 0;
    }

    pub fn waited(&mut self) -> Result<()> {
        if self.waits == 0 {
            self.since = Instant::now();
        }
        self.waits = self.waits.saturating_add(1);
        if self.waits > WAITS_WITHOUT_PROGRESS && self.since.elapsed() >= self.limit {
            return Err(Error::new(
                ErrorKind::Device,
                format!(
                    "the accelerator has made no progress for {:.0} seconds",
                    self.limit.as_secs_f64()
                ),
            ));
        }
        Ok(())
    }
}
