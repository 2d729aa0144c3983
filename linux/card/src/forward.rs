// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Forwards the kernel's vhost-user messages to the library that answers them.
//!
//! User Mode Linux sends its table of memory with room for two regions even where it has one
//! (`vhost_user_set_mem_table`), which the crate `vhost` refuses. Here the table gets its length.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

const HEADER_BYTES: usize = 12;
const SET_MEMORY_TABLE: u32 = 5;
const TABLE_HEADER_BYTES: usize = 8;
const REGION_BYTES: usize = 32;
/// No message of the kernel is longer.
const MOST_BYTES: usize = 4096;
const MOST_FILES: usize = 8;

/// Forward until one side ends. Answers go back as they are.
pub(crate) fn forward(host: UnixStream, device: UnixStream) -> io::Result<()> {
    let (mut from, mut to) = (device.try_clone()?, host.try_clone()?);
    let answers = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    let ended = requests(&host, &device);
    let _ = device.shutdown(Shutdown::Both);
    let _ = answers.join();
    ended
}

fn requests(mut host: &UnixStream, device: &UnixStream) -> io::Result<()> {
    loop {
        let mut message = vec![0; HEADER_BYTES];
        let (bytes, files) = receive(host, &mut message)?;
        if bytes == 0 {
            return Ok(());
        }
        host.read_exact(&mut message[bytes..])?;
        let word = |at: usize| {
            let bytes = message
                .get(at..at + 4)
                .and_then(|word| word.try_into().ok());
            bytes.map(u32::from_le_bytes)
        };
        let (request, size) = (word(0), word(8).unwrap_or(0) as usize);
        if size > MOST_BYTES {
            return Err(io::Error::other("a vhost-user message is too long"));
        }
        message.resize(HEADER_BYTES + size, 0);
        host.read_exact(&mut message[HEADER_BYTES..])?;
        if request == Some(SET_MEMORY_TABLE) {
            shorten(&mut message);
        }
        send(device, &message, &files)?;
    }
}

/// Give a table of memory the length of its regions.
fn shorten(message: &mut Vec<u8>) {
    let Some(count) = message[HEADER_BYTES..].first_chunk::<4>() else {
        return;
    };
    let regions = u32::from_le_bytes(*count) as usize;
    let Some(bytes) = regions
        .checked_mul(REGION_BYTES)
        .map(|regions| regions + TABLE_HEADER_BYTES)
        .filter(|bytes| HEADER_BYTES + bytes <= message.len())
    else {
        return;
    };
    message.truncate(HEADER_BYTES + bytes);
    message[8..HEADER_BYTES].copy_from_slice(&(bytes as u32).to_le_bytes());
}

/// Receive the first bytes of a message, and the files that come with it.
fn receive(from: &UnixStream, data: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(data)];
    let received = recvmsg(from, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let files = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    Ok((received.bytes, files.flatten().collect()))
}

fn send(mut to: &UnixStream, data: &[u8], files: &[OwnedFd]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let borrowed: Vec<BorrowedFd<'_>> = files.iter().map(OwnedFd::as_fd).collect();
    if !borrowed.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(&borrowed)) {
        return Err(io::Error::other("a vhost-user message has too many files"));
    }
    let sent = sendmsg(
        to,
        &[IoSlice::new(data)],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )?;
    to.write_all(&data[sent..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(regions: u32, room: usize) -> Vec<u8> {
        let body = TABLE_HEADER_BYTES + room * REGION_BYTES;
        let mut message = vec![5, 0, 0, 0, 1, 0, 0, 0];
        message.extend((body as u32).to_le_bytes());
        message.extend(regions.to_le_bytes());
        message.resize(HEADER_BYTES + body, 7);
        message
    }

    #[test]
    fn a_table_gets_the_length_of_its_regions() {
        let mut message = table(1, 2);
        shorten(&mut message);
        assert_eq!(message, table(1, 1));
        // One that says more than it has stays, for the library to refuse.
        for regions in [2, 3, u32::MAX] {
            let mut message = table(regions, 2);
            shorten(&mut message);
            assert_eq!(message, table(regions, 2));
        }
    }

    #[test]
    fn messages_go_through_with_their_files() {
        let ((kernel, host), (device, library)) =
            (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
        let forwarded = thread::spawn(move || forward(host, device));
        let file = OwnedFd::from(tempfile::tempfile().unwrap());
        send(&kernel, &table(1, 2), &[file]).unwrap();
        let mut message = [0; HEADER_BYTES + TABLE_HEADER_BYTES + REGION_BYTES];
        let (bytes, files) = receive(&library, &mut message).unwrap();
        (&library).read_exact(&mut message[bytes..]).unwrap();
        assert_eq!((&message[..], files.len()), (&table(1, 1)[..], 1));
        (&library).write_all(b"answer").unwrap();
        let mut answer = [0; 6];
        (&kernel).read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"answer");
        drop(kernel);
        forwarded.join().unwrap().unwrap();
    }
}
