// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! From file to file: an output appears whole or not at all, never over the
//! input, and never over anything unasked.

mod common;

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ciphermill::testing::ReferenceDevice;
use ciphermill::{
    Cancellation, DecryptOptions, EncryptOptions, Error, ErrorKind, Mode, OutputOptions, Secret,
    Summary, decrypt_path, encrypt_path, openssl_format, seal,
};
use common::{data, ends, key, options};
use rustix::fs::{CWD, FileType, mknodat};
use tempfile::TempDir;

const KEEP: OutputOptions = OutputOptions::new(false);
const FORCE: OutputOptions = OutputOptions::new(true);

struct Folder {
    folder: TempDir,
}

impl Folder {
    /// A folder with `plain` (200 bytes) and `sealed`.
    fn new() -> Folder {
        let folder = Folder {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::write(folder.path("plain"), data(200)).unwrap();
        let sealed = seal(&data(200), &ReferenceDevice::new(), &options(Mode::Gcm, 64));
        fs::write(folder.path("sealed"), sealed.unwrap()).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn encrypt(&self, from: &str, to: &str, output: OutputOptions) -> Result<Summary, Error> {
        encrypt_file(&self.path(from), &self.path(to), output)
    }

    fn decrypt(&self, from: &str, to: &str, output: OutputOptions) -> Result<Summary, Error> {
        let (device, never) = (ReferenceDevice::new(), Cancellation::new());
        let options = DecryptOptions::new(key());
        let (from, to) = (self.path(from), self.path(to));
        decrypt_path(&from, &to, &device, &options, &output, &mut |_| {}, &never)
    }
}

fn encrypt_file(from: &Path, to: &Path, output: OutputOptions) -> Result<Summary, Error> {
    let (device, never) = (ReferenceDevice::new(), Cancellation::new());
    let options = options(Mode::Ctr, 64);
    encrypt_path(from, to, &device, &options, &output, &mut |_| {}, &never)
}

/// The error of an encryption that is cancelled after 50 ms.
fn encrypt_until_cancelled(from: PathBuf, to: PathBuf) -> Error {
    let cancellation = Cancellation::new();
    let seen = cancellation.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        seen.cancel();
    });
    ends(move || {
        let device = ReferenceDevice::new();
        let options = EncryptOptions::new(key());
        encrypt_path(
            &from,
            &to,
            &device,
            &options,
            &KEEP,
            &mut |_| {},
            &cancellation,
        )
        .unwrap_err()
    })
}

fn fifo(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    mknodat(CWD, path, FileType::Fifo, mode, 0).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_come_back() {
    let folder = Folder::new();
    let summary = folder.encrypt("plain", "new", KEEP).unwrap();
    assert_eq!(
        summary.bytes_out,
        fs::metadata(folder.path("new")).unwrap().len()
    );
    folder.decrypt("new", "back", KEEP).unwrap();
    assert_eq!(fs::read(folder.path("back")).unwrap(), data(200));
    assert_eq!(folder.names(), ["back", "new", "plain", "sealed"]);
}

#[test]
fn large_files_come_back() {
    // More than what is sent to the disk at a time.
    let folder = Folder::new();
    let plain = data((20 << 20) + 3);
    fs::write(folder.path("plain"), &plain).unwrap();
    let (device, never) = (ReferenceDevice::new(), Cancellation::new());
    let options = EncryptOptions::new(key());
    let (from, to) = (folder.path("plain"), folder.path("new"));
    let summary = encrypt_path(&from, &to, &device, &options, &KEEP, &mut |_| {}, &never).unwrap();
    assert_eq!(summary.chunks, 21);
    folder.decrypt("new", "back", KEEP).unwrap();
    assert!(fs::read(folder.path("back")).unwrap() == plain);
}

#[test]
fn openssl_files_come_back() {
    let folder = Folder::new();
    let (device, never) = (ReferenceDevice::new(), Cancellation::new());
    let options = openssl_format::OpensslOptions::new(Secret::password("secret").unwrap());
    let (plain, new, back) = (
        folder.path("plain"),
        folder.path("new"),
        folder.path("back"),
    );
    openssl_format::encrypt_path(&plain, &new, &device, &options, &KEEP, &mut |_| {}, &never)
        .unwrap();
    openssl_format::decrypt_path(&new, &back, &device, &options, &KEEP, &mut |_| {}, &never)
        .unwrap();
    assert_eq!(fs::read(back).unwrap(), data(200));
}

#[test]
fn an_existing_output_stays_unless_forced() {
    let folder = Folder::new();
    fs::write(folder.path("out"), "old").unwrap();
    let error = folder.encrypt("plain", "out", KEEP).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(fs::read(folder.path("out")).unwrap(), b"old");
    folder.encrypt("plain", "out", FORCE).unwrap();
    folder.decrypt("out", "back", KEEP).unwrap();
    assert_eq!(folder.names(), ["back", "out", "plain", "sealed"]);
}

#[test]
fn the_input_is_never_overwritten() {
    let folder = Folder::new();
    fs::hard_link(folder.path("plain"), folder.path("hard")).unwrap();
    symlink(folder.path("plain"), folder.path("soft")).unwrap();
    symlink("soft", folder.path("softer")).unwrap();
    for output in ["plain", "hard", "soft", "softer"] {
        for force in [KEEP, FORCE] {
            let error = folder.encrypt("plain", output, force).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(error.to_string().contains("input itself"), "{error}");
            let error = folder.encrypt(output, "plain", force).unwrap_err();
            assert!(error.to_string().contains("input itself"), "{error}");
        }
    }
    assert_eq!(fs::read(folder.path("plain")).unwrap(), data(200));
    assert_eq!(
        folder.names(),
        ["hard", "plain", "sealed", "soft", "softer"]
    );
}

#[test]
fn failures_leave_nothing_and_old_files_as_they_were() {
    let folder = Folder::new();
    let mut bad = fs::read(folder.path("sealed")).unwrap();
    *bad.last_mut().unwrap() ^= 1;
    fs::write(folder.path("bad"), bad).unwrap();
    fs::write(folder.path("old"), "old").unwrap();
    let before = folder.names();
    let error = folder.decrypt("bad", "out", KEEP).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Authentication);
    folder.decrypt("bad", "old", FORCE).unwrap_err();
    folder.decrypt("plain", "old", FORCE).unwrap_err();
    folder.encrypt("missing", "out", KEEP).unwrap_err();
    assert_eq!(folder.names(), before);
    assert_eq!(fs::read(folder.path("old")).unwrap(), b"old");
}

