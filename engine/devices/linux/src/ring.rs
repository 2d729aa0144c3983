// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A ring: messages, cut where they are too long for the driver, and the key that it holds.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use ciphermill::{
    Buffer, Cancellation, Chain, CipherRequest, DataUnits, Error, Key, Mode, Request, Result,
};
use ciphermill_accelerator::registers::*;
use ciphermill_accelerator::{Gives, Identity, Message, Tag};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use crate::abi::{self, ABI};
use crate::calls::{Files, Outcome, RingFile, Text, Transfer};
use crate::fault;

/// Bytes of a tag.
const TAG_BYTES: usize = 16;

/// A ring that this process has.
pub(crate) struct Ring {
    path: PathBuf,
    file: Box<dyn RingFile>,
    identity: Identity,
    clock_mhz: Option<f64>,
    message_bytes: usize,
    held: Mutex<Held>,
    /// A message has ended.
    ended: Condvar,
}

/// The keys that the file has: messages take those that it has when they begin.
#[derive(Default)]
struct Held {
    key: Option<Arc<Key>>,
    tweak_key: Option<Arc<Key>>,
    /// Messages that use them.
    running: usize,
}

impl Held {
    fn has(&self, key: &Arc<Key>, tweak_key: Option<&Arc<Key>>) -> bool {
        self.key.as_ref().is_some_and(|held| same(held, key))
            && match (&self.tweak_key, tweak_key) {
                (Some(held), Some(tweak_key)) => same(held, tweak_key),
                (held, wanted) => held.is_none() && wanted.is_none(),
            }
    }
}

fn same(one: &Arc<Key>, other: &Arc<Key>) -> bool {
    Arc::ptr_eq(one, other) || bool::from(one.as_bytes().ct_eq(other.as_bytes()))
}

/// The structure of CIPHERMILL_IOC_KEY.
fn key_words(key: &Key, tweak_key: Option<&Key>) -> abi::Key {
    let mut words = abi::Key {
        bytes: key.as_bytes().len() as u32,
        ..abi::Key::default()
    };
    words.key[..key.as_bytes().len()].copy_from_slice(key.as_bytes());
    if let Some(tweak_key) = tweak_key {
        words.tweak_bytes = tweak_key.as_bytes().len() as u32;
        words.tweak_key[..tweak_key.as_bytes().len()].copy_from_slice(tweak_key.as_bytes());
    }
    words
}

impl Ring {
    /// Take a ring: open its file, and check what is behind it.
    ///
    /// `Ok(None)` where another process has it.
    pub(crate) fn take(files: &dyn Files, path: &Path) -> Result<Option<Ring>> {
        let file = match files.open(path) {
            Err(error) if fault::is_busy(&error) => return Ok(None),
            file => file.map_err(|error| fault::opening(path, error))?,
        };
        let info = file.info().map_err(|error| fault::opening(path, error))?;
        let wrong = |what: String| Error::device(format!("{}: {what}", path.display()));
        if info.abi != ABI {
            return Err(wrong(format!(
                "the kernel driver has version {} of its interface, this program has {ABI}: update the older one",
                info.abi
            )));
        }
        let identity = Identity::of(info.accelerator, info.capability, info.geometry);
        let mut identity = identity.map_err(|error| wrong(error.to_string()))?;
        // The driver offers neither these nor elliptic curves.
        identity.sink = false;
        identity.bypass = false;
        identity.key_slots = 0;
        identity
            .whole
            .retain(|(algorithm, _)| algorithm.digest_bytes > 0 || algorithm.nonce_bytes > 0);
        if info.message_bytes < 1 << 12 {
            return Err(wrong(format!(
                "the kernel driver takes messages of {} bytes at most, too few to work with: load it with \
                 a larger message_bytes",
                info.message_bytes
            )));
        }
        Ok(Some(Ring {
            path: path.to_owned(),
            file,
            identity,
            clock_mhz: (info.khz > 0).then(|| f64::from(info.khz) / 1000.0),
            message_bytes: info.message_bytes as usize,
            held: Mutex::default(),
            ended: Condvar::new(),
        }))
    }

    /// What the ring's channel is, without what the driver does not offer.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Clock of the card.
    pub(crate) fn clock_mhz(&self) -> Option<f64> {
        self.clock_mhz
    }

