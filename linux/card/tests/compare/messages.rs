// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Random messages, some of them with faults, and their keys.

use std::collections::BTreeMap;
use std::ops::Range;

use ciphermill_card::card::{DESCRIPTOR_BYTES, Descriptor, SEGMENT_BYTES, Segment, flags};

use crate::accel;
use crate::host::{BASE, Key, MEMORY_BYTES, NOWHERE};
use crate::random::Random;

pub const RINGS: u32 = 6;
/// Base-2 logarithm of the entries of a ring.
const LOG2: u32 = 4;
/// Of a ring: descriptors, and behind them completions.
const RING_BYTES: u64 = 0x1000;
const COMPLETIONS: u64 = 0x800;
/// A message's own: two lists, its source, its destination.
pub const PLACES: u64 = BASE + 0x1_0000;
pub const PLACE_BYTES: u64 = 0x4000;
const SOURCE: u64 = 0x400;
const DESTINATION: u64 = 0x2000;
/// The most messages of a ring and a batch.
pub const MESSAGES: u32 = 8;

/// A message of a batch.
pub struct Message {
    pub descriptor: Descriptor,
    /// What was made wrong; with more than one, either may be told.
    pub mutations: Vec<&'static str>,
    /// Where its output may lie.
    pub output: Range<u64>,
}

/// A batch for a ring.
pub struct Plan {
    pub messages: Vec<Message>,
    pub interrupt_messages: u32,
    pub interrupt_cycles: u32,
    /// Where the ring and its completions lie.
    pub ring: u64,
    pub completions: u64,
    pub log2: u32,
    pub doorbell: u32,
}

impl Plan {
    /// Whether the ring ends with an error.
    pub fn is_wrong(&self) -> bool {
        let bases = [self.ring, self.completions];
        let is_nowhere = bases.iter().any(|base| *base >= NOWHERE);
        bases.iter().any(|base| base % 64 != 0)
            || is_nowhere && !self.messages.is_empty()
            || self.log2 != LOG2
            || self.doorbell != self.messages.len() as u32
    }
}

struct Maker<'a> {
    random: &'a mut Random,
    memory: &'a mut Vec<u8>,
    keys: &'a BTreeMap<u8, Key>,
    hashes: bool,
    last_iv: [u8; 16],
}

