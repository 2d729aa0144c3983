// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! CBC encryption of several streams side by side, and CMAC, which is built on it: when a stream
//! ends, the next one takes its lane. Streams differ in length and in key, but not in the key's
//! length.

#![allow(unsafe_code)]

use std::ptr;
use std::time::{Duration, Instant};

use ciphermill::BLOCK_BYTES;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::lanes::{Distance, Lanes, MAXIMUM_LANES, Places};
use super::schedule::Schedule;
use super::{aes_ni, vaes256, vaes512};
use crate::instructions::{AesNi, Instructions, Vaes256, Vaes512};

/// Blocks of each lane after which a stream may be stopped: a megabyte in sixteen lanes.
const SLICE_BLOCKS: usize = 4096;

/// Blocks of a lane in the longest pass.
const MAXIMUM_STEPS: usize = 4;

/// Blocks of a place for lanes without a stream.
const IDLE_BLOCKS: usize = 256;

/// Instructions for streams side by side that are proven to be there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LaneKernel {
    AesNi(AesNi),
    Vaes256(Vaes256),
    Vaes512(Vaes512),
}

impl LaneKernel {
    /// The kernel for these instructions; `None` where the processor lacks them. Beside AWS-LC
    /// it is AES-NI.
    pub(crate) fn detect(instructions: Instructions) -> Option<LaneKernel> {
        match instructions {
            Instructions::Vaes512 => Vaes512::detect().map(LaneKernel::Vaes512),
            Instructions::Vaes256 => Vaes256::detect().map(LaneKernel::Vaes256),
            Instructions::Library => AesNi::detect().map(LaneKernel::AesNi),
        }
    }

    /// Streams that go side by side.
    pub(crate) fn lanes(self) -> usize {
        match self {
            LaneKernel::AesNi(_) => aes_ni::LANES,
            LaneKernel::Vaes256(_) => vaes256::LANES,
            LaneKernel::Vaes512(_) => vaes512::LANES,
        }
    }

    /// Lanes that are worked on for so many streams: with those of a vector that has a stream come
    /// its others.
    fn lanes_for(self, streams: usize) -> usize {
        match self {
            LaneKernel::AesNi(_) => aes_ni::lanes_for(streams),
            LaneKernel::Vaes256(_) => vaes256::lanes_for(streams),
            LaneKernel::Vaes512(_) => vaes512::lanes_for(streams),
        }
    }

    /// Blocks of a stream that a pass reads and writes.
    fn steps(self) -> usize {
        match self {
            LaneKernel::AesNi(_) => aes_ni::STEPS,
            LaneKernel::Vaes256(_) => vaes256::STEPS,
            LaneKernel::Vaes512(_) => vaes512::STEPS,
        }
    }

    pub(super) fn narrow(self) -> AesNi {
        match self {
            LaneKernel::AesNi(proof) => proof.narrow(),
            LaneKernel::Vaes256(proof) => proof.narrow(),
            LaneKernel::Vaes512(proof) => proof.narrow(),
        }
    }
}

/// A message of whole blocks to be encrypted in CBC mode, at the place where it is.
pub(crate) trait Stream<'a> {
    fn key(&self) -> &'a [u8];
    fn iv(&self) -> [u8; BLOCK_BYTES];
    /// Before the first block. `encrypt` encrypts a block with the key.
    fn begins(&mut self, _encrypt: impl Fn([u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES]) {}
    /// The text.
    fn data(&mut self) -> &mut [u8];
    /// Asked when all of the text is ciphertext: whether it goes on with another text.
    fn has_more(&mut self) -> bool {
        false
    }
    /// Asked now and then. A stream that says no is stopped.
    fn goes_on(&self) -> bool;
    /// The text is ciphertext, so long after the beginning of all streams; `None` where it was
    /// stopped.
    fn ended(self, elapsed: Option<Duration>);
}

/// A stream that has a lane.
struct Lane<S> {
    stream: S,
    /// Its key's number: streams of one number have the same key.
    key: usize,
    /// Blocks that are not yet ciphertext.
    left: usize,
}

/// Encrypts all streams, which have keys of so many bits.
pub(crate) fn encrypt<'a, S: Stream<'a>>(
    kernel: LaneKernel,
    key_bits: usize,
    streams: impl Iterator<Item = S>,
) {
    let mut streams = streams.peekable();
    if streams.peek().is_some() {
        Streams::new(kernel, key_bits, streams).run();
    }
}

/// Streams with keys of one length.
struct Streams<'a, S: Stream<'a>, I: Iterator<Item = S>> {
    kernel: LaneKernel,
    waiting: I,
    lanes: Vec<Lane<S>>,
    state: Box<Lanes>,
    /// Where a lane works whose stream has less left than a pass. Zeroised after each pass.
    spare: Box<[[u128; MAXIMUM_STEPS]; MAXIMUM_LANES]>,
    /// Where lanes work that have no stream. It holds no text.
    idle: Vec<u128>,
    /// The latest stream's key: the next one often has the same.
    latest: Option<&'a [u8]>,
    /// Its round keys, in a place of their own, so that no copy stays behind when they move.
    schedule: Box<Schedule>,
    /// Number of different keys so far.
    keys: usize,
    start: Instant,
}

