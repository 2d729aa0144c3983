// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Several messages at once.

use std::ffi::c_int;
use std::ptr;
use std::slice;

use ciphermill::{
    Algorithm, Buffer, Error, MessageOutcome, Operation, Request, Result, SecretKey, TAG_BYTES,
};

use super::operations::Place;
use super::{CRequest, bytes, guard, text};
use crate::message::{self, OpenDevice};

/// `ciphermill_message`.
#[repr(C)]
pub struct CMessage {
    request: CRequest,
    input: *const u8,
    output: *mut u8,
    bytes: usize,
    tag: *mut u8,
    output_bytes: usize,
    status: c_int,
}

impl CMessage {
    /// The request to digest or to authenticate, where the algorithm does that.
    ///
    /// # Safety
    /// As [`ciphermill_run_batch`].
    unsafe fn hash(&self) -> Result<Option<Request>> {
        // SAFETY: this function's contract.
        let Some(name) = (unsafe { text(self.request.algorithm)? }) else {
            return Ok(None);
        };
        let find = |operation| Algorithm::find(name, operation).ok();
        let request = if let Some(algorithm) = find(Operation::Digest) {
            Request::Digest(algorithm)
        } else if let Some(algorithm) = find(Operation::Authenticate) {
            // SAFETY: this function's contract.
            let key = unsafe { bytes(self.request.key, self.request.key_bytes, "the key")? };
            Request::Authenticate(algorithm, SecretKey::new(key))
        } else {
            return Ok(None);
        };
        Place(self.output, self.output_bytes).check(request.output_bytes(self.bytes))?;
        Ok(Some(request))
    }

    /// The message with a copy of all that it refers to.
    ///
    /// # Safety
    /// As [`ciphermill_run_batch`].
    unsafe fn copied(&self, device: &OpenDevice) -> Result<(Request, Buffer)> {
        // SAFETY: this function's contract.
        unsafe {
            let request = match self.hash()? {
                Some(request) => request,
                None => self.request.copied((self.output, self.bytes), self.tag)?,
            };
            let input = bytes(self.input, self.bytes, "the input")?;
            Ok((request, device.filled(input)?))
        }
    }

    /// # Safety
    /// As [`ciphermill_run_batch`].
    unsafe fn write(&self, outcome: &MessageOutcome) {
        let data = &outcome.data;
        // SAFETY: this function's contract. A cipher gives as many bytes as it takes; a digest or a
        // code has the length that `hash` checked. The output of the device is not the caller's
        // memory.
        unsafe {
            if !data.is_empty() {
                ptr::copy_nonoverlapping(data.as_ptr(), self.output, data.len());
            }
            if let Some(tag) = outcome.tag {
                self.tag.cast::<[u8; TAG_BYTES]>().write(tag);
            }
        }
    }
}