#[test]
fn a_device_that_vanishes_and_a_cancellation_leave_nothing() {
    let folder = Folder::new();
    let (from, to) = (folder.path("plain"), folder.path("out"));
    let options = options(Mode::Ctr, 16);
    let device = ReferenceDevice::new().failing_after(3);
    let never = Cancellation::new();
    let error = encrypt_path(&from, &to, &device, &options, &KEEP, &mut |_| {}, &never);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Device);

    let device = ReferenceDevice::new();
    let cancellation = Cancellation::new();
    let mut cancel = |_| cancellation.cancel();
    let error = encrypt_path(
        &from,
        &to,
        &device,
        &options,
        &KEEP,
        &mut cancel,
        &cancellation,
    );
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(folder.names(), ["plain", "sealed"]);
}

#[test]
fn an_output_that_appears_meanwhile_stays() {
    let folder = Folder::new();
    let (device, never) = (ReferenceDevice::new(), Cancellation::new());
    let (from, to) = (folder.path("plain"), folder.path("out"));
    let mut appear = |_| fs::write(&to, "theirs").unwrap();
    let options = options(Mode::Ctr, 1024);
    let error = encrypt_path(&from, &to, &device, &options, &KEEP, &mut appear, &never);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("appeared meanwhile")
    );
    assert_eq!(fs::read(&to).unwrap(), b"theirs");
    assert_eq!(folder.names(), ["out", "plain", "sealed"]);
}

#[test]
fn links_as_output_are_followed_and_stay() {
    let folder = Folder::new();
    fs::create_dir(folder.path("elsewhere")).unwrap();
    fs::write(folder.path("elsewhere/target"), "old").unwrap();
    symlink("elsewhere/target", folder.path("link")).unwrap();
    folder.encrypt("plain", "link", KEEP).unwrap_err();
    folder.encrypt("plain", "link", FORCE).unwrap();
    let link = fs::symlink_metadata(folder.path("link")).unwrap();
    assert!(link.file_type().is_symlink());
    folder.decrypt("elsewhere/target", "back", KEEP).unwrap();

    symlink("nowhere", folder.path("dangling")).unwrap();
    let error = folder.encrypt("plain", "dangling", FORCE).unwrap_err();
    assert!(error.to_string().contains("link to nothing"), "{error}");
    assert!(!folder.path("nowhere").exists());
}

#[test]
fn permissions_are_never_wider_than_the_inputs() {
    let folder = Folder::new();
    for bits in [0o600, 0o640, 0o400, 0o755] {
        fs::set_permissions(folder.path("plain"), Permissions::from_mode(bits)).unwrap();
        let name = format!("out{bits}");
        folder.encrypt("plain", &name, KEEP).unwrap();
        assert_eq!(mode(&folder.path(&name)) & !(bits | 0o600) & 0o777, 0);
    }
    // A replaced file keeps its own.
    fs::set_permissions(folder.path("plain"), Permissions::from_mode(0o644)).unwrap();
    fs::write(folder.path("private"), "old").unwrap();
    fs::set_permissions(folder.path("private"), Permissions::from_mode(0o600)).unwrap();
    folder.encrypt("plain", "private", FORCE).unwrap();
    assert_eq!(mode(&folder.path("private")), 0o600);
}

