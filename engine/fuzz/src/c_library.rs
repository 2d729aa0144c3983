// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The functions of `ciphermill.h` with any arguments that C allows: lengths and numbers of
//! every kind, null pointers, and input and output that overlap.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;

// Its functions are called as a C program calls them, by their symbols.
use ciphermill_linked_c as _;

use crate::PANIC;
use crate::input::Input;

#[repr(C)]
struct Request {
    mode: u32,
    direction: u32,
    key: *const u8,
    key_bytes: usize,
    iv: *const u8,
    associated_data: *const u8,
    associated_bytes: usize,
    algorithm: *const c_char,
}

unsafe extern "C" {
    fn ciphermill_version() -> *const c_char;
    fn ciphermill_error() -> *const c_char;
    fn ciphermill_open(
        name: *const c_char,
        models: *const c_char,
        device: *mut *mut c_void,
    ) -> c_int;
    fn ciphermill_close(device: *mut c_void);
    fn ciphermill_supports(
        device: *const c_void,
        mode: u32,
        direction: u32,
        key_bits: usize,
    ) -> c_int;
    fn ciphermill_run(
        device: *const c_void,
        request: *const Request,
        input: *const u8,
        output: *mut u8,
        bytes: usize,
        tag: *mut u8,
    ) -> c_int;
    fn ciphermill_digest(
        device: *const c_void,
        algorithm: *const c_char,
        input: *const u8,
        bytes: usize,
        digest: *mut u8,
        digest_bytes: usize,
    ) -> c_int;
    fn ciphermill_generate_key(
        device: *const c_void,
        algorithm: *const c_char,
        key: *mut u8,
        key_bytes: usize,
        public_key: *mut u8,
        public_key_bytes: usize,
    ) -> c_int;
    fn ciphermill_verify(
        device: *const c_void,
        algorithm: *const c_char,
        public_key: *const u8,
        public_key_bytes: usize,
        digest: *const u8,
        digest_bytes: usize,
        signature: *const u8,
        signature_bytes: usize,
    ) -> c_int;
    fn ciphermill_sign(
        device: *const c_void,
        algorithm: *const c_char,
        key: *const u8,
        key_bytes: usize,
        digest: *const u8,
        digest_bytes: usize,
        signature: *mut u8,
        signature_bytes: usize,
    ) -> c_int;
    fn ciphermill_agree(
        device: *const c_void,
        algorithm: *const c_char,
        key: *const u8,
        key_bytes: usize,
        public_key: *const u8,
        public_key_bytes: usize,
        secret: *mut u8,
        secret_bytes: usize,
    ) -> c_int;
}

/// A folder without models.
const NO_MODELS: &CStr = c"/nonexistent";
/// The mode whose messages have a tag.
const GCM: u32 = 3;
/// Bytes after an output, which must stay as they are.
const GUARD: [u8; 16] = [0xa5; 16];

pub(crate) struct Device(pub(crate) *mut c_void);

// SAFETY: a device may be used by several threads at once, says the header.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// The device `cpu`, open for good.
pub(crate) static CPU: LazyLock<Device> = LazyLock::new(|| {
    let (status, device) = open(c"cpu");
    assert_eq!(status, 0);
    Device(device)
});

fn open(name: &CStr) -> (c_int, *mut c_void) {
    let mut device = ptr::null_mut();
    // SAFETY: the strings are C's and the device has a place.
    let status = unsafe { ciphermill_open(name.as_ptr(), NO_MODELS.as_ptr(), &raw mut device) };
    (status, device)
}

/// Run on one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    while !input.is_empty() {
        match input.byte() % 8 {
            0 => open_any(&mut input),
            1 => {
                let (mode, direction) = (input.byte().into(), input.byte().into());
                let bits = 8 * input.below(40);
                // SAFETY: the device is open.
                let answer = unsafe { ciphermill_supports(CPU.0, mode, direction, bits) };
                let known = mode <= GCM && direction <= 1 && [128, 192, 256].contains(&bits);
                assert_eq!(answer, c_int::from(known));
            }
            2 => digest(&mut input),
            3 => keys(&mut input),
            _ => message(&mut input),
        }
    }
}

