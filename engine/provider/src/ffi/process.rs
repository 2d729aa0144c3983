// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the process may do.

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

/// Bytes that a file of this process may have: a write beyond raises SIGXFSZ.
pub(crate) fn file_size_limit() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: getrlimit writes the limit given, which is ours.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } {
        // There is no limit where the number is the largest there is.
        0 => limit.rlim_cur,
        _ => 0,
    }
}
