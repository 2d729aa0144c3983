// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What is to be equal after a batch, and what hw/card/README.md leaves open.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use ciphermill_card::card::{COMPLETION_BYTES, Completion, flags, status};

use crate::host::{BASE, MEMORY_BYTES, NOWHERE, PAGE, Side};
use crate::messages::{MESSAGES, Message, PLACE_BYTES, PLACES, Plan, RINGS};
use crate::{accel, card};

/// Both cards: that in software, and the simulated one.
pub type Sides = [Side; 2];

/// The differences that were found, and how often messages ended in which way.
#[derive(Default)]
pub struct Differences {
    pub found: Vec<String>,
    pub seen: BTreeMap<String, u32>,
}

impl Differences {
    pub fn add(&mut self, text: String) {
        eprintln!("difference: {text}");
        self.found.push(text);
    }
}

/// Everything that is to be equal but memory, by name.
fn registers(side: &mut Side) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for offset in (0..0x80).step_by(4) {
        if ![card::CYCLES_LOW, card::CYCLES_HIGH].contains(&offset) {
            found.insert(format!("card {offset:#x}"), side.device.read(offset));
        }
    }
    for number in 0..RINGS {
        for offset in (0..0x120).step_by(4) {
            let value = side.device.read((1 + number) * PAGE + offset);
            found.insert(format!("ring {number} {offset:#x}"), value);
        }
        let offset = side.device.read(card::CHANNEL_OFFSET) + number * PAGE;
        for register in [
            accel::IDENTIFICATION,
            accel::VERSION,
            accel::CHANNELS,
            0x100,
        ] {
            let value = side.device.read(offset + register);
            found.insert(format!("channel {number} {register:#x}"), value);
        }
    }
    found
}

/// A completion of a ring.
fn completion(side: &Side, at: u64) -> (Completion, bool) {
    Completion::parse(&side.memory.get(at, COMPLETION_BYTES).try_into().unwrap())
}

/// Whether these completions of a message, which are not equal, may both be.
fn may_be(
    message: &Message,
    soft: &Completion,
    hard: &Completion,
    hashes: bool,
    writes_failed: bool,
) -> bool {
    let descriptor = &message.descriptor;
    let failed = Completion {
        status: status::WRITE,
        count: 0,
        tag: [0; 16],
        ..*soft
    };
    // One that started behind one whose output could not be written may fail with it.
    if writes_failed && *hard == failed {
        return true;
    }
    // A build without hashes refuses what the software takes.
    let mode = descriptor.configuration & accel::CONFIGURATION_MODE_MASK;
    if !hashes && mode == accel::CONFIGURATION_MODE_DIGEST {
        return true;
    }
    // Which of several faults is told is open. A list may also be too short for other lengths.
    let has_list = descriptor.flags & (flags::SOURCE_LIST | flags::DESTINATION_LIST) != 0;
    let is_long = (message.mutations.iter())
        .any(|what| ["length", "more output", "associated data"].contains(what));
    let both_fail = (soft.status | hard.status) & status::DONE == 0;
    both_fail && (message.mutations.len() > 1 || is_long && has_list)
}

/// Compare the completions of a batch, and give the memory that is open.
fn completions(
    batch: u64,
    sides: &Sides,
    plans: &[Plan],
    hashes: bool,
    differences: &mut Differences,
) -> Vec<Range<u64>> {
    // What a message writes that fails by its place.
    let mut open = vec![];
    open.push(NOWHERE - 64..NOWHERE);
    for (number, plan) in plans.iter().enumerate() {
        if plan.is_wrong() {
            // Messages may have begun, and have no completion.
            open.extend(plan.messages.iter().map(|message| message.output.clone()));
            continue;
        }
        let mut writes_failed = false;
        for (entry, message) in plan.messages.iter().enumerate() {
            let at = plan.completions + (entry * COMPLETION_BYTES) as u64;
            let (soft, soft_phase) = completion(&sides[0], at);
            let (hard, hard_phase) = completion(&sides[1], at);
            let what = message.mutations.join(" and ");
            let mut name = format!("{what}: {:#x}", soft.status);
            if soft.status != hard.status {
                let _ = write!(name, ", the RTL {:#x}", hard.status);
            }
            *differences.seen.entry(name).or_default() += 1;
            if soft.status != status::DONE || hard.status != status::DONE {
                open.push(message.output.clone());
            }
            if soft != hard || soft_phase != hard_phase {
                open.push(at..at + COMPLETION_BYTES as u64);
                let is_same = soft.cookie == hard.cookie && soft_phase == hard_phase;
                if !is_same || !may_be(message, &soft, &hard, hashes, writes_failed) {
                    differences.add(format!(
                        "batch {batch}, ring {number}, message {entry} ({what}): {soft:x?} \
                         {soft_phase}, the RTL {hard:x?} {hard_phase}, {:x?}",
                        message.descriptor
                    ));
                }
            }
            writes_failed |= soft.status & status::WRITE != 0;
        }
    }
    open
}

