// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Cipher contexts: what OpenSSL calls an `EVP_CIPHER_CTX` holds one.

mod arranged;
mod block;
mod counter;
mod gcm;
mod keyed;
mod pipeline;
mod values;
mod xts;

use std::sync::Arc;

use ciphermill::{Direction, KeyBits, Mode};

use crate::buffers::Buffers;
use crate::failure::{Outcome, Reason};
use crate::provider::{Provider, State};
use block::Block;
use counter::Counter;
use gcm::Gcm;
pub(crate) use values::{Given, Value};
use xts::Xts;

/// A context.
pub(crate) struct Context {
    state: ByMode,
    condition: Condition,
    provider: Arc<Provider>,
    /// The messages of a pipeline; none where the context has one message.
    pipes: Vec<ByMode>,
}

/// What a context can be used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// One message.
    Ready,
    /// The messages of a pipeline.
    Pipeline,
    /// An operation failed half-way: nothing more until the next initialisation.
    Spoilt,
}

enum ByMode {
    Block(Block),
    Counter(Counter),
    Gcm(Box<Gcm>),
    Xts(Box<Xts>),
}

/// The same for the state of every mode.
macro_rules! each {
    ($state:expr, $mode:ident => $run:expr) => {
        match $state {
            ByMode::Block($mode) => $run,
            ByMode::Counter($mode) => $run,
            ByMode::Gcm($mode) => $run,
            ByMode::Xts($mode) => $run,
        }
    };
}
use each;

impl Context {
    /// A context without a key.
    pub(crate) fn new(provider: Arc<Provider>, mode: Mode, size: KeyBits) -> Context {
        Context {
            provider: Arc::clone(&provider),
            state: match mode {
                Mode::Ecb | Mode::Cbc => ByMode::Block(Block::new(provider, mode, size)),
                Mode::Ctr => ByMode::Counter(Counter::new(provider, size)),
                Mode::Gcm => ByMode::Gcm(Box::new(Gcm::new(provider, size))),
                Mode::Xts => ByMode::Xts(Box::new(Xts::new(provider, size))),
            },
            condition: Condition::Ready,
            pipes: Vec::new(),
        }
    }

    /// Begin a message; without key, or IV, with those that it has.
    pub(crate) fn initialise(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Outcome<()> {
        let outcome = each!(&mut self.state, mode => mode.initialise(direction, key, iv));
        self.pipes.clear();
        // One that fails leaves nothing to go on with either.
        self.condition = match outcome {
            Ok(()) => Condition::Ready,
            Err(_) => Condition::Spoilt,
        };
        outcome
    }

    /// [`Context::update`] in place for an update of so many bytes, where it is a plain one: short,
    /// in software, and with nothing held back. `None` where it is not; then `data` is not called.
    /// Most of the cost of a short update is the way to the cipher.
    #[inline(always)]
    pub(crate) fn quick<'a>(
        &mut self,
        bytes: usize,
        data: impl FnOnce() -> &'a mut [u8],
    ) -> Option<Outcome<()>> {
        match &mut self.state {
            _ if self.condition != Condition::Ready => None,
            ByMode::Block(block) if block.is_quick(bytes) => Some(block.quick(data())),
            ByMode::Counter(counter) if counter.is_quick(bytes) => Some(counter.quick(data())),
            _ => None,
        }
    }

    /// The message's next bytes; the number of bytes of output.
    pub(crate) fn update(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        self.check()?;
        let outcome = each!(&mut self.state, mode => mode.update(buffers));
        self.after(outcome)
    }

    /// Bytes that an update of so many will write: the caller's output need not have more.
    pub(crate) fn written_bytes(&self, bytes: usize) -> usize {
        self.state.written_bytes(bytes)
    }

    /// GCM: associated data. The other modes have none.
    pub(crate) fn associate(&mut self, data: &[u8]) -> Outcome<()> {
        self.check()?;
        match &mut self.state {
            ByMode::Gcm(gcm) => gcm.associate(data),
            _ => not_associated(),
        }
    }

