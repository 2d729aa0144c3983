// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Digest contexts: what OpenSSL calls an `EVP_MD_CTX` holds one.
//!
//! A device takes whole messages, which OpenSSL's interface does not announce. Where the
//! configuration names a threshold, a message is kept until its end, and goes to the device
//! if it is long enough by then. One that grows too long for that goes on in software.

use std::sync::Arc;

use ciphermill::{Algorithm, Buffer};
use ciphermill_cpu::DirectDigest;

use crate::counters::Tally;
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::Provider;

/// Longest message that is kept for a device.
const KEPT_BYTES: usize = 16 << 20;

/// A context.
pub(crate) struct Digest {
    provider: Arc<Provider>,
    algorithm: &'static Algorithm,
    /// What software has of the message; `None` before it is begun and after a failure.
    software: Option<DirectDigest>,
    /// The message so far, while it may go to the device; software then has nothing of it.
    kept: Option<Buffer>,
    tally: Tally,
}

impl Digest {
    /// A context without a message.
    pub(crate) fn new(provider: Arc<Provider>, algorithm: &'static Algorithm) -> Digest {
        Digest {
            provider,
            algorithm,
            software: None,
            kept: None,
            tally: Tally::default(),
        }
    }

    /// A copy in the same state.
    pub(crate) fn duplicate(&self) -> Outcome<Digest> {
        let software = self.software.as_ref().map(DirectDigest::duplicate);
        let mut copy = Digest::new(Arc::clone(&self.provider), self.algorithm);
        copy.software = software.transpose()?;
        copy.kept.clone_from(&self.kept);
        Ok(copy)
    }

    /// Begin a message.
    pub(crate) fn initialise(&mut self) -> Outcome<()> {
        self.software = Some(DirectDigest::new(self.algorithm)?);
        self.kept = self.provider.keeps_messages().then(Buffer::default);
        Ok(())
    }

    /// The message's next bytes.
    pub(crate) fn update(&mut self, data: &[u8]) -> Outcome<()> {
        if let Some(kept) = &mut self.kept {
            if kept.len() + data.len() <= KEPT_BYTES {
                append(kept, data);
                return Ok(());
            }
            self.give_up_device()?;
        }
        self.in_software(data)
    }

    /// The digest; the context then needs another message.
    pub(crate) fn finish(&mut self) -> Outcome<Vec<u8>> {
        if let Some(message) = &self.kept
            && self.software.is_some()
        {
            match self.provider.digest(self.algorithm, message) {
                Ok(None) => self.give_up_device()?,
                done => {
                    self.spoil();
                    return done.map(Option::unwrap_or_default);
                }
            }
        }
        let software = self.software.take().ok_or_else(no_message)?;
        Ok(software.finish()?)
    }

    /// Nothing more until the next initialisation.
    pub(crate) fn spoil(&mut self) {
        self.software = None;
        self.kept = None;
    }

    /// The message so far, and what follows, in software.
    fn give_up_device(&mut self) -> Outcome<()> {
        match self.kept.take() {
            Some(message) => self.in_software(&message),
            None => Ok(()),
        }
    }

    fn in_software(&mut self, data: &[u8]) -> Outcome<()> {
        self.software
            .as_mut()
            .ok_or_else(no_message)?
            .update(data)?;
        if self.tally.add(data.len()) {
            self.provider.flush(&mut self.tally);
        }
        Ok(())
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        self.provider.flush(&mut self.tally);
    }
}

/// Add to a buffer without leaving its old contents elsewhere in memory, as a vector does that
/// grows.
fn append(buffer: &mut Buffer, data: &[u8]) {
    let bytes = buffer.len() + data.len();
    if buffer.capacity() < bytes {
        let mut longer = Buffer::new(Vec::with_capacity(bytes.next_power_of_two()));
        longer.extend_from_slice(buffer);
        *buffer = longer;
    }
    buffer.extend_from_slice(data);
}

fn no_message() -> Failure {
    let message = "no message was begun, or an earlier operation failed: initialise the digest";
    Failure::new(Reason::CipherOperationFailed, message)
}

#[cfg(test)]
mod tests {
    use ciphermill::testing::ReferenceDevice;
    use ciphermill::{ASCON_HASH256, SHA_256, SHA_512};

    use super::*;
    use crate::config::Config;
    use crate::provider::with_device;

    /// A provider on `cpu`, which has every hash.
    fn with_cpu(threshold: &str) -> Arc<Provider> {
        let setting = |name: &str| (name == "threshold").then(|| threshold.to_owned());
        let config = Config::read(setting, |_| None).unwrap();
        let opener = Provider::opener(&config, false).unwrap();
        Arc::new(Provider::load(config, opener).unwrap())
    }

    fn digest(
        provider: &Arc<Provider>,
        algorithm: &'static Algorithm,
        slices: &[&[u8]],
    ) -> Vec<u8> {
        let mut digest = Digest::new(Arc::clone(provider), algorithm);
        digest.initialise().unwrap();
        for slice in slices {
            digest.update(slice).unwrap();
        }
        let copy = digest.duplicate().unwrap().finish().unwrap();
        assert_eq!(digest.finish().unwrap(), copy);
        copy
    }

    #[test]
    fn a_device_gives_what_software_gives() {
        let message = vec![7; 100_000];
        let long = vec![7; KEPT_BYTES + 1];
        for algorithm in [&SHA_256, &SHA_512, &ASCON_HASH256] {
            let software = with_cpu("never");
            let device = with_cpu("1000");
            for slices in [
                vec![&message[..]],
                vec![&message[..10], &message[..0], &message[..5000]],
                vec![&message[..999]],
                vec![&long[..1], &long[1..]],
                vec![],
            ] {
                let expected = digest(&software, algorithm, &slices);
                assert_eq!(digest(&device, algorithm, &slices), expected);
            }
            assert_eq!(software.count("device_bytes"), Some(0));
            // Each message and its copy; neither the short ones nor the one that is too long.
            assert_eq!(device.count("device_updates"), Some(4));
            assert_eq!(device.count("device_bytes"), Some(2 * 105_010));
        }
    }

    #[test]
    fn what_the_device_lacks_software_does() {
        let provider = with_device(ReferenceDevice::new(), &[("threshold", "1")]);
        let expected = DirectDigest::new(&SHA_256).unwrap().finish().unwrap();
        assert_eq!(digest(&provider, &SHA_256, &[]), expected);
        digest(&provider, &SHA_256, &[b"message"]);
        assert_eq!(provider.count("device_updates"), Some(0));
        assert_eq!(provider.count("device_failures"), Some(0));
    }

    #[test]
    fn a_digest_that_has_ended_needs_another_message() {
        for threshold in ["1", "never"] {
            let provider = with_cpu(threshold);
            let mut digest = Digest::new(provider, &SHA_256);
            assert!(digest.finish().is_err());
            digest.initialise().unwrap();
            digest.update(b"message").unwrap();
            let first = digest.finish().unwrap();
            assert!(digest.update(b"message").is_err());
            assert!(digest.finish().is_err());
            digest.initialise().unwrap();
            digest.update(b"message").unwrap();
            assert_eq!(digest.finish().unwrap(), first);
        }
    }
}
