// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One chunk of a job on a lane: what is copied, and which kernels run.

use std::sync::Arc;

use ciphermill::{BLOCK_BYTES, CipherRequest, DeviceMemory, Direction, Key, Mode, Result};
use zeroize::Zeroizing;

use crate::hash::{self, HashKey, MULTIPLE_WORDS};
use crate::schedule::Schedule;
use crate::{Implementation, Kernel, Lane, Launch, Place, Shape, Times};

/// Blocks of a data unit that a work-item masks at least.
const SEGMENT_BLOCKS: usize = 64;

/// Kernels load and store words of so many bytes, at addresses that are multiples of it. Words of a
/// vector need no more.
const WORD_BYTES: u64 = 4;

/// A lane, and the keys that are in its buffers.
pub(crate) struct Worker {
    lane: Box<dyn Lane>,
    shape: Shape,
    keys: Option<(Arc<Key>, Direction)>,
    tweak_key: Option<Arc<Key>>,
    hash_key: Option<Arc<Key>>,
    rounds: u32,
}

/// Where a chunk's data are.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Host(*mut [u8]),
    Device(DeviceMemory),
}

impl Part {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Part::Host(data) => data.len(),
            Part::Device(memory) => memory.bytes,
        }
    }

    /// Whether kernels can work where the data are.
    fn is_aligned(&self) -> bool {
        let address = match self {
            Part::Host(data) => data.addr() as u64,
            Part::Device(memory) => memory.address,
        };
        address.is_multiple_of(WORD_BYTES)
    }
}

/// A chunk of a request.
pub(crate) struct Chunk<'a> {
    /// The request of the whole job.
    pub(crate) request: &'a CipherRequest,
    /// Bytes of the job before this chunk: whole blocks, and in XTS whole data units.
    pub(crate) before: usize,
    /// CBC: the IV, or the last ciphertext block before the chunk.
    pub(crate) previous: [u8; BLOCK_BYTES],
    /// XTS: blocks of a data unit that the device computes.
    pub(crate) unit_blocks: usize,
    /// GCM: the first counter block, which encrypts the tag.
    pub(crate) first_gcm_counter: Option<u128>,
    /// GCM: the key of GHASH.
    pub(crate) hash_key: Option<&'a HashKey>,
}

impl Worker {
    pub(crate) fn new(lane: Box<dyn Lane>, shape: Shape) -> Worker {
        Worker {
            lane,
            shape,
            keys: None,
            tweak_key: None,
            hash_key: None,
            rounds: 0,
        }
    }

    /// Put the keys of this request into their buffers, and give the others room for these data.
    pub(crate) fn reserve(&mut self, chunk: &Chunk, data: Part) -> Result<()> {
        self.prepare_keys(chunk)?;
        let blocks = data.bytes().div_ceil(BLOCK_BYTES);
        let padded = self.padded_bytes(blocks);
        if !self.works_in_place(chunk.request, data) {
            self.lane.reserve(Place::Input, padded + BLOCK_BYTES)?;
            self.lane.reserve(Place::Output, padded)?;
        }
        match chunk.request.mode {
            Mode::Xts => {
                let units = self.padded_bytes(blocks.div_ceil(chunk.unit_blocks));
                self.lane.reserve(Place::Numbers, units)?;
                self.lane.reserve(Place::EncryptedNumbers, units)?;
                self.lane.reserve(Place::Masks, padded)
            }
            Mode::Gcm => {
                let sums = self.most_items() * BLOCK_BYTES;
                self.lane.reserve(Place::Sums, sums)?;
                self.lane.reserve(Place::NextSums, sums)
            }
            _ => Ok(()),
        }
    }

    /// Give back the memory of the buffers that [`Worker::reserve`] makes the longer the more data
    /// there are.
    pub(crate) fn release(&mut self) -> Result<()> {
        let mut places = Place::OF_A_CHUNK.into_iter();
        places.try_for_each(|place| self.lane.release(place))
    }

    /// Whether kernels work where the data are. In CBC a work-item reads its neighbour's input, and
    /// so the output has its own place.
    fn works_in_place(&self, request: &CipherRequest, data: Part) -> bool {
        let is_there = match data {
            Part::Host(_) => self.lane.shares(),
            Part::Device(_) => true,
        };
        is_there
            && request.mode != Mode::Cbc
            && data.is_aligned()
            && self.is_whole_groups(data.bytes())
    }

