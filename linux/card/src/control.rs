// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Commands while the card runs: files in a folder, which a test outside and one inside the kernel can
//! write alike.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, thread};

use ciphermill_card::card::Faults;

const INTERVAL: Duration = Duration::from_millis(10);

/// Carry out commands in a thread of its own, for as long as the process runs.
///
/// # Errors
/// The folder is none.
pub fn start(
    folder: PathBuf,
    faults: Arc<Faults>,
    removal: impl Fn() + Send + 'static,
) -> Result<(), String> {
    if !folder.is_dir() {
        return Err(format!("{} is no folder", folder.display()));
    }
    thread::spawn(move || {
        loop {
            if let Err(error) = turn(&folder, &faults, &removal) {
                eprintln!("card: {}: {error}", folder.display());
            }
            thread::sleep(INTERVAL);
        }
    });
    Ok(())
}

/// Carry out the files that are there.
fn turn(folder: &Path, faults: &Faults, removal: &dyn Fn()) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "do") {
            continue;
        }
        let mut answers = String::new();
        for line in fs::read_to_string(&path)?.lines() {
            answers += &answer(line, faults, removal);
            answers.push('\n');
        }
        // The answer is whole when it has its name.
        fs::write(&path, answers)?;
        fs::rename(&path, path.with_extension("done"))?;
    }
    Ok(())
}

fn answer(line: &str, faults: &Faults, removal: &dyn Fn()) -> String {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    let done = match command {
        "fault" => faults.set(rest),
        "lie" => faults.lie(rest),
        "truth" => {
            faults.truth();
            Ok(())
        }
        "counts" => return faults.counts(),
        "remove" => {
            removal();
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
        let (faults, removed) = (Faults::default(), Cell::new(false));
        let commands = "fault hang=3\nlie rings=0\ntruth\ncounts\nfault hang\nfly\n";
        fs::write(folder.path().join("a.do"), commands).unwrap();
        fs::write(folder.path().join("b.new"), "remove").unwrap();
        turn(folder.path(), &faults, &|| removed.set(true)).unwrap();
        let answers = fs::read_to_string(folder.path().join("a.done")).unwrap();
        let expected = "ok\nok\nok\nmessages=0 interrupts=0\nerror: \"hang\" is not NAME=VALUE\n\
                        error: \"fly\" is no command\n";
        assert_eq!(answers, expected);
        assert!(!folder.path().join("a.do").exists() && !removed.get());
        fs::rename(folder.path().join("b.new"), folder.path().join("b.do")).unwrap();
        turn(folder.path(), &faults, &|| removed.set(true)).unwrap();
        assert!(removed.get());
    }
}
