// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A stand-in for the kernel: rings whose messages `cpu` computes, by what the C header says of their
//! fields.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ciphermill::{
    ASCON_AEAD128, ASCON_HASH256, AeadRequest, Cancellation, CipherRequest, Completion, Device,
    Direction, ErrorKind, HMAC_SHA_256, HMAC_SHA_512, Job, Key, Mode, Request, SHA_224, SHA_256,
    SHA_384, SHA_512, SecretKey,
};
use ciphermill_accelerator::registers::*;
use ciphermill_cpu::CpuDevice;
use rustix::io::Errno;

use crate::abi::{self, ABI};
use crate::calls::{Files, Outcome, RingFile, Text, Transfer};

/// All modes of AES in both directions.
pub(crate) const AES: u32 = CAPABILITY_ALGORITHM_AES
    | CAPABILITY_ENCRYPT_MASK
    | CAPABILITY_DECRYPT_MASK
    | CAPABILITY_KEY_128_MASK
    | CAPABILITY_KEY_192_MASK
    | CAPABILITY_KEY_256_MASK
    | CAPABILITY_ECB_MASK
    | CAPABILITY_CBC_MASK
    | CAPABILITY_CTR_MASK
    | CAPABILITY_GCM_MASK
    | CAPABILITY_XTS_MASK
    | CAPABILITY_SINK_MASK
    | CAPABILITY_BYPASS_MASK;

pub(crate) const SHA2: u32 =
    CAPABILITY_ALGORITHM_SHA2 | CAPABILITY_SHA2_32_MASK | CAPABILITY_SHA2_64_MASK;

pub(crate) const ASCON: u32 = CAPABILITY_ALGORITHM_ASCON
    | CAPABILITY_ENCRYPT_MASK
    | CAPABILITY_DECRYPT_MASK
    | CAPABILITY_KEY_128_MASK
    | CAPABILITY_AEAD_MASK
    | CAPABILITY_DIGEST_MASK;

/// A ring of the stand-in.
pub(crate) struct FakeRing {
    pub name: &'static str,
    pub info: abi::Info,
    taken: AtomicBool,
    /// Answered to the message with this number.
    pub fault: Mutex<Option<(usize, Errno)>>,
    pub messages: AtomicUsize,
    pub keys: AtomicUsize,
    /// Added to the count of output that is told.
    pub lie: AtomicUsize,
}

impl FakeRing {
    pub(crate) fn new(name: &'static str, capability: u32) -> FakeRing {
        FakeRing {
            name,
            info: abi::Info {
                abi: ABI,
                accelerator: VERSION_MAJOR_VALUE << VERSION_MAJOR_SHIFT,
                capability,
                geometry: 16 << GEOMETRY_STREAM_BYTES_SHIFT,
                khz: 250_000,
                message_bytes: 1 << 16,
                ..abi::Info::default()
            },
            taken: AtomicBool::new(false),
            fault: Mutex::default(),
            messages: AtomicUsize::new(0),
            keys: AtomicUsize::new(0),
            lie: AtomicUsize::new(0),
        }
    }
}

/// A machine with these rings.
pub(crate) struct Fake(pub Vec<Arc<FakeRing>>);

impl Fake {
    pub(crate) fn new(rings: impl IntoIterator<Item = FakeRing>) -> Arc<Fake> {
        Arc::new(Fake(rings.into_iter().map(Arc::new).collect()))
    }
}

impl Files for Fake {
    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.0.iter().map(|ring| ring.name.to_owned()).collect())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RingFile>> {
        let name = path.strip_prefix("/dev").unwrap().to_str().unwrap();
        let ring = self.0.iter().find(|ring| ring.name == name);
        let ring = ring.ok_or(Errno::NOENT)?;
        if ring.taken.swap(true, Ordering::SeqCst) {
            return Err(Errno::BUSY.into());
        }
        Ok(Box::new(FakeFile {
            ring: Arc::clone(ring),
            key: Mutex::default(),
        }))
    }
}

struct FakeFile {
    ring: Arc<FakeRing>,
    key: Mutex<Option<abi::Key>>,
}

impl Drop for FakeFile {
    fn drop(&mut self) {
        self.ring.taken.store(false, Ordering::SeqCst);
    }
}

fn cpu(request: Request, data: &[u8]) -> Completion {
    let mut queue = CpuDevice::new().open(Cancellation::new()).unwrap();
    let job = Job {
        token: 0,
        request,
        data: data.to_vec().into(),
    };
    queue.submit(job).unwrap();
    queue.complete().unwrap()
}