    /// Begin the chunk, for which [`Worker::reserve`] made room; `data` becomes its output, and `sum`
    /// what GHASH makes of its whole blocks.
    ///
    /// # Safety
    /// Both stay where they are, and nobody else touches them, until [`Worker::wait`].
    #[allow(unsafe_code)]
    pub(crate) unsafe fn start(&mut self, chunk: &Chunk, data: Part, sum: *mut [u8]) -> Result<()> {
        let request = chunk.request;
        let bytes = data.bytes();
        let blocks = bytes.div_ceil(BLOCK_BYTES);
        self.prepare(chunk, blocks)?;
        let is_shared = self.works_in_place(request, data);
        match data {
            // SAFETY: this function's contract.
            Part::Host(data) if is_shared => unsafe { self.lane.share(data)? },
            Part::Host(_) => {}
            // SAFETY: this function's contract.
            Part::Device(memory) => unsafe { self.lane.lend(memory)? },
        }
        let (input, output) = if is_shared {
            (Place::Shared, Place::Shared)
        } else {
            let offset = match request.mode {
                Mode::Cbc => BLOCK_BYTES,
                _ => 0,
            };
            match data {
                // SAFETY: this function's contract.
                Part::Host(data) => unsafe {
                    self.lane.start_write(Place::Input, offset, data)?;
                },
                Part::Device(_) => {
                    self.lane
                        .start_copy(Place::Shared, Place::Input, offset, bytes)?;
                }
            }
            (Place::Input, Place::Output)
        };
        let encrypts = request.direction == Direction::Encrypt;
        let kernel = match (request.mode, encrypts) {
            (Mode::Ecb, true) => Kernel::EcbEncrypt,
            (Mode::Ecb, false) => Kernel::EcbDecrypt,
            (Mode::Xts, true) => Kernel::XtsEncrypt,
            (Mode::Xts, false) => Kernel::XtsDecrypt,
            (Mode::Cbc, _) => Kernel::CbcDecrypt,
            (Mode::Ctr | Mode::Gcm, _) => Kernel::Ctr,
        };
        let whole_blocks = bytes / BLOCK_BYTES;
        let hashes = request.mode == Mode::Gcm && whole_blocks > 0;
        if hashes && !encrypts {
            // SAFETY: this function's contract.
            unsafe { self.start_hash(input, whole_blocks, sum)? };
        }
        self.lane.launch(&Launch {
            masks: match request.mode {
                Mode::Xts => Place::Masks,
                _ => input,
            },
            counter: words(first_counter(chunk)),
            ..self.cipher(kernel, blocks, input, output)
        })?;
        if hashes && encrypts {
            // SAFETY: this function's contract.
            unsafe { self.start_hash(output, whole_blocks, sum)? };
        }
        match data {
            // SAFETY: this function's contract.
            Part::Host(data) => unsafe { self.lane.start_read(output, data) },
            Part::Device(_) if is_shared => Ok(()),
            Part::Device(_) => self.lane.start_copy(output, Place::Shared, 0, bytes),
        }
    }

