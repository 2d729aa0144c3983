// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A message as C describes it, checked and run.

use ciphermill::{
    Cancellation, Device, Direction, Error, ErrorKind, Key, Mode, Request, Result, run_message,
};
use zeroize::Zeroizing;

/// The statuses of the header.
pub(crate) fn status(kind: ErrorKind) -> i32 {
    match kind {
        ErrorKind::Invalid | ErrorKind::Damaged => 1,
        ErrorKind::Unsupported => 2,
        ErrorKind::Authentication => 4,
        _ => 3,
    }
}

/// The mode of this number.
pub(crate) fn mode(number: u32) -> Result<Mode> {
    match number {
        0 => Ok(Mode::Ecb),
        1 => Ok(Mode::Cbc),
        2 => Ok(Mode::Ctr),
        3 => Ok(Mode::Gcm),
        _ => Err(Error::invalid(format!(
            "no mode {number}: 0 to 3 are ECB, CBC, CTR, GCM"
        ))),
    }
}

/// The direction of this number.
pub(crate) fn direction(number: u32) -> Result<Direction> {
    match number {
        0 => Ok(Direction::Encrypt),
        1 => Ok(Direction::Decrypt),
        _ => Err(Error::invalid(format!(
            "no direction {number}: 0 encrypts, 1 decrypts"
        ))),
    }
}

/// Bytes of IV that a mode reads.
pub(crate) fn iv_bytes(mode: Mode) -> usize {
    match mode {
        Mode::Ecb => 0,
        Mode::Cbc | Mode::Ctr | Mode::Xts => 16,
        Mode::Gcm => 12,
    }
}

/// A message without its data.
pub(crate) struct Message<'a> {
    pub mode: Mode,
    pub direction: Direction,
    pub key: &'a [u8],
    pub iv: &'a [u8],
    pub associated_data: &'a [u8],
    pub tag: Option<[u8; 16]>,
}

/// What came of a message: the output, zeroised when dropped, and the tag of an encryption.
#[derive(Debug)]
pub(crate) struct Done {
    pub output: Zeroizing<Vec<u8>>,
    pub tag: Option<[u8; 16]>,
}

/// Run it.
pub(crate) fn run(device: &dyn Device, message: &Message<'_>, input: &[u8]) -> Result<Done> {
    let mut iv = [0; 16];
    iv[..message.iv.len()].copy_from_slice(message.iv);
    let key = Key::new(message.key)?;
    let mut request = Request::new(message.mode, message.direction, key, iv);
    request.associated_data = message.associated_data.to_vec();
    request.tag = message
        .tag
        .filter(|_| message.direction == Direction::Decrypt);
    let never = Cancellation::new();
    let outcome = run_message(device, &request, input.to_vec(), &never, &mut |_| {})?;
    let output = Zeroizing::new(outcome.data);
    if output.len() != input.len() {
        return Err(Error::device("the device gave another length"));
    }
    let seals = (message.mode, message.direction) == (Mode::Gcm, Direction::Encrypt);
    if seals && outcome.tag.is_none() {
        return Err(Error::device("the device gave no tag"));
    }
    Ok(Done {
        output,
        tag: outcome.tag.filter(|_| seals),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_header() {
        let modes = [0, 1, 2, 3].map(|number| mode(number).unwrap());
        assert_eq!(modes, [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm]);
        assert!(mode(4).is_err());
        assert_eq!(direction(1).unwrap(), Direction::Decrypt);
        assert!(direction(2).is_err());
        assert_eq!(status(ErrorKind::Unsupported), 2);
        assert_eq!(status(ErrorKind::Io), 3);
    }

    #[test]
    fn a_message_comes_back_and_a_wrong_tag_does_not() {
        let device = ciphermill_devices::open("cpu", None).unwrap();
        let mut message = Message {
            mode: Mode::Gcm,
            direction: Direction::Encrypt,
            key: &[7; 32],
            iv: &[1; 12],
            associated_data: b"header",
            tag: None,
        };
        let sent = run(&*device, &message, b"attack at dawn").unwrap();
        message.direction = Direction::Decrypt;
        message.tag = sent.tag;
        let back = run(&*device, &message, &sent.output).unwrap();
        assert_eq!(*back.output, b"attack at dawn");
        message.tag = Some([0; 16]);
        let error = run(&*device, &message, &sent.output).unwrap_err();
        assert_eq!(status(error.kind()), 4);
    }
}
