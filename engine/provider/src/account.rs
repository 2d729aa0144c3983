// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The counters of one process, and the log that they are written to.
//!
//! A line is written while the process works, by the thread that has just counted
//! something: a process that a signal ends has left its counters, without a signal handler
//! of ours. Each line replaces those that the process wrote before.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ciphermill::{Direction, Mode};

use crate::counters::{Counters, Values, total};
use crate::ffi::process::file_size_limit;
use crate::threshold::{Of, Thresholds};

/// Where an account goes, and what it is called there.
#[derive(Clone)]
pub(crate) struct Log {
    pub path: PathBuf,
    pub device: String,
}

/// The counters of one process.
pub(crate) struct Account {
    /// What went where.
    pub counters: Counters,
    /// From how many bytes on the device is faster.
    pub thresholds: Thresholds,
    log: Option<Log>,
    began: Instant,
    /// All counters together at the last line.
    logged_total: AtomicU64,
    /// When the last line was written, in milliseconds since the beginning.
    logged_at: AtomicU64,
    /// Whether this process has written a line. It is locked while one is written, so that a
    /// line never follows a newer one.
    has_line: Mutex<bool>,
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
            has_line: Mutex::new(false),
        }
    }

    /// For a forked child, which has counted nothing. It takes no lock: a thread that the child
    /// does not have may have held it at the fork.
    pub(crate) fn renewed(&self) -> Account {
        Account::new(self.log.clone(), self.thresholds.clone())
    }

    /// Something was counted: write a line where one is due.
    pub(crate) fn note(&self) {
        if self.log.is_some() {
            self.note_at(self.began.elapsed());
        }
    }

    fn note_at(&self, age: Duration) {
        let Some(log) = &self.log else { return };
        if !self.is_due(age) {
            return;
        }
        let mut has_line = self.turn();
        // Another thread may have written the line while this one waited.
        if self.is_due(age) {
            self.write(log, age, &mut has_line);
        }
    }

    fn is_due(&self, age: Duration) -> bool {
        let (logged, total) = self.totals();
        has_grown(logged, total) || self.line_in(age).is_some_and(|left| left.is_zero())
    }

    /// How long it takes until a line is due though nothing more is counted; `None` where the
    /// log has all counters, or there is no log.
    pub(crate) fn due_in(&self) -> Option<Duration> {
        self.line_in(self.began.elapsed())
    }

    fn line_in(&self, age: Duration) -> Option<Duration> {
        let (logged, total) = self.totals();
        if self.log.is_none() || logged == total {
            return None;
        }
        let at = Duration::from_millis(self.logged_at.load(Ordering::Relaxed));
        Some(interval(age).saturating_sub(age.saturating_sub(at)))
    }

    /// The totals of the last line and of now.
    fn totals(&self) -> (u64, u64) {
        let logged = self.logged_total.load(Ordering::Relaxed);
        (logged, total(&self.counters.values()))
    }

    /// Write a line where there is anything that no line says yet.
    pub(crate) fn write_due(&self) {
        let Some(log) = &self.log else { return };
        let mut has_line = self.turn();
        let (logged, total) = self.totals();
        if logged != total || !*has_line {
            self.write(log, self.began.elapsed(), &mut has_line);
        }
    }

    /// Wait for the lines of other threads.
    fn turn(&self) -> MutexGuard<'_, bool> {
        self.has_line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Write a line, in this thread's turn.
    fn write(&self, log: &Log, age: Duration, has_line: &mut bool) {
        let values = self.counters.values();
        let millis = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        self.logged_total.store(total(&values), Ordering::Relaxed);
        self.logged_at.store(millis, Ordering::Relaxed);
        *has_line = true;
        append(&log.path, &self.line(&log.device, &values));
    }

    /// A JSON object and the line's end.
    fn line(&self, device: &str, values: &Values) -> String {
        let mut line = format!("{{{}, \"device\": \"{}\"", origin(), escaped(device));
        for (name, value) in values {
            line += &format!(", \"{name}\": {value}");
        }
        // Those that are known.
        let mut thresholds = Vec::new();
        for mode in Mode::ALL {
            for (of, direction, name) in [
                (Of::Message, Direction::Encrypt, "encrypt"),
                (Of::Message, Direction::Decrypt, "decrypt"),
                (Of::Pipeline, Direction::Encrypt, "encrypt-pipeline"),
                (Of::Pipeline, Direction::Decrypt, "decrypt-pipeline"),
            ] {
                let bytes = match self.thresholds.known(of, mode, direction) {
                    None => continue,
                    Some(usize::MAX) => "\"never\"".to_owned(),
                    Some(bytes) => bytes.to_string(),
                };
                thresholds.push(format!("\"{mode}-{name}\": {bytes}"));
            }
        }
        line + &format!(", \"thresholds\": {{{}}}}}\n", thresholds.join(", "))
    }

    /// Add a line to the log: something that the administrator should know.
    pub(crate) fn complain(&self, error: &str) {
        if let Some(log) = &self.log {
            log_error(&log.path, error);
        }
    }
}

