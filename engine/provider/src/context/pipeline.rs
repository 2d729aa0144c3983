// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: several messages under one key, worked on in one update each
//! (EVP_CipherPipelineUpdate(3), from OpenSSL 3.5 on).
//!
//! Each pipe is the state of one message. An update first brings every pipe to the point where
//! whole blocks, or a whole message, are left (`arrange`); these go to the device together; then
//! every pipe does the rest in software (`settle`).

use ciphermill::{Direction, Mode};

use super::arranged::{Arranged, Work};
use super::{ByMode, Condition, Context, Given, Value, each};
use crate::buffers::Buffers;
use crate::failure::{Failure, Outcome, Reason};
use crate::side_by_side::Flow;
use crate::work::CipherKey;

/// Most pipes: `EVP_MAX_PIPES`.
const MOST_PIPES: usize = 32;

/// Most bytes of messages in GCM or data units in XTS that go to the device together: each is one
/// job, so that all of them are copied, and the output of GCM is kept.
const MOST_WHOLE_BYTES: usize = 16 << 20;

impl Context {
    /// Pipes that a pipeline can have.
    pub(crate) fn check_pipes(pipes: usize) -> Outcome<()> {
        if (1..=MOST_PIPES).contains(&pipes) {
            return Ok(());
        }
        let message = format!("a pipeline has 1 to {MOST_PIPES} pipes, not {pipes}");
        Reason::ValueError.fail(message)
    }

    /// Begin a message in each pipe; without key, or IVs, with those that it has.
    pub(crate) fn initialise_pipeline(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        ivs: &[Option<&[u8]>],
    ) -> Outcome<()> {
        let outcome = self.begin_pipes(direction, key, ivs);
        self.condition = match outcome {
            Ok(()) => Condition::Pipeline,
            Err(_) => Condition::Spoilt,
        };
        outcome
    }

    fn begin_pipes(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        ivs: &[Option<&[u8]>],
    ) -> Outcome<()> {
        Context::check_pipes(ivs.len())?;
        // The state of a single message has what all pipes begin with.
        each!(&mut self.state, mode => mode.initialise(direction, key, None))?;
        if self.pipes.len() != ivs.len() {
            self.pipes.clear();
            for _ in ivs {
                self.pipes.push(self.state.duplicate()?);
            }
        }
        for (number, (pipe, iv)) in self.pipes.iter_mut().zip(ivs).enumerate() {
            let begun = each!(pipe, mode => mode.initialise(direction, key, *iv));
            begun.map_err(|failure| failure.in_pipe(number))?;
        }
        Ok(())
    }

    /// Nothing is worked on but by a pipeline of so many pipes.
    pub(crate) fn check_pipeline(&self, pipes: usize) -> Outcome<()> {
        match self.condition {
            Condition::Pipeline if self.pipes.len() == pipes => Ok(()),
            Condition::Pipeline => {
                let present = self.pipes.len();
                let message = format!("the pipeline has {present} pipes, not {pipes}");
                Reason::ValueError.fail(message)
            }
            Condition::Ready => {
                Reason::InvalidData.fail("the context has one message: initialise it as a pipeline")
            }
            Condition::Spoilt => self.check(),
        }
    }

    /// Bytes that an update of a pipe with so many will write.
    pub(crate) fn written_bytes_of(&self, pipe: usize, bytes: usize) -> usize {
        self.pipes[pipe].written_bytes(bytes)
    }

    /// The next bytes of each pipe's message; the number of bytes of output of each. After an
    /// error nothing goes on before the next initialisation.
    pub(crate) fn update_pipes(&mut self, buffers: Vec<Buffers<'_>>) -> Outcome<Vec<usize>> {
        self.check_pipeline(buffers.len())?;
        let outcome = self.work_on_pipes(buffers);
        self.spoil_after(outcome)
    }

