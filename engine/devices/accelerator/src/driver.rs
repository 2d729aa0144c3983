// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One message at a time, from the host's side.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ciphermill::{
    BLOCK_BYTES, Buffer, Cancellation, CipherRequest, Error, Key, Mode, Result, Timing,
};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use crate::message::{ChainingState, Gives, Message, Tag};
use crate::registers::*;
use crate::timing::Counted;
use crate::{Identity, Link, check, fault};

/// How the driver treats a device. [`Options::default`] has values to change.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The device's clock in MHz, where known.
    pub clock_mhz: Option<f64>,
    /// A message that makes no progress for this long has failed.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            clock_mhz: None,
            patience: Duration::from_secs(10),
        }
    }
}

/// Results of a message besides its output.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Finished {
    /// What it cost.
    pub timing: Timing,
    /// Authenticated encryption: the tag.
    pub tag: Option<[u8; BLOCK_BYTES]>,
}

/// An operation on a curve gives nothing before its end, so it may take longer.
const OPERATION_PATIENCE: u32 = 10;

/// Register reads in which a sweep, a key load or an abort must end.
const POLLS: u32 = 100_000;

/// An accelerator, driven over its link. Zeroises the device when dropped, or given up
/// because it does not recover from an error.
pub struct Driver<L: Link> {
    pub(crate) link: L,
    identity: Identity,
    pub(crate) options: Options,
    /// The key that the device holds.
    key: Option<Arc<Key>>,
    /// The key of XTS's tweaks that it holds.
    tweak_key: Option<Arc<Key>>,
    /// Last values of CONFIGURATION and MESSAGE_LENGTH, where known.
    configuration: Option<u32>,
    length: Option<u64>,
    /// STATUS.outcome of the last message.
    pub(crate) outcome: u32,
    /// The reason why the device cannot be used any more.
    broken: Option<String>,
}

impl<L: Link> Driver<L> {
    /// Take over a device: check what it is, stop whatever it was doing, and
    /// remove any key from it.
    pub fn new(mut link: L, options: Options) -> Result<Driver<L>> {
        let identity = Identity::read(&mut link)?;
        let mut driver = Driver {
            link,
            identity,
            options,
            key: None,
            tweak_key: None,
            configuration: None,
            length: None,
            outcome: STATUS_OUTCOME_GOOD,
            broken: None,
        };
        driver.zeroise()?;
        let interrupts = INTERRUPT_ENABLE_DONE_MASK | INTERRUPT_ENABLE_ERROR_MASK;
        driver.link.write(INTERRUPT_ENABLE, interrupts)?;
        driver.clear_events()?;
        Ok(driver)
    }

    /// The way to the device.
    pub fn link(&self) -> &L {
        &self.link
    }

    /// What the device is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Run one message; its output replaces `data` (empty with a sink).
    ///
    /// `state` continues a message at a chunk before this one (see
    /// [`Driver::chaining_state`]); without it the message starts at the request's
    /// IV. `stopped` is looked at while data moves; when it returns true the message
    /// is dropped with [`ciphermill::ErrorKind::Cancelled`]. After an error `data` holds
    /// nothing of use; the device stays usable unless it has vanished. GCM whose tag
    /// does not match is [`ciphermill::ErrorKind::Authentication`].
    pub fn run(
        &mut self,
        request: &CipherRequest,
        data: &mut Buffer,
        state: Option<&ChainingState>,
        cancellation: &Cancellation,
    ) -> Result<Finished> {
        self.check_usable()?;
        check::check(&self.identity, request, data.len())?;
        if request.mode == Mode::Gcm && state.is_some() {
            return Err(Error::invalid("a GCM message cannot be continued"));
        }
        self.run_message(&Message::cipher(request, state)?, data, cancellation)
    }

    pub(crate) fn check_usable(&self) -> Result<()> {
        match &self.broken {
            Some(reason) => Err(Error::device(reason.clone())),
            None => Ok(()),
        }
    }