/// Whether a total has grown so much since the last line that another is due at once.
fn has_grown(logged: u64, total: u64) -> bool {
    total.saturating_sub(logged) > logged / GROWTH
}

/// Time from one line to the next in a process of this age, whose counters grow slowly.
fn interval(age: Duration) -> Duration {
    (age / AGE_PARTS).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL)
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

/// Append a line in one write, so that lines of several processes stay whole. Errors are
/// ignored: there is no caller to report them to.
fn append(path: &Path, line: &str) {
    let _ = OpenOptions::new()
        .create(true)
        .append(true)
        // Opening a pipe without a reader would block.
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

    /// An account with a log in a folder of its own.
    fn logged(name: &str) -> (Account, PathBuf) {
        let name = format!("ciphermill-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let log = Log {
            path: folder.join("log"),
            device: "a \"device\"".into(),
        };
        (Account::new(Some(log), Thresholds::default()), folder)
    }

    #[test]
    fn a_line_is_due_when_the_counters_have_grown_or_time_has_passed() {
        assert!(has_grown(0, 1));
        assert!(!has_grown(0, 0));
        assert!(!has_grown(800, 1000));
        assert!(has_grown(800, 1001));
        // Ever more seldom, but once a minute.
        assert_eq!(interval(SECOND), SECOND);
        assert_eq!(interval(600 * SECOND), 10 * SECOND);
        assert_eq!(interval(1_000_000 * SECOND), 60 * SECOND);

        let (account, folder) = logged("due");
        assert_eq!(account.line_in(9 * SECOND), None);
        add(&account.counters.device_bytes, 800);
        account.note_at(600 * SECOND);
        assert_eq!(account.line_in(700 * SECOND), None);
        add(&account.counters.device_bytes, 1);
        assert_eq!(account.line_in(600 * SECOND), Some(10 * SECOND));
        assert_eq!(
            account.line_in(604 * SECOND),
            Some(interval(604 * SECOND) - 4 * SECOND)
        );
        assert!(!account.is_due(604 * SECOND));
        assert_eq!(account.line_in(700 * SECOND), Some(Duration::ZERO));
        assert!(account.is_due(700 * SECOND));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn lines_of_several_threads_are_in_the_order_of_their_counters() {
        let (mut account, folder) = logged("order");
        let path = folder.join("log");
        for round in 0..100 {
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..12 {
                            // So much that each of them is due at once.
                            let grown = total(&account.counters.values()) / 2 + 1;
                            add(&account.counters.device_bytes, grown as usize);
                            account.note_at(Duration::ZERO);
                        }
                    });
                }
            });
            account.write_due();
            let lines = std::fs::read_to_string(&path).unwrap();
            let said: Vec<u64> = lines.lines().map(device_bytes).collect();
            assert!(said.is_sorted(), "round {round}: {said:?}");
            let counted = account.counters.value("device_bytes");
            assert_eq!(said.last().copied(), counted, "round {round}");
            std::fs::remove_file(&path).unwrap();
            account = account.renewed();
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    fn device_bytes(line: &str) -> u64 {
        let (_, rest) = line.split_once("\"device_bytes\": ").unwrap();
        rest.split(',').next().unwrap().parse().unwrap()
    }

    #[test]
    fn an_account_is_written_while_it_grows_and_once_at_its_end() {
        let (account, folder) = logged("growth");
        let path = folder.join("log");
        let lines = || std::fs::read_to_string(&path).unwrap_or_default();
        account.note_at(Duration::ZERO);
        assert_eq!(lines(), "");
        for (bytes, written) in [(100, 1), (1, 1), (100, 2)] {
            add(&account.counters.device_bytes, bytes);
            account.note_at(Duration::ZERO);
            assert_eq!(lines().lines().count(), written);
        }
        account.write_due();
        assert_eq!(lines().lines().count(), 2);
        assert!(lines().ends_with("\"thresholds\": {}}\n"), "{}", lines());
        assert!(lines().contains("\"device\": \"a \\\"device\\\"\", \"device_updates\": 0"));
        // A process that counts nothing leaves one line at its end, and does not wait for a
        // thread of its parent that was writing at the fork.
        let _turn = account.turn();
        let child = account.renewed();
        child.write_due();
        child.write_due();
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
