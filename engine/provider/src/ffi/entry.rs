// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The provider as OpenSSL loads it (provider-base(7)).

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use super::abi::{
    Algorithm, CoreHandle, Dispatch, OPERATION_CIPHER, OPERATION_DIGEST, OPERATION_EXCHANGE,
    OPERATION_KEY, OPERATION_MAC, OPERATION_SIGNATURE, Parameter, dispatch,
};
use super::cipher::offered;
use super::context::{Free, OnContext, Table, give_all};
use super::core::{Core, Loaded};
use super::digest::DIGESTS;
use super::exchange::EXCHANGES;
use super::groups::{Capabilities, capabilities};
use super::key::KEYS;
use super::mac::MACS;
use super::parameters::{Entry, List, tables};
use super::signature::SIGNATURES;
use crate::account::log_error;
use crate::config::{Config, log_path};
use crate::failure::{Failure, Outcome, Reason};
use crate::provider::Provider;

const NAME: &CStr = c"Ciphermill";
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no null byte"),
    };

type Query = unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm;
type SelfTest = unsafe extern "C" fn(*mut c_void) -> c_int;

static FUNCTIONS: [Dispatch; 7] = dispatch! {
    PROVIDER_TEARDOWN 1024: Free = teardown,
    PROVIDER_GETTABLE_PARAMS 1025: Table = gettable,
    PROVIDER_GET_PARAMS 1026: OnContext = get_parameters,
    PROVIDER_QUERY_OPERATION 1027: Query = query,
    PROVIDER_GET_CAPABILITIES 1030: Capabilities = capabilities,
    PROVIDER_SELF_TEST 1031: SelfTest = self_test,
};

tables! {
    gettable(*mut c_void): [
        c"name" UTF8_POINTER 0;
        c"version" UTF8_POINTER 0;
        c"buildinfo" UTF8_POINTER 0;
        c"status" UNSIGNED_INTEGER 4;
        c"device" UTF8_STRING 0;
        c"device_updates" UNSIGNED_INTEGER 8;
        c"device_bytes" UNSIGNED_INTEGER 8;
        c"device_records" UNSIGNED_INTEGER 8;
        c"device_cycles" UNSIGNED_INTEGER 8;
        c"software_updates" UNSIGNED_INTEGER 8;
        c"software_bytes" UNSIGNED_INTEGER 8;
        c"software_records" UNSIGNED_INTEGER 8;
        c"device_pipes" UNSIGNED_INTEGER 8;
        c"software_pipes" UNSIGNED_INTEGER 8;
        c"device_failures" UNSIGNED_INTEGER 8;
    ];
}

/// Where OpenSSL begins.
///
/// # Safety
/// Called by OpenSSL: the handle and the table are valid while the provider is loaded, and
/// the other two pointers are where the answers go.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const CoreHandle,
    core_table: *const Dispatch,
    functions: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: OpenSSL's contract for this function.
    let core = unsafe { Core::new(handle, core_table) };
    let Some(provider) = core.guard(|| load(&core)) else {
        return 0;
    };
    let loaded = Box::into_raw(Box::new(Loaded { core, provider }));
    // SAFETY: as above.
    unsafe {
        *context = loaded.cast();
        *functions = FUNCTIONS.as_ptr();
    }
    1
}

fn load(core: &Core) -> Outcome<Arc<Provider>> {
    let privileged = ciphermill_devices::is_privileged();
    let environment = |name: &str| match privileged {
        true => None,
        false => std::env::var(name).ok(),
    };
    let section = |name: &str| core.setting(name);
    let loaded = Config::read(section, environment)
        .map_err(|error| error.to_string())
        .and_then(|config| {
            let device = config.device.clone();
            Provider::opener(&config, privileged)
                .and_then(|opener| Provider::load(config, opener))
                .map_err(|error| format!("device {device:?}: {error}"))
        });
    loaded.map(Arc::new).map_err(|reason| {
        if let Some(log) = log_path(section, environment) {
            log_error(&log, &reason);
        }
        Failure::new(Reason::ValueError, format!("ciphermill: {reason}"))
    })
}

/// # Safety
/// The context is ours, and OpenSSL uses it no more.
unsafe extern "C" fn teardown(context: *mut c_void) {
    // SAFETY: this function's contract.
    let loaded = unsafe { Box::from_raw(context.cast::<Loaded>()) };
    let core = loaded.core;
    core.guard(|| {
        loaded.provider.log();
        drop(loaded);
        Ok(())
    });
}

/// # Safety
/// The context is ours and the list is one.
unsafe extern "C" fn get_parameters(context: *mut c_void, list: *mut Parameter) -> c_int {
    // SAFETY: this function's contract.
    let (loaded, list) = unsafe { (&*context.cast::<Loaded>(), List::new(list)) };
    let give = |entry: &mut Entry<'_>| {
        Ok(match entry.name() {
            b"name" => entry.set_text(NAME),
            b"version" | b"buildinfo" => entry.set_text(VERSION),
            b"status" => entry.set_unsigned(1),
            b"device" => entry.set_string(loaded.provider.config.device.as_bytes()),
            name => {
                let name = std::str::from_utf8(name).unwrap_or_default();
                let count = loaded.provider.count(name);
                count.is_none_or(|count| entry.set_unsigned(count))
            }
        })
    };
    let outcome = loaded.core.guard(|| give_all(list, give));
    c_int::from(outcome.is_some())
}

/// # Safety
/// The context is ours and the answer has a place.
unsafe extern "C" fn query(
    context: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const Algorithm {
    // SAFETY: this function's contract.
    let loaded = unsafe {
        no_cache.write(0);
        &*context.cast::<Loaded>()
    };
    match operation {
        OPERATION_CIPHER => offered(loaded.provider.config.cbc).as_ptr(),
        OPERATION_DIGEST if loaded.provider.config.digests => DIGESTS.as_ptr(),
        OPERATION_MAC if loaded.provider.config.macs => MACS.as_ptr(),
        OPERATION_KEY if loaded.provider.config.keys.are_offered() => KEYS.as_ptr(),
        OPERATION_EXCHANGE if loaded.provider.config.keys.are_offered() => EXCHANGES.as_ptr(),
        OPERATION_SIGNATURE if loaded.provider.config.keys.are_offered() => SIGNATURES.as_ptr(),
        _ => ptr::null(),
    }
}

/// # Safety
/// The context is ours.
unsafe extern "C" fn self_test(context: *mut c_void) -> c_int {
    // SAFETY: this function's contract.
    let loaded = unsafe { &*context.cast::<Loaded>() };
    let outcome = loaded.core.guard(|| {
        let provider = &loaded.provider;
        provider
            .test()
            .map_err(|error| Failure::new(Reason::SelfTestFailed, error.to_string()))
    });
    c_int::from(outcome.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::Counters;

    #[test]
    fn every_counter_is_among_the_parameters_that_the_provider_names() {
        let (mut entry, mut names) = (gettable(ptr::null_mut()), Vec::new());
        // SAFETY: the keys are C strings, and a null key ends the table.
        unsafe {
            while !(*entry).key.is_null() {
                names.push(CStr::from_ptr((*entry).key).to_bytes());
                entry = entry.add(1);
            }
        }
        for (name, _) in Counters::default().values() {
            assert!(names.contains(&name.as_bytes()), "{name}");
        }
    }
}
