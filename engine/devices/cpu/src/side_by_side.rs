// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Jobs side by side on one thread.
//!
//! A stream is a job whose blocks follow from one another, so that it leaves most of the processor
//! idle: encryption by AES in CBC mode, CMAC, and with vectors of 512 bits SHA-2. Streams that a thread has in hand at once go side by side.

use std::time::Duration;
#[cfg(target_arch = "x86_64")]
use std::{cmp::Reverse, time::Instant};

#[cfg(target_arch = "x86_64")]
use ciphermill::{AES, AES_CMAC, BLOCK_BYTES, Direction, Error, Mode};
use ciphermill::{Buffer, Cancellation, Request, Result};
#[cfg(target_arch = "x86_64")]
use zeroize::Zeroizing;

#[cfg(target_arch = "x86_64")]
use crate::{
    aes::{self, LaneKernel, encrypt_streams},
    answer::Run,
    instructions::Vaes512,
    sha2_lanes::Hash,
};

/// Bytes of a digest that may go beside jobs of other queues: some milliseconds.
#[cfg(target_arch = "x86_64")]
const SHARED_DIGEST_BYTES: usize = 1 << 20;

/// A stream at the place where it waits.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) struct Stream<'a, R: FnOnce(&mut Buffer, Result<Duration>)> {
    pub(crate) request: &'a Request,
    pub(crate) data: &'a mut Buffer,
    pub(crate) cancellation: &'a Cancellation,
    /// Gets the data, which the output has replaced, and how long after the beginning of all
    /// streams it was there.
    pub(crate) reply: R,
}

/// Whether a job of this request may go beside others.
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_stream(kernel: LaneKernel, request: &Request) -> bool {
    chained(request).is_some() || hashed(kernel, request).is_some()
}