/// A digest by a name that may be none, into a place of any length.
fn digest(input: &mut Input<'_>) {
    let names = [c"sha-256", c"sha-512", c"ascon-hash256", c"md5", c"aes"];
    let choice = usize::from(input.byte()) % names.len();
    let (count, place) = (input.length(), input.below(80));
    let text = input.made(count);
    let mut output = [vec![0; place], GUARD.to_vec()].concat();
    // SAFETY: each pointer leads to as many bytes as it says.
    let status = unsafe {
        let (name, output) = (names[choice].as_ptr(), output.as_mut_ptr());
        ciphermill_digest(CPU.0, name, text.as_ptr(), count, output, place)
    };
    assert_eq!(output[place..], GUARD);
    assert_eq!(status == 0, [32, 64, 32].get(choice) == Some(&place));
    if status != 0 {
        no_panic();
        assert!(output[..place].iter().all(|byte| *byte == 0));
    }
}

/// Most operations with a key, of lengths that are right or nearly so. A new pair, changed in a
/// byte or not, signs and agrees; a signature that it made, changed or not, is verified.
fn keys(input: &mut Input<'_>) {
    let (name, bytes) =
        input.one_of(&[(c"p-256", 32), (c"p-384", 48), (c"p-521", 66), (c"aes", 16)]);
    let mut place = |bytes: usize| match input.byte() % 8 {
        0 => bytes.saturating_sub(1),
        1 => bytes + 1,
        _ => bytes,
    };
    let lengths = [
        place(bytes),
        place(2 * bytes),
        place(2 * bytes),
        place(bytes),
    ];
    let [mut key, mut public_key, mut signature, mut secret] =
        lengths.map(|bytes| [vec![0; bytes], GUARD.to_vec()].concat());
    let count = input.below(70);
    let digest = input.made(count);
    let mut change = |data: &mut [u8]| {
        let (place, change) = (input.byte(), input.byte());
        if let Some(byte) = data.get_mut(usize::from(place)) {
            *byte ^= change;
        }
        change != 0
    };
    let name = name.as_ptr();
    let (digest, digest_bytes) = (digest.as_ptr(), digest.len());
    // SAFETY: each pointer leads to as many bytes as it says.
    let statuses = unsafe {
        let (private, public) = (key.as_mut_ptr(), public_key.as_mut_ptr());
        let pair = ciphermill_generate_key(CPU.0, name, private, lengths[0], public, lengths[1]);
        let key_changed = change(&mut key[..lengths[0]]);
        let place = signature.as_mut_ptr();
        let (private, bytes) = (key.as_ptr(), lengths[0]);
        let signed = ciphermill_sign(
            CPU.0,
            name,
            private,
            bytes,
            digest,
            digest_bytes,
            place,
            lengths[2],
        );
        let changed = change(&mut signature[..lengths[2]]) | change(&mut public_key[..lengths[1]]);
        let (public, bytes) = (public_key.as_ptr(), lengths[1]);
        let verified = ciphermill_verify(
            CPU.0,
            name,
            public,
            bytes,
            digest,
            digest_bytes,
            signature.as_ptr(),
            lengths[2],
        );
        if (pair, signed, key_changed, changed) == (0, 0, false, false) {
            assert_eq!(verified, 0);
        }
        let agreed = ciphermill_agree(
            CPU.0,
            name,
            key.as_ptr(),
            lengths[0],
            public,
            bytes,
            secret.as_mut_ptr(),
            lengths[3],
        );
        [pair, signed, verified, agreed]
    };
    for (output, bytes) in [&key, &public_key, &signature, &secret]
        .into_iter()
        .zip(lengths)
    {
        assert_eq!(output[bytes..], GUARD);
    }
    if statuses.contains(&3) {
        no_panic();
    }
}

/// A name that no device has, or that of files that are not there.
fn open_any(input: &mut Input<'_>) {
    let prefix = input.one_of(&["", "model:", "stream:/nonexistent/", "cpu", "cpu "]);
    let mut name = prefix.as_bytes().to_vec();
    let count = input.below(64);
    name.extend(input.bytes(count).iter().filter(|byte| **byte != 0));
    // These load OpenSSL, which is not what is tried here.
    if name.starts_with(b"software") {
        return;
    }
    let name = CString::new(name).expect("no byte is zero");
    let (status, device) = open(&name);
    assert_eq!(status == 0, name.as_c_str() == c"cpu", "{name:?}");
    assert_eq!(status == 0, !device.is_null());
    if status != 0 {
        // SAFETY: both functions give C strings.
        let (message, version) = unsafe {
            (
                CStr::from_ptr(ciphermill_error()),
                CStr::from_ptr(ciphermill_version()),
            )
        };
        assert!(!message.is_empty() && !version.is_empty());
        assert!(!message.to_string_lossy().ends_with(PANIC), "{message:?}");
    }
    // SAFETY: the device is open and used no more, or null.
    unsafe { ciphermill_close(device) };
}

