// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Messages in chunks on the caller's thread: no queue, no copy, the key expanded once.

use ciphermill::{BLOCK_BYTES, CipherRequest, Direction, Error, Key, Mode, Result, Span};

#[cfg(target_arch = "x86_64")]
use crate::aes;
use crate::answer::check_lengths;
use crate::blocks::Blocks;
use crate::evp::{AWS_LC, EvpContext};
use crate::instructions::Instructions;

/// ECB, CBC or CTR with one key and direction, on the best instructions here.
///
/// ```
/// use ciphermill::{Direction, Key, Mode, CipherRequest};
/// use ciphermill_cpu::Direct;
/// let key = Key::new(&[7; 32]).unwrap();
/// let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// let (mut whole, mut chunks) = ([1; 64], [1; 64]);
/// Direct::new(&request).unwrap().process(&mut whole).unwrap();
/// let mut direct = Direct::new(&request).unwrap();
/// direct.process(&mut chunks[..16]).unwrap();
/// direct.process(&mut chunks[16..]).unwrap();
/// assert_eq!(whole, chunks);
/// ```
pub struct Direct {
    library: Blocks,
    #[cfg(target_arch = "x86_64")]
    wide: Wide,
}

/// Bytes with a key after which it is expanded for a kernel: that takes as long as AWS-LC, which
/// has its own key anyway, is slower than the kernel with so many.
#[cfg(target_arch = "x86_64")]
const EXPANDING_BYTES: usize = 4096;

/// A kernel, and the key for it.
#[cfg(target_arch = "x86_64")]
struct Wide {
    kernel: Option<(aes::Kernel, aes::Operation)>,
    /// There once it is worth it.
    cipher: Option<aes::Cipher>,
    /// Bytes that have come so far, until then.
    seen: usize,
}

#[cfg(target_arch = "x86_64")]
impl Wide {
    /// Whether there is a kernel, and so many bytes are a pass for it: all that a short chunk asks.
    #[inline]
    fn has_pass(&self, bytes: usize) -> bool {
        matches!(self.kernel, Some((kernel, _)) if bytes >= kernel.pass_bytes())
    }

    /// For so many bytes, which are a pass; `None` where it is not worth it yet.
    fn get(&mut self, key: &Key, bytes: usize) -> Option<&aes::Cipher> {
        let (kernel, operation) = self.kernel?;
        if self.cipher.is_none() {
            self.seen = self.seen.saturating_add(bytes);
            if self.seen < EXPANDING_BYTES {
                return None;
            }
            self.cipher = Some(aes::Cipher::new(kernel, operation, key));
        }
        self.cipher.as_ref()
    }
}

/// Bytes that are copied before they are worked on in place: whole passes of a kernel, and so
/// few that the processor fetches the next ones meanwhile.
#[cfg(target_arch = "x86_64")]
const COPY_BYTES: usize = 1024;

impl Direct {
    /// For messages with this request's mode, direction and key, the first of which has
    /// its IV.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Unsupported`] for GCM, which is [`DirectGcm`], XTS,
    /// which is [`crate::DirectXts`], and other ciphers than AES.
    pub fn new(request: &CipherRequest) -> Result<Direct> {
        Direct::with(Instructions::best(), request)
    }