    pub(crate) fn run_message(
        &mut self,
        message: &Message,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<Finished> {
        cancellation.check()?;
        match self.message(message, data, cancellation) {
            Ok((counted, tag)) => Ok(Finished {
                timing: counted.timing(self.options.clock_mhz),
                tag,
            }),
            Err(error) => {
                data.zeroize();
                self.recover();
                Err(error)
            }
        }
    }

    /// Where the last message stands, so that it may be continued later.
    pub fn chaining_state(&mut self) -> Result<ChainingState> {
        let mut iv = [0; BLOCK_BYTES];
        for (word, bytes) in iv.chunks_exact_mut(4).enumerate() {
            bytes.copy_from_slice(&self.link.read(IV + 4 * word as u32)?.to_le_bytes());
        }
        let blocks = self.read_64(IV_BLOCKS_LOW, IV_BLOCKS_HIGH)?;
        Ok(ChainingState { iv, blocks })
    }

    /// Drop the message in progress, and sweep key and data from the device.
    pub fn zeroise(&mut self) -> Result<()> {
        self.key = None;
        self.tweak_key = None;
        self.configuration = None;
        self.length = None;
        // The key is removed even where the streams fail.
        let discarded = self.link.discard();
        self.link.write(CONTROL, CONTROL_ZEROISE_MASK)?;
        discarded?;
        self.poll("its sweep", STATUS_ZEROISING_MASK | STATUS_BUSY_MASK, None)?;
        self.link.discard()
    }

    fn message(
        &mut self,
        message: &Message,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<(Counted, Option<[u8; BLOCK_BYTES]>)> {
        let length = data.len();
        let cycles = self.link.cycles()?;
        let begun = Instant::now();
        if let Some(key) = &message.key {
            self.load_key(key, cancellation)?;
        }
        if let Some(units) = message.data_units {
            self.load_tweak_key(&units.tweak_key, cancellation)?;
        }
        self.configure(message, length as u64)?;
        self.link.write(CONTROL, CONTROL_START_MASK)?;
        let moving = Instant::now();
        // Associated data or a key, text and a tag to compare with are packets of their own.
        self.feed(message.before, cancellation)?;
        let mut compared = match &message.tag {
            Tag::ComparedThere(tag) => &tag[..],
            _ => &[],
        };
        let packets = [length, message.before.len(), compared.len()];
        match message.gives {
            Gives::AsMuch => self.exchange(data, &mut compared, cancellation)?,
            Gives::Digest(bytes) => {
                self.feed(data, cancellation)?;
                data.replace(&vec![0; bytes])?;
                self.collect(data, self.options.patience, cancellation)?;
            }
            Gives::Results(bytes) => {
                let patience = OPERATION_PATIENCE * self.options.patience;
                self.feed(data, cancellation)?;
                data.replace(&vec![0; bytes])?;
                self.collect(data, patience, cancellation)?;
                self.wait_until_idle(patience, cancellation)?;
            }
            Gives::Nothing => {
                self.feed(data, cancellation)?;
                self.wait_until_idle(self.options.patience, cancellation)?;
                data.zeroize();
            }
        }
        self.feed(compared, cancellation)?;
        if message.tag != Tag::None {
            // The tag comes after the last byte.
            self.poll("its tag", STATUS_BUSY_MASK, Some(cancellation))?;
        }
        let cycles_after = self.link.cycles()?;
        let (wall, wall_moving) = (begun.elapsed(), moving.elapsed());
        self.finish(message, length as u64, cancellation)?;
        let stalls = u64::from(self.link.read(STALL_INPUT)?)
            .saturating_add(u64::from(self.link.read(STALL_OUTPUT)?));
        let tag = self.tag(&message.tag)?;
        let beats = packets.map(|bytes| bytes.div_ceil(self.identity.stream_bytes));
        let counted = Counted {
            cycles: self.read_64(CYCLES_LOW, CYCLES_HIGH)?,
            stalls,
            simulated: cycles
                .zip(cycles_after)
                .map(|(before, after)| after.saturating_sub(before)),
            wall,
            wall_moving,
            beats: beats.iter().sum::<usize>() as u64,
        };
        Ok((counted, tag))
    }

    /// The tag that encryption gave; one that is compared here must match.
    fn tag(&mut self, wanted: &Tag) -> Result<Option<[u8; BLOCK_BYTES]>> {
        if matches!(wanted, Tag::None | Tag::ComparedThere(_)) {
            return Ok(None);
        }
        let mut tag = Zeroizing::new([0; BLOCK_BYTES]);
        for (word, bytes) in tag.chunks_exact_mut(4).enumerate() {
            bytes.copy_from_slice(&self.link.read(TAG + 4 * word as u32)?.to_le_bytes());
        }
        match wanted {
            Tag::ComparedHere(wanted) if wanted.ct_eq(&*tag).into() => Ok(None),
            Tag::ComparedHere(_) => Err(forged()),
            _ => Ok(Some(*tag)),
        }
    }

    /// Give the device a key, unless it holds this one already.
    fn load_key(&mut self, key: &Arc<Key>, cancellation: &Cancellation) -> Result<()> {
        if self.key.as_ref().is_some_and(|held| same_key(held, key)) {
            return Ok(());
        }
        self.key = None;
        self.take_key(key, CONTROL_LOAD_KEY_MASK, cancellation)?;
        self.key = Some(Arc::clone(key));
        Ok(())
    }

    /// Give the device a key for XTS's tweaks, unless it holds this one already.
    fn load_tweak_key(&mut self, key: &Arc<Key>, cancellation: &Cancellation) -> Result<()> {
        if (self.tweak_key.as_ref()).is_some_and(|held| same_key(held, key)) {
            return Ok(());
        }
        self.tweak_key = None;
        self.take_key(key, CONTROL_LOAD_TWEAK_KEY_MASK, cancellation)?;
        self.tweak_key = Some(Arc::clone(key));
        Ok(())
    }

    /// Write a key and have it taken by a command.
    fn take_key(&mut self, key: &Key, command: u32, cancellation: &Cancellation) -> Result<()> {
        self.set_configuration(key_size(key) << CONFIGURATION_KEY_SIZE_SHIFT)?;
        for (word, bytes) in key.as_bytes().chunks(4).enumerate() {
            // A key of 80 bits ends in the middle of a word.
            let mut whole = Zeroizing::new([0; 4]);
            whole[..bytes.len()].copy_from_slice(bytes);
            let value = Zeroizing::new(u32::from_le_bytes(*whole));
            self.link.write(KEY + 4 * word as u32, *value)?;
        }
        self.link.write(CONTROL, command)?;
        self.poll("its key load", STATUS_KEY_PENDING_MASK, Some(cancellation))?;
        self.check_error()
    }

    fn configure(&mut self, message: &Message, length: u64) -> Result<()> {
        let size = self.key.as_ref().map_or(0, |key| key_size(key));
        // All of a block counts.
        let width = match self.identity.cipher.map(|cipher| cipher.block_bytes) {
            Some(8) => CONFIGURATION_COUNTER_WIDTH_BITS_64,
            _ => CONFIGURATION_COUNTER_WIDTH_BITS_128,
        };
        let value = message.configuration
            | size << CONFIGURATION_KEY_SIZE_SHIFT
            | width << CONFIGURATION_COUNTER_WIDTH_SHIFT;
        self.set_configuration(value)?;
        self.set_length(length)?;
        let has_before = message.tag != Tag::None
            || message.configuration & CONFIGURATION_AUTHENTICATE_MASK != 0;
        if has_before {
            let length = message.before.len() as u64;
            self.link.write(AAD_LENGTH_LOW, length as u32)?;
            self.link.write(AAD_LENGTH_HIGH, (length >> 32) as u32)?;
        }
        if let Some(units) = message.data_units {
            // A message within one data unit may be shorter than that.
            let bytes = length.min(units.bytes as u64);
            self.link.write(DATA_UNIT_LENGTH, bytes as u32)?;
        }
        let Some(state) = &message.state else {
            return Ok(());
        };
        for (word, bytes) in state.iv.chunks_exact(4).enumerate() {
            let value = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            self.link.write(IV + 4 * word as u32, value)?;
        }
        // Writing the IV has set the count to zero.
        if state.blocks != 0 {
            self.link.write(IV_BLOCKS_LOW, state.blocks as u32)?;
            self.link
                .write(IV_BLOCKS_HIGH, (state.blocks >> 32) as u32)?;
        }
        Ok(())
    }

    fn set_configuration(&mut self, value: u32) -> Result<()> {
        if self.configuration != Some(value) {
            self.link.write(CONFIGURATION, value)?;
            self.configuration = Some(value);
        }
        Ok(())
    }

    fn set_length(&mut self, length: u64) -> Result<()> {
        let before = self.length.take();
        if before.map(|before| before as u32) != Some(length as u32) {
            self.link.write(MESSAGE_LENGTH_LOW, length as u32)?;
        }
        if before.map(|before| before >> 32) != Some(length >> 32) {
            self.link
                .write(MESSAGE_LENGTH_HIGH, (length >> 32) as u32)?;
        }
        self.length = Some(length);
        Ok(())
    }

    /// The message has moved all its bytes: it must have ended well.
    fn finish(
        &mut self,
        message: &Message,
        length: u64,
        cancellation: &Cancellation,
    ) -> Result<()> {
        self.poll("its message", STATUS_BUSY_MASK, Some(cancellation))?;
        self.check_error()?;
        let status = self.status()?;
        self.outcome = (status & STATUS_OUTCOME_MASK) >> STATUS_OUTCOME_SHIFT;
        match status & (STATUS_DONE_MASK | STATUS_FORGED_MASK) {
            STATUS_DONE_MASK => {}
            0 if self.outcome != STATUS_OUTCOME_GOOD => {}
            0 => return Err(dropped()),
            _ => return Err(forged()),
        }
        if message.gives == Gives::Nothing {
            let sunk = self.read_64(SINK_BYTES_LOW, SINK_BYTES_HIGH)?;
            if sunk != length {
                return Err(Error::device(format!(
                    "the accelerator's sink consumed {sunk} of {length} bytes"
                )));
            }
        }
        if self.link.receive(&mut [0])?.bytes > 0 {
            return Err(Error::device(
                "the accelerator gave more bytes than the message has",
            ));
        }
        let events = INTERRUPT_STATE_DONE_MASK | INTERRUPT_STATE_ERROR_MASK;
        self.link.write(INTERRUPT_STATE, events)
    }

    pub(crate) fn check_error(&mut self) -> Result<()> {
        match fault::explain(self.link.read(ERROR)?) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// STATUS. A device that has gone from a bus reads as all ones.
    pub(crate) fn status(&mut self) -> Result<u32> {
        const KNOWN: u32 = STATUS_BUSY_MASK
            | STATUS_ZEROISING_MASK
            | STATUS_KEY_LOADED_MASK
            | STATUS_KEY_PENDING_MASK
            | STATUS_DONE_MASK
            | STATUS_TWEAK_KEY_LOADED_MASK
            | STATUS_FORGED_MASK
            | STATUS_OUTCOME_MASK;
        match self.link.read(STATUS)? {
            status if status & !KNOWN == 0 => Ok(status),
            status => Err(Error::device(format!(
                "the accelerator has vanished: its status reads {status:#010x}"
            ))),
        }
    }

    /// Read STATUS until none of `bits` is set; what cleans up has no `cancellation`.
    fn poll(&mut self, what: &str, bits: u32, cancellation: Option<&Cancellation>) -> Result<()> {
        let begun = Instant::now();
        for polls in 0.. {
            if self.status()? & bits == 0 {
                return Ok(());
            }
            if let Some(cancellation) = cancellation {
                cancellation.check()?;
            }
            if polls >= POLLS && begun.elapsed() >= self.options.patience {
                break;
            }
        }
        Err(Error::device(format!(
            "the accelerator does not finish {what}"
        )))
    }

    fn read_64(&mut self, low: u32, high: u32) -> Result<u64> {
        let low = u64::from(self.link.read(low)?);
        Ok(u64::from(self.link.read(high)?) << 32 | low)
    }

    fn clear_events(&mut self) -> Result<()> {
        self.link.write(ERROR, u32::MAX)?;
        let events = INTERRUPT_STATE_DONE_MASK | INTERRUPT_STATE_ERROR_MASK;
        self.link.write(INTERRUPT_STATE, events)
    }

    /// Make the device fit for the next message after one that failed; where
    /// that fails too, the device is gone.
    fn recover(&mut self) {
        self.configuration = None;
        self.length = None;
        let recovered = (|| {
            self.link.discard()?;
            self.link.write(CONTROL, CONTROL_ABORT_MASK)?;
            // An abort leaves alone a key that is still to be taken; none can be loaded
            // until it is.
            let bits = STATUS_BUSY_MASK | STATUS_ZEROISING_MASK | STATUS_KEY_PENDING_MASK;
            self.poll("its abort", bits, None)?;
            self.link.discard()?;
            let status = self.status()?;
            if status & STATUS_KEY_LOADED_MASK == 0 {
                self.key = None;
            }
            if status & STATUS_TWEAK_KEY_LOADED_MASK == 0 {
                self.tweak_key = None;
            }
            self.clear_events()
        })();
        if let Err(error) = recovered {
            self.key = None;
            self.tweak_key = None;
            // A device that may still respond must not keep a key. The driver does not wait
            // for the end of the sweep: the device is not used again.
            let _ = self.link.write(CONTROL, CONTROL_ZEROISE_MASK);
            self.broken = Some(format!("the device is not usable any more: {error}"));
        }
    }
}

impl<L: Link> Drop for Driver<L> {
    fn drop(&mut self) {
        // A device given up was told to zeroise already.
        if self.broken.is_none() {
            // Nothing is left to do about a device that vanishes just now.
            let _ = self.zeroise();
        }
    }
}

pub(crate) fn dropped() -> Error {
    Error::device("the accelerator dropped the message (was it reset?)")
}

fn forged() -> Error {
    Error::authentication("authentication failed: the tag does not match")
}

/// CONFIGURATION.key_size.
fn key_size(key: &Key) -> u32 {
    match key.bits() {
        80 => CONFIGURATION_KEY_SIZE_BITS_80,
        128 => CONFIGURATION_KEY_SIZE_BITS_128,
        192 => CONFIGURATION_KEY_SIZE_BITS_192,
        _ => CONFIGURATION_KEY_SIZE_BITS_256,
    }
}

/// Whether two keys are the same, in a time that depends on their sizes alone.
fn same_key(one: &Key, other: &Key) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}
