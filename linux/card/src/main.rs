// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The card of `hw/card` in software, on the PCI bus of a Linux kernel without a board.

mod control;
mod options;

use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs, process};

use ciphermill_card::card::{Card, Faults, IDENTITY};
use ciphermill_card::{ConfigurationSpace, serve};

use options::{HELP, Options};

fn main() -> ExitCode {
    let options = match Options::parse(env::args_os().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("card: {error}\nTry card --help.");
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("card: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Result<(), String> {
    let Options {
        socket,
        control,
        settings,
        faults,
    } = options;
    let faults: Arc<Faults> = Arc::new(faults);
    let path = socket.clone();
    // The kernel removes a function whose process has gone.
    let removal = move || {
        let _ = fs::remove_file(&path);
        process::exit(0);
    };
    let card = Card::new(settings, Arc::clone(&faults), removal.clone())?;
    if let Some(folder) = control {
        control::start(folder, faults, removal)?;
    }
    let vectors = u16::from(settings.rings);
    let configuration = ConfigurationSpace::new(
        IDENTITY,
        settings.bar_bytes().into(),
        vectors.next_power_of_two(),
    )
    .with_table(vectors);
    serve(&socket, configuration, card).map_err(|error| format!("{}: {error}", socket.display()))
}
