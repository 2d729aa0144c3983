// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A channel of a served simulation, and its client.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Instant;

use ciphermill::{BLOCK_BYTES, Error, Result};
use ciphermill_accelerator::registers::*;
use ciphermill_accelerator::{Advanced, CHANNEL_BYTES, Simulation};
use rustix::event::{PollFd, PollFlags};
use zeroize::{Zeroize, Zeroizing};

use crate::buffer::Buffer;
use crate::event::Event;
use crate::files::{self, Moved};
use crate::offer::Port;
use crate::patience::Patience;
use crate::protocol::{Access, MESSAGE_BYTES, Response};

/// Cycles that pass between two looks at the clients.
pub(crate) const SLICE_CYCLES: u64 = 4096;

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

/// A channel and the files that lead to it.
pub(crate) struct Service<'offer, S> {
    simulation: S,
    port: &'offer Port,
    client: Option<Client>,
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
    /// Data has moved since time last passed.
    moved: bool,
    /// What is left of the time for which this channel may hold the others.
    patience: Patience,
    /// The interrupt line was high before the message began, and tells nothing.
    interrupt_was_high: bool,
}

impl<'offer, S: Simulation> Service<'offer, S> {
    pub fn new(simulation: S, port: &'offer Port) -> Self {
        Service {
            simulation,
            port,
            client: None,
            incoming: Buffer::new(BUFFER_BYTES),
            outgoing: Buffer::new(BUFFER_BYTES),
            length: [0; 2],
            aad_length: [0; 2],
            configuration: 0,
            remaining: 0,
            following: VecDeque::new(),
            pace: Pace::Idle,
            moved: false,
            patience: Patience::new(),
            interrupt_was_high: false,
        }
    }

    /// Let a client in, answer an access of it, and move its data; whether there was any of that.
    pub fn serve(&mut self, on_event: &mut dyn FnMut(Event)) -> Result<bool> {
        let Some(client) = &mut self.client else {
            self.client = accept(&self.port.listener)?;
            if self.client.is_some() {
                on_event(Event::Opened);
            }
            return Ok(self.client.is_some());
        };
        let asked = client.next()?;
        let answered = match asked {
            Asked::Access(access) => {
                let response = self.answer(access)?.encode();
                let client = self.client.as_ref().map(|client| client.socket.as_fd());
                client
                    .map(|client| files::write(client, &response))
                    .transpose()?
            }
            Asked::Nothing => None,
            Asked::Closed => Some(Moved::Closed),
        };
        if answered.is_some_and(|moved| moved != Moved::Bytes(MESSAGE_BYTES)) {
            self.close(on_event)?;
            return Ok(true);
        }
        self.moved = self.fetch()?;
        if self.moved && self.pace == Pace::Starved {
            self.pace = Pace::Running;
        }
        self.moved |= self.deliver()?;
        Ok(answered.is_some() || self.moved)
    }

    /// Forget everything of the client, if there is one.
    pub fn close(&mut self, on_event: &mut dyn FnMut(Event)) -> Result<()> {
        if self.client.take().is_some() {
            self.leave()?;
            on_event(Event::Closed);
        }
        Ok(())
    }

