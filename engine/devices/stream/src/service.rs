// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One client's use of a served simulation.

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use ciphermill::{BLOCK_BYTES, Cancellation, Result};
use ciphermill_accelerator::Simulation;
use ciphermill_accelerator::registers::*;
use rustix::event::{PollFd, PollFlags};
use zeroize::{Zeroize, Zeroizing};

use crate::buffer::Buffer;
use crate::files::{self, Moved};
use crate::protocol::{Access, MESSAGE_BYTES, Response};

/// Cycles that pass between two looks at the client.
const SLICE_CYCLES: u64 = 4096;

/// Cycles that pass when the device wants input and the client has none for a
/// while: what is in the device comes out, at a cost that the counters show.
const IDLE_CYCLES: u64 = 256;

/// How long time stands still for a client that has no input ready.
const STARVED_MILLISECONDS: u32 = 20;

/// How long the server sleeps at most before it looks whether it should stop.
const SLEEP_MILLISECONDS: u32 = 100;

/// Bytes on their way in each direction.
const BUFFER_BYTES: usize = 64 * 1024;

/// Register reads in which a sweep must end.
const SWEEP_POLLS: u32 = 100_000;

/// What a client is to expect next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// No message runs: time passes in register accesses only.
    Idle,
    /// A message runs.
    Running,
    /// The message waits for input that the client has not given.
    Starved,
}

/// A simulation and the pipes that lead to it.
pub(crate) struct Service<'files, S> {
    simulation: S,
    input: &'files File,
    output: &'files File,
    /// Read from the client, not yet taken by the device.
    incoming: Buffer,
    /// Given by the device, not yet written to the client.
    outgoing: Buffer,
    /// MESSAGE_LENGTH and AAD_LENGTH as the client wrote them.
    length: [u32; 2],
    aad_length: [u32; 2],
    /// CONFIGURATION as the client wrote it.
    configuration: u32,
    /// Bytes of the packet that the device has not taken, and those of the ones behind it.
    remaining: u64,
    following: VecDeque<u64>,
    pace: Pace,
    /// The interrupt line was high before the message began, and tells nothing.
    interrupt_was_high: bool,
}

impl<'files, S: Simulation> Service<'files, S> {
    pub fn new(simulation: S, input: &'files File, output: &'files File) -> Self {
        Service {
            simulation,
            input,
            output,
            incoming: Buffer::new(BUFFER_BYTES),
            outgoing: Buffer::new(BUFFER_BYTES),
            length: [0; 2],
            aad_length: [0; 2],
            configuration: 0,
            remaining: 0,
            following: VecDeque::new(),
            pace: Pace::Idle,
            interrupt_was_high: false,
        }
    }

    /// Serve a client until it goes or `stop` is set, then zeroise the device.
    pub fn run(&mut self, client: UnixStream, stop: &Cancellation) -> Result<()> {
        let mut accesses = Accesses::default();
        while !stop.is_cancelled() {
            let asked = match accesses.next(&client)? {
                Asked::Access(access) => {
                    let response = self.answer(access)?;
                    if files::write(client.as_fd(), &response.encode())?
                        != Moved::Bytes(MESSAGE_BYTES)
                    {
                        break;
                    }
                    true
                }
                Asked::Nothing => false,
                Asked::Closed => break,
            };
            if !self.step()? && !asked {
                self.sleep(&client)?;
            }
        }
        self.leave()
    }