fn memory(
    batch: u64,
    sides: &Sides,
    plans: &[Plan],
    open: &[Range<u64>],
    differences: &mut Differences,
) {
    let [soft, hard] = sides
        .each_ref()
        .map(|side| side.memory.get(BASE, MEMORY_BYTES));
    let mut others = (BASE..)
        .zip(soft.iter().zip(&hard))
        .filter(|(address, (soft, hard))| {
            soft != hard && !open.iter().any(|range| range.contains(address))
        })
        .map(|(address, _)| address);
    let Some(first) = others.next() else {
        return;
    };
    let bytes = 1 + others.count();
    let mut text = format!("batch {batch}: {bytes} bytes of memory, first at {first:#x}");
    if let Some(place) = first.checked_sub(PLACES).map(|offset| offset / PLACE_BYTES) {
        let (number, entry) = (place / u64::from(MESSAGES), place % u64::from(MESSAGES));
        let _ = write!(text, ", ring {number}, message {entry}");
        let plan = plans.get(number as usize);
        if let Some(message) = plan.and_then(|plan| plan.messages.get(entry as usize)) {
            let _ = write!(text, ": {:?} {:x?}", message.mutations, message.descriptor);
        }
    }
    differences.add(text);
}

fn interrupts(batch: u64, sides: &mut Sides, plans: &[Plan], differences: &mut Differences) {
    for (number, plan) in plans.iter().enumerate() {
        let counts = sides
            .each_ref()
            .map(|side| std::mem::take(&mut side.memory.0.lock().unwrap().1[number]));
        let urgent = (plan.messages.iter())
            .filter(|message| message.descriptor.flags & flags::INTERRUPT != 0)
            .count() as u32;
        // Where some come by time, or at once, their number is a matter of speed.
        let least = u32::from(plan.is_wrong() || !plan.messages.is_empty());
        let most = match plan.interrupt_cycles {
            0 => least + urgent,
            _ => plan.messages.len() as u32 + 1,
        };
        if !counts.iter().all(|count| (least..=most).contains(count)) {
            differences.add(format!(
                "batch {batch}, ring {number}: {counts:?} interrupts, {urgent} asked for, {} \
                 messages, {:#x} {:#x} {} {}",
                plan.messages.len(),
                plan.ring,
                plan.completions,
                plan.log2,
                plan.doorbell
            ));
        }
    }
}

/// Compare all after a batch.
pub fn compare(
    batch: u64,
    sides: &mut Sides,
    plans: &[Plan],
    hashes: bool,
    differences: &mut Differences,
) {
    let open = completions(batch, sides, plans, hashes, differences);
    memory(batch, sides, plans, &open, differences);
    compare_registers(batch, "done", sides, differences);
    interrupts(batch, sides, plans, differences);
}

/// Compare the registers.
pub fn compare_registers(batch: u64, when: &str, sides: &mut Sides, differences: &mut Differences) {
    let [soft, hard] = sides.each_mut().map(registers);
    for (name, hard) in hard {
        let soft = soft[&name];
        if soft != hard {
            differences.add(format!(
                "batch {batch}, {when}, {name}: {soft:#x}, the RTL {hard:#x}"
            ));
        }
    }
}