    /// Wait for what others do with the device.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.lane.settle()
    }

    /// As [`Lane::check_memory`].
    pub(crate) fn check_memory(&self, memory: DeviceMemory) -> Result<()> {
        self.lane.check_memory(memory)
    }

    /// Copy from the caller's memory on the device, and wait.
    ///
    /// # Safety
    /// As [`Lane::lend`]; the lane is idle.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn read(&mut self, memory: DeviceMemory) -> Result<Zeroizing<Vec<u8>>> {
        let mut bytes = Zeroizing::new(vec![0; memory.bytes]);
        // SAFETY: this function's contract; the copy is waited for here.
        let copied = unsafe {
            self.lane.lend(memory)?;
            self.lane.start_read(Place::Shared, &mut bytes[..])
        };
        let waited = self.lane.wait();
        copied.and(waited).map(|_| bytes)
    }

    /// Zeroise the caller's memory on the device, and wait.
    ///
    /// # Safety
    /// As [`Lane::lend`]; the lane is idle.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn zeroise(&mut self, memory: DeviceMemory) -> Result<()> {
        let zeros = vec![0; memory.bytes.min(1 << 20)];
        let mut done = 0;
        while done < memory.bytes {
            let bytes = zeros.len().min(memory.bytes - done);
            let address = memory.address + done as u64;
            // SAFETY: this function's contract; the copy is waited for here.
            let copied = unsafe {
                self.lane.lend(DeviceMemory { address, bytes })?;
                self.lane.start_write(Place::Shared, 0, &zeros[..bytes])
            };
            let waited = self.lane.wait();
            copied.and(waited)?;
            done += bytes;
        }
        Ok(())
    }

    /// Wait for what was begun.
    pub(crate) fn wait(&mut self) -> Result<Times> {
        self.lane.wait()
    }

    /// Forget the keys, and zeroise what is in the buffers.
    pub(crate) fn erase(&mut self) -> Result<()> {
        (self.keys, self.tweak_key, self.hash_key) = (None, None, None);
        self.lane.erase()
    }

    /// What the kernels read beside the data, where [`Worker::reserve`] has put the keys.
    fn prepare(&mut self, chunk: &Chunk, blocks: usize) -> Result<()> {
        match chunk.request.mode {
            Mode::Cbc => self.lane.write(Place::Input, &chunk.previous),
            Mode::Xts => self.prepare_masks(chunk, blocks),
            Mode::Ecb | Mode::Ctr | Mode::Gcm => Ok(()),
        }
    }

    /// Round keys, and powers of the key of GHASH.
    fn prepare_keys(&mut self, chunk: &Chunk) -> Result<()> {
        let request = chunk.request;
        let direction = match request.mode {
            Mode::Ctr | Mode::Gcm => Direction::Encrypt,
            _ => request.direction,
        };
        let known = (self.keys.as_ref())
            .is_some_and(|(key, way)| Arc::ptr_eq(key, &request.key) && *way == direction);
        if !known {
            self.keys = None;
            self.rounds = self.write_key(Place::Keys, &request.key, direction)?;
            self.keys = Some((Arc::clone(&request.key), direction));
        }
        if let Some(units) = &request.data_units {
            let known = self.tweak_key.as_ref();
            if !known.is_some_and(|key| Arc::ptr_eq(key, &units.tweak_key)) {
                self.tweak_key = None;
                self.write_key(Place::TweakKeys, &units.tweak_key, Direction::Encrypt)?;
                self.tweak_key = Some(Arc::clone(&units.tweak_key));
            }
        }
        self.prepare_hash(chunk)
    }

    fn write_key(&mut self, place: Place, key: &Key, direction: Direction) -> Result<u32> {
        let schedule = Schedule::of(key);
        let words = schedule.words(&self.shape, direction);
        self.write_words(place, &words)?;
        Ok(schedule.rounds() as u32)
    }

    fn write_words(&mut self, place: Place, words: &[u32]) -> Result<()> {
        // As long as it becomes, so that no copy stays behind when it grows.
        let mut bytes = Zeroizing::new(Vec::with_capacity(size_of_val(words)));
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.lane.reserve(place, bytes.len())?;
        self.lane.write(place, &bytes)
    }

    /// Encrypt the numbers of the chunk's data units, and make the masks of their blocks.
    fn prepare_masks(&mut self, chunk: &Chunk, blocks: usize) -> Result<()> {
        let first = u128::from_le_bytes(chunk.request.iv)
            .wrapping_add((chunk.before / BLOCK_BYTES / chunk.unit_blocks) as u128);
        let count = blocks.div_ceil(chunk.unit_blocks);
        let numbers = (0..count as u128).map(|unit| first.wrapping_add(unit).to_le_bytes());
        let numbers: Vec<u8> = numbers.flatten().collect();
        self.lane.write(Place::Numbers, &numbers)?;
        self.lane.launch(&Launch {
            keys: Place::TweakKeys,
            ..self.cipher(
                Kernel::EcbEncrypt,
                count,
                Place::Numbers,
                Place::EncryptedNumbers,
            )
        })?;
        // At most 64 segments a unit, so that a long unit is not many short walks to its middle.
        let segment_blocks = chunk.unit_blocks.div_ceil(SEGMENT_BLOCKS);
        let segment_blocks = segment_blocks.next_multiple_of(SEGMENT_BLOCKS);
        let segments = chunk.unit_blocks.div_ceil(segment_blocks);
        self.lane.launch(&Launch {
            kernel: Kernel::XtsMasks,
            input: Place::EncryptedNumbers,
            output: Place::Masks,
            keys: Place::TweakKeys,
            masks: Place::EncryptedNumbers,
            rounds: 0,
            blocks: blocks as u32,
            counter: [
                chunk.unit_blocks as u32,
                segment_blocks as u32,
                segments as u32,
                0,
            ],
            groups: (count * segments).div_ceil(self.shape.group_items),
            group_items: self.shape.group_items,
        })
    }

    fn prepare_hash(&mut self, chunk: &Chunk) -> Result<()> {
        let Some(hash_key) = chunk.hash_key else {
            return Ok(());
        };
        let known = self.hash_key.as_ref();
        if known.is_some_and(|key| Arc::ptr_eq(key, &chunk.request.key)) {
            return Ok(());
        }
        self.hash_key = None;
        let levels: Vec<_> = hash::levels(self.most_items()).collect();
        // As long as it becomes, so that no powers of H stay behind when it grows.
        let words = Vec::with_capacity(MULTIPLE_WORDS * levels.len());
        let mut words = Zeroizing::new(words);
        for items in levels {
            words.extend_from_slice(&hash_key.multiples(items));
        }
        self.write_words(Place::HashKeys, &words)?;
        self.hash_key = Some(Arc::clone(&chunk.request.key));
        Ok(())
    }

    /// Begin the sums of GHASH of these blocks.
    ///
    /// # Safety
    /// As [`Worker::start`].
    #[allow(unsafe_code)]
    unsafe fn start_hash(&mut self, data: Place, blocks: usize, sum: *mut [u8]) -> Result<()> {
        let levels: Vec<_> = hash::levels(self.most_items()).collect();
        let (mut input, mut blocks) = (data, blocks);
        for items in hash::launches(self.most_items(), blocks) {
            let level = levels.iter().position(|level| *level == items).unwrap_or(0);
            let output = match input {
                Place::Sums => Place::NextSums,
                _ => Place::Sums,
            };
            let group_items = self.shape.group_items.min(items);
            self.lane.launch(&Launch {
                kernel: Kernel::Ghash,
                input,
                output,
                keys: Place::HashKeys,
                masks: input,
                rounds: 0,
                blocks: blocks as u32,
                counter: [(level * MULTIPLE_WORDS) as u32, 0, 0, 0],
                groups: items / group_items,
                group_items,
            })?;
            (input, blocks) = (output, items);
        }
        // SAFETY: this function's contract.
        unsafe { self.lane.start_read(input, sum) }
    }

    /// A launch of AES on so many blocks, from the input to the output, without masks.
    fn cipher(&self, kernel: Kernel, blocks: usize, input: Place, output: Place) -> Launch {
        let group_items = self.shape.group_items;
        let groups = match self.shape.implementation {
            Implementation::Bitsliced => blocks.div_ceil(self.shape.blocks_of_a_group()),
            Implementation::Tables => blocks.div_ceil(group_items).min(self.shape.groups),
        };
        Launch {
            kernel,
            input,
            output,
            keys: Place::Keys,
            masks: input,
            rounds: self.rounds,
            blocks: blocks as u32,
            counter: [0; 4],
            groups,
            group_items,
        }
    }

    /// Whether kernels touch these bytes and no others.
    fn is_whole_groups(&self, bytes: usize) -> bool {
        bytes.is_multiple_of(BLOCK_BYTES) && bytes == self.padded_bytes(bytes / BLOCK_BYTES)
    }

    /// Bytes of whole groups.
    fn padded_bytes(&self, blocks: usize) -> usize {
        blocks.next_multiple_of(self.shape.blocks_of_a_group()) * BLOCK_BYTES
    }

    /// Work-items of the first step of GHASH, a power of two.
    fn most_items(&self) -> usize {
        (self.shape.groups * self.shape.group_items).next_power_of_two()
    }
}

/// The counter block of the first block behind so many bytes (SP 800-38A, appendix B.1). The data of
/// GCM begin with the second block, and 32 bits of it count (SP 800-38D, 6.2 and 7.1).
fn first_counter(chunk: &Chunk) -> u128 {
    let blocks = (chunk.before / BLOCK_BYTES) as u128;
    match chunk.first_gcm_counter {
        Some(first) => {
            let counter = (first as u32).wrapping_add(blocks as u32).wrapping_add(1);
            (first >> 32 << 32) | u128::from(counter)
        }
        None => u128::from_be_bytes(chunk.request.iv).wrapping_add(blocks),
    }
}

fn words(number: u128) -> [u32; 4] {
    [96, 64, 32, 0].map(|shift| (number >> shift) as u32)
}
