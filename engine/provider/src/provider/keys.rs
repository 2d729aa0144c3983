// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Operations on elliptic curves, and keys that the device holds.

use ciphermill::{
    Algorithm, Cancellation, Error, ErrorKind, KeyReference, Request, Result, SecretKey,
};
use zeroize::Zeroizing;

use super::Provider;
use crate::failure::{Failure, Outcome, Reason};
use crate::runtime::Unavailable;
use crate::work;

impl Provider {
    /// The output of an operation on an elliptic curve by the device, as [`Provider::hash`]:
    /// where the configuration says from how many bytes of data on. The request is made, and the
    /// private key copied, only then. The code of `cpu` is the software's.
    ///
    /// # Errors
    /// As [`Provider::hash`], and what making the request gives.
    pub(crate) fn on_curve(
        &self,
        request: impl FnOnce() -> Result<Request>,
        data: &[u8],
    ) -> Outcome<Option<Vec<u8>>> {
        let is_software = self.config.device == "cpu";
        if is_software || !self.keeps_messages() || !self.may_choose(data.len()) {
            return Ok(None);
        }
        let request = request()?;
        // Software signs digests of any length.
        match request.check(data.len()) {
            Ok(()) => self.hash(&request, data),
            Err(_) => Ok(None),
        }
    }

    /// Have the device hold a private key: this one, or one that it generates. It is opened
    /// whatever the threshold is.
    ///
    /// # Errors
    /// As [`ciphermill::Device::hold_key`], and what opening the device gives; at once while a
    /// device that failed is left alone.
    pub(crate) fn hold_key(
        &self,
        algorithm: &'static Algorithm,
        key: Option<&SecretKey>,
    ) -> std::result::Result<KeyReference, Unavailable> {
        let runtime = self.runtime();
        if runtime.is_paused() {
            return Err(Unavailable::Paused);
        }
        let device = runtime.device(&*self.opener)?;
        Ok(device.hold_key(algorithm, key, &Cancellation::new())?)
    }

    /// A key that the device generates and holds; `None` where software is to generate it.
    ///
    /// # Errors
    /// As [`Provider::hold_key`], where a failure is configured to fail the operation.
    pub(crate) fn generate_held(
        &self,
        algorithm: &'static Algorithm,
    ) -> Outcome<Option<KeyReference>> {
        match self.hold_key(algorithm, None) {
            Ok(key) => Ok(Some(key)),
            Err(Unavailable::Failed(error)) if error.kind() == ErrorKind::Device => {
                self.after_failure(self.runtime(), &error)?;
                Ok(None)
            }
            Err(_) if self.completes() => Ok(None),
            Err(unavailable) => Err(Error::from(unavailable).into()),
        }
    }

    /// The output of an operation with a key that the device holds, so that nothing else can do
    /// it.
    ///
    /// # Errors
    /// What the device gives. That another device or the parent process holds the key is no
    /// failure of the device.
    pub(crate) fn with_held(&self, request: &Request, data: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
        request.check(data.len())?;
        let runtime = self.runtime();
        let session = runtime.session(&*self.opener);
        let output = session.and_then(|lease| Ok(work::hash(lease, request, data)?));
        if let Err(Unavailable::Failed(error)) = &output
            && error.kind() != ErrorKind::Invalid
        {
            self.after_failure(runtime, error)?;
        }
        match output {
            Ok(output) => {
                Provider::count_on_device(runtime, data.len());
                runtime.account.note();
                Ok(Zeroizing::new(output))
            }
            Err(unavailable) => {
                let error = Error::from(unavailable);
                let message = format!("device {}: {error}", self.config.device);
                Err(Failure::new(Reason::of(&error), message))
            }
        }
    }
}
