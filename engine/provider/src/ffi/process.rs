// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! With whose rights the process runs.

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