    fn work_on_pipes(&mut self, buffers: Vec<Buffers<'_>>) -> Outcome<Vec<usize>> {
        let given: Vec<usize> = buffers.iter().map(Buffers::bytes).collect();
        let subject = each!(&self.state, mode => mode.subject())?;
        let bytes = given.iter().sum();
        let chosen = match subject.mode {
            Mode::Gcm | Mode::Xts if bytes > MOST_WHOLE_BYTES => None,
            mode => self
                .provider
                .choose_pipeline(mode, subject.direction, subject.key, bytes)?,
        };
        let mut arranged = Vec::with_capacity(buffers.len());
        for (number, (pipe, buffers)) in self.pipes.iter_mut().zip(buffers).enumerate() {
            let begun = pipe.arrange(buffers, chosen.as_ref());
            arranged.push(begun.map_err(|failure| failure.in_pipe(number))?);
        }
        let flows: Vec<&mut Flow> = arranged
            .iter_mut()
            .filter_map(|arranged| match &mut arranged.work {
                Work::Device(flow) => Some(&mut **flow),
                Work::Software(_) => None,
            })
            .collect();
        if !flows.is_empty() {
            self.provider.run_side_by_side(flows)?;
        }
        let mut written = Vec::with_capacity(arranged.len());
        let mut in_software = 0;
        for (number, (pipe, arranged)) in self.pipes.iter_mut().zip(arranged).enumerate() {
            let begun = match &arranged.work {
                Work::Device(flow) => flow.done_bytes() > 0,
                Work::Software(_) => false,
            };
            if !begun && given[number] > 0 {
                in_software += 1;
            }
            written.push(arranged.written);
            let ended = each!(pipe, mode => mode.settle(arranged));
            ended.map_err(|failure| failure.in_pipe(number))?;
        }
        if in_software > 0 {
            self.provider.count_software_pipes(in_software);
        }
        Ok(written)
    }

    /// GCM: associated data of each pipe's message. The other modes have none.
    pub(crate) fn associate_pipes(&mut self, data: &[&[u8]]) -> Outcome<()> {
        self.check_pipeline(data.len())?;
        let mut pipes = self.pipes.iter_mut().zip(data).enumerate();
        let outcome = pipes.try_for_each(|(number, (pipe, data))| {
            let associated = match pipe {
                ByMode::Gcm(gcm) => gcm.check_iv().and_then(|()| gcm.associate(data)),
                _ => super::not_associated(),
            };
            associated.map_err(|failure| failure.in_pipe(number))
        });
        self.spoil_after(outcome)
    }

    /// The end of each pipe's message, in rooms of a block or less; the number of bytes of output
    /// of each. All pipes come to their end, also where one fails: which ones do is in the error.
    pub(crate) fn finish_pipes(&mut self, rooms: &mut [&mut [u8]]) -> Outcome<Vec<usize>> {
        self.check_pipeline(rooms.len())?;
        let (mut written, mut refused) = (Vec::with_capacity(rooms.len()), Vec::new());
        let mut failed = None;
        for (number, (pipe, room)) in self.pipes.iter_mut().zip(rooms).enumerate() {
            match pipe.finish(room) {
                Ok(bytes) => written.push(bytes),
                Err(Failure { report: None }) => refused.push(number.to_string()),
                Err(failure) => failed = failed.or(Some(failure.in_pipe(number))),
            }
        }
        if let Some(failure) = failed {
            return Err(failure);
        }
        if !refused.is_empty() {
            let message = format!(
                "not authentic, of the pipes from 0 on: {}",
                refused.join(", ")
            );
            return Reason::BadDecrypt.fail(message);
        }
        Ok(written)
    }

    /// GCM: set a pipe's tag. The other modes ignore it.
    pub(crate) fn set_tag_of(&mut self, pipe: usize, tag: &[u8]) -> Outcome<()> {
        let given = Given::Octets(tag);
        let set = each!(&mut self.pipes[pipe], mode => mode.set_parameter(b"tag", &given));
        set.map_err(|failure| failure.in_pipe(pipe))
    }

    /// GCM: a pipe's tag, of so many bytes; `None` in other modes.
    pub(crate) fn tag_of(&mut self, pipe: usize, bytes: usize) -> Outcome<Option<&[u8]>> {
        let tag = each!(&mut self.pipes[pipe], mode => mode.parameter(b"tag", bytes));
        match tag.map_err(|failure| failure.in_pipe(pipe))? {
            Some(Value::Octets(tag)) => Ok(Some(tag)),
            _ => Ok(None),
        }
    }

    /// Pipes of the pipeline; none where the context has one message.
    pub(crate) fn pipes(&self) -> usize {
        self.pipes.len()
    }

    fn spoil_after<T>(&mut self, outcome: Outcome<T>) -> Outcome<T> {
        if outcome.is_err() {
            self.condition = Condition::Spoilt;
        }
        outcome
    }
}

impl ByMode {
    fn arrange<'a>(
        &mut self,
        buffers: Buffers<'a>,
        chosen: Option<&CipherKey>,
    ) -> Outcome<Arranged<'a>> {
        if let ByMode::Gcm(gcm) = self {
            gcm.check_iv()?;
        }
        each!(self, mode => mode.arrange(buffers, chosen))
    }
}
