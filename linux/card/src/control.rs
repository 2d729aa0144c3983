// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Commands while the card runs: files in a folder, which a test outside and one inside the kernel can
//! write alike.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, io, thread};

use ciphermill_card::card::Faults;

const INTERVAL: Duration = Duration::from_millis(10);

/// What commands are for.
pub struct Controlled<R> {
    pub faults: Arc<Faults>,
    /// Cycles of the simulated card; `None` for the one in software.
    pub cycles: Option<Arc<AtomicU64>>,
    /// The card disappears.
    pub removal: R,
}

/// Carry out commands in a thread of its own, for as long as the process runs.
///
/// # Errors
/// The folder is none.
pub fn start<R: Fn() + Send + 'static>(
    folder: PathBuf,
    controlled: Controlled<R>,
) -> Result<(), String> {
    if !folder.is_dir() {
        return Err(format!("{} is no folder", folder.display()));
    }
    thread::spawn(move || {
        loop {
            if let Err(error) = turn(&folder, &controlled) {
                eprintln!("card: {}: {error}", folder.display());
            }
            thread::sleep(INTERVAL);
        }
    });
    Ok(())
}

/// Carry out the files that are there.
fn turn<R: Fn()>(folder: &Path, controlled: &Controlled<R>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "do") {
            continue;
        }
        let mut answers = String::new();
        for line in fs::read_to_string(&path)?.lines() {
            answers += &answer(line, controlled);
            answers.push('\n');
        }
        // The answer is whole when it has its name.
        fs::write(&path, answers)?;
        fs::rename(&path, path.with_extension("done"))?;
    }
    Ok(())
}

fn answer<R: Fn()>(line: &str, controlled: &Controlled<R>) -> String {
    let faults = &controlled.faults;
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    let done = match command {
        "fault" => faults.set(rest),
        "lie" => faults.lie(rest),
        "truth" => {
            faults.truth();
            Ok(())
        }
        "counts" => return faults.counts(),
        "cycles" => match &controlled.cycles {
            Some(cycles) => return format!("cycles={}", cycles.load(Ordering::Relaxed)),
            None => Err("only a simulated card has cycles".to_owned()),
        },
        "remove" => {
            (controlled.removal)();
            Ok(())
        }
        _ => Err(format!("{command:?} is no command")),
    };
    match done {
        Ok(()) => "ok".to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_file_of_commands_becomes_its_answers() {
        let folder = tempfile::tempdir().unwrap();
        let removed = Cell::new(false);
        let mut controlled = Controlled {
            faults: Arc::default(),
            cycles: None,
            removal: || removed.set(true),
        };
        let commands = "fault hang=3\nlie rings=0\ntruth\ncounts\nfault hang\nfly\ncycles\n";
        fs::write(folder.path().join("a.do"), commands).unwrap();
        fs::write(folder.path().join("b.new"), "remove").unwrap();
        turn(folder.path(), &controlled).unwrap();
        let answers = fs::read_to_string(folder.path().join("a.done")).unwrap();
        let expected = "ok\nok\nok\nmessages=0 interrupts=0\nerror: \"hang\" is not NAME=VALUE\n\
                        error: \"fly\" is no command\n\
                        error: only a simulated card has cycles\n";
        assert_eq!(answers, expected);
        assert!(!folder.path().join("a.do").exists() && !removed.get());
        controlled.cycles = Some(Arc::new(AtomicU64::new(70)));
        fs::write(folder.path().join("c.do"), "cycles").unwrap();
        turn(folder.path(), &controlled).unwrap();
        let answers = fs::read_to_string(folder.path().join("c.done")).unwrap();
        assert_eq!(answers, "cycles=70\n");
        fs::rename(folder.path().join("b.new"), folder.path().join("b.do")).unwrap();
        turn(folder.path(), &controlled).unwrap();
        assert!(removed.get());
    }
}
