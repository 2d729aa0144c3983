// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A message as C describes it, checked and run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ciphermill::{
    AeadRequest, Algorithm, Buffer, Cancellation, Capabilities, CipherRequest, Device, Direction,
    Error, ErrorKind, Key, MessageOutcome, Mode, Request, Result, SecretKey, Session, Span,
    run_batch, run_message, run_span,
};

/// The statuses of the header.
pub(crate) fn status(kind: ErrorKind) -> i32 {
    match kind {
        ErrorKind::Invalid => 1,
        ErrorKind::Unsupported => 2,
        ErrorKind::Authentication => 4,
        ErrorKind::Damaged => 5,
        ErrorKind::Cancelled => 6,
        ErrorKind::NoRoom => 7,
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

/// A message without its data.
pub(crate) struct Message<'a> {
    pub algorithm: &'static Algorithm,
    /// Of a block cipher; an authenticated cipher without modes does not look at it.
    pub mode: Mode,
    pub direction: Direction,
    pub key: &'a [u8],
    pub iv: &'a [u8],
    pub associated_data: &'a [u8],
    pub tag: Option<[u8; 16]>,
}

/// A device with the buffers of its jobs, which hold what the last messages held until the
/// next ones do, or the device is closed. None is longer than the device's preferred chunks.
pub struct OpenDevice {
    device: Arc<dyn Device>,
    buffers: Mutex<Vec<Buffer>>,
}

impl OpenDevice {
    /// On a device that is open.
    pub(crate) fn new(device: Arc<dyn Device>) -> OpenDevice {
        OpenDevice {
            device,
            buffers: Mutex::default(),
        }
    }

    /// The same device, with buffers of its own.
    pub(crate) fn again(&self) -> OpenDevice {
        OpenDevice::new(Arc::clone(&self.device))
    }

    /// The device's capabilities.
    pub(crate) fn capabilities(&self) -> &Capabilities {
        self.device.capabilities()
    }

    /// The device itself.
    pub(crate) fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Run a message; the tag of an encryption. After a failure an output in place is as it
    /// was; one elsewhere may be written in part, though never with what is not authentic.
    pub(crate) fn run(&self, request: &Request, span: &mut Span<'_>) -> Result<Option<[u8; 16]>> {
        let mut session = Session::open(&*self.device, Cancellation::new())?;
        for buffer in std::mem::take(&mut *self.lock()) {
            session.recycle(buffer);
        }
        let outcome = match span {
            // An authenticated message writes nothing before all is well.
            Span::InPlace(data) if matches!(request, Request::Cipher(cipher) if !cipher.is_authenticated()) =>
            {
                // As long as the message: erased and let go of at the end.
                let kept = Buffer::from(data.to_vec());
                let mut apart = Span::Apart(&kept, data);
                let outcome = run_span(&*self.device, &mut session, request, &mut apart);
                if outcome.is_err() {
                    data.copy_from_slice(&kept);
                }
                outcome
            }
            _ => run_span(&*self.device, &mut session, request, span),
        };
        let tag = outcome?;
        let mut buffers = self.lock();
        // Another thread's may be there by now: one set is enough.
        if buffers.is_empty() {
            *buffers = session.into_buffers();
            let longest = self.capabilities().preferred_chunk_bytes;
            buffers.retain(|buffer| buffer.capacity() <= longest);
        }
        Ok(tag)
    }

    /// Run an operation whose output has another length than its data.
    pub(crate) fn run_message(&self, request: Request, data: &[u8]) -> Result<Buffer> {
        let never = Cancellation::new();
        let data = self.filled(data)?;
        let outcome = run_message(&*self.device, request, data, &never, &mut |_| {})?;
        Ok(outcome.data)
    }

    /// A buffer of the device's with a copy of these bytes.
    pub(crate) fn filled(&self, data: &[u8]) -> Result<Buffer> {
        self.device.allocator().filled(data)
    }

    /// Run messages, all in flight at once; the result of each in its place.
    pub(crate) fn run_all(
        &self,
        messages: Vec<(Request, Buffer)>,
    ) -> Result<Vec<Result<MessageOutcome>>> {
        run_batch(&*self.device, messages, &Cancellation::new())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Buffer>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Message<'_> {
    /// The message with copies of all that it refers to, so that the output may then be
    /// written wherever it lies.
    pub(crate) fn request(&self) -> Result<Request> {
        if self.algorithm.modes.is_empty() {
            return Ok(Request::Aead(AeadRequest {
                algorithm: self.algorithm,
                direction: self.direction,
                key: SecretKey::new(self.key),
                nonce: self.iv.to_vec(),
                associated_data: self.associated_data.to_vec(),
                tag: self.tag,
            }));
        }
        let mut iv = [0; 16];
        iv[..self.iv.len()].copy_from_slice(self.iv);
        let key = Key::of(self.algorithm, self.key)?;
        let mut request = CipherRequest::new(self.mode, self.direction, key, iv);
        request.associated_data = self.associated_data.to_vec();
        request.tag = self.tag.filter(|_| self.direction == Direction::Decrypt);
        Ok(request.into())
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::AES;
    use ciphermill::testing::ReferenceDevice;

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
        assert_eq!(status(ErrorKind::NoRoom), 7);
    }

    #[test]
    fn a_message_comes_back_and_a_wrong_tag_does_not() {
        let device = OpenDevice::new(ciphermill_devices::open("cpu", None).unwrap());
        let mut message = Message {
            algorithm: &AES,
            mode: Mode::Gcm,
            direction: Direction::Encrypt,
            key: &[7; 32],
            iv: &[1; 12],
            associated_data: b"header",
            tag: None,
        };
        let mut sent = [0; 14];
        let mut span = Span::Apart(b"attack at dawn", &mut sent);
        let tag = device.run(&message.request().unwrap(), &mut span).unwrap();
        message.direction = Direction::Decrypt;
        message.tag = tag;
        let mut back = sent;
        device
            .run(&message.request().unwrap(), &mut Span::InPlace(&mut back))
            .unwrap();
        assert_eq!(&back, b"attack at dawn");
        message.tag = Some([0; 16]);
        for place in [
            &mut Span::InPlace(&mut sent.clone()),
            &mut Span::Apart(&sent, &mut back),
        ] {
            let error = device.run(&message.request().unwrap(), place).unwrap_err();
            assert_eq!(status(error.kind()), 4);
        }
        assert_eq!(&back, b"attack at dawn");
    }

    #[test]
    fn a_message_in_place_that_fails_is_as_it_was() {
        let failing = ReferenceDevice::new().with_chunk(64).failing_after(3);
        let device = OpenDevice::new(Arc::new(failing));
        let message = Message {
            algorithm: &AES,
            mode: Mode::Ctr,
            direction: Direction::Encrypt,
            key: &[7; 16],
            iv: &[1; 16],
            associated_data: &[],
            tag: None,
        };
        let mut data = [5; 1000];
        let error = device
            .run(&message.request().unwrap(), &mut Span::InPlace(&mut data))
            .unwrap_err();
        assert_eq!((status(error.kind()), data), (3, [5; 1000]));
        let device = OpenDevice::new(Arc::new(ReferenceDevice::new().with_chunk(64)));
        for _ in 0..2 {
            device
                .run(&message.request().unwrap(), &mut Span::InPlace(&mut data))
                .unwrap();
            // Those in flight, and not the copy.
            assert_eq!(device.lock().len(), 3);
        }
        assert_eq!(data, [5; 1000]);
        // A whole message is longer than a chunk.
        let gcm = Message {
            mode: Mode::Gcm,
            iv: &[1; 12],
            ..message
        };
        device
            .run(&gcm.request().unwrap(), &mut Span::InPlace(&mut data))
            .unwrap();
        let kept = device.lock();
        assert!(kept.iter().all(|buffer| buffer.capacity() <= 64));
    }
}