#[test]
fn folders_and_missing_folders_are_errors() {
    let folder = Folder::new();
    fs::create_dir(folder.path("sub")).unwrap();
    for (from, to) in [
        ("plain", "sub"),
        ("plain", "absent/out"),
        ("plain", "new/"),
        ("plain", ".."),
        ("sub", "out"),
    ] {
        let error = folder.encrypt(from, to, FORCE).unwrap_err();
        let expected = [ErrorKind::Invalid, ErrorKind::Io];
        assert!(expected.contains(&error.kind()), "{from} {to} {error}");
    }
    assert_eq!(folder.names(), ["plain", "sealed", "sub"]);
}

#[test]
fn device_files_are_written_and_not_replaced() {
    let folder = Folder::new();
    let null = Path::new("/dev/null");
    let before = fs::metadata(null).unwrap();
    encrypt_file(&folder.path("plain"), null, KEEP).unwrap();
    let after = fs::metadata(null).unwrap();
    assert!(after.file_type().is_char_device());
    assert_eq!((before.ino(), before.rdev()), (after.ino(), after.rdev()));
    let full = Path::new("/dev/full");
    if full.exists() {
        let error = encrypt_file(&folder.path("plain"), full, KEEP).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("writing the output: No space left"),
            "{error}"
        );
    }
}

#[test]
fn pipes_are_written_and_read() {
    let folder = Folder::new();
    fifo(&folder.path("pipe"));
    let bytes = (1 << 20) + 3;
    fs::write(folder.path("plain"), data(bytes)).unwrap();
    let (pipe, back) = (folder.path("pipe"), folder.path("back"));
    let opened = std::thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let (device, never) = (ReferenceDevice::new(), Cancellation::new());
            let options = DecryptOptions::new(key());
            decrypt_path(&pipe, &back, &device, &options, &KEEP, &mut |_| {}, &never).unwrap();
            fs::read(back).unwrap()
        });
        folder.encrypt("plain", "pipe", KEEP).unwrap();
        reader.join().unwrap()
    });
    assert!(opened == data(bytes));
    // What came from a pipe is for the owner only.
    assert_eq!(mode(&folder.path("back")), 0o600);
    assert!(
        fs::metadata(folder.path("pipe"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
}

#[test]
fn a_broken_pipe_is_an_error() {
    let folder = Folder::new();
    fifo(&folder.path("pipe"));
    fs::write(folder.path("plain"), data(1 << 20)).unwrap();
    let pipe = folder.path("pipe");
    let error = std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut start = [0; 10];
            File::open(pipe).unwrap().read_exact(&mut start).unwrap();
        });
        folder.encrypt("plain", "pipe", KEEP).unwrap_err()
    });
    assert!(error.to_string().contains("Broken pipe"), "{error}");
}

#[test]
fn waiting_on_a_silent_pipe_ends_when_the_other_side_fails_or_the_user_cancels() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    fifo(&pipe);
    // Someone who has opened the pipe and says little.
    let mut silent = File::options().read(true).write(true).open(&pipe).unwrap();
    silent.write_all(&data(100)).unwrap();

    // A reader that leaves once it has seen the header.
    let (from, to) = (pipe.clone(), folder.path("leaving"));
    fifo(&to);
    let leaving = to.clone();
    let mut more = silent.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut header = [0; common::HEADER_BYTES];
        File::open(leaving)
            .unwrap()
            .read_exact(&mut header)
            .unwrap();
        // Another chunk, which has nowhere to go: writing fails, reading waits.
        more.write_all(&data(64)).unwrap();
    });
    let error = ends(move || encrypt_file(&from, &to, KEEP).unwrap_err());
    assert!(error.to_string().contains("Broken pipe"), "{error}");
    fs::remove_file(folder.path("leaving")).unwrap();

    let error = encrypt_until_cancelled(pipe, folder.path("out"));
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(folder.names(), ["pipe", "plain", "sealed"]);
}

#[test]
fn a_pipe_that_nobody_opens_at_its_other_end_is_waited_for_until_the_user_cancels() {
    let folder = Folder::new();
    fifo(&folder.path("pipe"));
    for (from, to) in [("pipe", "out"), ("plain", "pipe")] {
        let error = encrypt_until_cancelled(folder.path(from), folder.path(to));
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{from} {to} {error}");
    }
    assert_eq!(folder.names(), ["pipe", "plain", "sealed"]);
}
