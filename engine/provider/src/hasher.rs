// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Contexts that hash: what OpenSSL calls an `EVP_MD_CTX` or an `EVP_MAC_CTX` holds one.
//!
//! A device takes whole messages, which OpenSSL's interface does not announce. Where the
//! configuration names a threshold, a message is kept until its end, and goes to the device
//! if it is long enough by then. One that grows too long for that goes on in software.

use std::sync::Arc;

use ciphermill::{Buffer, Request};
use ciphermill_cpu::DirectDigest;

use crate::failure::{Failure, Outcome, Reason};
use crate::provider::{Provider, Share, State};

/// Longest message that is kept for a device.
const KEPT_BYTES: usize = 16 << 20;

/// A context: a digest, or a message authentication code with its key.
pub(crate) struct Hasher {
    provider: Share,
    /// What each message begins with: the hash, and the key where it takes one.
    ready: Option<DirectDigest>,
    /// How a device is asked; `None` for a hash that only software has.
    request: Option<Request>,
    /// What software has of the message; `None` before it is begun and after a failure.
    software: Option<DirectDigest>,
    /// The message so far, while it may go to the device; software then has nothing of it.
    kept: Option<Buffer>,
}

impl Hasher {
    /// A context without hash and key.
    pub(crate) fn new(provider: Arc<Provider>) -> Hasher {
        Hasher {
            provider: Share::new(provider),
            ready: None,
            request: None,
            software: None,
            kept: None,
        }
    }

    /// Take a hash and its key, and forget those before.
    pub(crate) fn set_up(&mut self, ready: Option<DirectDigest>, request: Option<Request>) {
        self.spoil();
        self.ready = ready;
        self.request = request;
    }

    /// Begin a message.
    pub(crate) fn initialise(&mut self) -> Outcome<()> {
        self.spoil();
        let Some(ready) = &self.ready else {
            let message = "no digest and key were set: give both to the initialisation";
            return Reason::NoKeySet.fail(message);
        };
        self.software = Some(ready.duplicate()?);
        if self.request.is_some() && self.provider.keeps_messages() {
            self.kept = Some(Buffer::default());
        }
        Ok(())
    }

    /// The message's next bytes.
    pub(crate) fn update(&mut self, data: &[u8]) -> Outcome<()> {
        if let Some(kept) = &mut self.kept {
            // Not where it grows too long, or there is no memory for it.
            let bytes = kept.len().saturating_add(data.len());
            if bytes <= KEPT_BYTES && kept.append(data).is_ok() {
                return Ok(());
            }
            self.give_up_device()?;
        }
        self.in_software(data)
    }