/// See the header.
///
/// # Safety
/// The device is from `ciphermill_open`; so many messages are there, and nobody else uses them. The
/// pointers of each lead to as many bytes as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ciphermill_run_batch(
    device: *const OpenDevice,
    messages: *mut CMessage,
    count: usize,
) -> c_int {
    guard(|| {
        if count == 0 {
            return Ok(());
        }
        // SAFETY: this function's contract.
        let device = unsafe { device.as_ref() };
        let (Some(device), false) = (device, messages.is_null()) else {
            return Err(Error::invalid("the device or the messages: a null pointer"));
        };
        if count > isize::MAX as usize / size_of::<CMessage>() {
            return Err(Error::invalid(format!("{count} messages are too many")));
        }
        // SAFETY: this function's contract; the length is checked.
        let messages = unsafe { slice::from_raw_parts_mut(messages, count) };
        let mut requests = Vec::new();
        let mut refusals = Vec::new();
        for message in &*messages {
            // SAFETY: this function's contract.
            let copied = unsafe { message.copied(device) };
            refusals.push(copied.map(|copied| requests.push(copied)));
        }
        let mut outcomes = device.run_all(requests)?.into_iter();
        let mut first = Ok(());
        for (message, refusal) in messages.iter_mut().zip(refusals) {
            let outcome = refusal.and_then(|()| {
                let lost = || Err(Error::device("the device lost a message"));
                outcomes.next().unwrap_or_else(lost)
            });
            let ended = outcome.map(|outcome| {
                // SAFETY: this function's contract; every input is copied.
                unsafe { message.write(&outcome) }
            });
            message.status = ended
                .as_ref()
                .map_or_else(|error| message::status(error.kind()), |()| 0);
            first = first.and(ended);
        }
        first
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ciphermill::testing::ReferenceDevice;

    use super::*;

    fn message(key: &[u8], nonce: &[u8], text: (*mut u8, usize), tag: *mut u8) -> CMessage {
        CMessage {
            request: CRequest {
                mode: 3,
                direction: 0,
                key: key.as_ptr(),
                key_bytes: key.len(),
                iv: nonce.as_ptr(),
                associated_data: ptr::null(),
                associated_bytes: 0,
                algorithm: ptr::null(),
            },
            input: text.0,
            output: text.0,
            bytes: text.1,
            tag,
            output_bytes: 0,
            status: -1,
        }
    }

    #[test]
    fn digests_and_codes_go_beside_ciphers() {
        let device = OpenDevice::new(ciphermill_devices::open("cpu", None).unwrap());
        let mut outputs = [[0; 32]; 4];
        let text = b"abc".as_ptr().cast_mut();
        let names = [c"sha-256", c"hmac-sha-256", c"aes-cmac", c"sha-224"];
        let lengths = [32, 32, 16, 32];
        let mut messages: Vec<_> = (0..4)
            .map(|place| {
                let mut message = message(&[7; 16], &[], (text, 3), ptr::null_mut());
                message.request.algorithm = names[place].as_ptr();
                message.output = outputs[place].as_mut_ptr();
                message.output_bytes = lengths[place];
                message
            })
            .collect();
        // SAFETY: the text and the outputs are there, and nobody else uses them.
        let status = unsafe { ciphermill_run_batch(&device, messages.as_mut_ptr(), 4) };
        let each: Vec<_> = messages.iter().map(|message| message.status).collect();
        assert_eq!((status, each), (1, vec![0, 0, 0, 1]), "28 bytes, not 32");
        // FIPS 180-4.
        assert_eq!(outputs[0][..4], [0xba, 0x78, 0x16, 0xbf]);
        for (place, name) in [(1, "hmac-sha-256"), (2, "aes-cmac")] {
            let algorithm = Algorithm::find(name, Operation::Authenticate).unwrap();
            let request = Request::Authenticate(algorithm, SecretKey::new([7; 16]));
            let alone = device.run_message(request, b"abc").unwrap();
            assert_eq!(outputs[place][..lengths[place]], alone[..]);
        }
        assert_eq!((&outputs[2][16..], outputs[3]), (&[0; 16][..], [0; 32]));
    }

    #[test]
    fn messages_end_by_themselves_and_the_first_failure_is_told() {
        let device = OpenDevice::new(Arc::new(ReferenceDevice::new()));
        let (key, nonce) = ([7; 16], [1; 12]);
        let mut texts = [[9; 20]; 3];
        let mut tags = [[0; TAG_BYTES]; 3];
        let places: Vec<_> = texts.iter_mut().map(|text| text.as_mut_ptr()).collect();
        let mut run = |second: &[u8], direction: u32| {
            let keys = [&key, second, &key];
            let pairs = keys.into_iter().zip(&places).zip(&mut tags);
            let mut messages: Vec<_> = pairs
                .map(|((key, place), tag)| message(key, &nonce, (*place, 20), tag.as_mut_ptr()))
                .collect();
            for message in &mut messages {
                message.request.direction = direction;
            }
            // SAFETY: the texts and tags are there, and nobody else uses them.
            let status = unsafe { ciphermill_run_batch(&device, messages.as_mut_ptr(), 3) };
            let each: Vec<_> = messages.iter().map(|message| message.status).collect();
            (status, each)
        };
        assert_eq!(run(&key[..15], 0), (1, vec![0, 1, 0]));
        assert_eq!(run(&key[..15], 1), (1, vec![0, 1, 0]));
        assert_eq!(run(&key, 1), (4, vec![4, 4, 4]));
        assert_eq!(texts, [[9; 20]; 3]);
    }
}
