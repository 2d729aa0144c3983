// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The card in software, which is the executable form of the specification, and the RTL, simulated, with
//! the same random messages: memory, completions and registers of both must be equal, except where
//! hw/card/README.md leaves them open.
//!
//! CARD_MODEL is the path of the library of `scripts/build_card.py`; without it, or where a ring of it
//! has another algorithm than AES, the test passes without a comparison. CARD_BATCHES (12) is the
//! number of batches, CARD_SEED (1) that of the first.

mod differences;
mod host;
mod messages;
mod random;

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ciphermill_card::card::{Card, Faults, Settings};
use ciphermill_card::model::{Link, ModelCard};

use differences::{Differences, Sides, compare, compare_registers};
use host::{Memory, PAGE, PATIENCE, Side};
use messages::{Plan, RINGS};
use random::Random;

#[path = "../../../../engine/devices/accelerator/src/registers/accel.rs"]
mod accel;
#[path = "../../../../engine/devices/accelerator/src/registers/card.rs"]
mod card;
#[path = "../../../../engine/devices/accelerator/src/registers/card_ring.rs"]
mod ring;

/// Run a batch, until its interrupts have come.
fn run(side: &mut Side, plans: &[Plan]) -> Result<(), String> {
    for (number, plan) in (0..).zip(plans) {
        for (register, value) in [
            (ring::RING_LOW, plan.ring as u32),
            (ring::RING_HIGH, (plan.ring >> 32) as u32),
            (ring::COMPLETIONS_LOW, plan.completions as u32),
            (ring::COMPLETIONS_HIGH, (plan.completions >> 32) as u32),
            (ring::ENTRIES, plan.log2),
            (ring::INTERRUPT_MESSAGES, plan.interrupt_messages),
            (ring::INTERRUPT_CYCLES, plan.interrupt_cycles),
            (ring::ENABLE, 1),
            // What was completed before counts no more, now that the ring begins anew.
            (ring::INTERRUPT_ENABLE, 1),
        ] {
            side.ring(number, register, value);
        }
    }
    for (number, plan) in (0..).zip(plans) {
        side.ring(number, ring::DOORBELL, plan.doorbell);
    }
    for number in 0..plans.len() as u32 {
        side.wait_ring(number, ring::STATUS_BUSY_MASK)?;
    }
    // Interrupts come behind, some of them by their time.
    for (number, plan) in plans.iter().enumerate() {
        let begin = Instant::now();
        let wanted = u32::from(plan.is_wrong() || !plan.messages.is_empty());
        while side.memory.0.lock().unwrap().1[number] < wanted {
            if begin.elapsed() > PATIENCE {
                return Err(format!("{}: ring {number} does not interrupt", side.name));
            }
            thread::sleep(Duration::from_micros(100));
        }
    }
    thread::sleep(Duration::from_millis(5));
    Ok(())
}

/// Write registers, and what are none, but those that begin something.
fn scribble(random: &mut Random, sides: &mut Sides, stopped: bool) {
    for _ in 0..60 {
        let page = random.below(2 * u64::from(RINGS) + 1) as u32;
        let offset = 4 * random.below(0x48) as u32;
        let value = random.next() as u32;
        let begins = match page {
            0 => offset == card::CONTROL,
            _ => [ring::CONTROL, ring::ENABLE].contains(&offset),
        };
        if begins || !stopped && [ring::DOORBELL, ring::ERROR].contains(&offset) {
            continue;
        }
        for side in &mut *sides {
            side.device.write(page * PAGE + offset, value);
        }
    }
}

/// Stop the rings, clear their errors, and now and then reset the card.
fn end(side: &mut Side, resets: bool) -> Result<(), String> {
    for number in 0..RINGS {
        side.ring(number, ring::CONTROL, ring::CONTROL_ABORT_MASK);
        side.wait_ring(number, ring::STATUS_BUSY_MASK)?;
        side.ring(number, ring::ERROR, !0);
        side.ring(number, ring::INTERRUPT_ENABLE, 0);
    }
    if resets {
        side.device.write(card::CONTROL, card::CONTROL_RESET_MASK);
        side.wait(card::STATUS, card::STATUS_RESETTING_MASK)?;
    }
    side.memory.0.lock().unwrap().1.fill(0);
    Ok(())
}

