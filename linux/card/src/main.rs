// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The card of `hw/card`, in software or simulated, on the PCI bus of a Linux kernel without a board.

mod control;
mod options;

use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs, process};

use ciphermill_card::card::{Card, Faults, IDENTITY};
use ciphermill_card::model::ModelCard;
use ciphermill_card::{ConfigurationSpace, serve};

use control::Controlled;
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
        model,
        link,
    } = options;
    let faults: Arc<Faults> = Arc::new(faults);
    let path = socket.clone();
    // The kernel removes a function whose process has gone.
    let removal = move || {
        let _ = fs::remove_file(&path);
        process::exit(0);
    };
    let listen = |cycles| match control {
        None => Ok(()),
        Some(folder) => {
            let controlled = Controlled {
                faults: Arc::clone(&faults),
                cycles,
                removal: removal.clone(),
            };
            control::start(folder, controlled)
        }
    };
    let configuration = |rings: u8, bar_bytes: u32| {
        let vectors = u16::from(rings);
        ConfigurationSpace::new(IDENTITY, bar_bytes.into(), vectors.next_power_of_two())
            .with_table(vectors)
    };
    let ended = match model {
        Some(library) => {
            let card = ModelCard::open(&library, link)?;
            eprintln!("card: {}", card.description());
            listen(Some(card.cycles()))?;
            serve(&socket, configuration(card.rings(), card.bar_bytes()), card)
        }
        None => {
            listen(None)?;
            let card = Card::new(settings, Arc::clone(&faults), removal.clone())?;
            let configuration = configuration(settings.rings, settings.bar_bytes());
            serve(&socket, configuration, card)
        }
    };
    ended.map_err(|error| format!("{}: {error}", socket.display()))
}