    /// The digest or the code; the context then needs another message.
    pub(crate) fn finish(&mut self) -> Outcome<Vec<u8>> {
        if let (Some(message), Some(request)) = (&self.kept, &self.request) {
            match self.provider.hash(request, message) {
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

    /// The message so far, and what follows, in software.
    fn give_up_device(&mut self) -> Outcome<()> {
        match self.kept.take() {
            Some(message) => self.in_software(&message),
            None => Ok(()),
        }
    }

    fn in_software(&mut self, data: &[u8]) -> Outcome<()> {
        let software = self.software.as_mut().ok_or_else(no_message)?;
        if let Err(error) = software.update(data) {
            self.spoil();
            return Err(error.into());
        }
        self.provider.count(data.len());
        Ok(())
    }
}

impl State for Hasher {
    fn duplicate(&self) -> Outcome<Hasher> {
        let copied = |state: &Option<DirectDigest>| {
            let copy = state.as_ref().map(DirectDigest::duplicate);
            copy.transpose()
        };
        let mut copy = Hasher {
            provider: self.provider.another(),
            ready: copied(&self.ready)?,
            request: self.request.clone(),
            software: copied(&self.software)?,
            kept: self.kept.as_ref().map(|_| Buffer::default()),
        };
        if let Some(message) = &self.kept {
            copy.update(message)?;
        }
        Ok(copy)
    }

    fn spoil(&mut self) {
        self.software = None;
        self.kept = None;
    }
}

fn no_message() -> Failure {
    let message = "no message was begun, or an earlier operation failed: initialise the context";
    Failure::new(Reason::CipherOperationFailed, message)
}

#[cfg(test)]
mod tests {
    use ciphermill::testing::ReferenceDevice;
    use ciphermill::{ASCON_HASH256, HMAC_SHA_256, SHA_256, SHA_512, SecretKey};
    use ciphermill_cpu::HmacHash;

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

    fn digests() -> [Request; 4] {
        [
            Request::Digest(&SHA_256),
            Request::Digest(&SHA_512),
            Request::Digest(&ASCON_HASH256),
            Request::Authenticate(&HMAC_SHA_256, SecretKey::new(b"key")),
        ]
    }

    fn hasher(provider: &Arc<Provider>, request: &Request) -> Hasher {
        let mut hasher = Hasher::new(Arc::clone(provider));
        let ready = DirectDigest::of(request).unwrap();
        hasher.set_up(Some(ready), Some(request.clone()));
        hasher
    }

    fn hash(provider: &Arc<Provider>, request: &Request, slices: &[&[u8]]) -> Vec<u8> {
        let mut hasher = hasher(provider, request);
        hasher.initialise().unwrap();
        for slice in slices {
            hasher.update(slice).unwrap();
        }
        let copy = hasher.duplicate().unwrap().finish().unwrap();
        assert_eq!(hasher.finish().unwrap(), copy);
        copy
    }

    #[test]
    fn a_device_gives_what_software_gives() {
        let message = vec![7; 100_000];
        let long = vec![7; KEPT_BYTES + 1];
        for request in digests() {
            let software = with_cpu("never");
            let device = with_cpu("1000");
            for slices in [
                vec![&message[..]],
                vec![&message[..10], &message[..0], &message[..5000]],
                vec![&message[..999]],
                vec![&long[..1], &long[1..]],
                vec![],
            ] {
                let expected = hash(&software, &request, &slices);
                assert_eq!(hash(&device, &request, &slices), expected);
            }
            assert_eq!(software.count("device_bytes"), Some(0));
            // Each message and its copy; neither the short ones nor the one that is too long.
            assert_eq!(device.count("device_updates"), Some(4));
            assert_eq!(device.count("device_bytes"), Some(2 * 105_010));
        }
    }

    #[test]
    fn what_the_device_lacks_software_does() {
        for request in digests() {
            let provider = with_device(ReferenceDevice::new(), &[("threshold", "1")]);
            let expected = DirectDigest::of(&request).unwrap().finish().unwrap();
            assert_eq!(hash(&provider, &request, &[]), expected);
            hash(&provider, &request, &[b"message"]);
            assert_eq!(provider.count("device_updates"), Some(0));
            assert_eq!(provider.count("device_failures"), Some(0));
        }
    }

    #[test]
    fn a_hash_that_only_software_has_is_not_kept() {
        let provider = with_cpu("1");
        let mut hasher = Hasher::new(Arc::clone(&provider));
        assert!(hasher.initialise().is_err());
        let ready = DirectDigest::hmac(HmacHash::Sha384, b"key").unwrap();
        hasher.set_up(Some(ready), None);
        hasher.initialise().unwrap();
        hasher.update(b"message").unwrap();
        assert!(hasher.kept.is_none());
        assert_eq!(hasher.finish().unwrap().len(), 48);
    }

    #[test]
    fn a_message_that_has_ended_needs_another() {
        for (threshold, request) in [("1", 0), ("never", 0), ("1", 3), ("never", 3)] {
            let mut hasher = hasher(&with_cpu(threshold), &digests()[request]);
            assert!(hasher.finish().is_err());
            hasher.initialise().unwrap();
            hasher.update(b"message").unwrap();
            let first = hasher.finish().unwrap();
            assert!(hasher.update(b"message").is_err());
            assert!(hasher.finish().is_err());
            hasher.initialise().unwrap();
            hasher.update(b"message").unwrap();
            assert_eq!(hasher.finish().unwrap(), first);
        }
    }
}
