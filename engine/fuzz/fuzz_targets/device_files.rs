// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Any bytes as a device's description, and as messages of the register channel:
//! refused, or understood as nothing but what they say.

#![no_main]

use ciphermill_stream::protocol::{MESSAGE_BYTES, Request, Response};
use ciphermill_stream::{Description, INTERFACE};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(description) = Description::parse(data) {
        assert_eq!(description.interface, INTERFACE);
        assert!(description.clock_mhz.is_none_or(|mhz| mhz > 0.0));
        let again = Description::parse(description.to_json().as_bytes());
        assert_eq!(again.expect("what is written is read"), description);
    }
    if let Some(message) = data.first_chunk::<MESSAGE_BYTES>() {
        if let Some(request) = Request::decode(message) {
            assert_eq!(&request.encode(), message);
        }
        if let Some(response) = Response::decode(message) {
            assert_eq!(&response.encode(), message);
        }
    }
});
