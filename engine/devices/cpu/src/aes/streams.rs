// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! CBC encryption of several streams side by side: when a stream ends, the next one takes its
//! lane. Streams differ in length and in key, but not in the key's length.

#![allow(unsafe_code)]

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, Buffer, Key};
use zeroize::Zeroizing;

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

/// A message of whole blocks to be encrypted in CBC mode.
pub(crate) struct Stream<T> {
    pub(crate) key: Arc<Key>,
    pub(crate) iv: [u8; BLOCK_BYTES],
    pub(crate) data: Buffer,
    /// Whom the stream belongs to.
    pub(crate) owner: T,
}

/// A stream that has a lane.
struct Lane<T> {
    data: Buffer,
    /// Bytes that are ciphertext.
    done: usize,
    owner: T,
}

impl<T> Lane<T> {
    fn left(&self) -> usize {
        (self.data.len() - self.done) / BLOCK_BYTES
    }
}

/// Encrypts all streams, which have keys of so many bits. `goes_on` is asked now and then; a stream
/// for which it says no is stopped. `ended` gets each stream when it ends: with its ciphertext, or,
/// where it was stopped, without.
pub(crate) fn encrypt<T>(
    kernel: LaneKernel,
    key_bits: usize,
    streams: impl Iterator<Item = Stream<T>>,
    goes_on: &mut dyn FnMut(&T) -> bool,
    ended: &mut dyn FnMut(T, Option<Buffer>),
) {
    let mut streams = streams.peekable();
    if streams.peek().is_some() {
        Streams::new(kernel, key_bits, streams).run(goes_on, ended);
    }
}

/// Streams with keys of one length.
struct Streams<T, I: Iterator<Item = Stream<T>>> {
    kernel: LaneKernel,
    waiting: I,
    lanes: Vec<Lane<T>>,
    state: Box<Lanes>,
    /// Where a lane works whose stream has less left than a pass.
    spare: Box<Zeroizing<[[u128; MAXIMUM_STEPS]; MAXIMUM_LANES]>>,
    /// Where lanes work that have no stream.
    idle: Box<Zeroizing<[u128; IDLE_BLOCKS]>>,
    /// The latest stream's key: the next one often has the same.
    latest: Option<(Arc<Key>, Schedule)>,
}

impl<T, I: Iterator<Item = Stream<T>>> Streams<T, I> {
    fn new(kernel: LaneKernel, key_bits: usize, waiting: I) -> Streams<T, I> {
        Streams {
            kernel,
            waiting,
            lanes: Vec::with_capacity(kernel.lanes()),
            // FIPS 197, section 5.
            state: Lanes::new(key_bits / 32 + 6),
            spare: Box::new(Zeroizing::new([[0; MAXIMUM_STEPS]; MAXIMUM_LANES])),
            idle: Box::new(Zeroizing::new([0; IDLE_BLOCKS])),
            latest: None,
        }
    }

    fn run(
        mut self,
        goes_on: &mut dyn FnMut(&T) -> bool,
        ended: &mut dyn FnMut(T, Option<Buffer>),
    ) {
        loop {
            self.end(goes_on, ended);
            self.begin(goes_on, ended);
            let left = self.lanes.iter().map(Lane::left);
            match left.min() {
                None => return,
                Some(blocks) => self.advance(blocks.min(SLICE_BLOCKS)),
            }
        }
    }

    /// Streams that are done, or to be stopped, leave their lanes.
    fn end(
        &mut self,
        goes_on: &mut dyn FnMut(&T) -> bool,
        ended: &mut dyn FnMut(T, Option<Buffer>),
    ) {
        for number in (0..self.lanes.len()).rev() {
            let lane = &self.lanes[number];
            let done = lane.left() == 0;
            if done || !goes_on(&lane.owner) {
                self.state.replace(number, self.lanes.len() - 1);
                let lane = self.lanes.swap_remove(number);
                ended(lane.owner, done.then_some(lane.data));
            }
        }
    }

    /// The next streams take the lanes that are free.
    fn begin(
        &mut self,
        goes_on: &mut dyn FnMut(&T) -> bool,
        ended: &mut dyn FnMut(T, Option<Buffer>),
    ) {
        while self.lanes.len() < self.kernel.lanes() {
            let Some(stream) = self.waiting.next() else {
                return;
            };
            if !goes_on(&stream.owner) {
                ended(stream.owner, None);
                continue;
            }
            self.latest
                .take_if(|(key, _)| !Arc::ptr_eq(key, &stream.key));
            let (_, schedule) = self.latest.get_or_insert_with(|| {
                let schedule = Schedule::encryption(self.kernel.narrow(), &stream.key);
                (Arc::clone(&stream.key), schedule)
            });
            self.state.begin(self.lanes.len(), schedule, stream.iv);
            self.lanes.push(Lane {
                data: stream.data,
                done: 0,
                owner: stream.owner,
            });
        }
    }

    /// Encrypts so many blocks of each stream, or fewer that are whole passes. Each has as many.
    fn advance(&mut self, blocks: usize) {
        let steps = self.kernel.steps();
        let blocks = match self.lanes.len() == self.kernel.lanes() {
            true => blocks,
            false => blocks.min(IDLE_BLOCKS),
        };
        let distance = Distance {
            passes: (blocks / steps).max(1),
            steps: blocks.min(steps),
        };
        let pass_bytes = BLOCK_BYTES * steps;
        let bytes = BLOCK_BYTES * distance.passes * distance.steps;
        let mut places: Places = [self.idle.as_mut_ptr().cast(); MAXIMUM_LANES];
        let lanes = self.lanes.iter_mut().zip(self.spare.iter_mut());
        for ((lane, spare), place) in lanes.zip(&mut places) {
            let rest = &mut lane.data[lane.done..];
            if rest.len() >= pass_bytes {
                *place = rest.as_mut_ptr();
            } else {
                *place = spare.as_mut_ptr().cast();
                // SAFETY: the spare place is a pass long, and nobody else uses it.
                unsafe { place.copy_from(rest.as_ptr(), rest.len()) };
            }
        }
        let (lanes, state) = (self.lanes.len(), &mut *self.state);
        // SAFETY: each place is that of the lane's text, which has as many blocks as all passes, or
        // there is one pass, and the place is the lane's spare one. Where there are lanes without a
        // stream, their place has as many blocks as all passes.
        unsafe {
            match self.kernel {
                LaneKernel::AesNi(proof) => aes_ni::chain(proof, state, lanes, &places, distance),
                LaneKernel::Vaes256(proof) => {
                    vaes256::chain(proof, state, lanes, &places, distance)
                }
                LaneKernel::Vaes512(proof) => {
                    vaes512::chain(proof, state, lanes, &places, distance)
                }
            }
        }
        for (lane, place) in self.lanes.iter_mut().zip(places) {
            let rest = &mut lane.data[lane.done..];
            if rest.len() < pass_bytes {
                // SAFETY: as many bytes were copied there before.
                unsafe { rest.as_mut_ptr().copy_from(place, rest.len()) };
            }
            lane.done += bytes;
        }
    }
}