    /// As [`Direct::new`], on chosen instructions where there is a kernel for them.
    pub(crate) fn with(instructions: Instructions, request: &CipherRequest) -> Result<Direct> {
        match request.mode {
            Mode::Gcm => return Err(Error::unsupported("GCM in chunks is DirectGcm")),
            Mode::Xts => return Err(Error::unsupported("XTS in chunks is DirectXts")),
            Mode::Ecb | Mode::Cbc | Mode::Ctr => {}
        }
        if !request.key.is_aes() {
            return Err(Error::unsupported("Direct is for AES"));
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = instructions;
        Ok(Direct {
            library: Blocks::new(request),
            #[cfg(target_arch = "x86_64")]
            wide: Wide {
                kernel: aes::Kernel::detect(instructions)
                    .zip(aes::Operation::of(request.mode, request.direction)),
                cipher: None,
                seen: 0,
            },
        })
    }

    /// Work on the message's next bytes in place. All chunks are whole blocks, but for
    /// the last chunk in CTR, after which only [`Direct::set_iv`] makes sense.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`] when the library behind it refuses.
    // A call of its own would be a tenth of what a block takes.
    #[inline(always)]
    pub fn process(&mut self, data: &mut [u8]) -> Result<()> {
        #[cfg(target_arch = "x86_64")]
        if self.wide.has_pass(data.len()) {
            return self.process_wide(data);
        }
        self.library.process(data)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    fn process_wide(&mut self, data: &mut [u8]) -> Result<()> {
        let Some(wide) = self.wide.get(self.library.key(), data.len()) else {
            return self.library.process(data);
        };
        let lead = wide.lead_bytes(self.library.iv()).min(data.len());
        let (first, data) = data.split_at_mut(lead);
        self.library.process(first)?;
        let mut iv = self.library.iv();
        let rest = wide.process(&mut iv, data);
        self.library.set_iv(iv);
        self.library.process(rest)
    }

    /// As [`Direct::process`], also from one place to another of the same length.
    ///
    /// # Errors
    /// As [`Direct::process`], and [`ciphermill::ErrorKind::Invalid`] for other lengths.
    pub fn work(&mut self, span: Span<'_>) -> Result<()> {
        check_lengths(&span)?;
        match span {
            Span::InPlace(data) => self.process(data),
            #[cfg(target_arch = "x86_64")]
            Span::Apart(input, output) if self.wide.has_pass(input.len()) => {
                self.work_wide(input, output)
            }
            apart => self.library.work(apart),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    fn work_wide(&mut self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let Some(wide) = self.wide.get(self.library.key(), input.len()) else {
            return self.library.work(Span::Apart(input, output));
        };
        let lead = wide.lead_bytes(self.library.iv()).min(input.len());
        let (first, span) = Span::Apart(input, output).split(lead);
        self.library.work(first)?;
        let mut iv = self.library.iv();
        let whole = span.len() / wide.pass_bytes() * wide.pass_bytes();
        let (mut passes, rest) = span.split(whole);
        while passes.len() > 0 {
            let bytes = passes.len().min(COPY_BYTES);
            let (chunk, others) = passes.split(bytes);
            wide.process(&mut iv, chunk.into_place());
            passes = others;
        }
        self.library.set_iv(iv);
        self.library.work(rest)
    }

    /// ECB on whole blocks in place, with a mask of 16 bytes added to each of them before
    /// and after. There are as many masks as blocks.
    pub(crate) fn process_masked(&mut self, mut masks: &[u8], mut data: &mut [u8]) -> Result<()> {
        #[cfg(target_arch = "x86_64")]
        if self.wide.has_pass(data.len())
            && let Some(wide) = self.wide.get(self.library.key(), data.len())
        {
            data = wide.process_masked(masks, data);
            masks = &masks[masks.len() - data.len()..];
        }
        exclusive_or(data, masks);
        self.library.process(data)?;
        exclusive_or(data, masks);
        Ok(())
    }

    /// The IV from which the next chunk would begin a message of its own (in ECB, which
    /// has none, zero).
    pub fn iv(&self) -> [u8; BLOCK_BYTES] {
        self.library.iv()
    }

    /// Begin another message, or the same one elsewhere.
    ///
    /// # Errors
    /// None so far.
    pub fn set_iv(&mut self, iv: [u8; BLOCK_BYTES]) -> Result<()> {
        self.library.set_iv(iv);
        Ok(())
    }
}

fn exclusive_or(data: &mut [u8], masks: &[u8]) {
    for (byte, mask) in data.iter_mut().zip(masks) {
        *byte ^= mask;
    }
}

/// GCM with one key and direction, by AWS-LC (SP 800-38D).
///
/// Decrypted chunks are not authentic before [`DirectGcm::verify`] has said so.
///
/// ```
/// use ciphermill::{Direction, Key};
/// use ciphermill_cpu::DirectGcm;
/// let key = Key::new(&[7; 32]).unwrap();
/// let mut data = *b"attack at dawn";
/// let mut gcm = DirectGcm::new(Direction::Encrypt, &key).unwrap();
/// gcm.start(&[1; 12]).unwrap();
/// gcm.associate(b"header").unwrap();
/// gcm.process(&mut data[..5]).unwrap();
/// gcm.process(&mut data[5..]).unwrap();
/// let tag = gcm.tag().unwrap();
///
/// let mut gcm = DirectGcm::new(Direction::Decrypt, &key).unwrap();
/// gcm.start(&[1; 12]).unwrap();
/// gcm.associate(b"header").unwrap();
/// gcm.process(&mut data).unwrap();
/// gcm.verify(&tag).unwrap();
/// assert_eq!(&data, b"attack at dawn");
/// ```
pub struct DirectGcm {
    context: EvpContext,
    iv_bytes: usize,
}

impl DirectGcm {
    /// For messages with this key.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Device`], here and below, when AWS-LC refuses.
    pub fn new(direction: Direction, key: &Key) -> Result<DirectGcm> {
        Ok(DirectGcm {
            context: EvpContext::new(&AWS_LC, Mode::Gcm, direction, key, None)?,
            iv_bytes: 12,
        })
    }

    /// A copy in the same state.
    ///
    /// # Errors
    /// As [`DirectGcm::new`].
    pub fn duplicate(&self) -> Result<DirectGcm> {
        Ok(DirectGcm {
            context: self.context.duplicate()?,
            iv_bytes: self.iv_bytes,
        })
    }

    /// Begin a message with an IV of any length but zero.
    ///
    /// # Errors
    /// As [`DirectGcm::new`], and for an empty IV.
    pub fn start(&mut self, iv: &[u8]) -> Result<()> {
        if iv.len() != self.iv_bytes {
            self.context.set_iv_bytes(iv.len())?;
            self.iv_bytes = iv.len();
        }
        self.context.start(iv)
    }

    /// Associated data, before the message's first bytes; several times adds up.
    ///
    /// # Errors
    /// As [`DirectGcm::new`], and after the message's first bytes.
    pub fn associate(&mut self, data: &[u8]) -> Result<()> {
        self.context.associate(data)
    }

    /// Work on the message's next bytes in place; chunks of any length.
    ///
    /// # Errors
    /// As [`DirectGcm::new`], and when the message gets longer than GCM allows.
    #[inline]
    pub fn process(&mut self, data: &mut [u8]) -> Result<()> {
        self.work(Span::InPlace(data))
    }

    /// As [`DirectGcm::process`], also from one place to another of the same length.
    ///
    /// # Errors
    /// As [`DirectGcm::process`], and for other lengths.
    #[inline]
    pub fn work(&mut self, span: Span<'_>) -> Result<()> {
        self.context.work(span)
    }

    /// Encryption: end the message; its tag.
    ///
    /// # Errors
    /// As [`DirectGcm::new`].
    pub fn tag(&mut self) -> Result<[u8; 16]> {
        self.context.tag()
    }

    /// Decryption: end the message and compare its tag (1 to 16 bytes, the beginning of
    /// the whole one) in constant time.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Authentication`] when it is another.
    pub fn verify(&mut self, tag: &[u8]) -> Result<()> {
        self.context.verify(tag)
    }
}

#[cfg(test)]
mod tests {
    use ciphermill::{Cancellation, Device, ErrorKind, Job};

    use super::*;
    use crate::CpuDevice;

    /// What the queue of `cpu` gives for the whole message.
    fn whole(request: &CipherRequest, data: &[u8]) -> (Vec<u8>, Option<[u8; 16]>) {
        let mut queue = CpuDevice::new().open(Cancellation::new()).unwrap();
        let (request, data) = (request.into(), data.to_vec());
        queue
            .submit(Job {
                token: 0,
                request,
                data: data.into(),
            })
            .unwrap();
        let completion = queue.complete().unwrap();
        (completion.result.unwrap().into_vec(), completion.tag)
    }

    fn message(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|index| ((index * 7) >> 3) as u8).collect()
    }

    fn both_paths(request: &CipherRequest) -> [Direct; 2] {
        [Instructions::best(), Instructions::Library]
            .map(|instructions| Direct::with(instructions, request).unwrap())
    }

    #[test]
    fn from_one_place_to_another_is_as_in_place() {
        let data = message(9000);
        for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr] {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let key = Key::new(&[9; 32]).unwrap();
                let request = CipherRequest::new(mode, direction, key, [0xff; 16]);
                let expected = whole(&request, &data[..8944]).0;
                for mut direct in both_paths(&request) {
                    let mut output = vec![0; 8944];
                    for range in [0..16, 16..4112, 4112..5136, 5136..8944] {
                        let part = &mut output[range.clone()];
                        direct.work(Span::Apart(&data[range], part)).unwrap();
                    }
                    assert!(output == expected, "{mode} {direction:?}");
                    assert!(direct.work(Span::Apart(&data, &mut output)).is_err());
                }
            }
        }
    }

    #[test]
    fn chunks_and_the_iv_between_them_give_what_the_whole_gives() {
        let data = message(500 * 16);
        for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr] {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                for key_bytes in [16, 24, 32] {
                    let key = Key::new(&message(key_bytes)).unwrap();
                    let request = CipherRequest::new(mode, direction, key, [0xff; 16]);
                    let expected = whole(&request, &data).0;
                    for mut direct in both_paths(&request) {
                        let mut chunks = data.clone();
                        for range in [0..16, 16..160, 160..1280, 1280..5376, 5376..8000] {
                            let iv = direct.iv();
                            direct.set_iv([9; 16]).unwrap();
                            direct.set_iv(iv).unwrap();
                            direct.process(&mut chunks[range]).unwrap();
                        }
                        assert_eq!(chunks, expected, "{mode} {direction:?} {key_bytes}");
                    }
                }
            }
        }
    }

    #[test]
    fn gcm_in_chunks_is_gcm_and_copies_go_on_alone() {
        let key = Key::new(&[3; 24]).unwrap();
        let mut gcm = DirectGcm::new(Direction::Encrypt, &key).unwrap();
        let mut back = DirectGcm::new(Direction::Decrypt, &key).unwrap();
        let mut request = CipherRequest::new(Mode::Gcm, Direction::Encrypt, key, [5; 16]);
        request.associated_data = b"associated".to_vec();
        let data = message(1000);
        let (expected, tag) = whole(&request, &data);
        gcm.start(&[5; 12]).unwrap();
        gcm.associate(b"asso").unwrap();
        gcm.associate(b"ciated").unwrap();
        let mut chunks = data.clone();
        gcm.process(&mut chunks[..3]).unwrap();
        let mut copy = gcm.duplicate().unwrap();
        gcm.process(&mut [1; 5]).unwrap();
        copy.work(Span::Apart(&data[3..], &mut chunks[3..]))
            .unwrap();
        assert!(gcm.work(Span::Apart(&data, &mut chunks[3..])).is_err());
        assert_eq!((&chunks, Some(copy.tag().unwrap())), (&expected, tag));

        for tag_bytes in [4, 16] {
            back.start(&[5; 12]).unwrap();
            back.associate(b"associated").unwrap();
            let mut plain = chunks.clone();
            back.process(&mut plain).unwrap();
            back.verify(&tag.unwrap()[..tag_bytes]).unwrap();
            assert_eq!(plain, data);
        }
        back.start(&[5; 12]).unwrap();
        back.process(&mut chunks).unwrap();
        let error = back.verify(&tag.unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
    }

    #[test]
    fn gcm_takes_ivs_of_other_lengths() {
        // McGrew and Viega, "The Galois/Counter Mode of Operation", test case 6: an IV
        // of 60 bytes, here its tag alone.
        let hex = |text: &str| -> Vec<u8> {
            (0..text.len() / 2)
                .map(|index| u8::from_str_radix(&text[2 * index..2 * index + 2], 16).unwrap())
                .collect()
        };
        let key = Key::new(&hex("feffe9928665731c6d6a8f9467308308")).unwrap();
        let mut gcm = DirectGcm::new(Direction::Encrypt, &key).unwrap();
        gcm.start(&hex(
            "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
        ))
        .unwrap();
        gcm.associate(&hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
            .unwrap();
        let mut data = hex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        );
        gcm.process(&mut data).unwrap();
        assert_eq!(
            gcm.tag().unwrap().to_vec(),
            hex("619cc5aefffe0bfa462af43c1699d050")
        );
        assert!(gcm.start(&[]).is_err());
    }
}
