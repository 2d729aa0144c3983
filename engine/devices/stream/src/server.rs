// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The other side of the device files: a simulation behind them.

use std::path::Path;

use ciphermill::{Cancellation, Result};
use ciphermill_accelerator::Simulation;

use crate::Description;
use crate::event::Event;
use crate::files;
use crate::offer::Offer;
use crate::patience::STARVED_MILLISECONDS;
use crate::service::{SLICE_CYCLES, Service};

/// Cycles that pass when the device wants input and the clients have none for a
/// while: what is in the device comes out, at a cost that the counters show.
const IDLE_CYCLES: u64 = 256;

/// How long the server sleeps at most before it looks whether it should stop.
const SLEEP_MILLISECONDS: u32 = 100;

/// Serve the channels of a simulation as device files in a directory, each to one client at a
/// time, until `stop` is set; the files are then removed. A server that was killed leaves its
/// files; the next one replaces them.
///
/// Simulated time passes in register accesses and while a message runs. It stands while a
/// message waits for a client. Where messages of other channels run, it stands for 20 milliseconds
/// at most, and for a client that is always late not at all.
///
/// Fails when the files cannot be made, another server has the directory, or the
/// simulation fails.
pub fn serve<S: Simulation>(
    channels: Vec<S>,
    description: &Description,
    directory: &Path,
    stop: &Cancellation,
    on_event: &mut dyn FnMut(Event),
) -> Result<()> {
    let replaced = &mut || on_event(Event::Replaced);
    let offer = Offer::new(directory, channels.len(), description, replaced)?;
    let channels = channels.into_iter().zip(&offer.ports);
    let mut services: Vec<_> = channels
        .map(|(simulation, port)| Service::new(simulation, port))
        .collect();
    on_event(Event::Ready);
    while !stop.is_cancelled() {
        let mut active = false;
        for service in &mut services {
            active |= service.serve(on_event)?;
        }
        active |= pass(&mut services)?;
        if !active {
            sleep(&mut services)?;
        }
    }
    services
        .iter_mut()
        .try_for_each(|service| service.close(on_event))
}

/// Let a slice of time pass on all channels, where a message can go on and none waits for its
/// client. Whether time has passed.
fn pass<S: Simulation>(services: &mut [Service<'_, S>]) -> Result<bool> {
    let mut held = false;
    for service in services.iter_mut() {
        held |= service.holds_time(); // which counts the time, and so is asked of every channel
    }
    if held || !services.iter().any(Service::can_go_on) {
        return Ok(false);
    }
    let advanced = services[0].advance(SLICE_CYCLES)?;
    let alone = services.len() == 1;
    for service in services.iter_mut().filter(|one| one.can_go_on()) {
        service.time_has_passed(advanced, alone)?;
    }
    Ok(true)
}

/// Wait for the clients. Where all messages have waited for theirs long enough, let time pass.
fn sleep<S: Simulation>(services: &mut [Service<'_, S>]) -> Result<()> {
    let starved = services.iter().any(Service::is_starved);
    let limit = match services.iter().any(Service::waits_for_client) {
        true => STARVED_MILLISECONDS,
        false => SLEEP_MILLISECONDS,
    };
    let mut ready: Vec<_> = services.iter().flat_map(Service::awaited).collect();
    files::wait(&mut ready, limit)?;
    let nothing = ready.iter().all(|file| file.revents().is_empty());
    drop(ready);
    if starved && nothing && !services.iter().any(Service::can_go_on) {
        services[0].advance(IDLE_CYCLES)?;
    }
    Ok(())
}
