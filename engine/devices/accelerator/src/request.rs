// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Requests of every kind.

use ciphermill::{Buffer, Cancellation, Request, Result};

use crate::curve::CURVES;
use crate::key_slots::run_held;
use crate::message::Message;
use crate::{Driver, Finished, Link, check};

impl<L: Link + 'static> Driver<L> {
    /// Run one message of any operation that the device has; what it gives replaces `data`.
    /// With a key that the device holds ([`crate::KeySlots`]) it runs on the channel of that key.
    ///
    /// Fails as [`Driver::run`], and with [`ciphermill::ErrorKind::Authentication`] where the
    /// tag of a decryption does not match.
    pub fn run_request(
        &mut self,
        request: &Request,
        data: &mut Buffer,
        cancellation: &Cancellation,
    ) -> Result<Finished> {
        if let Request::Cipher(request) = request {
            return self.run(request, data, None, cancellation);
        }
        if request.held_key().is_some() {
            return run_held::<L>(request, data, cancellation);
        }
        self.check_usable()?;
        check::check_whole(self.identity(), request, data.len())?;
        let mut curves = CURVES.iter();
        if let Some(curve) = curves.find(|curve| curve.algorithm == request.algorithm()) {
            return self.run_on_curve(curve, request, data, cancellation);
        }
        self.run_message(&Message::whole(request)?, data, cancellation)
    }
}
