// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The system calls on the driver's files: all that this crate knows of the kernel.

#![allow(unsafe_code)]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::ioctl::{Getter, Opcode, Updater, ioctl, opcode};

use crate::abi;

/// Where the text of a message is, and where its output goes.
pub(crate) enum Text<'a> {
    /// The output takes the place of the text.
    InPlace(&'a mut [u8]),
    /// A digest is written elsewhere.
    Digest(&'a [u8], &'a mut [u8]),
}

/// A message of `CIPHERMILL_IOC_MESSAGE`.
pub(crate) struct Transfer<'a> {
    pub configuration: u32,
    /// XTS: bytes of a data unit; else 0.
    pub unit_bytes: u32,
    pub iv: [u8; 16],
    /// Decryption with a tag: the one that came with the message.
    pub tag: [u8; 16],
    /// Associated data, or the key of HMAC.
    pub associated: &'a [u8],
    pub text: Text<'a>,
}

/// What the driver says of a message that ended well.
pub(crate) struct Outcome {
    /// Bytes of output.
    pub count: u32,
    /// Encryption with a tag: the tag.
    pub tag: [u8; 16],
}

/// An open file of the driver: a ring.
pub(crate) trait RingFile: Send + Sync {
    /// CIPHERMILL_IOC_INFO.
    fn info(&self) -> io::Result<abi::Info>;
    /// CIPHERMILL_IOC_KEY.
    fn set_key(&self, key: &mut abi::Key) -> io::Result<()>;
    /// CIPHERMILL_IOC_MESSAGE. It waits for the card, and cannot be interrupted.
    fn message(&self, transfer: Transfer) -> io::Result<Outcome>;
}

/// The driver's files.
pub(crate) trait Files: Send + Sync {
    /// The names of those that are there, without their folder.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Open one for this process alone. EBUSY where another one has it.
    fn open(&self, path: &Path) -> io::Result<Box<dyn RingFile>>;
}

/// The folder of device files.
pub(crate) const FOLDER: &str = "/dev";

/// Those of this machine.
pub(crate) struct Kernel;

impl Files for Kernel {
    fn names(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(FOLDER)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.collect())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RingFile>> {
        // Another kind of file may block, or do something, when it is opened.
        if !fs::metadata(path)?.file_type().is_char_device() {
            return Err(rustix::io::Errno::NOTTY.into());
        }
        let flags = (rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NONBLOCK).bits();
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true);
        // The standard library adds O_CLOEXEC.
        let file = options.custom_flags(flags as i32).open(path)?;
        Ok(Box::new(Opened(file)))
    }
}

struct Opened(File);

/// The numbers of the operations, of `_IOR`, `_IOW` and `_IOWR`.
pub(crate) const INFO: Opcode = opcode::read::<abi::Info>(abi::MAGIC, 0);
pub(crate) const KEY: Opcode = opcode::write::<abi::Key>(abi::MAGIC, 1);
pub(crate) const MESSAGE: Opcode = opcode::read_write::<abi::Message>(abi::MAGIC, 6);

fn segment(first: *const u8, bytes: usize) -> abi::Segment {
    abi::Segment {
        address: first as u64,
        bytes: bytes as u64,
    }
}

impl RingFile for Opened {
    fn info(&self) -> io::Result<abi::Info> {
        // SAFETY: this operation writes one `struct ciphermill_info`, as its number says; another
        // driver refuses the number, which has its size and direction in it.
        Ok(unsafe { ioctl(&self.0, Getter::<INFO, abi::Info>::new()) }?)
    }

    fn set_key(&self, key: &mut abi::Key) -> io::Result<()> {
        // SAFETY: this operation reads one `struct ciphermill_key`, in its place: no copy stays behind.
        unsafe { ioctl(&self.0, Updater::<KEY, abi::Key>::new(key)) }?;
        Ok(())
    }

    fn message(&self, transfer: Transfer) -> io::Result<Outcome> {
        let (source, destination) = match transfer.text {
            Text::InPlace(text) => {
                let place = segment(text.as_mut_ptr(), text.len());
                (place, place)
            }
            Text::Digest(text, digest) => (
                segment(text.as_ptr(), text.len()),
                segment(digest.as_mut_ptr(), digest.len()),
            ),
        };
        let some = |segment: &abi::Segment| u32::from(segment.bytes > 0);
        let mut message = abi::Message {
            configuration: transfer.configuration,
            unit_bytes: transfer.unit_bytes,
            source: (&raw const source) as u64,
            destination: (&raw const destination) as u64,
            associated: transfer.associated.as_ptr() as u64,
            associated_bytes: transfer.associated.len() as u32,
            source_segments: some(&source),
            destination_segments: some(&destination),
            iv: transfer.iv,
            tag: transfer.tag,
            ..abi::Message::default()
        };
        // SAFETY: this operation reads and writes one `struct ciphermill_message`. The card reads the
        // source and the associated data and writes the destination: slices that are borrowed until
        // the call returns, the destination mutably. The kernel pins their pages, and the card has let
        // go of them when the call returns.
        unsafe { ioctl(&self.0, Updater::<MESSAGE, abi::Message>::new(&mut message)) }?;
        Ok(Outcome {
            count: message.count,
            tag: message.tag,
        })
    }
}