impl FakeFile {
    /// What a message asks for, by its configuration in the C header's terms.
    fn request(&self, transfer: &Transfer) -> Result<Request, Errno> {
        let configuration = transfer.configuration;
        let direction = match configuration & 8 {
            0 => Direction::Encrypt,
            _ => Direction::Decrypt,
        };
        let number = configuration >> 10 & 7;
        if configuration & 7 == 6 {
            let plain = [&ASCON_HASH256, &SHA_224, &SHA_256, &SHA_384, &SHA_512];
            let keyed = [None, None, Some(&HMAC_SHA_256), None, Some(&HMAC_SHA_512)];
            let key = SecretKey::new(transfer.associated.to_vec());
            return Ok(match configuration >> 13 & 1 {
                0 => Request::Digest(plain[number as usize]),
                _ => Request::Authenticate(keyed[number as usize].ok_or(Errno::INVAL)?, key),
            });
        }
        let held = self.key.lock().unwrap();
        let held = held.as_ref().ok_or(Errno::NOKEY)?;
        let (key, tweak_key) = (
            &held.key[..held.bytes as usize],
            &held.tweak_key[..held.tweak_bytes as usize],
        );
        let tag = (direction == Direction::Decrypt).then_some(transfer.tag);
        if configuration & 7 == 5 {
            return Ok(Request::Aead(AeadRequest {
                algorithm: &ASCON_AEAD128,
                direction,
                key: SecretKey::new(key.to_vec()),
                nonce: transfer.iv.to_vec(),
                associated_data: transfer.associated.to_vec(),
                tag,
            }));
        }
        let mode = [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm, Mode::Xts];
        let mode = mode[(configuration & 7) as usize];
        // The counter's width stands in CTR alone, and is all of a block.
        assert_eq!(
            configuration >> 6 & 3,
            if mode == Mode::Ctr { 2 } else { 0 }
        );
        assert_eq!(tweak_key.is_empty(), mode != Mode::Xts);
        assert_eq!(transfer.unit_bytes == 0, mode != Mode::Xts);
        let key = Key::new(key).unwrap();
        if mode == Mode::Xts {
            let tweak_key = Key::new(tweak_key).unwrap();
            let number = u128::from_le_bytes(transfer.iv);
            let unit_bytes = transfer.unit_bytes as usize;
            let request = CipherRequest::xts(direction, key, tweak_key, number, unit_bytes);
            return Ok(request.unwrap().into());
        }
        let mut request = CipherRequest::new(mode, direction, key, transfer.iv);
        request.associated_data = transfer.associated.to_vec();
        request.tag = tag.filter(|_| mode == Mode::Gcm);
        Ok(request.into())
    }
}

impl RingFile for FakeFile {
    fn info(&self) -> io::Result<abi::Info> {
        Ok(self.ring.info)
    }

    fn set_key(&self, key: &mut abi::Key) -> io::Result<()> {
        self.ring.keys.fetch_add(1, Ordering::SeqCst);
        *self.key.lock().unwrap() = Some(key.clone());
        Ok(())
    }

    fn message(&self, transfer: Transfer) -> io::Result<Outcome> {
        let number = self.ring.messages.fetch_add(1, Ordering::SeqCst);
        match *self.ring.fault.lock().unwrap() {
            Some((at, errno)) if at == number => return Err(errno.into()),
            _ => {}
        }
        let bytes = match &transfer.text {
            Text::InPlace(text) => text.len(),
            Text::Digest(text, _) => text.len(),
        };
        if bytes + transfer.associated.len() > self.ring.info.message_bytes as usize {
            return Err(Errno::TOOBIG.into());
        }
        let request = self.request(&transfer)?;
        let output = match transfer.text {
            Text::InPlace(text) => {
                let done = cpu(request, text);
                match done.result {
                    Ok(output) => text.copy_from_slice(&output),
                    Err(error) if error.kind() == ErrorKind::Authentication => {
                        return Err(Errno::BADMSG.into());
                    }
                    Err(_) => return Err(Errno::INVAL.into()),
                }
                (text.len(), done.tag)
            }
            Text::Digest(text, digest) => {
                digest.copy_from_slice(&cpu(request, text).result.unwrap());
                (digest.len(), None)
            }
        };
        Ok(Outcome {
            count: (output.0 + self.ring.lie.load(Ordering::SeqCst)) as u32,
            tag: output.1.unwrap_or_default(),
        })
    }
}
