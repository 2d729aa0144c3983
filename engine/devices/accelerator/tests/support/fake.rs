// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A behavioural accelerator in memory, for tests of the code above a device.
//!
//! It keeps the register map's rules and bounded FIFOs, and fails on demand. Its
//! "cipher" is an exclusive or with key, IV and position, and its "tag" one of all
//! bytes by position: enough to see that every byte met the right key and came back
//! in its place.

#![allow(dead_code, reason = "not every test program uses all of it")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ciphermill::{BLOCK_BYTES, Error, Result};

use ciphermill_accelerator::registers::*;
use ciphermill_accelerator::{Advanced, DataStreams, Received, RegisterFile, Simulation};

/// What the accelerator does wrong, once, after some bytes of a message have gone in:
/// associated data and text together. After all of them is before the tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// These bits of ERROR rise, and the message stops.
    Error(u32),
    /// Nothing moves any more until CONTROL.abort.
    Stall,
    /// Every access fails from now on.
    Vanish,
    /// The output ends too early.
    EarlyLast,
    /// The output has a byte too many.
    ExtraByte,
    /// The device forgets the message and its key.
    Reset,
    /// The tag is another one, from now on.
    WrongTag,
}

/// What a test may set and look at while the driver runs.
#[derive(Debug, Default)]
pub struct Bench {
    /// The fault to come, and after how many bytes of a message.
    pub fault: Option<(usize, Fault)>,
    /// Aborts and sweeps do not end.
    pub hopeless: bool,
    /// A key that is loaded is not taken while this holds.
    pub keys_wait: bool,
    /// Keys taken so far.
    pub keys_taken: usize,
    /// Sweeps done so far.
    pub sweeps: usize,
    /// Register writes so far, offset and value, without KEY.
    pub writes: Vec<(u32, u32)>,
    /// Register writes that came before each drop of what was on its way.
    pub discards: Vec<usize>,
    /// Whether any key is in the device.
    pub holds_key: bool,
    /// The curve of the private key in each key slot.
    pub slots: Vec<Option<u32>>,
}

/// The accelerator. Clones of its [`Bench`] stay with the test.
pub struct FakeAccelerator {
    bench: Arc<Mutex<Bench>>,
    registers: [u32; 64],
    key: Option<Vec<u8>>,
    tweak_key: Option<Vec<u8>>,
    /// The command of a key that is not taken yet.
    loading: u32,
    input: VecDeque<u8>,
    /// Where packets end in the input of the message, in bytes from its start.
    ends: VecDeque<u64>,
    sent: u64,
    /// Associated data that has yet to come.
    aad_left: u64,
    /// Bytes of the message so far, associated data and text.
    consumed: u64,
    tag: [u8; BLOCK_BYTES],
    output: VecDeque<u8>,
    fifo_bytes: usize,
    length: u64,
    taken: u64,
    given: u64,
    cycles: u64,
    simulated: bool,
    stuck: bool,
    gone: bool,
}

const STATE_ERROR: usize = (ERROR / 4) as usize;
const STATE_STATUS: usize = (STATUS / 4) as usize;
const STATE_INTERRUPT: usize = (INTERRUPT_STATE / 4) as usize;

impl FakeAccelerator {
    /// An accelerator whose FIFOs hold so many bytes each way.
    pub fn new(fifo_bytes: usize) -> FakeAccelerator {
        let mut registers = [0; 64];
        registers[(IDENTIFICATION / 4) as usize] = IDENTIFICATION_MAGIC_VALUE;
        registers[(VERSION / 4) as usize] = VERSION_MAJOR_VALUE << VERSION_MAJOR_SHIFT;
        registers[(CAPABILITY / 4) as usize] = 0x000F_FC00;
        registers[(GEOMETRY / 4) as usize] = 0x0008_0810;
        FakeAccelerator {
            bench: Arc::default(),
            registers,
            key: None,
            tweak_key: None,
            loading: 0,
            input: VecDeque::new(),
            ends: VecDeque::new(),
            sent: 0,
            aad_left: 0,
            consumed: 0,
            tag: [0; BLOCK_BYTES],
            output: VecDeque::new(),
            fifo_bytes,
            length: 0,
            taken: 0,
            given: 0,
            cycles: 0,
            simulated: true,
            stuck: false,
            gone: false,
        }
    }

