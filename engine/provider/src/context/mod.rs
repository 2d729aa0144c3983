// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Cipher contexts: what OpenSSL calls an `EVP_CIPHER_CTX` holds one.

mod block;
mod counter;
mod gcm;
mod keyed;
mod tls_cbc;

use std::sync::Arc;

use ciphermill::{Direction, KeyBits, Mode};

use crate::failure::{Failure, Outcome, Reason};
use crate::provider::Provider;
use crate::span::Buffers;
use block::Block;
use counter::Counter;
use gcm::Gcm;

/// A parameter's value on its way out.
pub(crate) enum Value<'a> {
    Unsigned(u64),
    Octets(&'a [u8]),
    /// Octets for which the caller has room though it may not say how much.
    Generated(&'a [u8]),
    /// Octets that a program may keep a pointer to until the next call.
    Kept(&'a [u8]),
}

/// A parameter's value on its way in.
pub(crate) enum Given<'a> {
    Unsigned(u64),
    Octets(&'a [u8]),
    /// A length without contents.
    Length(usize),
}

impl Given<'_> {
    fn unsigned(&self) -> Outcome<u64> {
        match self {
            Given::Unsigned(value) => Ok(*value),
            _ => Err(Failure::new(Reason::ValueError, "a number is due")),
        }
    }

    fn octets(&self) -> Outcome<&[u8]> {
        match self {
            Given::Octets(octets) => Ok(octets),
            _ => Err(Failure::new(Reason::ValueError, "octets are due")),
        }
    }
}

/// A context.
pub(crate) struct Context {
    state: State,
    /// An operation failed half-way: nothing more until the next initialisation.
    spoilt: bool,
}

enum State {
    Block(Block),
    Counter(Counter),
    Gcm(Box<Gcm>),
}

impl Context {
    /// A context without a key.
    pub(crate) fn new(provider: Arc<Provider>, mode: Mode, size: KeyBits) -> Context {
        Context {
            state: match mode {
                Mode::Ecb | Mode::Cbc => State::Block(Block::new(provider, mode, size)),
                Mode::Ctr => State::Counter(Counter::new(provider, size)),
                Mode::Gcm => State::Gcm(Box::new(Gcm::new(provider, size))),
            },
            spoilt: false,
        }
    }

    /// A copy in the same state.
    pub(crate) fn duplicate(&self) -> Outcome<Context> {
        Ok(Context {
            state: match &self.state {
                State::Block(block) => State::Block(block.duplicate()?),
                State::Counter(counter) => State::Counter(counter.duplicate()?),
                State::Gcm(gcm) => State::Gcm(Box::new(gcm.duplicate()?)),
            },
            spoilt: self.spoilt,
        })
    }

    /// Begin a message; without key, or IV, with those that it has.
    pub(crate) fn initialise(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Outcome<()> {
        self.spoilt = false;
        match &mut self.state {
            State::Block(block) => block.initialise(direction, key, iv),
            State::Counter(counter) => counter.initialise(direction, key, iv),
            State::Gcm(gcm) => gcm.initialise(direction, key, iv),
        }
    }

    /// Whether an update of so many bytes is a plain one, for [`Context::quick`]: short, in
    /// software, and with nothing held back.
    #[inline(always)]
    pub(crate) fn is_quick(&self, bytes: usize) -> bool {
        !self.spoilt
            && match &self.state {
                State::Block(block) => block.is_quick(bytes),
                State::Counter(counter) => counter.is_quick(bytes),
                State::Gcm(_) => false,
            }
    }

    /// [`Context::update`] in place where [`Context::is_quick`]: what short updates cost is
    /// mostly the way to the cipher.
    #[inline(always)]
    pub(crate) fn quick(&mut self, data: &mut [u8]) -> Outcome<()> {
        match &mut self.state {
            State::Block(block) => block.quick(data),
            State::Counter(counter) => counter.quick(data),
            State::Gcm(_) => Ok(()),
        }
    }

    /// The message's next bytes; the number of bytes of output.
    pub(crate) fn update(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        self.check()?;
        let outcome = match &mut self.state {
            State::Block(block) => block.update(buffers),
            State::Counter(counter) => counter.update(buffers),
            State::Gcm(gcm) => gcm.update(buffers),
        };
        self.after(outcome)
    }

    /// GCM: associated data. The other modes have none.
    pub(crate) fn associate(&mut self, data: &[u8]) -> Outcome<()> {
        self.check()?;
        match &mut self.state {
            State::Gcm(gcm) => gcm.associate(data),
            _ => Err(Failure::new(
                Reason::InvalidData,
                "no output: associated data needs GCM",
            )),
        }
    }

    /// The end of the message; the number of bytes of output.
    pub(crate) fn finish(&mut self, output: &mut [u8]) -> Outcome<usize> {
        self.check()?;
        let outcome = match &mut self.state {
            State::Block(block) => block.finish(output),
            State::Counter(counter) => counter.finish(),
            State::Gcm(gcm) => gcm.finish(),
        };
        self.after(outcome)
    }

    /// Whole blocks without buffering, as `EVP_Cipher` has it.
    pub(crate) fn raw(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        self.check()?;
        let outcome = match &mut self.state {
            State::Block(block) => block.raw(buffers),
            State::Counter(counter) => counter.update(buffers),
            State::Gcm(gcm) => gcm.update(buffers),
        };
        self.after(outcome)
    }

    /// A parameter of this name, of which the caller has room for so many bytes; `None`
    /// where there is no such parameter.
    pub(crate) fn parameter(&mut self, name: &[u8], room: usize) -> Outcome<Option<Value<'_>>> {
        match &mut self.state {
            State::Block(block) => block.parameter(name),
            State::Counter(counter) => counter.parameter(name),
            State::Gcm(gcm) => gcm.parameter(name, room),
        }
    }

    /// Set a parameter; names that there are not are passed over.
    pub(crate) fn set_parameter(&mut self, name: &[u8], given: &Given<'_>) -> Outcome<()> {
        match &mut self.state {
            State::Block(block) => block.set_parameter(name, given),
            State::Counter(counter) => counter.set_parameter(name, given),
            State::Gcm(gcm) => gcm.set_parameter(name, given),
        }
    }

    /// Nothing more until the next initialisation.
    pub(crate) fn spoil(&mut self) {
        self.spoilt = true;
    }

    #[inline(always)]
    fn check(&self) -> Outcome<()> {
        if self.spoilt {
            return Err(Failure::new(
                Reason::CipherOperationFailed,
                "an earlier operation on this context failed: initialise it again",
            ));
        }
        Ok(())
    }

    /// A device or library that failed leaves no message to go on with.
    #[inline(always)]
    fn after<T>(&mut self, outcome: Outcome<T>) -> Outcome<T> {
        if let Err(failure) = &outcome
            && let Some((Reason::CipherOperationFailed, _)) = failure.report.as_deref()
        {
            self.spoil();
        }
        outcome
    }
}

fn no_key() -> Failure {
    Failure::new(Reason::NoKeySet, "no key was set")
}

fn no_room() -> Failure {
    Failure::new(
        Reason::OutputBufferTooSmall,
        "the output has not enough room",
    )
}
