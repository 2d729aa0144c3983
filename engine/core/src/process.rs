// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Threads and forks for a library that runs in another program's process.
//!
//! - [`spawn`] and [`spawn_scoped`] start threads that take none of the program's signals.
//! - [`PerProcess`] holds a value that a forked child does not share with its parent.
//! - [`ProcessMark`] tells a process from those that it was forked from.

#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Start a thread of this name on which every signal is blocked.
///
/// A signal that the program has blocked on its own threads, to wait for it in ppoll(2) or
/// sigwait(3), would otherwise be delivered to this thread, and the program would wait for
/// ever. Signals that report a fault of the thread itself (SIGSEGV and the like) stay open,
/// so that the program's crash handler still sees them.
///
/// ```
/// let thread = ciphermill::process::spawn("worker", || 6 * 7).unwrap();
/// assert_eq!(thread.join().unwrap(), 42);
/// ```
///
/// # Errors
/// As [`Builder::spawn`]: the system has no thread to give (RLIMIT_NPROC, memory).
pub fn spawn<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let _blocked = BlockedSignals::new();
    Builder::new().name(name.into()).spawn(run)
}

/// [`spawn`] within a scope.
///
/// # Errors
/// As [`spawn`].
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    run: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    #[cfg(test)]
    limit::take_thread()?;
    let _blocked = BlockedSignals::new();
    Builder::new().name(name.into()).spawn_scoped(scope, run)
}

/// For tests: a system that gives few threads.
#[cfg(test)]
pub(crate) mod limit {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// Run where this thread can start so many threads by [`super::spawn_scoped`], and no more.
    pub(crate) fn with_threads<T>(count: usize, run: impl FnOnce() -> T) -> T {
        LEFT.set(Some(count));
        let outcome = run();
        LEFT.set(None);
        outcome
    }

    pub(super) fn take_thread() -> io::Result<()> {
        if let Some(left) = LEFT.get() {
            let left = left.checked_sub(1).ok_or(io::ErrorKind::WouldBlock)?;
            LEFT.set(Some(left));
        }
        Ok(())
    }
}

/// Signals that a thread's own instructions raise. A blocked one kills the process without
/// a word to its handler; sandboxes and crash reporters rely on those handlers.
const FAULTS: [libc::c_int; 6] = [
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGSEGV,
    libc::SIGSYS,
    libc::SIGTRAP,
];

/// While it lives, this thread's signals are blocked; a new thread inherits that.
struct BlockedSignals {
    /// The mask to go back to.
    before: Option<libc::sigset_t>,
}

impl BlockedSignals {
    fn new() -> BlockedSignals {
        // Miri knows no signals.
        if cfg!(miri) {
            return BlockedSignals { before: None };
        }
        let mut blocked = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: sigfillset initialises the first set, pthread_sigmask the second where it
        // succeeds, and both pointers are to sets of this function.
        unsafe {
            libc::sigfillset(blocked.as_mut_ptr());
            for fault in FAULTS {
                libc::sigdelset(blocked.as_mut_ptr(), fault);
            }
            let outcome =
                libc::pthread_sigmask(libc::SIG_BLOCK, blocked.as_ptr(), before.as_mut_ptr());
            BlockedSignals {
                before: (outcome == 0).then(|| before.assume_init()),
            }
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: the set is one that pthread_sigmask gave.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, ptr::null_mut()) };
        }
    }
}

/// Forks between the process that first asked and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);
/// Somebody has registered [`in_child`].
static COUNTED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Tells a process from its parent and from every other process that it descends from.
///
/// The process number alone does not: numbers come round, and a grandchild may get that of
/// a grandparent which has ended. The count of forks alone misses children that were made
/// without fork(2), by clone(2) or _Fork(3), for which no handler runs.
///
/// ```
/// use ciphermill::process::ProcessMark;
/// assert!(ProcessMark::new().is_here());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessMark {
    forks: u64,
    number: u32,
}

impl ProcessMark {
    /// This process.
    #[allow(clippy::new_without_default)] // A default would hide that it is of this process.
    pub fn new() -> ProcessMark {
        count_forks();
        ProcessMark::now()
    }

    /// Whether this is the process that made the mark.
    pub fn is_here(self) -> bool {
        self == ProcessMark::now()
    }

