// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Any bytes as the description of a device or a model, and as messages of the register
//! channel: refused, or understood as nothing but what they say.

use ciphermill_stream::protocol::{Access, MESSAGE_BYTES, Response};
use ciphermill_stream::{Description, INTERFACE};

/// Run on one input.
pub fn run(data: &[u8]) {
    let is_object = data.trim_ascii_start().starts_with(b"{");
    if let Ok(description) = Description::parse(data) {
        assert!(is_object);
        assert_eq!(description.interface, INTERFACE);
        assert!(description.clock_mhz.is_none_or(|mhz| mhz > 0.0));
        let again = Description::parse(description.to_json().as_bytes());
        assert_eq!(again.expect("what is written is read"), description);
    }
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(description) = ciphermill_model::Description::parse(text)
    {
        assert!(is_object && description.clock_mhz > 0.0);
    }
    if let Some(message) = data.first_chunk::<MESSAGE_BYTES>() {
        if let Some(access) = Access::decode(message) {
            assert_eq!(&access.encode(), message);
        }
        if let Some(response) = Response::decode(message) {
            assert_eq!(&response.encode(), message);
        }
    }
}