impl Maker<'_> {
    /// Write memory, where there is some.
    fn put(&mut self, address: u64, data: &[u8]) {
        let at = (address - BASE) as usize;
        if let Some(place) = self.memory.get_mut(at..at + data.len()) {
            place.copy_from_slice(data);
        }
    }

    /// Write a list of segments in a span that have so many bytes, and give its end.
    fn list(&mut self, at: u64, begin: u64, end: u64, bytes: u64) -> u64 {
        let count = 1 + self.random.below(8);
        let mut gaps = (end - begin - bytes).min(300);
        let (mut place, mut address, mut left) = (at, begin, bytes.max(1));
        for number in 0..count {
            let gap = self.random.below(1 + gaps.min(60));
            gaps -= gap;
            address += gap;
            let last = number + 1 == count || left == 1;
            // The last segment may have more than is used.
            let more = if self.random.one_in(2) {
                self.random.below(1000)
            } else {
                0
            };
            let length = if last {
                left + more
            } else {
                1 + self.random.below(left)
            };
            let segment = Segment {
                address,
                length: length as u32,
            };
            self.put(place, &segment.bytes());
            place += SEGMENT_BYTES as u64;
            if last || length >= left {
                break;
            }
            address += length;
            left -= length;
        }
        place
    }

    fn message(&mut self, place: u64) -> Message {
        let mut modes = vec!["ecb", "cbc", "ctr", "gcm", "xts", "bypass"];
        if self.hashes {
            modes.extend(["digest", "hmac"]);
        }
        let mode = self.random.pick(&modes);
        let direction = self.random.below(2) as u32 * accel::CONFIGURATION_DIRECTION_MASK;
        let width = self.random.below(3) as u32 * (1 << accel::CONFIGURATION_COUNTER_WIDTH_SHIFT);
        let hash = 1 + self.random.below(6) as u32;
        let digest = [0, 28, 32, 48, 64, 28, 32][hash as usize];
        let number = match mode {
            "ecb" => accel::CONFIGURATION_MODE_ECB,
            "cbc" => accel::CONFIGURATION_MODE_CBC,
            "ctr" => accel::CONFIGURATION_MODE_CTR,
            "gcm" => accel::CONFIGURATION_MODE_GCM,
            "xts" => accel::CONFIGURATION_MODE_XTS,
            "bypass" => accel::CONFIGURATION_BYPASS_MASK | self.random.below(8) as u32,
            "digest" => accel::CONFIGURATION_MODE_DIGEST,
            _ => accel::CONFIGURATION_MODE_DIGEST | accel::CONFIGURATION_AUTHENTICATE_MASK,
        };
        let mut configuration = number | direction | width;
        if matches!(mode, "digest" | "hmac") {
            configuration |= hash << accel::CONFIGURATION_HASH_SHIFT;
        }
        let sink = self.random.one_in(12);
        if sink {
            configuration |= accel::CONFIGURATION_SINK_MASK;
        }
        let most = self.random.pick(&[1_u64, 40, 300, 2000]);
        let mut length = self.random.below(most + 1) as u32;
        if matches!(mode, "ecb" | "cbc" | "xts") {
            length &= !15;
        }
        let associated = match mode {
            "gcm" | "hmac" if !self.random.one_in(3) => self.random.below(150) as u32,
            _ => 0,
        };
        let wants_tweak = mode == "xts";
        let slots: Vec<u8> = (self.keys.iter())
            .filter(|(_, key)| {
                key.size < 3 && (!wants_tweak || !key.tweak.is_empty() && key.size != 1)
            })
            .map(|(slot, _)| *slot)
            .collect();
        let needs_key = !matches!(mode, "bypass" | "digest" | "hmac");
        let slot = if needs_key || self.random.one_in(3) {
            self.random.pick(&slots)
        } else {
            0
        };
        let mut iv: [u8; 16] = self.random.bytes(16).try_into().unwrap();
        if self.random.one_in(4) {
            iv = self.last_iv;
        } else if self.random.one_in(6) {
            // A counter that passes its end.
            iv[4..].fill(0xff);
        }
        self.last_iv = iv;
        let output = match mode {
            _ if sink => 0,
            "digest" | "hmac" => digest,
            _ => length,
        };
        let input = u64::from(length) + u64::from(associated);
        let mut bits = u32::from(slot) << flags::KEY_SLOT_SHIFT;
        if self.random.one_in(8) {
            bits |= flags::INTERRUPT;
        }
        let source_list = self.random.one_in(3);
        let in_place = !source_list && self.random.one_in(4) && output == length;
        let destination_list = !in_place && self.random.one_in(3);
        let source = if source_list {
            bits |= flags::SOURCE_LIST;
            self.list(place, place + SOURCE, place + DESTINATION, input);
            place
        } else {
            place + SOURCE + self.random.below(64)
        };
        let mut area = place + DESTINATION..place + PLACE_BYTES;
        let destination = if in_place {
            area = source..source + input;
            source + u64::from(associated)
        } else if destination_list {
            bits |= flags::DESTINATION_LIST;
            let at = place + 0x200;
            self.list(at, place + DESTINATION, place + PLACE_BYTES, output.into());
            at
        } else {
            place + DESTINATION + self.random.below(64)
        };
        let mut descriptor = Descriptor {
            configuration,
            flags: bits,
            iv,
            length,
            associated,
            source,
            destination,
            data_unit: if wants_tweak {
                16 * (1 + self.random.below(8) as u32)
            } else {
                0
            },
            output,
            cookie: self.random.next(),
        };
        let mut mutations = vec![];
        while mutations.len() < 2 && self.random.one_in(5) {
            mutations.push(self.mutate(&mut descriptor));
        }
        Message {
            descriptor,
            mutations,
            output: area,
        }
    }

    fn mutate(&mut self, descriptor: &mut Descriptor) -> &'static str {
        let random = self.random.next() as u32;
        let has = |flag| descriptor.flags & flag != 0;
        let (from, to) = (has(flags::SOURCE_LIST), has(flags::DESTINATION_LIST));
        match self.random.below(18) {
            0 => {
                descriptor.length = descriptor.length.wrapping_add(1 + random % 20);
                "length"
            }
            1 => {
                descriptor.output = descriptor.output.wrapping_add(1 + random % 40);
                "more output"
            }
            2 => {
                descriptor.output = descriptor.output.saturating_sub(1 + random % 40);
                "less output"
            }
            3 => {
                descriptor.associated = 1 + random % 40;
                "associated data"
            }
            4 => {
                descriptor.flags |= flags::TAG_PACKET;
                "tag packet"
            }
            5 => {
                descriptor.flags &= !0xff00;
                "no slot"
            }
            6 => {
                let slot = self
                    .random
                    .pick(&[1, 2, 3, 4, 5, 5, 8, 8, 9, random & 0xff]);
                descriptor.flags = descriptor.flags & !0xff00 | slot << flags::KEY_SLOT_SHIFT;
                "another slot"
            }
            7 => {
                descriptor.configuration &= !accel::CONFIGURATION_MODE_MASK;
                descriptor.configuration |= random & accel::CONFIGURATION_MODE_MASK;
                "another mode"
            }
            8 => {
                descriptor.configuration |= accel::CONFIGURATION_COUNTER_WIDTH_MASK;
                "counter width 3"
            }
            9 => {
                descriptor.data_unit = descriptor.data_unit.wrapping_add(random % 20);
                "another data unit"
            }
            10 if !from => {
                descriptor.source = NOWHERE - u64::from(random % 40);
                "source beyond memory"
            }
            11 if !to => {
                descriptor.destination = NOWHERE - u64::from(random % 40);
                "destination beyond memory"
            }
            12 if from => {
                descriptor.source += u64::from(1 + random % 15);
                "source list not aligned"
            }
            13 if to => {
                descriptor.destination += u64::from(1 + random % 15);
                "destination list not aligned"
            }
            14 if from => {
                let empty = Segment {
                    address: 0,
                    length: 0,
                };
                self.put(descriptor.source, &empty.bytes());
                "empty segment of the source"
            }
            15 if to => {
                let empty = Segment {
                    address: PLACES,
                    length: 0,
                };
                self.put(descriptor.destination, &empty.bytes());
                "empty segment of the destination"
            }
            16 if from => {
                descriptor.source = NOWHERE;
                "source list beyond memory"
            }
            17 => {
                descriptor.configuration ^= random & 0x003f_3fff;
                "another configuration"
            }
            _ => {
                descriptor.source = u64::MAX - u64::from(random % 64);
                descriptor.flags &= !flags::SOURCE_LIST;
                "source at the end of addresses"
            }
        }
    }
}

