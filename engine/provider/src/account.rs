// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What one process has counted, and the log that it goes to.
//!
//! A line is written while the process works, by the thread that has just counted
//! something: a process that a signal ends has left its counters, without a signal handler
//! of ours. Each line replaces those that the process wrote before.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ciphermill::{Direction, Mode};

use crate::counters::Counters;
use crate::ffi::process::file_size_limit;
use crate::threshold::Thresholds;

/// Where an account goes, and what it is called there.
#[derive(Clone)]
pub(crate) struct Log {
    pub path: PathBuf,
    pub device: String,
}

/// What one process has counted.
pub(crate) struct Account {
    /// What went where.
    pub counters: Counters,
    /// From how many bytes on the device is faster.
    pub thresholds: Thresholds,
    log: Option<Log>,
    began: Instant,
    /// [`Counters::total`] at the last line.
    logged_total: AtomicU64,
    /// When the last line was written, in milliseconds since the beginning.
    logged_at: AtomicU64,
    /// Lines so far.
    lines: AtomicU64,
}

/// Shortest time between two lines, but for counters that have grown by [`GROWTH`].
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time between two lines of a process that counts all the time.
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
/// The interval is this part of the process's age.
const AGE_PARTS: u32 = 60;
/// A line is due when the counters have grown by this part of what the last one says.
const GROWTH: u64 = 4;

impl Account {
    /// An empty one.
    pub(crate) fn new(log: Option<Log>, thresholds: Thresholds) -> Account {
        Account {
            counters: Counters::default(),
            thresholds,
            log,
            began: Instant::now(),
            logged_total: AtomicU64::new(0),
            logged_at: AtomicU64::new(0),
            lines: AtomicU64::new(0),
        }
    }

    /// For a forked child, which has counted nothing.
    pub(crate) fn renewed(&self) -> Account {
        Account::new(self.log.clone(), self.thresholds.clone())
    }

    /// Something was counted: write a line where one is due.
    pub(crate) fn note(&self) {
        let Some(log) = &self.log else { return };
        let total = self.counters.total();
        let logged = self.logged_total.load(Ordering::Relaxed);
        let age = self.began.elapsed();
        let since = age.saturating_sub(Duration::from_millis(
            self.logged_at.load(Ordering::Relaxed),
        ));
        if !is_due(logged, total, since, age) {
            return;
        }
        // One of the threads that come here at once writes it.
        let order = Ordering::Relaxed;
        let turn = self
            .logged_total
            .compare_exchange(logged, total, order, order);
        if turn.is_ok() {
            self.write(log, age);
        }
    }

    /// Write a line where there is anything that no line says yet.
    pub(crate) fn settle(&self) {
        let Some(log) = &self.log else { return };
        let total = self.counters.total();
        let logged = self.logged_total.swap(total, Ordering::Relaxed);
        if logged != total || self.lines.load(Ordering::Relaxed) == 0 {
            self.write(log, self.began.elapsed());
        }
    }

    fn write(&self, log: &Log, age: Duration) {
        let millis = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        self.logged_at.store(millis, Ordering::Relaxed);
        self.lines.fetch_add(1, Ordering::Relaxed);
        append(&log.path, &self.line(&log.device));
    }

    /// A JSON object and the line's end.
    fn line(&self, device: &str) -> String {
        let mut line = format!("{{{}, \"device\": \"{}\"", origin(), escaped(device));
        for (name, value) in self.counters.values() {
            line += &format!(", \"{name}\": {value}");
        }
        let thresholds: Vec<String> = self
            .thresholds()
            .into_iter()
            .map(|(name, bytes)| match bytes {
                Some(bytes) => format!("\"{name}\": {bytes}"),
                None => format!("\"{name}\": \"never\""),
            })
            .collect();
        line + &format!(", \"thresholds\": {{{}}}}}\n", thresholds.join(", "))
    }

    /// The thresholds that are known: mode and direction, bytes (`None`: never).
    fn thresholds(&self) -> Vec<(String, Option<usize>)> {
        let mut known = Vec::new();
        for mode in Mode::ALL {
            for (direction, name) in [
                (Direction::Encrypt, "encrypt"),
                (Direction::Decrypt, "decrypt"),
            ] {
                if let Some(bytes) = self.thresholds.known(mode, direction) {
                    let bytes = (bytes != usize::MAX).then_some(bytes);
                    known.push((format!("{mode}-{name}"), bytes));
                }
            }
        }
        known
    }

