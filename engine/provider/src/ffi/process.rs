// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the process may do.

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