/// Runs streams side by side: of CBC and CMAC those with keys of one length together, of digests
/// those by one hash. `alone` runs a message that has too few others beside it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn run<R>(kernel: LaneKernel, mut streams: Vec<Stream<'_, R>>, alone: &Run)
where
    R: FnOnce(&mut Buffer, Result<Duration>),
{
    for &bits in AES.key_bits {
        let has_bits = |key: &[u8]| 8 * key.len() == bits;
        let these = streams.extract_if(.., |one| {
            chained(one.request).is_some_and(|(key, _)| has_bits(key))
        });
        let these = these.filter_map(Stream::begin);
        encrypt_streams(kernel, bits, these.filter_map(Chained::of));
    }
    for hash in Hash::ALL {
        let these = streams.extract_if(.., |one| {
            hashed(kernel, one.request).is_some_and(|(its, _)| its == hash)
        });
        let these: Vec<_> = these.filter_map(Stream::begin).collect();
        if let LaneKernel::Vaes512(proof) = kernel {
            digest(hash, proof, these, alone);
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl<R: FnOnce(&mut Buffer, Result<Duration>)> Stream<'_, R> {
    /// Itself, unless it cannot begin.
    fn begin(self) -> Option<Self> {
        let checked = self.cancellation.check();
        match checked.and_then(|()| self.request.check(self.data.len())) {
            Ok(()) => Some(self),
            Err(error) => {
                (self.reply)(self.data, Err(error));
                None
            }
        }
    }
}

/// Hash and instructions of a digest that may go beside others.
#[cfg(target_arch = "x86_64")]
fn hashed(kernel: LaneKernel, request: &Request) -> Option<(Hash, Vaes512)> {
    match (kernel, request) {
        (LaneKernel::Vaes512(proof), Request::Digest(algorithm)) => {
            Hash::of(algorithm).map(|hash| (hash, proof))
        }
        _ => None,
    }
}

/// Whether a job of this request and length ends with the others beside it: digests in lanes take as
/// long as the longest, and the others wait for one that is longer still. Streams of CBC and CMAC leave
/// their lanes.
#[cfg(target_arch = "x86_64")]
pub(crate) fn holds_others_up(kernel: LaneKernel, request: &Request, bytes: usize) -> bool {
    bytes > SHARED_DIGEST_BYTES && hashed(kernel, request).is_some()
}

/// Digests by one hash. Messages of like length go together, because all lanes take as long as the
/// longest; and the shortest end first.
#[cfg(target_arch = "x86_64")]
fn digest<R>(hash: Hash, proof: Vaes512, mut streams: Vec<Stream<'_, R>>, alone: &Run)
where
    R: FnOnce(&mut Buffer, Result<Duration>),
{
    let start = Instant::now();
    streams.sort_by_key(|one| Reverse(one.data.len()));
    for mut group in grouped(hash, streams).into_iter().rev() {
        if group.len() > 1 {
            let messages: Vec<_> = group.iter().map(|one| &**one.data).collect();
            let goes_on = |place: usize| !group[place].cancellation.is_cancelled();
            let digests = hash.digests(proof, &messages, &goes_on);
            let elapsed = start.elapsed();
            for (one, digest) in group.into_iter().zip(digests) {
                let digest = digest.ok_or_else(Error::cancelled);
                let outcome = digest.and_then(|digest| one.data.replace(&digest));
                (one.reply)(one.data, outcome.map(|()| elapsed));
            }
        } else if let Some(one) = group.pop() {
            let outcome = alone(one.request, one.data, one.cancellation);
            (one.reply)(one.data, outcome.map(|_| start.elapsed()));
        }
    }
}

/// Messages, the longest first, in groups for the lanes; one that is alone in its group is hashed by
/// itself.
#[cfg(target_arch = "x86_64")]
fn grouped<R>(hash: Hash, streams: Vec<Stream<'_, R>>) -> Vec<Vec<Stream<'_, R>>>
where
    R: FnOnce(&mut Buffer, Result<Duration>),
{
    let mut groups = Vec::new();
    let mut waiting = streams.into_iter();
    while !waiting.as_slice().is_empty() {
        let next = waiting.as_slice().iter().take(hash.lanes());
        let bytes: Vec<_> = next.map(|one| one.data.len()).collect();
        let together = if hash.pays(&bytes) { bytes.len() } else { 1 };
        groups.push(waiting.by_ref().take(together).collect());
    }
    groups
}

/// Key and IV of a stream of CBC or CMAC.
#[cfg(target_arch = "x86_64")]
fn chained(request: &Request) -> Option<(&[u8], [u8; BLOCK_BYTES])> {
    match request {
        Request::Cipher(request)
            if (request.mode, request.direction) == (Mode::Cbc, Direction::Encrypt)
                && request.key.is_aes()
                && !request.bypass =>
        {
            Some((request.key.as_bytes(), request.iv))
        }
        Request::Authenticate(algorithm, key) if *algorithm == &AES_CMAC => {
            Some((key.as_bytes(), [0; BLOCK_BYTES]))
        }
        _ => None,
    }
}

/// A stream of CBC or CMAC that has begun.
#[cfg(target_arch = "x86_64")]
struct Chained<'a, R: FnOnce(&mut Buffer, Result<Duration>)> {
    stream: Stream<'a, R>,
    key: &'a [u8],
    iv: [u8; BLOCK_BYTES],
    /// CMAC's last block, which is not encrypted in place.
    last: Option<LastBlock>,
}

#[cfg(target_arch = "x86_64")]
impl<'a, R: FnOnce(&mut Buffer, Result<Duration>)> Chained<'a, R> {
    fn of(stream: Stream<'a, R>) -> Option<Chained<'a, R>> {
        let (key, iv) = chained(stream.request)?;
        let is_code = matches!(stream.request, Request::Authenticate(..));
        Some(Chained {
            key,
            iv,
            last: is_code.then(|| LastBlock::of(stream.data)),
            stream,
        })
    }
}

#[cfg(target_arch = "x86_64")]
impl<'a, R: FnOnce(&mut Buffer, Result<Duration>)> aes::Stream<'a> for Chained<'a, R> {
    fn key(&self) -> &'a [u8] {
        self.key
    }

    fn iv(&self) -> [u8; BLOCK_BYTES] {
        self.iv
    }

    fn begins(&mut self, encrypt: impl Fn([u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES]) {
        if let Some(last) = &mut self.last {
            last.add_subkey(encrypt([0; BLOCK_BYTES]));
        }
    }

    fn data(&mut self) -> &mut [u8] {
        match &mut self.last {
            None => self.stream.data,
            Some(last) => match last.reached {
                true => &mut last.block[..],
                false => &mut self.stream.data[..last.offset],
            },
        }
    }

    fn has_more(&mut self) -> bool {
        let last = self.last.as_mut().filter(|last| !last.reached);
        last.map(|last| last.reached = true).is_some()
    }

    fn goes_on(&self) -> bool {
        !self.stream.cancellation.is_cancelled()
    }

    fn ended(self, elapsed: Option<Duration>) {
        let mut outcome = elapsed.ok_or_else(Error::cancelled);
        if let (Ok(_), Some(last)) = (&outcome, &self.last) {
            let replaced = self.stream.data.replace(&*last.block);
            outcome = replaced.and(outcome);
        }
        (self.stream.reply)(self.stream.data, outcome);
    }
}

/// The last block of a message for CMAC (SP 800-38B, 6.2); in the end, the code.
#[cfg(target_arch = "x86_64")]
struct LastBlock {
    block: Zeroizing<[u8; BLOCK_BYTES]>,
    /// Where it begins in the message.
    offset: usize,
    is_whole: bool,
    /// All before it is encrypted.
    reached: bool,
}

#[cfg(target_arch = "x86_64")]
impl LastBlock {
    fn of(message: &[u8]) -> LastBlock {
        let offset = message.len().saturating_sub(1) / BLOCK_BYTES * BLOCK_BYTES;
        let rest = &message[offset..];
        let mut block = Zeroizing::new([0; BLOCK_BYTES]);
        block[..rest.len()].copy_from_slice(rest);
        let is_whole = rest.len() == BLOCK_BYTES;
        if !is_whole {
            block[rest.len()] = 0x80;
        }
        LastBlock {
            block,
            offset,
            is_whole,
            reached: false,
        }
    }

    /// Adds the subkey that follows from an encrypted block of zeros (SP 800-38B, 6.1).
    fn add_subkey(&mut self, zeros: [u8; BLOCK_BYTES]) {
        // In the field of 2^128 elements, in constant time.
        let double = |value: u128| (value << 1) ^ (0x87 * (value >> 127));
        let first = double(u128::from_be_bytes(zeros));
        let subkey = if self.is_whole { first } else { double(first) };
        for (byte, key) in self.block.iter_mut().zip(subkey.to_be_bytes()) {
            *byte ^= key;
        }
    }
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use std::cell::RefCell;

    use ciphermill::SHA_256;

    use super::*;

    #[test]
    fn the_shortest_digests_end_first() {
        let Some(proof) = Vaes512::detect() else {
            return;
        };
        // Eight go side by side; the others are too different.
        let lengths = [3_000_000, 100, 90, 80, 70, 70, 60, 50, 5, 400_000];
        let mut data: Vec<Buffer> = lengths.map(|bytes| vec![1; bytes].into()).into();
        let (request, never) = (Request::Digest(&SHA_256), Cancellation::new());
        let ended = RefCell::new(Vec::new());
        let streams = data.iter_mut().map(|data| {
            let (bytes, ended) = (data.len(), &ended);
            Stream {
                reply: move |_: &mut Buffer, _: Result<Duration>| ended.borrow_mut().push(bytes),
                request: &request,
                data,
                cancellation: &never,
            }
        });
        digest(Hash::Sha256, proof, streams.collect(), &|_, _, _| Ok(None));
        let ended = ended.into_inner();
        assert_eq!(ended[..8].iter().max(), Some(&100), "{ended:?}");
        assert_eq!(ended[8..], [400_000, 3_000_000]);
    }
}
