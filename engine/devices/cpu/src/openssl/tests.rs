// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What is special about these devices; what they share with `cpu` is in
//! `tests/devices.rs`.

use ciphermill::{Device, ErrorKind};

use super::*;

#[test]
fn ia32cap_is_read_from_the_settings() {
    assert_eq!(
        ia32cap("OPENSSL_ia32cap=0x200000000000000:0x0"),
        Some(1 << 57)
    );
    assert_eq!(ia32cap("OPENSSL_ia32cap=0x5:0x0 env:~0x1"), Some(5));
    assert_eq!(ia32cap("OPENSSL_armcap=0x3d"), None);
    assert_eq!(ia32cap(""), None);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn software_has_no_aes_instructions_and_software_plus_has() {
    let software = OpenSslDevice::without_aes_instructions().unwrap();
    assert!(!software.has_aes_instructions());
    assert!(software.crypto.settings().contains("env:~0x2000002"));
    let word = ia32cap(software.crypto.settings()).unwrap();
    assert_eq!(word >> 33 & 1, 0, "PCLMULQDQ");
    // It did not reach the process's environment.
    assert!(std::env::var_os("OPENSSL_ia32cap").is_none());

    match OpenSslDevice::with_aes_instructions() {
        Ok(plus) => {
            assert!(plus.has_aes_instructions());
            assert!(plus.capabilities().description.contains("OpenSSL 3"));
        }
        Err(error) => {
            assert!(!has_aes(), "{error}");
            assert_eq!(error.kind(), ErrorKind::Unsupported);
        }
    }
}

#[test]
fn a_device_is_loaded_once() {
    let first = OpenSslDevice::without_aes_instructions().unwrap();
    let second = OpenSslDevice::without_aes_instructions().unwrap();
    assert!(Arc::ptr_eq(&first.crypto, &second.crypto));
}