    /// Run a request; its output replaces the data, which are zeroised after an error.
    pub(crate) fn run(
        &self,
        request: &Request,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<Option<[u8; TAG_BYTES]>> {
        let done = self
            .identity
            .check_request(request, data.len())
            .and_then(|()| match request {
                Request::Cipher(request) if request.mode != Mode::Gcm => {
                    self.cut(request, data, cancellation).map(|()| None)
                }
                _ => self.whole(request, data, cancellation),
            });
        if done.is_err() {
            data.zeroize();
        }
        done
    }

    /// A message that can be cut, in messages that the driver takes.
    fn cut(
        &self,
        request: &CipherRequest,
        data: &mut [u8],
        cancellation: &Cancellation,
    ) -> Result<()> {
        let mut chain = Chain::new(request);
        let longest = chain.chunk_bytes(self.message_bytes);
        for chunk in data.chunks_mut(longest) {
            cancellation.check()?;
            let iv = chain.begin(chunk);
            let whole = Request::Cipher(request.clone());
            let mut message = Message::of(&whole)?;
            if let Some(state) = &mut message.state {
                state.iv = iv;
            }
            self.message(&message, Text::InPlace(chunk))?;
            chain.end(chunk);
        }
        Ok(())
    }

    /// A message that cannot be cut.
    fn whole(
        &self,
        request: &Request,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<Option<[u8; TAG_BYTES]>> {
        cancellation.check()?;
        let message = Message::of(request)?;
        if data.len() + message.before.len() > self.message_bytes {
            return Err(Error::unsupported(format!(
                "the kernel driver takes messages of {} bytes at most here, and this one has {}: load it with a \
                 larger message_bytes, or choose another device",
                self.message_bytes,
                data.len() + message.before.len()
            )));
        }
        match message.gives {
            Gives::Digest(bytes) => {
                let mut digest = Zeroizing::new(vec![0; bytes]);
                self.message(&message, Text::Digest(data, &mut digest))?;
                data.replace(&digest)?;
                Ok(None)
            }
            _ => {
                let tag = self.message(&message, Text::InPlace(data))?;
                Ok(matches!(message.tag, Tag::Given).then_some(tag))
            }
        }
    }

    /// One message of the driver; the tag that it gave.
    fn message(&self, message: &Message, text: Text) -> Result<[u8; TAG_BYTES]> {
        let (text_bytes, output_bytes) = match &text {
            Text::InPlace(text) => (text.len(), text.len()),
            Text::Digest(text, digest) => (text.len(), digest.len()),
        };
        let mut configuration = message.configuration;
        if configuration & CONFIGURATION_MODE_MASK == CONFIGURATION_MODE_CTR {
            // All of a block counts.
            let width = match self.identity.cipher.map(|cipher| cipher.block_bytes) {
                Some(8) => CONFIGURATION_COUNTER_WIDTH_BITS_64,
                _ => CONFIGURATION_COUNTER_WIDTH_BITS_128,
            };
            configuration |= width << CONFIGURATION_COUNTER_WIDTH_SHIFT;
        }
        let unit_bytes = message
            .data_units
            .map_or(0, |units| units.bytes.min(text_bytes));
        let transfer = Transfer {
            configuration,
            unit_bytes: unit_bytes as u32,
            iv: message.state.map_or([0; 16], |state| state.iv),
            tag: match message.tag {
                Tag::ComparedHere(tag) | Tag::ComparedThere(tag) => tag,
                _ => [0; TAG_BYTES],
            },
            associated: message.before,
            text,
        };
        let outcome = self.with_keys(message.key.as_ref(), message.data_units, || {
            let done = self.file.message(transfer);
            done.map_err(|error| fault::running(&self.path, error))
        })?;
        self.check_count(&outcome, output_bytes)?;
        Ok(outcome.tag)
    }

    fn check_count(&self, outcome: &Outcome, output_bytes: usize) -> Result<()> {
        match outcome.count as usize == output_bytes {
            true => Ok(()),
            false => Err(Error::device(format!(
                "the driver of {} says that the card gave {} bytes instead of {output_bytes}: the two do not \
                 fit together, update the older one",
                self.path.display(),
                outcome.count
            ))),
        }
    }

    /// Do something while the file has these keys. Messages with other keys wait.
    fn with_keys<T>(
        &self,
        key: Option<&Arc<Key>>,
        data_units: Option<&DataUnits>,
        run: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let Some(key) = key else {
            return run();
        };
        let tweak_key = data_units.map(|units| &units.tweak_key);
        let mut held = self.held();
        if !held.has(key, tweak_key) {
            while held.running > 0 && !held.has(key, tweak_key) {
                let waited = self.ended.wait(held);
                held = waited.unwrap_or_else(PoisonError::into_inner);
            }
            if !held.has(key, tweak_key) {
                held.key = None;
                let mut words = key_words(key, tweak_key.map(|key| &**key));
                let set = self.file.set_key(&mut words);
                set.map_err(|error| fault::running(&self.path, error))?;
                held.key = Some(Arc::clone(key));
                held.tweak_key = tweak_key.cloned();
            }
        }
        held.running += 1;
        drop(held);
        let done = run();
        self.held().running -= 1;
        self.ended.notify_all();
        done
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
