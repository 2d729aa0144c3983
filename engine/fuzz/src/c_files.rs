// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! `ciphermill_encrypt_file` and `ciphermill_decrypt_file` with any options and files. No key
//! derivation here costs more than a MiB and a few thousand hashes: those that would are called
//! with a flag that is set already.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::LazyLock;

use crate::c_library::{CPU, Device, no_panic};
use crate::input::Input;

/// `ciphermill_file_options`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Options {
    size: usize,
    password: *const u8,
    password_bytes: usize,
    key: *const u8,
    key_bytes: usize,
    mode: *const c_char,
    key_bits: usize,
    chunk_bytes: usize,
    kdf: *const c_char,
    kdf_memory_bytes: u64,
    kdf_passes: u32,
    kdf_iterations: u32,
    kdf_limit: u32,
    force: u32,
    cancellation: *const c_void,
}

impl Options {
    /// As the library reads them: zero beyond their size.
    fn as_read(&self) -> Options {
        let bytes = self.size.min(size_of::<Options>());
        // SAFETY: integers and pointers, which may all be zero; no more is copied than there is.
        unsafe {
            let mut read: Options = mem::zeroed();
            ptr::copy_nonoverlapping(
                (&raw const *self).cast::<u8>(),
                (&raw mut read).cast(),
                bytes,
            );
            read.size = self.size;
            read
        }
    }
}

type OnFiles =
    unsafe extern "C" fn(*const c_void, *const c_char, *const c_char, *const Options) -> c_int;

unsafe extern "C" {
    fn ciphermill_encrypt_file(
        device: *const c_void,
        input: *const c_char,
        output: *const c_char,
        options: *const Options,
    ) -> c_int;
    fn ciphermill_decrypt_file(
        device: *const c_void,
        input: *const c_char,
        output: *const c_char,
        options: *const Options,
    ) -> c_int;
    fn ciphermill_cancellation_new() -> *mut c_void;
    fn ciphermill_cancel(cancellation: *const c_void);
}

const CANCELLED: c_int = 6;
/// What is in an output that was there before.
const EARLIER: &[u8] = b"earlier";

/// A flag that is set.
static STOPPED: LazyLock<Device> = LazyLock::new(|| {
    // SAFETY: the flag lives as long as the process.
    unsafe {
        let flag = ciphermill_cancellation_new();
        ciphermill_cancel(flag);
        Device(flag)
    }
});

/// A folder of this process.
static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("ciphermill-fuzz-{}", std::process::id())));

/// Run on one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let plain = input.text();
    let secret_bytes = input.below(40);
    let secret = input.made(secret_bytes);
    let other_key = input.made(32);
    let mode = input.one_of(&[
        None,
        Some("gcm"),
        Some("ctr"),
        Some("cbc"),
        Some("ecb"),
        Some(""),
    ]);
    let kdf = input.one_of(&[
        None,
        Some("scrypt"),
        Some("argon2id"),
        Some("pbkdf2"),
        Some("raw"),
    ]);
    let (mode, kdf) = (mode.map(c_string), kdf.map(c_string));
    let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
    let (password, key): (&[u8], &[u8]) = match input.byte() % 2 {
        0 => (&[], &secret),
        _ => (&secret, &[]),
    };
    let mut options = Options {
        size: size_of::<Options>(),
        password: password.as_ptr(),
        password_bytes: password.len(),
        key: key.as_ptr(),
        key_bytes: key.len(),
        mode: pointer(&mode),
        key_bits: input.one_of(&[0, 128, 192, 256, 1, usize::MAX]),
        chunk_bytes: input.one_of(&[0, 16, 32, 4096, 15, usize::MAX & !15]),
        kdf: pointer(&kdf),
        kdf_memory_bytes: input.one_of(&[1 << 20, 1 << 16, 3 << 10, 1, 0, 1 << 40, u64::MAX]),
        kdf_passes: input.one_of(&[1, 2, 0, 5, u32::MAX]),
        kdf_iterations: input.one_of(&[1, 1000, 4096, 0, u32::MAX]),
        kdf_limit: input.one_of(&[0, 1, 3, u32::MAX]),
        force: input.one_of(&[0, 1]),
        cancellation: ptr::null(),
    };
    let faults = input.byte();
    if faults & 0x83 == 0x83 {
        // Both a key and a password.
        (options.key, options.key_bytes) = (other_key.as_ptr(), other_key.len());
    }
    if faults & 0x90 != 0x90 {
        // Only the costs that the derivation has.
        match kdf.as_ref().map(|name| name.as_bytes()) {
            Some(b"pbkdf2") => (options.kdf_memory_bytes, options.kdf_passes) = (0, 0),
            _ => options.kdf_iterations = 0,
        }
    }
    if faults & 0x84 == 0x84 {
        // Sizes of whole fields, and some that no version has.
        options.size = input.one_of(&[0, 8, 32, 40, 48, 64, 96, 120, usize::MAX]);
        options = options.as_read();
    }
    if faults & 0x88 == 0x88 || !is_cheap(&options, kdf.as_deref()) {
        match options.size < size_of::<Options>() {
            // The flag would not be read.
            true => options.size = 8,
            false => options.cancellation = STOPPED.0,
        }
    }
    let files = Files::new(&plain, input.byte());
    let status = files.call(
        ciphermill_encrypt_file,
        &files.plain,
        &files.sealed,
        &options,
    );
    files.check(status, &files.sealed, options.force != 0);
    assert!(
        fs::read(&files.plain).is_ok_and(|read| read == plain),
        "the input changed"
    );
    if status == 0 && options.cancellation.is_null() {
        decrypt(&mut input, &files, &plain, options);
    }
}

