// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The rings of one queue: the first one that is free, and a further one for each kind of request
//! that those before do not have.

use std::sync::{Arc, Mutex, PoisonError};

use ciphermill::{Error, Request, Result};

use crate::calls::Files;
use crate::place::Place;
use crate::ring::Ring;

/// Rings that a queue has taken, and where it takes others from.
pub(crate) struct Rings {
    files: Arc<dyn Files>,
    place: Place,
    taken: Mutex<Vec<Arc<Ring>>>,
}

impl Rings {
    /// Take the first ring that is free.
    ///
    /// # Errors
    /// As [`take`].
    pub(crate) fn new(files: Arc<dyn Files>, place: Place) -> Result<Rings> {
        let first = take(&*files, &place, |_| true)?;
        Ok(Rings {
            files,
            place,
            taken: Mutex::new(vec![Arc::new(first)]),
        })
    }

    /// A ring for this request. Without one that has it, the first one, which says what it lacks.
    ///
    /// # Errors
    /// As [`take`], where rings that have it are there and busy.
    pub(crate) fn get(&self, request: &Request) -> Result<Arc<Ring>> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let has = |ring: &Ring| ring.identity().has(request);
        if let Some(ring) = taken.iter().find(|ring| has(ring)) {
            return Ok(Arc::clone(ring));
        }
        let found = take(&*self.files, &self.place, has);
        match (found, taken.first()) {
            (Ok(ring), _) => {
                let ring = Arc::new(ring);
                taken.push(Arc::clone(&ring));
                Ok(ring)
            }
            (Err(_), Some(first)) => Ok(Arc::clone(first)),
            (Err(error), None) => Err(error),
        }
    }
}

/// Take the first ring at a place that is free and wanted.
///
/// # Errors
/// [`ciphermill::ErrorKind::Device`]: there is none, or other processes have all of them, or the
/// driver cannot be worked with.
pub(crate) fn take(
    files: &dyn Files,
    place: &Place,
    wanted: impl Fn(&Ring) -> bool,
) -> Result<Ring> {
    let mut failed = None;
    let mut busy = 0;
    for path in paths(files, place)? {
        match Ring::take(files, &path) {
            Ok(Some(ring)) if wanted(&ring) => return Ok(ring),
            Ok(Some(_)) => {}
            Ok(None) => busy += 1,
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    Err(failed.unwrap_or_else(|| all_busy(busy)))
}

/// Every ring at a place that is free.
///
/// # Errors
/// As [`take`].
pub(crate) fn free(files: &dyn Files, place: &Place) -> Result<Vec<Ring>> {
    let mut free = Vec::new();
    let mut busy = 0;
    for path in paths(files, place)? {
        match Ring::take(files, &path)? {
            Some(ring) => free.push(ring),
            None => busy += 1,
        }
    }
    match free.is_empty() {
        true => Err(all_busy(busy)),
        false => Ok(free),
    }
}

fn paths(files: &dyn Files, place: &Place) -> Result<Vec<std::path::PathBuf>> {
    let names = files
        .names()
        .map_err(|error| Error::io("looking for the kernel driver's files in /dev", error))?;
    let paths = place.rings(&names);
    match paths.is_empty() {
        true => Err(Error::device(
            "there is no such /dev/ciphermill*: is the card in this machine, and the kernel driver loaded \
             (modprobe ciphermill)?",
        )),
        false => Ok(paths),
    }
}

fn all_busy(busy: usize) -> Error {
    Error::device(match busy {
        1 => "the ring is busy: another process has it; end that one, or name another ring"
            .to_owned(),
        _ => format!("all {busy} rings are busy: other processes have them; end one, or wait"),
    })
}
