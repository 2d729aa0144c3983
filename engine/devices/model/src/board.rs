// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A board with an FPGA and memory banks as a device `model:NAME` (hw/board).

use std::sync::Arc;
use std::time::Duration;

use ciphermill::{
    AES, Ability, BLOCK_BYTES, Buffer, Cancellation, Capabilities, CipherRequest, Completion,
    Device, Direction, Error, Job, Mode, Output, Queue, Request, Result, SynchronousQueue, Timing,
    TimingMethod,
};
use ciphermill_accelerator::JOBS_IN_FLIGHT;
use zeroize::Zeroize;

use crate::Options;
use crate::board_library::{Board, BoardDescription, BoardLibrary};

const KEY_BITS: usize = 128;

/// Edges of the clocks that pass before a cancellation is looked at.
const EDGES: u64 = 1 << 15;

/// A simulated board: AES-128 in counter mode by several cores, on a message in memory banks.
///
/// A message that is longer than the memory goes through in several runs. The processing time is
/// simulated. The way between host and board is not: the transfer time is that of all bytes there
/// and back at the link's rate, and nothing overlaps with it. Each queue simulates a board of its
/// own.
pub struct BoardDevice {
    name: String,
    capabilities: Capabilities,
    library: Arc<BoardLibrary>,
    clocks: Clocks,
}

/// Both clocks of a board, in MHz.
#[derive(Debug, Clone, Copy)]
struct Clocks {
    core: f64,
    memory: f64,
}

impl BoardDevice {
    pub(crate) fn new(design: &str, options: Options, library: BoardLibrary) -> BoardDevice {
        let about = library.description();
        let clocks = Clocks {
            core: options.clock_mhz.unwrap_or(about.clock_mhz),
            memory: options.memory_clock_mhz.unwrap_or(about.memory_clock_mhz),
        };
        BoardDevice {
            name: format!("model:{design}{options}"),
            capabilities: capabilities(about, clocks),
            library: Arc::new(library),
            clocks,
        }
    }
}

fn capabilities(about: &BoardDescription, clocks: Clocks) -> Capabilities {
    let ending = |count| if count == 1 { "" } else { "s" };
    let description = format!(
        "AES-128-CTR board, {} {} core{}, {} MHz, {} memory bank{}, {} MHz, simulated in this process; \
         link of {} Mbit/s by a formula",
        about.cores,
        about.architecture,
        ending(about.cores),
        clocks.core,
        about.banks,
        ending(about.banks),
        clocks.memory,
        about.link_mbit_s,
    );
    let both = [Direction::Encrypt, Direction::Decrypt].map(|direction| (Mode::Ctr, direction));
    let mut capabilities =
        Capabilities::new(description, Ability::block_cipher(&AES, &both, &[KEY_BITS]));
    capabilities.preferred_chunk_bytes = about.memory_bytes;
    capabilities.in_flight = JOBS_IN_FLIGHT;
    capabilities.clock_mhz = Some(clocks.core);
    capabilities.processors = Some(about.cores);
    let known = ["iterative", "stepped"];
    capabilities.architecture = known.into_iter().find(|name| *name == about.architecture);
    capabilities
}

impl Device for BoardDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let mut driver = BoardDriver {
            library: Arc::clone(&self.library),
            capabilities: self.capabilities.clone(),
            clocks: self.clocks,
            board: None,
        };
        let run = move |job, cancellation: &_| driver.run(job, cancellation);
        let depth = JOBS_IN_FLIGHT - 1;
        Ok(Box::new(SynchronousQueue::start(depth, cancellation, run)))
    }
}

/// A board from the host's side.
struct BoardDriver {
    library: Arc<BoardLibrary>,
    capabilities: Capabilities,
    clocks: Clocks,
    /// Opened with the first job; none after a job that was stopped within.
    board: Option<Board>,
}

impl BoardDriver {
    fn run(&mut self, job: Job, cancellation: &Cancellation) -> Completion {
        let mut data = job.data;
        match self.message(&job.request, &mut data, cancellation) {
            Ok(timing) => Completion {
                timing: Some(timing),
                ..Completion::done(job.token, data)
            },
            Err(error) => {
                data.zeroize();
                Completion::failed(job.token, error)
            }
        }
    }

    fn message(
        &mut self,
        request: &Request,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<Timing> {
        let cipher = self.check(request, data.len())?;
        let key = cipher.key.as_bytes();
        let key = key.try_into().map_err(|_| request.unsupported("a board"))?;
        let mut counter = u128::from_be_bytes(cipher.iv);
        let memory_bytes = self.library.description().memory_bytes;
        let (mut done, mut core_cycles, mut memory_cycles) = (0, 0, 0);
        loop {
            let end = data.len().min(done + memory_bytes);
            let mut board = match self.board.take() {
                Some(board) => board,
                None => {
                    let khz = |mhz: f64| (mhz * 1e3).round() as u64;
                    Board::open(
                        &self.library,
                        khz(self.clocks.core),
                        khz(self.clocks.memory),
                    )?
                }
            };
            run(&mut board, key, counter, &mut data[done..end], cancellation)?;
            core_cycles += board.core_cycles();
            memory_cycles += board.memory_cycles();
            self.board = Some(board);
            counter = counter.wrapping_add((memory_bytes / BLOCK_BYTES) as u128);
            done = end;
            if done == data.len() {
                break;
            }
        }
        let processing = Duration::from_secs_f64(memory_cycles as f64 / (self.clocks.memory * 1e6));
        let transfer = transfer(data.len(), self.library.description().link_mbit_s);
        Ok(Timing {
            total: processing + transfer,
            transfer,
            processing,
            cycles: Some(core_cycles),
            method: TimingMethod::Simulated,
        })
    }

    fn check<'request>(
        &self,
        request: &'request Request,
        bytes: usize,
    ) -> Result<&'request CipherRequest> {
        let cipher = request.cipher()?;
        if cipher.bypass {
            return Err(Error::unsupported("a board has no bypass"));
        }
        if cipher.output == Output::Sink {
            return Err(Error::unsupported("a board has no sink"));
        }
        if !self.capabilities.can(request) {
            return Err(request.unsupported("a board"));
        }
        cipher.check(bytes)?;
        Ok(cipher)
    }
}

/// The time of a message on the link, there and back.
fn transfer(bytes: usize, link_mbit_s: f64) -> Duration {
    Duration::from_secs_f64(2.0 * 8.0 * bytes as f64 / (link_mbit_s * 1e6))
}

/// One run of the FPGA, over at most the board's memory.
fn run(
    board: &mut Board,
    key: &[u8; KEY_BITS / 8],
    counter: u128,
    data: &mut [u8],
    cancellation: &Cancellation,
) -> Result<()> {
    cancellation.check()?;
    board.write(data);
    board.start(key, &counter.to_be_bytes(), data.len());
    // Of both clocks: the slower one may pass seldom.
    let most = 1000 * (data.len() / BLOCK_BYTES + 1000) as u64;
    while board.advance(EDGES) {
        cancellation.check()?;
        if board.core_cycles().min(board.memory_cycles()) > most {
            return Err(Error::device(
                "the simulated board does not end its message",
            ));
        }
    }
    board.read(data);
    Ok(())
}
