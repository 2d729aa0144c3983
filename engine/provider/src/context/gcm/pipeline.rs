// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! GCM in a pipeline: each pipe has a message of its own.

use ciphermill::Mode;

use super::{Gcm, IvState};
use crate::buffers::Buffers;
use crate::context::arranged::{Arranged, Subject, Work};
use crate::context::values::{no_key, no_room};
use crate::failure::{Outcome, Reason};
use crate::work::CipherKey;

impl Gcm {
    pub(in crate::context) fn subject(&self) -> Outcome<Subject<'_>> {
        Ok(Subject {
            mode: Mode::Gcm,
            direction: self.direction,
            key: self.key.as_ref().ok_or_else(no_key)?,
        })
    }

    /// A pipeline gives out no random IV.
    pub(in crate::context) fn check_iv(&self) -> Outcome<()> {
        match self.iv_state {
            IvState::None => Reason::InvalidIvLength
                .fail("no IV was set: give one for each pipe to the initialisation"),
            _ => Ok(()),
        }
    }

    pub(in crate::context) fn arrange<'a>(
        &mut self,
        buffers: Buffers<'a>,
        chosen: Option<&CipherKey>,
    ) -> Outcome<Arranged<'a>> {
        let bytes = buffers.bytes();
        let span = buffers.span().ok_or_else(no_room)?;
        self.ready()?;
        let mut request = None;
        if bytes > 0 && !self.begun {
            self.begun = true;
            if let Some(chosen) = chosen.filter(|_| self.knows_tag() && self.has_usual_form()) {
                request = Some(self.whole_request(chosen.clone())?);
            }
        } else if bytes > 0 {
            self.take_up()?;
        }
        Ok(Arranged::new(Work::of(request, span), bytes))
    }

    pub(in crate::context) fn settle(&mut self, arranged: Arranged<'_>) -> Outcome<()> {
        let rest = match arranged.work {
            Work::Software(span) => span,
            Work::Device(flow) => match flow.into_rest() {
                (Some(done), _) => {
                    self.keep_whole(done);
                    return Ok(());
                }
                (None, rest) => rest,
            },
        };
        match rest.len() {
            0 => Ok(()),
            _ => self.work_in_software(rest),
        }
    }
}