/// Whether deriving a key takes little, or is refused at once.
fn is_cheap(options: &Options, kdf: Option<&CStr>) -> bool {
    if options.password_bytes == 0 {
        return true;
    }
    match kdf.filter(|_| !options.kdf.is_null()).map(CStr::to_bytes) {
        Some(b"pbkdf2") => (1..=4096).contains(&options.kdf_iterations),
        None | Some(b"scrypt" | b"argon2id") => {
            (1..=1 << 20).contains(&options.kdf_memory_bytes) && options.kdf_passes <= 5
        }
        Some(_) => true,
    }
}

/// Back again as it is, and with something changed.
fn decrypt(input: &mut Input<'_>, files: &Files, plain: &[u8], mut options: Options) {
    options.force = 0;
    let opened = |options: &Options| {
        files.call(
            ciphermill_decrypt_file,
            &files.sealed,
            &files.opened,
            options,
        )
    };
    let status = opened(&options);
    assert_eq!(status, 0, "a file does not come back");
    assert!(
        fs::read(&files.opened).is_ok_and(|read| read == plain),
        "another file comes back"
    );
    fs::remove_file(&files.opened).expect("it was written");

    let mut sealed = fs::read(&files.sealed).expect("it was written");
    let whole = sealed.clone();
    match input.byte() % 3 {
        0 => sealed.truncate(input.length() % (sealed.len() + 1)),
        1 => {
            let place = (input.below(256) << 8 | input.below(256)) % sealed.len();
            sealed[place] ^= input.byte();
        }
        _ => sealed.extend(input.bytes(64)),
    }
    fs::write(&files.sealed, &sealed).expect("a temporary file");
    // A header that was changed may ask for any cost.
    if options.key_bytes == 0 && sealed.get(..96) != whole.get(..96) {
        options.cancellation = STOPPED.0;
    }
    let status = opened(&options);
    files.check(status, &files.opened, false);
    assert_eq!(
        status == 0,
        sealed == whole,
        "an altered file is taken, or a good one refused"
    );
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("no byte is zero")
}

/// The files of one run.
struct Files {
    plain: PathBuf,
    sealed: PathBuf,
    opened: PathBuf,
    /// Whether the first output was there before.
    exists: bool,
}

impl Files {
    /// An input with these bytes; whether there is an output already, as a bit says.
    fn new(plain: &[u8], choice: u8) -> Files {
        let files = Files {
            plain: FOLDER.join("plain"),
            sealed: FOLDER.join("sealed"),
            opened: FOLDER.join("opened"),
            exists: choice & 1 == 1,
        };
        fs::create_dir_all(&*FOLDER).expect("a temporary folder");
        fs::write(&files.plain, plain).expect("a temporary file");
        if files.exists {
            fs::write(&files.sealed, EARLIER).expect("a temporary file");
        }
        files
    }

    fn call(&self, function: OnFiles, from: &Path, to: &Path, options: &Options) -> c_int {
        let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).expect("no zero");
        let (from, to) = (name(from), name(to));
        // As many bytes as the options say, where the library would read so many.
        let bytes = options
            .size
            .min(size_of::<Options>())
            .max(size_of::<usize>());
        let mut place = vec![0_u64; bytes.div_ceil(size_of::<u64>())];
        // SAFETY: the copy has so many bytes, and its alignment is that of the options. The
        // strings and the device are C's.
        unsafe {
            ptr::copy_nonoverlapping(
                (&raw const *options).cast(),
                place.as_mut_ptr(),
                place.len(),
            );
            function(CPU.0, from.as_ptr(), to.as_ptr(), place.as_ptr().cast())
        }
    }

    /// An output appears whole or not at all.
    fn check(&self, status: c_int, output: &Path, force: bool) {
        let there = fs::read(output).ok();
        let before = (self.exists && output == self.sealed).then_some(EARLIER);
        if status == 0 {
            assert!(before.is_none() || force, "an output was overwritten");
            assert!(
                there.is_some() && there.as_deref() != Some(EARLIER),
                "no output"
            );
        } else {
            assert!((1..=CANCELLED).contains(&status), "{status}");
            no_panic();
            assert_eq!(there.as_deref(), before, "a part of an output is there");
        }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&*FOLDER);
    }
}