    /// The end of the message; the number of bytes of output.
    pub(crate) fn finish(&mut self, output: &mut [u8]) -> Outcome<usize> {
        self.check()?;
        let outcome = self.state.finish(output);
        self.after(outcome)
    }

    /// Whole blocks without buffering, as `EVP_Cipher` has it.
    pub(crate) fn raw(&mut self, buffers: Buffers<'_>) -> Outcome<usize> {
        self.check()?;
        let outcome = match &mut self.state {
            ByMode::Block(block) => block.raw(buffers),
            _ => return self.update(buffers),
        };
        self.after(outcome)
    }

    /// A parameter of this name, of which the caller has room for so many bytes; `None`
    /// where there is no such parameter.
    pub(crate) fn parameter(&mut self, name: &[u8], room: usize) -> Outcome<Option<Value<'_>>> {
        if !self.pipes.is_empty() {
            values::check_shared(name)?;
        }
        each!(&mut self.state, mode => mode.parameter(name, room))
    }

    /// Set a parameter. Unknown names are ignored.
    pub(crate) fn set_parameter(&mut self, name: &[u8], given: &Given<'_>) -> Outcome<()> {
        if !self.pipes.is_empty() {
            values::check_shared(name)?;
        }
        each!(&mut self.state, mode => mode.set_parameter(name, given))?;
        let mut pipes = self.pipes.iter_mut();
        pipes.try_for_each(|pipe| each!(pipe, mode => mode.set_parameter(name, given)))
    }

    #[inline(always)]
    fn check(&self) -> Outcome<()> {
        match self.condition {
            Condition::Ready => Ok(()),
            Condition::Spoilt => Reason::CipherOperationFailed
                .fail("an earlier operation on this context failed: initialise it again"),
            Condition::Pipeline => Reason::InvalidData.fail(
                "the context is a pipeline: update it as one, or initialise it for one message",
            ),
        }
    }

    /// A device or library that failed leaves no message to go on with.
    #[inline(always)]
    fn after<T>(&mut self, outcome: Outcome<T>) -> Outcome<T> {
        if let Err(failure) = &outcome
            && let Some((Reason::CipherOperationFailed | Reason::MallocFailure, _)) =
                failure.report.as_deref()
        {
            self.spoil();
        }
        outcome
    }
}

impl State for Context {
    fn duplicate(&self) -> Outcome<Context> {
        let pipes = self.pipes.iter().map(ByMode::duplicate);
        Ok(Context {
            state: self.state.duplicate()?,
            condition: self.condition,
            provider: Arc::clone(&self.provider),
            pipes: pipes.collect::<Outcome<_>>()?,
        })
    }

    fn spoil(&mut self) {
        self.condition = Condition::Spoilt;
    }
}

impl ByMode {
    fn duplicate(&self) -> Outcome<ByMode> {
        Ok(match self {
            ByMode::Block(block) => ByMode::Block(block.duplicate()?),
            ByMode::Counter(counter) => ByMode::Counter(counter.duplicate()?),
            ByMode::Gcm(gcm) => ByMode::Gcm(Box::new(gcm.duplicate()?)),
            ByMode::Xts(xts) => ByMode::Xts(Box::new(xts.duplicate()?)),
        })
    }

    fn written_bytes(&self, bytes: usize) -> usize {
        match self {
            ByMode::Block(block) => block.written_bytes(bytes),
            ByMode::Counter(_) | ByMode::Gcm(_) | ByMode::Xts(_) => bytes,
        }
    }

    fn finish(&mut self, output: &mut [u8]) -> Outcome<usize> {
        match self {
            ByMode::Block(block) => block.finish(output),
            ByMode::Counter(counter) => counter.finish(),
            ByMode::Gcm(gcm) => gcm.finish(),
            ByMode::Xts(_) => Ok(0),
        }
    }
}

fn not_associated<T>() -> Outcome<T> {
    Reason::InvalidData
        .fail("an update without output is associated data, which GCM alone takes: give an output")
}

#[cfg(test)]
mod tests {
    mod misuse;
    mod pipelines;

    use ciphermill::testing::ReferenceDevice;

    use super::*;
    use crate::provider::with_device;

