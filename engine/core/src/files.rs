// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Encryption and decryption from file to file.

use std::path::Path;
use std::time::Instant;

use crate::container::{decrypt_stream, encrypt_stream};
use crate::input::{Input, Source};
use crate::output::{Output, OutputOptions, Target};
use crate::{Cancellation, DecryptOptions, Device, EncryptOptions, Result, Summary};

/// [`crate::encrypt`] from a file to a file; `-` is standard input or output.
///
/// The output appears whole or not at all: it is written to a file without a
/// name in the same folder (or with a hidden name, where the file system cannot
/// do that), synced, and then gets its name. It has the input's permissions less
/// the umask (from a pipe: for the owner only), or those of the file that it
/// replaces. A symbolic link as output is followed, so that the file behind it
/// is replaced and the link stays. Pipes and devices are written directly.
/// While input or output wait on a pipe, cancellation is looked at every 0.1 s.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{
///     Cancellation, DecryptOptions, EncryptOptions, OutputOptions, Secret, decrypt_path,
///     encrypt_path,
/// };
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = |name: &str| folder.path().join(name);
/// std::fs::write(path("plain"), "Attack").unwrap();
/// let device = ReferenceDevice::new();
/// let secret = Secret::key([7; 32]).unwrap();
/// let (keep, never) = (OutputOptions::default(), Cancellation::new());
/// let options = EncryptOptions::new(secret.clone());
/// let (input, output) = (path("plain"), path("sealed"));
/// encrypt_path(&input, &output, &device, &options, &keep, &mut |_| {}, &never).unwrap();
///
/// let options = DecryptOptions::new(secret);
/// let back = path("back");
/// decrypt_path(&output, &back, &device, &options, &keep, &mut |_| {}, &never).unwrap();
/// assert_eq!(std::fs::read(&back).unwrap(), b"Attack");
/// // Neither an existing file nor the input is overwritten.
/// decrypt_path(&output, &back, &device, &options, &keep, &mut |_| {}, &never).unwrap_err();
/// ```
///
/// # Errors
/// As [`crate::encrypt`]; also [`crate::ErrorKind::Invalid`] for an output that
/// exists or is the input, and [`crate::ErrorKind::Io`] for what cannot be
/// opened, written or synced. After an error there is no output file, and one
/// that existed is as it was.
pub fn encrypt_path(
    input: &Path,
    output: &Path,
    device: &dyn Device,
    options: &EncryptOptions,
    output_options: &OutputOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    with_files(
        input,
        output,
        output_options,
        true,
        cancellation,
        |reader, writer, stop| encrypt_stream(reader, writer, device, options, progress, stop),
    )
}

/// [`crate::decrypt`] from a file to a file; see [`encrypt_path`].
///
/// # Errors
/// As [`crate::decrypt`] and [`encrypt_path`].
pub fn decrypt_path(
    input: &Path,
    output: &Path,
    device: &dyn Device,
    options: &DecryptOptions,
    output_options: &OutputOptions,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<Summary> {
    with_files(
        input,
        output,
        output_options,
        false,
        cancellation,
        |reader, writer, stop| decrypt_stream(reader, writer, device, options, progress, stop),
    )
}

/// Refuse now what [`encrypt_path`] (`binary`) or [`decrypt_path`] would refuse of these
/// files later, before a password is asked for: an input that is not there or cannot be
/// opened, an output that exists, is the input or cannot be made, encrypted bytes on a
/// terminal. Nothing is read, waited for or left.
///
/// ```
/// use std::path::Path;
/// use ciphermill::{OutputOptions, check_paths};
/// let keep = OutputOptions::default();
/// let folder = tempfile::tempdir().unwrap();
/// let path = |name: &str| folder.path().join(name);
/// assert!(check_paths(&path("absent"), &path("out"), &keep, true).is_err());
/// std::fs::write(path("plain"), "Attack").unwrap();
/// check_paths(&path("plain"), &path("out"), &keep, true).unwrap();
/// assert!(check_paths(&path("plain"), Path::new("/no/such/folder/out"), &keep, true).is_err());
/// ```
///
/// # Errors
/// Those of [`encrypt_path`] for its files.
pub fn check_paths(
    input: &Path,
    output: &Path,
    output_options: &OutputOptions,
    binary: bool,
) -> Result<()> {
    let source = Source::look(input)?;
    Target::look(output, &source, output_options, binary)?.check(&source)
}

/// Open both, do the work, and let the output appear if it went well. `binary`
/// output does not go to a terminal unasked.
pub(crate) fn with_files(
    input: &Path,
    output: &Path,
    options: &OutputOptions,
    binary: bool,
    cancellation: &Cancellation,
    work: impl FnOnce(Input, &mut Output, &Cancellation) -> Result<Summary>,
) -> Result<Summary> {
    let stop = cancellation.child();
    let input = Input::open(input, stop.clone())?;
    let mut output = Output::open(output, &input, options, binary, stop.clone())?;
    let mut summary = work(input, &mut output, &stop)?;
    stop.check()?;
    let began = Instant::now();
    output.commit()?;
    summary.time += began.elapsed();
    Ok(summary)
}