    /// Add a line to the log: something that the administrator should know.
    pub(crate) fn complain(&self, error: &str) {
        if let Some(log) = &self.log {
            log_error(&log.path, error);
        }
    }
}

/// Whether a line is due: the total was `logged` at the last one, which is so long ago.
fn is_due(logged: u64, total: u64, since: Duration, age: Duration) -> bool {
    let interval = (age / AGE_PARTS).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL);
    let growth = total.saturating_sub(logged);
    growth > 0 && (growth > logged / GROWTH || since >= interval)
}

/// Add a line with an error to a log.
pub(crate) fn log_error(path: &Path, error: &str) {
    let error = escaped(error);
    append(path, &format!("{{{}, \"error\": \"{error}\"}}\n", origin()));
}

/// Who writes a line, and when: what every line begins with.
fn origin() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs());
    format!("\"process\": {}, \"time\": {seconds}", std::process::id())
}

/// In one write, so that lines of several processes stay whole. There is nobody to tell that
/// it cannot be written.
fn append(path: &Path, line: &str) {
    let _ = OpenOptions::new()
        .create(true)
        .append(true)
        // Opening a pipe that nobody reads would wait.
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .and_then(|mut file| match takes(&file, line.len() as u64)? {
            true => file.write_all(line.as_bytes()),
            false => Ok(()),
        });
}

/// Whether writing so many bytes raises no signal, which could end the program: SIGPIPE
/// comes of pipes alone, SIGXFSZ of files beyond the process's limit.
fn takes(file: &File, bytes: u64) -> std::io::Result<bool> {
    let about = file.metadata()?;
    Ok(about.is_file() && about.len() + bytes <= file_size_limit())
}

/// As the contents of a JSON string.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|character| match character {
            '"' | '\\' => vec!['\\', character],
            control if u32::from(control) < 0x20 => vec![' '],
            other => vec![other],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::add;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn names_in_the_log_are_escaped() {
        assert_eq!(escaped("stream:/a\"b\\c\n"), "stream:/a\\\"b\\\\c ");
    }

    #[test]
    fn a_line_is_due_when_the_counters_have_grown_or_time_has_passed() {
        let now = Duration::ZERO;
        assert!(is_due(0, 1, now, now));
        assert!(!is_due(0, 0, 9 * SECOND, 9 * SECOND));
        assert!(!is_due(800, 1000, now, SECOND));
        assert!(is_due(800, 1001, now, SECOND));
        assert!(is_due(800, 801, SECOND, SECOND));
        // Ever more seldom, but once a minute.
        assert!(!is_due(800, 801, 9 * SECOND, 600 * SECOND));
        assert!(is_due(800, 801, 10 * SECOND, 600 * SECOND));
        assert!(is_due(800, 801, 60 * SECOND, 1_000_000 * SECOND));
    }

    #[test]
    fn an_account_is_written_while_it_grows_and_settled_once() {
        let folder = std::env::temp_dir().join(format!("ciphermill-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("log");
        let lines = || std::fs::read_to_string(&path).unwrap_or_default();
        let log = Log {
            path: path.clone(),
            device: "a \"device\"".into(),
        };
        let account = Account::new(Some(log), Thresholds::default());
        account.note();
        assert_eq!(lines(), "");
        for (bytes, written) in [(100, 1), (1, 1), (100, 2)] {
            add(&account.counters.device_bytes, bytes);
            account.note();
            assert_eq!(lines().lines().count(), written);
        }
        account.settle();
        assert_eq!(lines().lines().count(), 2);
        assert!(lines().ends_with("\"thresholds\": {}}\n"), "{}", lines());
        assert!(lines().contains("\"device\": \"a \\\"device\\\"\", \"device_updates\": 0"));
        // A process that counts nothing leaves one line at its end.
        let child = account.renewed();
        child.settle();
        child.settle();
        child.complain("smoke");
        assert_eq!(lines().lines().count(), 4);
        assert!(lines().ends_with("\"error\": \"smoke\"}\n"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_log_that_could_end_the_program_is_not_written() {
        let mut about = std::fs::File::open("/dev/null").unwrap();
        assert!(!takes(&about, 1).unwrap());
        about = std::fs::File::open("/proc/self/exe").unwrap();
        assert!(takes(&about, 1).unwrap());
        assert!(!takes(&about, u64::MAX / 2).unwrap() || file_size_limit() == u64::MAX);
    }
}