    /// With GCM.
    pub fn with_gcm(self) -> FakeAccelerator {
        let capability = self.register(CAPABILITY) | CAPABILITY_GCM_MASK;
        self.with_register(CAPABILITY, capability)
    }

    /// With XTS.
    pub fn with_xts(self) -> FakeAccelerator {
        let capability = self.register(CAPABILITY) | CAPABILITY_XTS_MASK;
        self.with_register(CAPABILITY, capability)
    }

    /// The test's side of the device.
    pub fn bench(&self) -> Arc<Mutex<Bench>> {
        Arc::clone(&self.bench)
    }

    /// Let a register read as this, such as a foreign identification.
    pub fn with_register(mut self, offset: u32, value: u32) -> FakeAccelerator {
        self.registers[(offset / 4) as usize] = value;
        self
    }

    /// With P-256, P-384 and so many key slots.
    pub fn with_key_slots(self, count: usize) -> FakeAccelerator {
        self.bench.lock().expect("bench").slots = vec![None; count];
        let curves = CAPABILITY_P_256_MASK | CAPABILITY_P_384_MASK;
        let geometry = self.register(GEOMETRY) | (count as u32) << GEOMETRY_KEY_SLOTS_SHIFT;
        self.with_register(GEOMETRY, geometry).with_register(
            CAPABILITY,
            CAPABILITY_ALGORITHM_ECC | CAPABILITY_SHA2_32_MASK | curves,
        )
    }

    /// Count no simulated cycles, as a board would.
    pub fn on_a_board(mut self) -> FakeAccelerator {
        self.simulated = false;
        self
    }

    /// The byte that a byte at this position becomes.
    pub fn code(byte: u8, position: u64, key: &[u8], iv: &[u8]) -> u8 {
        let position = position as usize;
        byte ^ key[position % key.len()] ^ iv[position % iv.len()] ^ (position >> 4) as u8
    }

    /// The tag of a message, of its associated data and its ciphertext.
    pub fn tag(aad: &[u8], ciphertext: &[u8]) -> [u8; BLOCK_BYTES] {
        let mut tag = [0; BLOCK_BYTES];
        for (position, byte) in aad.iter().chain(ciphertext).enumerate() {
            FakeAccelerator::absorb(&mut tag, position as u64, *byte);
        }
        tag
    }

    fn absorb(tag: &mut [u8; BLOCK_BYTES], position: u64, byte: u8) {
        let position = position as usize;
        tag[position % BLOCK_BYTES] ^= byte.rotate_left((position / BLOCK_BYTES % 8) as u32) ^ 1;
    }

    fn register(&self, offset: u32) -> u32 {
        self.registers[(offset / 4) as usize]
    }