/// A message, and back again where it was understood.
fn message(input: &mut Input<'_>) {
    let (mode, direction) = (input.byte() % 6, input.byte() % 3);
    let key_bytes = match input.byte() {
        size @ 0..=191 => [16, 24, 32][usize::from(size % 3)],
        other => usize::from(other - 191),
    };
    let key = input.made(key_bytes);
    let iv = input.made(16);
    let associated_bytes = input.below(40);
    let associated = input.made(associated_bytes);
    let text = input.text();
    let bytes = text.len();
    let mut tag = [0; 16];
    let nulls = input.byte();
    let unless = |bit: u8, pointer: *const u8| match nulls & (0x81 << bit) == 0x81 << bit {
        true => ptr::null(),
        false => pointer,
    };
    let algorithm = match input.byte() % 8 {
        0 => Some(c"ascon-aead128"),
        1 => Some(c"aes"),
        _ => None,
    };
    let request = Request {
        mode: mode.into(),
        direction: direction.into(),
        key: unless(0, key.as_ptr()),
        key_bytes,
        iv: unless(1, iv.as_ptr()),
        associated_data: unless(2, associated.as_ptr()),
        associated_bytes,
        algorithm: algorithm.map_or(ptr::null(), CStr::as_ptr),
    };
    let shift = input.byte();
    if shift.is_multiple_of(2) {
        overlapping(&request, &text, usize::from(shift / 2) % 48, &mut tag);
        return;
    }
    let mut output = [vec![0; bytes], GUARD.to_vec()].concat();
    let place = unless(4, output.as_mut_ptr()).cast_mut();
    let source = unless(5, text.as_ptr());
    let tag_place = unless(6, tag.as_mut_ptr()).cast_mut();
    // SAFETY: each pointer is null or leads to as many bytes as the header says.
    let status =
        unsafe { ciphermill_run(CPU.0, &raw const request, source, place, bytes, tag_place) };
    assert_eq!(output[bytes..], GUARD);
    if status != 0 {
        no_panic();
        return;
    }
    let back = Request {
        direction: 1 - request.direction,
        ..request
    };
    // What was decrypted with a tag had the right one, which is no likelier than a forgery.
    let tagged = request.mode == GCM || algorithm == Some(c"ascon-aead128");
    assert!(!(tagged && request.direction == 1));
    let (source, mut again) = (&output[..bytes], vec![0; bytes]);
    // SAFETY: as above.
    let status = unsafe {
        ciphermill_run(
            CPU.0,
            &raw const back,
            source.as_ptr(),
            again.as_mut_ptr(),
            bytes,
            tag.as_mut_ptr(),
        )
    };
    assert_eq!(status, 0);
    assert!(again == text, "a message does not come back");
}

/// Input and output in one buffer, so many bytes apart: refused, or as if they were the same.
fn overlapping(request: &Request, text: &[u8], apart: usize, tag: &mut [u8; 16]) {
    let mut buffer = [text, &vec![0; apart]].concat();
    let start = buffer.as_mut_ptr();
    // SAFETY: the buffer has room for both.
    let status = unsafe {
        let output = start.add(apart);
        let tag = tag.as_mut_ptr();
        ciphermill_run(CPU.0, request, start, output, text.len(), tag)
    };
    assert!(
        status != 0 || apart == 0 || apart >= text.len(),
        "buffers that overlap in part were taken"
    );
    if status != 0 {
        no_panic();
        assert!(buffer.starts_with(text) || apart > 0, "an input is lost");
    }
}

/// The message of the last error tells of no panic.
pub(crate) fn no_panic() {
    // SAFETY: the function gives a C string.
    let message = unsafe { CStr::from_ptr(ciphermill_error()) };
    assert!(!message.to_string_lossy().ends_with(PANIC), "{message:?}");
}
