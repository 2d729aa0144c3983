// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Private keys that a device holds.

use std::any::Any;
use std::fmt;
use std::mem;
use std::sync::Arc;

use crate::process::ProcessMark;
use crate::{Algorithm, Error, Result};

/// A device's own part of a [`KeyReference`], such as the number of a key slot. Dropping it erases
/// the key on the device.
pub trait HeldKey: Any + Send + Sync {
    /// Whether the key lies in the memory of the process, so that a forked child has a copy of its
    /// own. By default it does not: the child then cannot use the key, and does not erase it.
    fn is_copied_by_fork(&self) -> bool {
        false
    }
}

/// A private key of an elliptic curve that a device holds ([`crate::Device::hold_key`]).
///
/// [`crate::Request::Sign`] and [`crate::Request::Agree`] take it instead of a key's bytes, on the device that
/// holds it. No call gives the private key. Clones refer to the same key: the device erases it
/// when the last one is dropped.
///
/// In a forked child the keys of `cpu` work, as copies. A key in hardware stays the parent's: its
/// use in the child is an error, and the child does not erase it.
#[derive(Clone)]
pub struct KeyReference(Arc<Reference>);

struct Reference {
    device: String,
    algorithm: &'static Algorithm,
    public_key: Vec<u8>,
    process: ProcessMark,
    /// There until the drop.
    held: Option<Box<dyn HeldKey>>,
}

impl KeyReference {
    /// For devices: a reference to a key that the device of this name holds.
    pub fn new(
        device: impl Into<String>,
        algorithm: &'static Algorithm,
        public_key: impl Into<Vec<u8>>,
        held: impl HeldKey,
    ) -> KeyReference {
        KeyReference(Arc::new(Reference {
            device: device.into(),
            algorithm,
            public_key: public_key.into(),
            process: ProcessMark::new(),
            held: Some(Box::new(held)),
        }))
    }

    /// The curve.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.0.algorithm
    }

    /// The public key: two coordinates, big endian, each as long as the curve's order.
    pub fn public_key(&self) -> &[u8] {
        &self.0.public_key
    }

    /// The name of the device that holds the key.
    pub fn device(&self) -> &str {
        &self.0.device
    }

    /// For devices: the device's own part.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] where a device of another kind holds the key, and where the
    /// device holds it for the parent process.
    pub fn held<T: HeldKey>(&self, device: &str) -> Result<&T> {
        let Some(held) = self.0.held() else {
            return Err(Error::invalid(format!(
                "device {} holds the key for the parent process, from which this one was forked: \
                 generate or import a key in this process",
                self.0.device
            )));
        };
        let held: &dyn Any = held;
        held.downcast_ref().ok_or_else(|| self.elsewhere(device))
    }

    /// For devices: the error of a key that another device holds, or this one before it was opened
    /// anew.
    pub fn elsewhere(&self, device: &str) -> Error {
        Error::invalid(format!(
            "the key was made on device {}, and {device} does not hold it: use the open device \
             that holds the key, or make the key anew",
            self.0.device
        ))
    }
}

impl fmt::Debug for KeyReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, device) = (self.0.algorithm.name, &self.0.device);
        write!(formatter, "KeyReference({name} on {device})")
    }
}

impl Reference {
    fn held(&self) -> Option<&dyn HeldKey> {
        let usable = |held: &&dyn HeldKey| self.process.is_here() || held.is_copied_by_fork();
        self.held.as_deref().filter(usable)
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        if self.held().is_none() {
            // The parent's key stays: its drop would erase it.
            mem::forget(self.held.take());
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::process::in_a_child;
    use crate::{ErrorKind, P_256};

    /// Counts how often it is erased.
    struct Slot(Arc<AtomicUsize>);

    impl HeldKey for Slot {}

    impl Drop for Slot {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A key in the memory of the process.
    struct Copied {
        _slot: Slot,
    }

    impl HeldKey for Copied {
        fn is_copied_by_fork(&self) -> bool {
            true
        }
    }

    fn erased() -> (Arc<AtomicUsize>, impl Fn() -> usize) {
        let count = Arc::new(AtomicUsize::new(0));
        (Arc::clone(&count), move || count.load(Ordering::Relaxed))
    }

    #[test]
    fn the_last_reference_erases_the_key() {
        let (count, erased) = erased();
        let key = KeyReference::new("board", &P_256, [7; 64], Slot(count));
        let other = key.clone();
        drop(key);
        assert_eq!(erased(), 0);
        assert!(other.held::<Slot>("device board").is_ok());
        assert_eq!(other.public_key(), [7; 64]);
        drop(other);
        assert_eq!(erased(), 1);
    }

    #[test]
    fn another_device_refuses_the_key_by_its_name() {
        let (count, _) = erased();
        let key = KeyReference::new("board", &P_256, [7; 64], Slot(count));
        let error = key.held::<Copied>("device cpu").err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        let text = error.to_string();
        assert!(text.contains("board") && text.contains("cpu"), "{text}");
    }

    #[test]
    fn a_child_neither_uses_nor_erases_a_key_in_hardware() {
        let (count, erased) = erased();
        let key = KeyReference::new("board", &P_256, [7; 64], Slot(count));
        let mut key = Some(key);
        assert!(in_a_child(|| {
            let refused = key.as_ref().unwrap().held::<Slot>("device board");
            let refused = refused.is_err_and(|error| {
                error.kind() == ErrorKind::Invalid && error.to_string().contains("forked")
            });
            drop(key.take());
            refused && erased() == 0
        }));
        assert!(key.as_ref().unwrap().held::<Slot>("device board").is_ok());
        drop(key);
        assert_eq!(erased(), 1);
    }

    #[test]
    fn a_child_uses_and_erases_its_copy_of_a_key_in_memory() {
        let (count, erased) = erased();
        let key = KeyReference::new("cpu", &P_256, [7; 64], Copied { _slot: Slot(count) });
        let mut key = Some(key);
        assert!(in_a_child(|| {
            let usable = key.as_ref().unwrap().held::<Copied>("device cpu").is_ok();
            drop(key.take());
            usable && erased() == 1
        }));
        assert_eq!(erased(), 0);
    }
}