/// A batch for each ring, and the memory before it.
pub fn plan(random: &mut Random, keys: &[BTreeMap<u8, Key>], hashes: bool) -> (Vec<Plan>, Vec<u8>) {
    let mut memory = random.bytes(MEMORY_BYTES);
    memory[..RING_BYTES as usize * RINGS as usize].fill(0);
    let mut plans = vec![];
    for (number, keys) in (0..).zip(keys) {
        let mut maker = Maker {
            random,
            memory: &mut memory,
            keys,
            hashes,
            last_iv: [0; 16],
        };
        let count = maker.random.below(u64::from(MESSAGES) + 1) as u32;
        let base = BASE + u64::from(number) * RING_BYTES;
        let mut messages = vec![];
        for entry in 0..count {
            let place = PLACES + u64::from(number * MESSAGES + entry) * PLACE_BYTES;
            let message = maker.message(place);
            let at = base + u64::from(entry) * DESCRIPTOR_BYTES as u64;
            maker.put(at, &message.descriptor.bytes());
            messages.push(message);
        }
        let mut plan = Plan {
            messages,
            interrupt_messages: count,
            interrupt_cycles: 0,
            ring: base,
            completions: base + COMPLETIONS,
            log2: LOG2,
            doorbell: count,
        };
        if maker.random.one_in(4) {
            (plan.interrupt_messages, plan.interrupt_cycles) = (1000, 4000);
        }
        // Rings that end with an error.
        match maker.random.below(40) {
            0 => plan.ring = NOWHERE & !63,
            1 => plan.completions = NOWHERE & !63,
            2 => plan.ring += 32,
            3 => plan.completions += 16,
            4 => plan.log2 = 11 + maker.random.below(21) as u32,
            5 => plan.doorbell = (1 << LOG2) + 1 + maker.random.below(9) as u32,
            _ => {}
        }
        plans.push(plan);
    }
    (plans, memory)
}

/// Keys for the slots of a ring; of each size of XTS there is one in any case.
pub fn keys(random: &mut Random) -> BTreeMap<u8, Key> {
    let mut slots = BTreeMap::new();
    for slot in [1, 2, 3, 5, 8] {
        let size = match slot {
            1 => 0,
            2 => 2,
            // Of no size of AES, and of none of XTS.
            5 => 3,
            8 => 1,
            _ => random.below(3) as u32,
        };
        let bytes = [16, 24, 32, 12][size as usize];
        let has_tweak = size < 3 && (slot != 3 || random.one_in(2));
        let mut first = random.bytes(bytes);
        if size == 3 {
            first[10..].fill(0);
        }
        let tweak = match has_tweak {
            true => random.bytes(bytes),
            false => vec![],
        };
        slots.insert(slot, Key { size, first, tweak });
    }
    slots
}
