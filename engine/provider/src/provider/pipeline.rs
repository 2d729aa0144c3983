// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The pipes of a pipeline on the device.

use std::sync::Arc;

use ciphermill::{Direction, Key, Mode};

use super::Provider;
use crate::counters::add;
use crate::failure::Outcome;
use crate::runtime::Unavailable;
use crate::side_by_side::{self, Flow};
use crate::threshold::Of;
use crate::work::CipherKey;

impl Provider {
    /// How the device is asked for an update of pipes, of so many bytes together; `None` where
    /// software is to do it.
    ///
    /// # Errors
    /// As [`Provider::choose`].
    pub(crate) fn choose_pipeline(
        &self,
        mode: Mode,
        direction: Direction,
        key: &Arc<Key>,
        bytes: usize,
    ) -> Outcome<Option<CipherKey>> {
        if !self.may_choose(bytes) {
            return Ok(None);
        }
        self.choose_long(Of::Pipeline, mode, direction, key, bytes)
    }

    /// Run the flows on the device. Each keeps account of how far it came: software goes on from
    /// there.
    ///
    /// # Errors
    /// As [`Provider::run`].
    pub(crate) fn run_side_by_side(&self, mut flows: Vec<&mut Flow<'_>>) -> Outcome<()> {
        let runtime = self.runtime();
        let Some(capabilities) = self.capabilities()? else {
            return Ok(());
        };
        let most = capabilities.channels.min(flows.len());
        let outcome = match runtime.sessions(&*self.opener, most) {
            Ok(leases) => {
                side_by_side::run(leases, flows.iter_mut().map(|flow| &mut **flow).collect())
            }
            Err(Unavailable::Paused) => return Ok(()),
            Err(Unavailable::Failed(error)) => Err(error),
        };
        let counters = &runtime.account.counters;
        for bytes in flows.iter().map(|flow| flow.done_bytes()) {
            if bytes > 0 {
                Provider::count_on_device(runtime, bytes);
                add(&counters.device_pipes, 1);
            }
        }
        match outcome {
            Ok(()) => {
                runtime.account.note();
                Ok(())
            }
            Err(error) => self.after_failure(runtime, &error),
        }
    }

    /// Updates of so many pipes were done in software.
    pub(crate) fn count_software_pipes(&self, pipes: usize) {
        add(&self.runtime().account.counters.software_pipes, pipes);
    }
}