    fn now() -> ProcessMark {
        ProcessMark {
            forks: FORKS.load(Ordering::Relaxed),
            number: std::process::id(),
        }
    }
}

/// Have forks counted from now on. Without the memory for it, process numbers must do.
fn count_forks() {
    // No lock: a child that is forked in between would wait for it for ever.
    if !cfg!(miri) && !COUNTED.swap(true, Ordering::Relaxed) {
        // SAFETY: the handler only counts, and its code is mapped whenever it may run. The
        // OpenSSL provider and the C library are linked with `-z nodelete` and stay mapped.
        // The Python module is not, but CPython never unloads a module. Where a library is
        // unloaded all the same, glibc's dlclose(3) removes its fork handlers.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    }
}

struct Holder<T> {
    process: ProcessMark,
    value: T,
}

/// A value that belongs to one process.
///
/// A forked child makes a value of its own at its first use. The parent's may hold threads
/// that the child does not have, locks that another thread held at the fork, and connections
/// that are the parent's: the child leaves it as it is, unused.
///
/// ```
/// use ciphermill::process::PerProcess;
/// let value = PerProcess::new(vec![1]);
/// assert_eq!(value.get(|_| unreachable!("this is the process that made it")), &[1]);
/// ```
#[derive(Debug)]
pub struct PerProcess<T> {
    current: AtomicPtr<Holder<T>>,
}

impl<T: Send + Sync> PerProcess<T> {
    /// This process's value.
    pub fn new(value: T) -> PerProcess<T> {
        let process = ProcessMark::new();
        PerProcess {
            current: AtomicPtr::new(Box::into_raw(Box::new(Holder { process, value }))),
        }
    }

    /// This process's value. In a new process `renew` makes it from the parent's, of which
    /// it must take no lock.
    pub fn get(&self, renew: impl FnOnce(&T) -> T) -> &T {
        let process = ProcessMark::now();
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
            if (*current).process.is_here() {
                drop(Box::from_raw(current));
            }
        }
    }
}

/// For tests: run in a forked child; whether it gave true, within 20 seconds.
#[cfg(feature = "testing")]
pub fn in_a_child(run: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child only computes and leaves.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: has the system end the child where `run` never does.
            unsafe { libc::alarm(20) };
            let failed = i32::from(!run());
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(failed) }
        }
        child => {
            let mut status = -1;
            // SAFETY: waits for the child made above.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            status == 0
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    /// Whether a signal is blocked on this thread.
    fn is_blocked(signal: libc::c_int) -> bool {
        let mut mask = MaybeUninit::uninit();
        // SAFETY: without a new set, pthread_sigmask only writes the present one.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), mask.as_mut_ptr());
            libc::sigismember(mask.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn threads_take_no_signals_and_the_caller_still_does() {
        assert!(!is_blocked(libc::SIGUSR1));
        let masks = || [libc::SIGUSR1, libc::SIGINT, libc::SIGSEGV].map(is_blocked);
        let inside = spawn("test", masks).unwrap().join().unwrap();
        assert_eq!(inside, [true, true, false]);
        let scoped = std::thread::scope(|scope| {
            let thread = spawn_scoped(scope, "test", masks).unwrap();
            thread.join().unwrap()
        });
        assert_eq!(scoped, [true, true, false]);
        assert!(!is_blocked(libc::SIGUSR1));
    }

    #[test]
    fn a_child_has_its_own_value_and_the_parent_keeps_its() {
        let value = PerProcess::new(vec![1]);
        assert_eq!(value.get(|_| unreachable!()), &[1]);
        assert!(in_a_child(|| {
            value.get(|old| vec![old[0], 2]) == &[1, 2] && value.get(|_| unreachable!()) == &[1, 2]
        }));
        assert_eq!(value.get(|_| unreachable!()), &[1]);
    }

    #[test]
    fn a_child_that_has_the_number_of_its_ancestor_has_its_own_value() {
        let mut value = PerProcess::new(1);
        assert!(in_a_child(|| {
            // As it is when the numbers have come round.
            // SAFETY: the holder is there until the drop, and nobody else has it.
            unsafe { (**value.current.get_mut()).process.number = std::process::id() };
            value.get(|old| old + 1) == &2
        }));
    }
}
