// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Whether the environment can be trusted.

/// Whether the process runs with more rights than its user has: a set-user-ID or set-group-ID
/// program, or one with file capabilities. Whoever started it chose its environment, so that
/// no environment variable may choose what code it loads or which files it opens
/// (`secure_getenv` of the C library decides in the same way).
pub fn is_privileged() -> bool {
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