    const JOB_BYTES: usize = 4096;
    /// More than the self-test at load takes.
    const JOBS: usize = 30;

    fn message(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|index| ((index * 13) >> 2) as u8).collect()
    }

    /// A context on a device that fails after some jobs, with an update that has more.
    fn failing(mode: Mode, settings: &[(&str, &str)]) -> (Arc<Provider>, Context) {
        let device = ReferenceDevice::new()
            .with_chunk(JOB_BYTES)
            .failing_after(JOBS);
        let provider = with_device(device, settings);
        let mut context = Context::new(Arc::clone(&provider), mode, KeyBits::Bits256);
        begin(&mut context);
        (provider, context)
    }

    fn begin(context: &mut Context) {
        let iv = [0xfe; 16];
        let iv = match context.state {
            ByMode::Gcm(_) => &iv[..12],
            _ => &iv[..],
        };
        context
            .initialise(Direction::Encrypt, Some(&[3; 32]), Some(iv))
            .unwrap();
    }

    fn update(context: &mut Context, data: &mut [u8]) -> Outcome<usize> {
        let bytes = data.len();
        context.update(Buffers::InPlace {
            buffer: data,
            bytes,
        })
    }

    #[test]
    fn a_device_that_fails_half_way_changes_no_byte() {
        for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr] {
            let mut expected = message((JOBS + 5) * JOB_BYTES);
            let (_, mut plain) = failing(mode, &[("threshold", "never")]);
            update(&mut plain, &mut expected).unwrap();
            let (provider, mut context) = failing(mode, &[("threshold", "16")]);
            let mut data = message(expected.len());
            update(&mut context, &mut data).unwrap();
            assert!(data == expected, "{mode}");
            assert_eq!(provider.count("device_failures"), Some(1));
            let on_device = provider.count("device_bytes").unwrap();
            assert_eq!(on_device, (JOBS * JOB_BYTES) as u64);
            // The chain goes on, in software while the device is left alone.
            let (mut one, mut other) = ([7; 64], [7; 64]);
            update(&mut plain, &mut one).unwrap();
            update(&mut context, &mut other).unwrap();
            assert_eq!(one, other, "{mode}");
        }
    }

    #[test]
    fn where_it_is_to_fail_nothing_goes_on_before_an_initialisation() {
        let settings = [("threshold", "16"), ("on_failure", "fail")];
        let (_, mut context) = failing(Mode::Ctr, &settings);
        let mut data = message((JOBS + 5) * JOB_BYTES);
        let failure = update(&mut context, &mut data).unwrap_err();
        assert!(failure.report.unwrap().1.contains("device cpu"));
        let failure = update(&mut context, &mut data[..16]).unwrap_err();
        assert!(failure.report.unwrap().1.contains("initialise"));
        begin(&mut context);
        assert_eq!(update(&mut context, &mut data[..16]).unwrap(), 16);
    }

    #[test]
    fn a_gcm_message_that_goes_on_is_taken_up_by_software() {
        let expected = |cut: &[usize], settings: &[(&str, &str)]| {
            let (provider, mut context) = failing(Mode::Gcm, settings);
            let mut data = message(1000);
            context.associate(b"header").unwrap();
            let mut rest = &mut data[..];
            for bytes in cut {
                let (chunk, after) = rest.split_at_mut(*bytes);
                update(&mut context, chunk).unwrap();
                rest = after;
            }
            context.finish(&mut []).unwrap();
            let Some(Value::Octets(tag)) = context.parameter(b"tag", 16).unwrap() else {
                panic!("no tag");
            };
            let tag = tag.to_vec();
            (data, tag, provider.count("device_updates"))
        };
        let software = expected(&[1000], &[("threshold", "never")]);
        let whole = expected(&[1000], &[("threshold", "16")]);
        let chunks = expected(&[500, 17, 483], &[("threshold", "16")]);
        assert_eq!((&software.0, &software.1), (&whole.0, &whole.1));
        assert_eq!((&software.0, &software.1), (&chunks.0, &chunks.1));
        assert_eq!((whole.2, chunks.2), (Some(1), Some(1)));
    }
}
