// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A value of which each process has its own, across forks.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

struct Holder<T> {
    process: u32,
    value: T,
}

/// A value that belongs to one process. After a fork the child makes another one: the
/// parent's may hold threads that the child does not have, locks that another thread held
/// at the fork, and connections that are the parent's. It is left as it is, unused.
pub(crate) struct PerProcess<T> {
    current: AtomicPtr<Holder<T>>,
}

impl<T: Send + Sync> PerProcess<T> {
    /// This process's value.
    pub(crate) fn new(value: T) -> PerProcess<T> {
        let process = std::process::id();
        PerProcess {
            current: AtomicPtr::new(Box::into_raw(Box::new(Holder { process, value }))),
        }
    }

    /// This process's value; in a new process that which `renew` makes from the parent's,
    /// in which it must take no lock.
    pub(crate) fn get(&self, renew: impl FnOnce(&T) -> T) -> &T {
        let process = std::process::id();
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: the pointer came from a Box that nothing frees before `self` is dropped.
        let holder = unsafe { &*current };
        if holder.process == process {
            return &holder.value;
        }
        let value = renew(&holder.value);
        let fresh = Box::into_raw(Box::new(Holder { process, value }));
        let exchanged =
            self.current
                .compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire);
        match exchanged {
            // SAFETY: `fresh` is now in the place of `current`, with the same life.
            Ok(_) => unsafe { &(*fresh).value },
            Err(other) => {
                // SAFETY: `fresh` was never shared. `other` is as `current` above, and of
                // this process, since a thread of this process put it there.
                unsafe {
                    drop(Box::from_raw(fresh));
                    &(*other).value
                }
            }
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let current = std::mem::replace(self.current.get_mut(), ptr::null_mut());
        // SAFETY: as in `get`; nobody else has a reference, since `self` is dropped.
        unsafe {
            if (*current).process == std::process::id() {
                drop(Box::from_raw(current));
            }
        }
    }
}

/// Whether the process runs with rights that its user does not have: then it must not
/// trust its environment (secure_getenv(3)).
pub(crate) fn is_privileged() -> bool {
    // SAFETY: getauxval takes any number and only reads what the kernel gave the process.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::getauxval(libc::AT_SECURE) != 0
    }
    // SAFETY: these only read the process's identity.
    #[cfg(not(target_os = "linux"))]
    unsafe {
        libc::getuid() != libc::geteuid() || libc::getgid() != libc::getegid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_has_its_own_and_the_parent_keeps_its() {
        let value = PerProcess::new(vec![1]);
        assert_eq!(value.get(|_| unreachable!()), &[1]);
        // SAFETY: the child only computes and leaves.
        match unsafe { libc::fork() } {
            0 => {
                let renewed = value.get(|old| vec![old[0], 2]) == &[1, 2]
                    && value.get(|_| unreachable!()) == &[1, 2];
                // SAFETY: ends the child without running the parent's exit handlers.
                unsafe { libc::_exit(i32::from(!renewed)) }
            }
            child => {
                let mut status = 0;
                // SAFETY: waits for the child made above.
                unsafe { libc::waitpid(child, &raw mut status, 0) };
                assert_eq!(status, 0);
                assert_eq!(value.get(|_| unreachable!()), &[1]);
            }
        }
    }
}
