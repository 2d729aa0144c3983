// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! An update of a pipe between its beginning and its end.

use std::sync::Arc;

use ciphermill::{CipherRequest, Direction, Key, Mode, Span};

use crate::side_by_side::Flow;

/// What a pipeline asks the device for.
pub(super) struct Subject<'a> {
    pub mode: Mode,
    pub direction: Direction,
    pub key: &'a Arc<Key>,
}

/// Whole blocks, or a whole message, of a pipe.
pub(super) enum Work<'a> {
    Device(Box<Flow<'a>>),
    Software(Span<'a>),
}

impl<'a> Work<'a> {
    /// For the device where there is a request.
    pub(super) fn of(request: Option<CipherRequest>, span: Span<'a>) -> Work<'a> {
        match request {
            Some(request) => Work::Device(Box::new(Flow::new(request, span))),
            None => Work::Software(span),
        }
    }
}

/// An update of a pipe that has begun.
pub(super) struct Arranged<'a> {
    pub work: Work<'a>,
    /// What software does after that.
    pub tail: Span<'a>,
    /// Bytes of output, when all is done.
    pub written: usize,
}

impl<'a> Arranged<'a> {
    /// Nothing comes after the work.
    pub(super) fn new(work: Work<'a>, written: usize) -> Arranged<'a> {
        Arranged {
            work,
            tail: Span::InPlace(&mut []),
            written,
        }
    }
}