/// Undo what [`scribble`] did: no word of a key may become one of a shorter key.
fn clean(side: &mut Side) {
    for number in 0..RINGS {
        for word in 0..8 {
            side.ring(number, ring::KEY + 4 * word, 0);
        }
        side.ring(number, ring::INTERRUPT_ENABLE, 0);
    }
    side.memory.0.lock().unwrap().1.fill(0);
}

fn number_of(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn the_simulated_card_does_what_the_software_does() {
    let named = env::var_os("CARD_MODEL").filter(|path| !path.is_empty());
    let Some(path) = named else {
        eprintln!("no comparison: CARD_MODEL names no library of scripts/build_card.py");
        return;
    };
    let (seed, batches) = (number_of("CARD_SEED", 1), number_of("CARD_BATCHES", 12));
    let link = Link {
        latency: number_of("CARD_LATENCY", 0) as u32,
        bytes_per_cycle: number_of("CARD_BYTES_PER_CYCLE", 0) as u32,
    };
    let mut model = ModelCard::open(Path::new(&path), link).unwrap();
    let settings = Settings {
        rings: RINGS as u8,
        ..Settings::default()
    };
    let offset = model.read_register(card::CHANNEL_OFFSET);
    let algorithm = accel::CAPABILITY_ALGORITHM_MASK;
    if (0..u32::from(model.rings()))
        .any(|ring| model.read_register(offset + ring * PAGE + accel::CAPABILITY) & algorithm != 0)
    {
        eprintln!("no comparison: the card in software has AES alone");
        return;
    }
    let mut software = Card::new(settings, Arc::new(Faults::default()), || {}).unwrap();
    assert_eq!(
        (model.rings(), model.bar_bytes()),
        (settings.rings, settings.bar_bytes()),
        "the library has another build: {}",
        model.description()
    );
    let has = model.read_register(offset + accel::CAPABILITY);
    let hashes = accel::CAPABILITY_SHA2_32_MASK | accel::CAPABILITY_SHA2_64_MASK;
    let hashes = has & hashes == hashes;
    let memories: [Arc<Memory>; 2] = Default::default();
    software.attach(memories[0].clone());
    model.attach(memories[1].clone());
    let [soft, hard] = memories;
    let mut sides = [
        Side {
            name: "software",
            device: Box::new(software),
            memory: soft,
        },
        Side {
            name: "RTL",
            device: Box::new(model),
            memory: hard,
        },
    ];
    let mut differences = Differences::default();
    let mut keys = vec![];
    for batch in seed..seed + batches {
        let begin = Instant::now();
        let mut random = Random(batch);
        if keys.is_empty() {
            for number in 0..RINGS {
                let slots = messages::keys(&mut random);
                for side in &mut sides {
                    for (slot, key) in &slots {
                        side.store(number, *slot, key).unwrap();
                    }
                }
                keys.push(slots);
            }
        }
        let (plans, memory) = messages::plan(&mut random, &keys, hashes);
        for side in &mut sides {
            *side.memory.0.lock().unwrap() = (memory.clone(), vec![0; RINGS as usize]);
            if let Err(error) = run(side, &plans) {
                differences.add(format!("batch {batch}: {error}"));
            }
        }
        compare(batch, &mut sides, &plans, hashes, &mut differences);
        scribble(&mut random, &mut sides, false);
        compare_registers(batch, "written", &mut sides, &mut differences);
        let resets = random.one_in(4);
        for side in &mut sides {
            if let Err(error) = end(side, resets) {
                differences.add(format!("batch {batch}: {error}"));
            }
        }
        compare_registers(batch, "stopped", &mut sides, &mut differences);
        scribble(&mut random, &mut sides, true);
        compare_registers(batch, "written again", &mut sides, &mut differences);
        sides.iter_mut().for_each(clean);
        if resets {
            keys.clear();
        }
        eprintln!("batch {batch}: {:.1} s", begin.elapsed().as_secs_f32());
    }
    for (name, count) in &differences.seen {
        eprintln!("{count:6} {name}");
    }
    let count = differences.found.len();
    assert_eq!(count, 0, "differences");
}