impl<'a, S: Stream<'a>, I: Iterator<Item = S>> Streams<'a, S, I> {
    fn new(kernel: LaneKernel, key_bits: usize, waiting: I) -> Streams<'a, S, I> {
        Streams {
            kernel,
            waiting,
            lanes: Vec::with_capacity(kernel.lanes()),
            // FIPS 197, section 5.
            state: Lanes::new(key_bits / 32 + 6),
            spare: Box::new([[0; MAXIMUM_STEPS]; MAXIMUM_LANES]),
            idle: Vec::new(),
            latest: None,
            schedule: Box::new(Schedule::empty()),
            keys: 0,
            start: Instant::now(),
        }
    }

    fn run(mut self) {
        loop {
            self.end();
            self.begin();
            let left = self.lanes.iter().map(|lane| lane.left);
            match left.min() {
                None => return,
                // A text without blocks, which ends at once.
                Some(0) => {}
                Some(blocks) => self.advance(blocks.min(SLICE_BLOCKS)),
            }
        }
    }

    /// Streams that are done, or to be stopped, leave their lanes.
    fn end(&mut self) {
        // Read once for those that end together: it costs as much as some hundred bytes of text.
        let mut elapsed = None;
        for number in (0..self.lanes.len()).rev() {
            let lane = &mut self.lanes[number];
            if lane.left == 0 && lane.stream.has_more() {
                lane.left = lane.stream.data().len() / BLOCK_BYTES;
            }
            let done = lane.left == 0;
            if done || !lane.stream.goes_on() {
                self.state.replace(number, self.lanes.len() - 1);
                let stream = self.lanes.swap_remove(number).stream;
                let elapsed = *elapsed.get_or_insert_with(|| self.start.elapsed());
                stream.ended(done.then_some(elapsed));
            }
        }
    }

    /// The next streams take the lanes that are free.
    fn begin(&mut self) {
        while self.lanes.len() < self.kernel.lanes() {
            let Some(mut stream) = self.waiting.next() else {
                return;
            };
            if !stream.goes_on() {
                stream.ended(None);
                continue;
            }
            let narrow = self.kernel.narrow();
            let schedule = &mut *self.schedule;
            if !self.latest.is_some_and(|key| same(key, stream.key())) {
                self.keys += 1;
                schedule.set_encryption(narrow, stream.key());
                self.latest = Some(stream.key());
            }
            stream.begins(|block| schedule.encrypt(narrow, block));
            self.state.begin(self.lanes.len(), schedule, stream.iv());
            self.lanes.push(Lane {
                key: self.keys,
                left: stream.data().len() / BLOCK_BYTES,
                stream,
            });
        }
    }

    /// Encrypts so many blocks of each stream, or fewer that are whole passes. Each has as many.
    fn advance(&mut self, blocks: usize) {
        let steps = self.kernel.steps();
        let taken = self.kernel.lanes_for(self.lanes.len());
        let blocks = match self.lanes.len() == taken {
            true => blocks,
            false => blocks.min(IDLE_BLOCKS),
        };
        let distance = Distance {
            passes: (blocks / steps).max(1),
            steps: blocks.min(steps),
        };
        let touched = BLOCK_BYTES * steps * distance.passes;
        if self.lanes.len() < taken {
            self.idle.resize(IDLE_BLOCKS, 0);
        }
        // Asked before pointers into the streams are taken.
        let shared = self.lanes.iter().all(|lane| lane.key == self.lanes[0].key);
        let count = self.lanes.len();
        let mut places: Places = [self.idle.as_mut_ptr().cast(); MAXIMUM_LANES];
        let lanes = self.lanes.iter_mut().zip(self.spare.iter_mut());
        for ((lane, spare), place) in lanes.zip(&mut places) {
            let rest = lane.rest();
            if rest.len() >= touched {
                *place = rest.as_mut_ptr();
            } else {
                assert_eq!(distance.passes, 1, "a stream has less than it had");
                for (block, bytes) in spare.iter_mut().zip(rest.as_chunks().0) {
                    *block = u128::from_ne_bytes(*bytes);
                }
                *place = spare.as_mut_ptr().cast();
            }
        }
        let state = &mut *self.state;
        // SAFETY: each place is that of the lane's text, which has as many blocks as all passes, or
        // there is one pass, and the place is the lane's spare one. Where there are lanes without a
        // stream, their place has as many blocks as all passes.
        unsafe {
            match self.kernel {
                LaneKernel::AesNi(proof) => {
                    aes_ni::chain(proof, state, count, shared, &places, distance)
                }
                LaneKernel::Vaes256(proof) => {
                    vaes256::chain(proof, state, count, shared, &places, distance)
                }
                LaneKernel::Vaes512(proof) => {
                    vaes512::chain(proof, state, count, shared, &places, distance)
                }
            }
        }
        for (lane, spare) in self.lanes.iter_mut().zip(self.spare.iter_mut()) {
            let rest = lane.rest();
            if rest.len() < touched {
                for (block, bytes) in spare.iter().zip(rest.as_chunks_mut().0) {
                    *bytes = block.to_ne_bytes();
                }
                spare.zeroize();
            }
            lane.left -= distance.passes * distance.steps;
        }
    }
}

fn same(one: &[u8], other: &[u8]) -> bool {
    ptr::eq(one, other) || one.ct_eq(other).into()
}

impl<'a, S: Stream<'a>> Lane<S> {
    /// The text that is not yet ciphertext.
    fn rest(&mut self) -> &mut [u8] {
        let data = self.stream.data();
        let done = data.len() - BLOCK_BYTES * self.left;
        &mut data[done..]
    }
}
