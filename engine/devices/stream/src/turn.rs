// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Waiting for a channel that other clients have.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use ciphermill::{Cancellation, Error, Result};
use rustix::event::{Timespec, poll};
use rustix::io::Errno;

/// The setting in a device's name.
const SETTING: &str = ",wait_seconds=";

/// The longest wait, in seconds.
const LONGEST_SECONDS: u64 = 86_400;

/// How long a waiting client sleeps between two attempts.
const PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 10_000_000,
};

/// How long a client waits for a channel when none is free: 0 to 86,400 whole seconds. Clients that
/// wait are served in no particular order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    seconds: u64,
}

impl Turn {
    /// No wait: the device is busy at once.
    pub const NONE: Turn = Turn { seconds: 0 };

    /// The directory and the wait in `DIRECTORY` or `DIRECTORY,wait_seconds=NUMBER`.
    ///
    /// Fails with [`ciphermill::ErrorKind::Invalid`] for a number that is not in the range.
    ///
    /// ```
    /// use ciphermill_stream::Turn;
    /// let (directory, turn) = Turn::of("/tmp/board,wait_seconds=60").unwrap();
    /// assert_eq!(directory.to_str(), Some("/tmp/board"));
    /// assert_ne!(turn, Turn::NONE);
    /// assert!(Turn::of("/tmp/board,wait_seconds=soon").is_err());
    /// ```
    pub fn of(place: &str) -> Result<(&Path, Turn)> {
        let Some((directory, number)) = place.rsplit_once(SETTING) else {
            return Ok((Path::new(place), Turn::NONE));
        };
        let seconds = number.parse().ok();
        match seconds.filter(|seconds| *seconds <= LONGEST_SECONDS) {
            Some(seconds) => Ok((Path::new(directory), Turn { seconds })),
            None => Err(Error::invalid(format!(
                "wait_seconds={number} of a device is not a whole number from 0 to {LONGEST_SECONDS}"
            ))),
        }
    }

    /// Try until something is there, or the time is over: then `None`.
    ///
    /// Fails as `attempt` does, and with [`ciphermill::ErrorKind::Cancelled`] when it is cancelled or
    /// a signal comes.
    pub(crate) fn wait<T>(
        self,
        cancellation: &Cancellation,
        mut attempt: impl FnMut() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let deadline = Instant::now() + Duration::from_secs(self.seconds);
        loop {
            if let Some(found) = attempt()? {
                return Ok(Some(found));
            }
            cancellation.check()?;
            if Instant::now() >= deadline {
                return Ok(None);
            }
            // A program that is interrupted while it opens a device wants to end.
            if poll(&mut [], Some(&PAUSE)) == Err(Errno::INTR) {
                cancellation.cancel();
            }
        }
    }
}

/// As it stands in a device's name: nothing where there is no wait.
impl fmt::Display for Turn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Turn::NONE => Ok(()),
            Turn { seconds } => write!(formatter, "{SETTING}{seconds}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermill::ErrorKind;

    #[test]
    fn a_name_says_how_long_to_wait() {
        let of = |place| Turn::of(place).map(|(path, turn)| (path.to_owned(), turn.to_string()));
        assert_eq!(of("/a,b").unwrap(), ("/a,b".into(), String::new()));
        let text = ",wait_seconds=60".to_owned();
        assert_eq!(of("/a,wait_seconds=60").unwrap(), ("/a".into(), text));
        for number in ["", "-1", "1.5", "86401", "soon"] {
            let error = Turn::of(&format!("/a,wait_seconds={number}")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{number}");
        }
    }

    #[test]
    fn a_wait_ends_with_success_with_its_time_or_with_a_cancellation() {
        let never = Cancellation::new();
        let mut left = 3;
        let mut third = || {
            left -= 1;
            Ok((left == 0).then_some(()))
        };
        let long = Turn { seconds: 600 };
        assert!(long.wait(&never, &mut third).unwrap().is_some());
        assert!(
            Turn::NONE
                .wait(&never, || Ok(None::<()>))
                .unwrap()
                .is_none()
        );
        let stopped = Cancellation::new();
        stopped.cancel();
        let error = long.wait(&stopped, || Ok(None::<()>)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
}
