// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The ERROR register in words.

use ciphermill::Error;

use crate::registers::{
    ERROR_BUSY_MASK, ERROR_COUNTER_MASK, ERROR_FRAMING_MASK, ERROR_LENGTH_MASK, ERROR_NO_KEY_MASK,
    ERROR_SLOT_MASK, ERROR_UNSUPPORTED_MASK,
};

/// The error that the bits of ERROR stand for; `None` when none is set.
pub(crate) fn explain(bits: u32) -> Option<Error> {
    const WORDS: [(u32, &str); 7] = [
        (
            ERROR_LENGTH_MASK,
            "ECB, CBC and XTS need whole blocks of 16 bytes, and XTS such data units",
        ),
        (
            ERROR_COUNTER_MASK,
            "the counter would use a value twice under this IV, or the text is too long for GCM; start with a fresh IV",
        ),
        (ERROR_NO_KEY_MASK, "it lost its key (was it reset?)"),
        (
            ERROR_UNSUPPORTED_MASK,
            "this mode, direction or key size is not built into it",
        ),
        (ERROR_BUSY_MASK, "it was busy with another message"),
        (
            ERROR_SLOT_MASK,
            "the key slot has a key already, or one of another curve (does another program use the device?)",
        ),
        (
            ERROR_FRAMING_MASK,
            "bytes were lost or added on the way to it (TLAST does not agree with the length)",
        ),
    ];
    if bits == 0 {
        return None;
    }
    let known = WORDS.iter().fold(0, |all, (mask, _)| all | mask);
    let mut reasons: Vec<String> = WORDS
        .iter()
        .filter(|(mask, _)| bits & mask != 0)
        .map(|(_, words)| (*words).to_owned())
        .collect();
    if bits & !known != 0 {
        reasons.push(format!(
            "error bits {:#x} that this host does not know",
            bits & !known
        ));
    }
    let message = format!(
        "the accelerator refused the message: {}",
        reasons.join("; ")
    );
    Some(match bits {
        ERROR_LENGTH_MASK | ERROR_COUNTER_MASK => Error::invalid(message),
        ERROR_UNSUPPORTED_MASK => Error::unsupported(message),
        _ => Error::device(message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermill::ErrorKind;

    #[test]
    fn every_bit_has_words_and_unknown_bits_are_named() {
        assert!(explain(0).is_none());
        for bit in 0..7 {
            let text = explain(1 << bit).unwrap().to_string();
            assert!(!text.contains("does not know"), "{text}");
        }
        assert!(explain(1 << 9).unwrap().to_string().contains("0x200"));
    }

    #[test]
    fn kinds_tell_the_caller_from_the_device() {
        assert_eq!(
            explain(ERROR_LENGTH_MASK).unwrap().kind(),
            ErrorKind::Invalid
        );
        assert_eq!(
            explain(ERROR_UNSUPPORTED_MASK).unwrap().kind(),
            ErrorKind::Unsupported
        );
        let both = explain(ERROR_LENGTH_MASK | ERROR_FRAMING_MASK).unwrap();
        assert_eq!(both.kind(), ErrorKind::Device);
    }
}