    fn bytes(&self, offset: u32, words: usize) -> Vec<u8> {
        let first = (offset / 4) as usize;
        self.registers[first..first + words]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    fn status(&mut self, set: u32, clear: u32) {
        self.registers[STATE_STATUS] = self.registers[STATE_STATUS] & !clear | set;
    }

    fn fail(&mut self, bits: u32) {
        self.registers[STATE_ERROR] |= bits;
        self.registers[STATE_INTERRUPT] |= INTERRUPT_STATE_ERROR_MASK;
        self.status(0, STATUS_BUSY_MASK);
    }

    fn end(&mut self) {
        if self.seals() {
            for (word, bytes) in self.tag.chunks_exact(4).enumerate() {
                let value = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
                self.registers[(TAG / 4) as usize + word] = value;
            }
        }
        let blocks = self.length.div_ceil(BLOCK_BYTES as u64) as u32;
        self.registers[(IV_BLOCKS_LOW / 4) as usize] += blocks;
        self.status(STATUS_DONE_MASK, STATUS_BUSY_MASK);
        self.registers[STATE_INTERRUPT] |= INTERRUPT_STATE_DONE_MASK;
    }

    fn alive(&self) -> Result<()> {
        match self.gone {
            true => Err(Error::device("the fake accelerator has vanished")),
            false => Ok(()),
        }
    }

    /// Whether the message that is configured is one of GCM.
    fn seals(&self) -> bool {
        self.is_mode(CONFIGURATION_MODE_GCM)
    }

    fn is_mode(&self, mode: u32) -> bool {
        let configuration = self.register(CONFIGURATION);
        configuration & CONFIGURATION_BYPASS_MASK == 0
            && (configuration & CONFIGURATION_MODE_MASK) >> CONFIGURATION_MODE_SHIFT == mode
    }

    fn control(&mut self, value: u32) {
        let hopeless = self.bench.lock().expect("bench").hopeless;
        if value & (CONTROL_ZEROISE_MASK | CONTROL_ABORT_MASK) != 0 {
            self.input.clear();
            self.output.clear();
            self.stuck = false;
            match hopeless {
                true => self.status(STATUS_BUSY_MASK, 0),
                false => self.status(0, STATUS_BUSY_MASK),
            }
        }
        if value & CONTROL_ZEROISE_MASK != 0 {
            self.forget_key();
            self.bench.lock().expect("bench").sweeps += 1;
        }
        let loads = value & (CONTROL_LOAD_KEY_MASK | CONTROL_LOAD_TWEAK_KEY_MASK);
        if loads != 0 && self.loading != 0 {
            self.fail(ERROR_BUSY_MASK);
        } else if loads != 0 {
            self.loading = loads;
            self.status(STATUS_KEY_PENDING_MASK, 0);
            self.take_key();
        }
        if value & CONTROL_START_MASK != 0 {
            self.start();
        }
    }

    /// Take the key that is being loaded, unless it has to wait.
    fn take_key(&mut self) {
        if self.loading == 0 || self.bench.lock().expect("bench").keys_wait {
            return;
        }
        let size = self.register(CONFIGURATION) >> CONFIGURATION_KEY_SIZE_SHIFT & 3;
        // Of 128, 192, 256 and 80 bits.
        let key = Some(self.bytes(KEY, [4, 6, 8, 3][size as usize]));
        self.registers[(KEY / 4) as usize..][..KEY_WORDS].fill(0);
        if self.loading & CONTROL_LOAD_KEY_MASK == 0 && size == 1 {
            // As the hardware: no key of the tweaks has 192 bits.
            (self.tweak_key, self.loading) = (None, 0);
            self.status(0, STATUS_TWEAK_KEY_LOADED_MASK | STATUS_KEY_PENDING_MASK);
            return self.fail(ERROR_UNSUPPORTED_MASK);
        }
        if self.loading & CONTROL_LOAD_KEY_MASK != 0 {
            self.key = key;
            self.status(STATUS_KEY_LOADED_MASK, STATUS_KEY_PENDING_MASK);
        } else {
            self.tweak_key = key;
            self.status(STATUS_TWEAK_KEY_LOADED_MASK, STATUS_KEY_PENDING_MASK);
        }
        self.loading = 0;
        let mut bench = self.bench.lock().expect("bench");
        bench.keys_taken += 1;
        bench.holds_key = true;
    }

    fn forget_key(&mut self) {
        self.key = None;
        self.tweak_key = None;
        self.loading = 0;
        let keys = STATUS_KEY_LOADED_MASK | STATUS_TWEAK_KEY_LOADED_MASK | STATUS_KEY_PENDING_MASK;
        self.status(0, keys | STATUS_DONE_MASK);
        self.bench.lock().expect("bench").holds_key = false;
    }

    fn start(&mut self) {
        if self.register(CAPABILITY) & CAPABILITY_ALGORITHM_MASK == CAPABILITY_ALGORITHM_ECC {
            // An operation on a curve ends at once, with the outcome that STATUS was given.
            self.input.clear();
            return self.use_slot();
        }
        let bypass = self.register(CONFIGURATION) & CONFIGURATION_BYPASS_MASK != 0;
        let keyless = self.key.is_none()
            || (self.is_mode(CONFIGURATION_MODE_XTS) && self.tweak_key.is_none());
        if keyless && !bypass {
            return self.fail(ERROR_NO_KEY_MASK);
        }
        self.length = u64::from(self.register(MESSAGE_LENGTH_HIGH)) << 32
            | u64::from(self.register(MESSAGE_LENGTH_LOW));
        self.aad_left = match self.seals() {
            true => {
                u64::from(self.register(AAD_LENGTH_HIGH)) << 32
                    | u64::from(self.register(AAD_LENGTH_LOW))
            }
            false => 0,
        };
        (self.taken, self.given, self.sent, self.consumed) = (0, 0, 0, 0);
        self.tag = [0; BLOCK_BYTES];
        self.ends.clear();
        self.registers[(TAG / 4) as usize..][..TAG_WORDS].fill(0);
        self.status(STATUS_BUSY_MASK, STATUS_DONE_MASK);
        self.registers[(CYCLES_LOW / 4) as usize] = 0;
        self.registers[(SINK_BYTES_LOW / 4) as usize] = 0;
        self.work();
    }

    /// An operation with a key slot; every byte that it gives is the slot's number.
    fn use_slot(&mut self) {
        let value = self.register(CONFIGURATION);
        let field = |mask: u32, shift: u32| (value & mask) >> shift;
        let slot = field(CONFIGURATION_KEY_SLOT_MASK, CONFIGURATION_KEY_SLOT_SHIFT);
        let curve = field(CONFIGURATION_CURVE_MASK, CONFIGURATION_CURVE_SHIFT);
        let operation = field(CONFIGURATION_OPERATION_MASK, CONFIGURATION_OPERATION_SHIFT);
        if slot == 0 {
            return;
        }
        let integers = {
            let mut bench = self.bench.lock().expect("bench");
            let Some(held) = bench.slots.get_mut(slot as usize - 1) else {
                drop(bench);
                return self.fail(ERROR_UNSUPPORTED_MASK);
            };
            match (operation, *held) {
                (CONFIGURATION_OPERATION_ERASE, _) => {
                    *held = None;
                    Ok(0)
                }
                (CONFIGURATION_OPERATION_GENERATE | CONFIGURATION_OPERATION_IMPORT, None) => {
                    *held = Some(curve);
                    Ok(2)
                }
                (CONFIGURATION_OPERATION_SIGN, Some(one)) if one == curve => Ok(2),
                (CONFIGURATION_OPERATION_AGREE, Some(one)) if one == curve => Ok(1),
                (_, Some(_)) => Err(ERROR_SLOT_MASK),
                (_, None) => Err(ERROR_NO_KEY_MASK),
            }
        };
        match integers {
            Ok(count) => {
                let bytes = [32, 48][curve as usize];
                self.output.extend(vec![slot as u8; count * bytes]);
                self.length = self.output.len() as u64;
                self.given = 0;
                self.status(STATUS_DONE_MASK, STATUS_BUSY_MASK);
            }
            Err(bits) => self.fail(bits),
        }
    }

    /// Move what can move from input to output.
    fn work(&mut self) {
        while self.register(STATUS) & STATUS_BUSY_MASK != 0 && !self.stuck && !self.gone {
            if self.meets_fault() {
                continue;
            }
            if self.aad_left + (self.length - self.taken) == 0 {
                return self.end();
            }
            if self.output.len() >= self.fifo_bytes {
                return;
            }
            let Some(byte) = self.input.pop_front() else {
                return;
            };
            match self.aad_left {
                0 => self.take_text(byte),
                _ => self.take_associated(byte),
            }
        }
    }

    fn take_associated(&mut self, byte: u8) {
        FakeAccelerator::absorb(&mut self.tag, self.consumed, byte);
        self.consumed += 1;
        self.aad_left -= 1;
        let ended = self.ends.front() == Some(&self.consumed);
        if ended != (self.aad_left == 0) {
            self.fail(ERROR_FRAMING_MASK);
            self.stuck = true;
        }
    }

    fn take_text(&mut self, byte: u8) {
        let configuration = self.register(CONFIGURATION);
        let coded = match configuration & CONFIGURATION_BYPASS_MASK {
            0 => self.coded(byte),
            _ => byte,
        };
        let decrypts = configuration & CONFIGURATION_DIRECTION_MASK != 0;
        let ciphertext = if decrypts { byte } else { coded };
        FakeAccelerator::absorb(&mut self.tag, self.consumed, ciphertext);
        self.consumed += 1;
        self.taken += 1;
        self.cycles += 1;
        self.registers[(CYCLES_LOW / 4) as usize] += 1;
        match configuration & CONFIGURATION_SINK_MASK {
            0 => self.output.push_back(coded),
            _ => self.registers[(SINK_BYTES_LOW / 4) as usize] += 1,
        }
    }

    /// What the next byte of the text becomes under the keys and the IV.
    fn coded(&self, byte: u8) -> u8 {
        let key = self.key.as_deref().unwrap_or(&[0]);
        let coded = FakeAccelerator::code(byte, self.taken, key, &self.bytes(IV, IV_WORDS));
        match (&self.tweak_key, self.is_mode(CONFIGURATION_MODE_XTS)) {
            (Some(tweak_key), true) => coded ^ tweak_key[self.taken as usize % tweak_key.len()],
            _ => coded,
        }
    }

    /// Whether the fault to come has come.
    fn meets_fault(&mut self) -> bool {
        let due = {
            let mut bench = self.bench.lock().expect("bench");
            match bench.fault {
                Some((after, _)) if self.consumed >= after as u64 => bench.fault.take(),
                _ => None,
            }
        };
        match due {
            None => return false,
            Some((_, Fault::Error(bits))) => {
                self.fail(bits);
                self.stuck = true;
            }
            Some((_, Fault::Stall)) => self.stuck = true,
            Some((_, Fault::Vanish)) => self.gone = true,
            Some((_, Fault::EarlyLast)) => self.length = self.taken + 1,
            Some((_, Fault::ExtraByte)) => self.output.push_back(0xEE),
            Some((_, Fault::WrongTag)) => self.tag[15] ^= 0x80,
            Some((_, Fault::Reset)) => {
                self.forget_key();
                self.status(0, STATUS_BUSY_MASK);
                self.stuck = true;
            }
        }
        true
    }
}

impl RegisterFile for FakeAccelerator {
    fn read(&mut self, offset: u32) -> Result<u32> {
        self.alive()?;
        self.cycles += 4;
        self.take_key();
        Ok(match offset {
            KEY..0x60 => 0,
            _ => self.register(offset),
        })
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<()> {
        self.alive()?;
        self.cycles += 4;
        if !(KEY..0x60).contains(&offset) {
            self.bench
                .lock()
                .expect("bench")
                .writes
                .push((offset, value));
        }
        match offset {
            CONTROL => self.control(value),
            KEY..0x60 if self.loading != 0 => {}
            ERROR | INTERRUPT_STATE => self.registers[(offset / 4) as usize] &= !value,
            IV..0x40 => {
                self.registers[(offset / 4) as usize] = value;
                self.registers[(IV_BLOCKS_LOW / 4) as usize] = 0;
            }
            _ => self.registers[(offset / 4) as usize] = value,
        }
        Ok(())
    }
}

impl DataStreams for FakeAccelerator {
    fn send(&mut self, data: &[u8], last: bool) -> Result<usize> {
        self.alive()?;
        let room = self.fifo_bytes.saturating_sub(self.input.len());
        let taken = room.min(data.len());
        self.input.extend(&data[..taken]);
        self.sent += taken as u64;
        if last && taken == data.len() {
            self.ends.push_back(self.sent);
        }
        self.work();
        Ok(taken)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Received> {
        self.alive()?;
        self.work();
        let bytes = buffer.len().min(self.output.len());
        for (slot, byte) in buffer.iter_mut().zip(self.output.drain(..bytes)) {
            *slot = byte;
        }
        self.given += bytes as u64;
        Ok(Received {
            bytes,
            last: Some(self.given == self.length),
        })
    }

    fn wait(&mut self, _sending: bool) -> Result<()> {
        self.alive()?;
        self.work();
        std::thread::sleep(Duration::from_micros(10));
        self.alive()
    }

    fn discard(&mut self) -> Result<()> {
        self.alive()?;
        self.input.clear();
        self.output.clear();
        let mut bench = self.bench.lock().expect("bench");
        let writes = bench.writes.len();
        bench.discards.push(writes);
        Ok(())
    }

    fn cycles(&mut self) -> Result<Option<u64>> {
        self.alive()?;
        Ok(self.simulated.then_some(self.cycles))
    }
}

impl Simulation for FakeAccelerator {
    fn advance(&mut self, cycles: u64) -> Result<Advanced> {
        self.alive()?;
        let before = self.cycles;
        self.work();
        let busy = self.register(STATUS) & STATUS_BUSY_MASK != 0;
        let needs_input = busy && self.input.is_empty() && !self.stuck;
        let output_full = busy && self.output.len() >= self.fifo_bytes;
        let interrupt = self.register(INTERRUPT_STATE) & self.register(INTERRUPT_ENABLE) != 0;
        if !needs_input && !output_full && !interrupt {
            self.cycles = self.cycles.max(before + cycles);
        }
        Ok(Advanced {
            cycles: self.cycles - before,
            needs_input,
            output_full,
            interrupt,
        })
    }
}
