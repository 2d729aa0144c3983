// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Several messages through the device, side by side.
//!
//! Each message is a flow, with one chunk in flight. A device with channels gets a queue for each
//! of them, over which the flows are spread. Any other device gets one queue with a chunk of every
//! flow, handed over at once.

use ciphermill::{Answer, BLOCK_BYTES, Buffer, Chain, CipherRequest, Error, ErrorKind, Mode};
use ciphermill::{Request, Result, Session, Span};

use crate::counters::add;
use crate::runtime::Lease;
use crate::work::cycles_of;

/// Most bytes that all flows together have in flight: their copies are in memory.
const IN_FLIGHT_BYTES: usize = 16 << 20;

/// Shortest chunk of a flow. In shorter ones the overhead of a job shows.
const SHORTEST_CHUNK_BYTES: usize = 64 << 10;

/// A message, or a part of one, and how far the device came with it.
pub(crate) struct Flow<'a> {
    request: CipherRequest,
    span: Span<'a>,
    chain: Chain,
    done_bytes: usize,
    iv: [u8; BLOCK_BYTES],
    answer: Option<Answer>,
    /// Its tag does not match.
    refused: bool,
}

impl<'a> Flow<'a> {
    /// Nothing done yet.
    pub(crate) fn new(request: CipherRequest, span: Span<'a>) -> Flow<'a> {
        Flow {
            chain: Chain::new(&request),
            done_bytes: 0,
            iv: request.iv,
            answer: None,
            refused: false,
            request,
            span,
        }
    }

    /// Bytes whose output is written; the input of the others is intact.
    pub(crate) fn done_bytes(&self) -> usize {
        self.done_bytes
    }

    /// The IV from which to go on.
    pub(crate) fn iv(&self) -> [u8; BLOCK_BYTES] {
        self.iv
    }

    /// The device's answer to a message in GCM or a data unit in XTS, and what is not done.
    pub(crate) fn into_rest(self) -> (Option<Answer>, Span<'a>) {
        (self.answer, self.span.split(self.done_bytes).1)
    }

    /// A message in GCM and a data unit in XTS are one job.
    fn is_whole(&self) -> bool {
        matches!(self.request.mode, Mode::Gcm | Mode::Xts)
    }

    fn is_open(&self) -> bool {
        self.done_bytes < self.span.len() && !self.refused
    }

    /// The next chunk, of at most so many bytes.
    fn next(&mut self, chunk_bytes: usize, session: &mut Session) -> Result<(Request, Buffer)> {
        let rest = &self.span.input()[self.done_bytes..];
        let bytes = match self.is_whole() {
            true => rest.len(),
            false => rest.len().min(self.chain.chunk_bytes(chunk_bytes)),
        };
        let input = &rest[..bytes];
        let mut buffer = session.buffer(bytes)?;
        buffer.copy_from_slice(input);
        let mut request = self.request.clone();
        request.iv = self.chain.begin(input);
        Ok((request.into(), buffer))
    }

    /// Write the output of the chunk; a buffer for later ones.
    fn take(&mut self, answer: Answer) -> Buffer {
        self.chain.end(&answer.data);
        let end = self.done_bytes + answer.data.len();
        self.span.write(self.done_bytes..end, &answer.data);
        self.done_bytes = end;
        self.iv = self.chain.next();
        if self.is_whole() {
            self.answer = Some(answer);
            return Buffer::default();
        }
        answer.data
    }
}

/// Run the flows through these queues. Each keeps account of how far it came.
///
/// # Errors
/// The first that a queue gives. A tag that does not match is none: its flow stays as it was.
pub(crate) fn run(leases: Vec<Lease<'_>>, flows: Vec<&mut Flow<'_>>) -> Result<()> {
    let Some((first, flow)) = leases.first().zip(flows.first()) else {
        return Ok(());
    };
    let runtime = first.runtime();
    let preferred = first.update_chunk_bytes(&flow.request, usize::MAX);
    let share = IN_FLIGHT_BYTES / flows.len();
    let chunk_bytes = preferred.min(share.max(SHORTEST_CHUNK_BYTES));
    let mut lanes: Vec<Lane> = leases.into_iter().map(Lane::new).collect();
    let count = lanes.len();
    for (number, flow) in flows.into_iter().enumerate() {
        lanes[number % count].flows.push(flow);
    }
    loop {
        for lane in &mut lanes {
            lane.submit(chunk_bytes);
        }
        if lanes.iter().all(|lane| lane.in_flight.is_empty()) {
            break;
        }
        for lane in &mut lanes {
            lane.complete();
        }
        if lanes.iter().any(|lane| lane.error.is_some()) {
            break;
        }
    }
    // The queues worked at the same time.
    let cycles = lanes.iter().map(|lane| lane.cycles).max();
    add(&runtime.account.counters.device_cycles, cycles.unwrap_or(0));
    let errors: Vec<Error> = lanes.into_iter().filter_map(Lane::end).collect();
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// A queue and its flows.
struct Lane<'run, 'flow, 'a> {
    lease: Lease<'run>,
    flows: Vec<&'flow mut Flow<'a>>,
    /// The flows that have a chunk in flight, oldest first.
    in_flight: Vec<usize>,
    cycles: usize,
    error: Option<Error>,
}

impl<'run> Lane<'run, '_, '_> {
    fn new(lease: Lease<'run>) -> Self {
        Lane {
            lease,
            flows: Vec::new(),
            in_flight: Vec::new(),
            cycles: 0,
            error: None,
        }
    }

    /// Hand over the next chunk of every flow.
    fn submit(&mut self, chunk_bytes: usize) {
        let (mut chunks, mut numbers) = (Vec::new(), Vec::new());
        for (number, flow) in self.flows.iter_mut().enumerate() {
            if !flow.is_open() {
                continue;
            }
            match flow.next(chunk_bytes, &mut self.lease) {
                Ok(chunk) => chunks.push(chunk),
                Err(error) => {
                    self.error = Some(error);
                    return;
                }
            }
            numbers.push(number);
        }
        if chunks.is_empty() {
            return;
        }
        match self.lease.submit_all(chunks) {
            Ok(()) => self.in_flight = numbers,
            Err(error) => self.error = Some(error),
        }
    }

    /// Take back what is in flight.
    fn complete(&mut self) {
        for number in std::mem::take(&mut self.in_flight) {
            let flow = &mut *self.flows[number];
            match self.lease.complete() {
                Ok(answer) => {
                    self.cycles += cycles_of(answer.timing);
                    let buffer = flow.take(answer);
                    self.lease.recycle(buffer);
                }
                Err(error) if error.kind() == ErrorKind::Authentication => flow.refused = true,
                Err(error) => {
                    self.error = Some(error);
                    return;
                }
            }
        }
    }

    /// Give the queue back.
    fn end(self) -> Option<Error> {
        if self.error.is_none() {
            self.lease.keep();
        }
        self.error
    }
}

#[cfg(test)]
mod tests;