    fn answer(&mut self, access: Option<Access>) -> Result<Response> {
        let done = match access {
            None => return Ok(Response::NotUnderstood),
            // Behind them are the registers of the next channel.
            Some(Access::Read(offset) | Access::Write(offset, _)) if offset >= CHANNEL_BYTES => {
                return Ok(Response::Failed);
            }
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
            let aad = match self.seals() || self.authenticates() {
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
            self.pace = match self.remaining {
                0 => Pace::Running,
                _ => Pace::Starved,
            };
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

    /// Whether a message is configured whose key goes before it.
    fn authenticates(&self) -> bool {
        self.mode() == CONFIGURATION_MODE_DIGEST
            && self.configuration & CONFIGURATION_AUTHENTICATE_MASK != 0
    }

    /// Whether the tag goes behind the text, for the device to compare.
    fn takes_tag(&self) -> bool {
        self.mode() == CONFIGURATION_MODE_AEAD
            && self.configuration & CONFIGURATION_DIRECTION_MASK != 0
    }

    fn mode(&self) -> u32 {
        (self.configuration & CONFIGURATION_MODE_MASK) >> CONFIGURATION_MODE_SHIFT
    }

    /// Whether a message runs and wants time to pass.
    pub fn can_go_on(&self) -> bool {
        self.pace == Pace::Running && !self.outgoing.is_full()
    }

    /// Whether a message waits for its client: for input, or to have its output taken.
    pub fn waits_for_client(&self) -> bool {
        self.pace != Pace::Idle && !self.can_go_on()
    }

    /// Whether a message waits for input.
    pub fn is_starved(&self) -> bool {
        self.pace == Pace::Starved
    }

    /// Whether a message waits for its client, and may hold the time of all channels for it.
    pub fn holds_time(&mut self) -> bool {
        let waits = self.waits_for_client();
        self.patience.lasts(waits, Instant::now())
    }

    /// Let time pass, on all channels.
    pub fn advance(&mut self, cycles: u64) -> Result<Advanced> {
        self.simulation.advance(cycles)
    }

    /// Take what came of time that has passed for a message. Only where the channel is `alone`
    /// is the interrupt that rose its own.
    pub fn time_has_passed(&mut self, advanced: Advanced, alone: bool) -> Result<()> {
        let given = self.collect()?;
        self.moved |= given | self.deliver()?;
        let ended = advanced.interrupt
            && match alone {
                true => !self.interrupt_was_high,
                false => !self.is_busy()?,
            };
        if ended {
            // The message ended. All of its output is here or on its way out.
            self.pace = Pace::Idle;
        } else if advanced.needs_input && self.remaining > 0 && self.incoming.is_empty() && !given {
            self.pace = Pace::Starved;
        } else if !self.moved && advanced.cycles >= SLICE_CYCLES && !self.is_busy()? {
            self.pace = Pace::Idle;
        }
        Ok(())
    }

    /// Take input from the client and give it to the device.
    fn fetch(&mut self) -> Result<bool> {
        let mut moved = false;
        if self.remaining > 0 && self.incoming.is_empty() {
            let space = self.incoming.space();
            let wanted = self.remaining.min(space.len() as u64) as usize;
            if let Moved::Bytes(bytes) = files::read(self.port.input.as_fd(), &mut space[..wanted])?
            {
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
        match files::write(self.port.output.as_fd(), self.outgoing.filled())? {
            Moved::Bytes(bytes) => {
                self.outgoing.take(bytes);
                Ok(true)
            }
            Moved::Nothing | Moved::Closed => Ok(false),
        }
    }

    /// The files to wait for.
    pub fn awaited(&self) -> Vec<PollFd<'_>> {
        let Some(client) = &self.client else {
            return vec![PollFd::new(&self.port.listener, PollFlags::IN)];
        };
        let wants = |wanted: bool, flag: PollFlags| if wanted { flag } else { PollFlags::empty() };
        let reading = self.remaining > 0 && self.incoming.is_empty();
        let writing = !self.outgoing.is_empty();
        vec![
            PollFd::new(&client.socket, PollFlags::IN),
            PollFd::new(&self.port.input, wants(reading, PollFlags::IN)),
            PollFd::new(&self.port.output, wants(writing, PollFlags::OUT)),
        ]
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
        for pipe in [&self.port.input, &self.port.output] {
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

/// A client, whose accesses are put together from the bytes that arrive.
struct Client {
    socket: UnixStream,
    bytes: [u8; MESSAGE_BYTES],
    have: usize,
}

impl Client {
    fn next(&mut self) -> Result<Asked> {
        match files::read(self.socket.as_fd(), &mut self.bytes[self.have..])? {
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

/// The next client, where one waits.
fn accept(listener: &UnixListener) -> Result<Option<Client>> {
    let socket = match listener.accept() {
        Ok((socket, _)) => socket,
        Err(error) => {
            return match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted => {
                    Ok(None)
                }
                _ => Err(Error::io("waiting for a client", error)),
            };
        }
    };
    socket
        .set_nonblocking(true)
        .map_err(|error| Error::io("setting up a client's connection", error))?;
    Ok(Some(Client {
        socket,
        bytes: [0; MESSAGE_BYTES],
        have: 0,
    }))
}
