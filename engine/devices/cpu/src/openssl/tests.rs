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

#[test]
#[allow(unsafe_code)]
fn what_openssl_prefers_is_not_asked_for_ciphers() {
    type SetProperties =
        unsafe extern "C" fn(*mut std::ffi::c_void, *const std::ffi::c_char) -> std::ffi::c_int;
    let library = loader::load().unwrap();
    let set = library.symbol(c"EVP_set_default_properties").unwrap();
    // SAFETY: the signature in OpenSSL 3.0, openssl/evp.h.
    let set: SetProperties = unsafe { std::mem::transmute(set.as_ptr()) };
    // SAFETY: null is the default library context.
    let prefer = |properties: &std::ffi::CStr| unsafe {
        assert_eq!(set(std::ptr::null_mut(), properties.as_ptr()), 1);
    };
    prefer(c"provider=another");
    let found = Crypto::new(library);
    prefer(c"");
    found.unwrap();
}