    fn answer(&mut self, access: Option<Access>) -> Result<Response> {
        let done = match access {
            None => return Ok(Response::NotUnderstood),
            Some(Access::Read(offset)) => self.simulation.read(offset).map(u64::from),
            Some(Access::Write(offset, value)) => self.write(offset, value).map(|()| 0),
            Some(Access::Cycles) => Ok(self.simulation.cycles()?.unwrap_or(0)),
        };
        Ok(done.map_or(Response::Failed, Response::Done))
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<()> {
        let drops = offset == CONTROL && value & (CONTROL_ABORT_MASK | CONTROL_ZEROISE_MASK) != 0;
        let starts = offset == CONTROL && value & CONTROL_START_MASK != 0 && !drops;
        if drops {
            self.drop_data()?;
        }
        if starts && (self.pace == Pace::Idle || !self.is_busy()?) {
            self.interrupt_was_high = self.simulation.advance(0)?.interrupt;
            let whole = |words: [u32; 2]| u64::from(words[1]) << 32 | u64::from(words[0]);
            let aad = match self.seals() {
                true => whole(self.aad_length),
                false => 0,
            };
            let tag = match self.takes_tag() {
                true => BLOCK_BYTES as u64,
                false => 0,
            };
            // An empty field is not sent as a packet.
            let packets = [aad, whole(self.length), tag].into_iter();
            self.following = packets.filter(|bytes| *bytes > 0).collect();
            self.remaining = self.following.pop_front().unwrap_or(0);
            self.pace = Pace::Running;
        }
        match offset {
            MESSAGE_LENGTH_LOW => self.length[0] = value,
            MESSAGE_LENGTH_HIGH => self.length[1] = value,
            AAD_LENGTH_LOW => self.aad_length[0] = value,
            AAD_LENGTH_HIGH => self.aad_length[1] = value,
            CONFIGURATION => self.configuration = value,
            _ => {}
        }
        self.simulation.write(offset, value)?;
        if drops {
            self.simulation.discard()?;
        }
        Ok(())
    }

    /// Whether a message is configured whose associated data goes before it.
    fn seals(&self) -> bool {
        let sealing = [CONFIGURATION_MODE_GCM, CONFIGURATION_MODE_AEAD];
        sealing.contains(&self.mode()) && self.configuration & CONFIGURATION_BYPASS_MASK == 0
    }

    /// Whether the tag goes behind the text, for the device to compare.
    fn takes_tag(&self) -> bool {
        self.mode() == CONFIGURATION_MODE_AEAD
            && self.configuration & CONFIGURATION_DIRECTION_MASK != 0
    }

    fn mode(&self) -> u32 {
        (self.configuration & CONFIGURATION_MODE_MASK) >> CONFIGURATION_MODE_SHIFT
    }

    /// Move data and let a slice of time pass; false when only the client can help.
    fn step(&mut self) -> Result<bool> {
        let mut moved = self.fetch()?;
        if moved && self.pace == Pace::Starved {
            self.pace = Pace::Running;
        }
        moved |= self.deliver()?;
        if self.pace != Pace::Running || self.outgoing.space().is_empty() {
            return Ok(moved);
        }
        let advanced = self.simulation.advance(SLICE_CYCLES)?;
        let given = self.collect()?;
        moved |= given | self.deliver()?;
        if advanced.interrupt && !self.interrupt_was_high {
            // The message ended. All of its output is here or on its way out.
            self.pace = Pace::Idle;
        } else if advanced.needs_input && self.incoming.is_empty() && !given {
            self.pace = Pace::Starved;
        } else if !moved && advanced.cycles >= SLICE_CYCLES && !self.is_busy()? {
            self.pace = Pace::Idle;
        }
        Ok(true)
    }

    /// Take input from the client and give it to the device.
    fn fetch(&mut self) -> Result<bool> {
        let mut moved = false;
        if self.remaining > 0 && self.incoming.is_empty() {
            let space = self.incoming.space();
            let wanted = self.remaining.min(space.len() as u64) as usize;
            if let Moved::Bytes(bytes) = files::read(self.input.as_fd(), &mut space[..wanted])? {
                self.incoming.add(bytes);
                moved = true;
            }
        }
        if !self.incoming.is_empty() {
            let data = self.incoming.filled();
            let last = data.len() as u64 == self.remaining;
            let taken = self.simulation.send(data, last)?;
            self.incoming.take(taken);
            self.remaining -= taken as u64;
            if self.remaining == 0 {
                self.remaining = self.following.pop_front().unwrap_or(0);
            }
            moved |= taken > 0;
        }
        Ok(moved)
    }

    /// Take output from the device.
    fn collect(&mut self) -> Result<bool> {
        let mut moved = false;
        loop {
            let space = self.outgoing.space();
            if space.is_empty() {
                return Ok(moved);
            }
            let got = self.simulation.receive(space)?;
            if got.bytes == 0 {
                return Ok(moved);
            }
            self.outgoing.add(got.bytes);
            moved = true;
        }
    }

    /// Give output to the client.
    fn deliver(&mut self) -> Result<bool> {
        self.collect()?;
        match files::write(self.output.as_fd(), self.outgoing.filled())? {
            Moved::Bytes(bytes) => {
                self.outgoing.take(bytes);
                Ok(true)
            }
            Moved::Nothing | Moved::Closed => Ok(false),
        }
    }

    /// Wait for the client; where the device has waited long enough, let time pass.
    fn sleep(&mut self, client: &UnixStream) -> Result<()> {
        let wants = |wanted: bool, flag: PollFlags| if wanted { flag } else { PollFlags::empty() };
        let reading = self.remaining > 0 && self.incoming.is_empty();
        let mut ready = [
            PollFd::new(client, PollFlags::IN),
            PollFd::new(self.input, wants(reading, PollFlags::IN)),
            PollFd::new(
                self.output,
                wants(!self.outgoing.is_empty(), PollFlags::OUT),
            ),
        ];
        let starved = self.pace == Pace::Starved;
        let limit = if starved {
            STARVED_MILLISECONDS
        } else {
            SLEEP_MILLISECONDS
        };
        files::wait(&mut ready, limit)?;
        if starved && ready.iter().all(|file| file.revents().is_empty()) {
            self.simulation.advance(IDLE_CYCLES)?;
        }
        Ok(())
    }

    fn is_busy(&mut self) -> Result<bool> {
        let moving = STATUS_BUSY_MASK | STATUS_ZEROISING_MASK;
        Ok(self.simulation.read(STATUS)? & moving != 0)
    }

    /// Drop what is on its way in both directions.
    fn drop_data(&mut self) -> Result<()> {
        self.incoming.clear();
        self.outgoing.clear();
        self.remaining = 0;
        self.following.clear();
        self.pace = Pace::Idle;
        let mut rest = Zeroizing::new([0; 4096]);
        for pipe in [self.input, self.output] {
            while let Moved::Bytes(_) = files::read(pipe.as_fd(), &mut rest[..])? {}
        }
        self.simulation.discard()
    }

    /// Forget everything of a client that is gone.
    fn leave(&mut self) -> Result<()> {
        self.write(CONTROL, CONTROL_ZEROISE_MASK)?;
        for _ in 0..SWEEP_POLLS {
            if !self.is_busy()? {
                break;
            }
        }
        Ok(())
    }
}

/// What a client has sent.
enum Asked {
    /// An access; `None` when its bytes are none.
    Access(Option<Access>),
    Nothing,
    Closed,
}

/// Accesses of a client, put together from the bytes that arrive.
#[derive(Default)]
struct Accesses {
    bytes: [u8; MESSAGE_BYTES],
    have: usize,
}

impl Accesses {
    fn next(&mut self, client: &UnixStream) -> Result<Asked> {
        match files::read(client.as_fd(), &mut self.bytes[self.have..])? {
            Moved::Closed => return Ok(Asked::Closed),
            Moved::Nothing => return Ok(Asked::Nothing),
            Moved::Bytes(bytes) => self.have += bytes,
        }
        if self.have < MESSAGE_BYTES {
            return Ok(Asked::Nothing);
        }
        self.have = 0;
        let access = Access::decode(&self.bytes);
        self.bytes.zeroize(); // it may have been a word of a key
        Ok(Asked::Access(access))
    }
}
