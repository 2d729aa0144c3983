// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The whole card, by its registers and its host's memory.

use proptest::prelude::*;

use super::registers::{accel, card, ring};
use super::testing::{BASE, Bench, RINGS};
use super::*;

const SOURCE: u64 = BASE + 0x4_0001;
const DESTINATION: u64 = BASE + 0x8_0003;
const LISTS: u64 = BASE + 0x2_0000;
const STORE: u32 = ring::CONTROL_STORE_KEY_MASK;
const STORE_TWEAK: u32 = ring::CONTROL_STORE_TWEAK_KEY_MASK;
const BYPASS: u32 = accel::CONFIGURATION_BYPASS_MASK;
const SHA_256: u32 = accel::CONFIGURATION_MODE_DIGEST
    | accel::CONFIGURATION_HASH_SHA_256 << accel::CONFIGURATION_HASH_SHIFT;

/// A message whose output is as long as its input.
fn message(configuration: u32, length: u32) -> Descriptor {
    Descriptor {
        configuration,
        length,
        output: length,
        source: SOURCE,
        destination: DESTINATION,
        cookie: 0x0123_4567_89ab_cdef,
        ..Descriptor::default()
    }
}

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| (at * 7 + at / 256) as u8).collect()
}

fn refused(error: u32) -> u32 {
    status::REFUSED | error << status::ERROR_SHIFT
}

/// Write a list of segments of these lengths, which lie apart, and give the segments.
fn list(bench: &Bench, at: u64, base: u64, lengths: &[u32]) -> Vec<Segment> {
    let mut address = base;
    let mut segments = Vec::new();
    for (place, length) in (at..).step_by(SEGMENT_BYTES).zip(lengths) {
        let segment = Segment {
            address,
            length: *length,
        };
        bench.host.put(place, &segment.bytes());
        segments.push(segment);
        address += u64::from(*length) + 5;
    }
    segments
}

#[test]
fn the_card_says_what_it_is() {
    let mut bench = Bench::new(2);
    let mut read = |address| bench.card.read_register(address);
    assert_eq!(read(card::IDENTIFICATION).to_le_bytes(), *b"CMCD");
    assert_eq!(read(card::VERSION), 0x0001_0000);
    assert_eq!(read(card::CAPABILITY), 0x100a_0803);
    assert_eq!(read(card::CLOCK), 100_000);
    assert_eq!(read(card::CHANNEL_OFFSET), 0x4000);
    assert_eq!(read(0x1000).to_le_bytes(), *b"CMRG");
    assert_eq!(read(0x3004), 0x0001_0000);
    assert_eq!(read(0x3008), 0x000a_0802);
    assert_eq!(read(0x4000).to_le_bytes(), *b"CMIL");
    assert_eq!(read(0x6000 + accel::CHANNELS), 0x0002_0103);
    for nothing in [0x7000, 0x8000, !3, 0x0ffc, card::CONTROL] {
        assert_eq!(read(nothing), 0, "{nothing:#x}");
    }
    bench.faults.lie("rings=0").unwrap();
    bench.faults.lie("channel-offset=0x10000000").unwrap();
    assert_eq!(bench.card.read_register(card::CAPABILITY), 0x100a_0800);
    assert_eq!(bench.card.read_register(card::CHANNEL_OFFSET), 0x1000_0000);
}

#[test]
fn accesses_of_any_width_read_words() {
    let mut bench = Bench::new(2);
    let mut data = [0; 7];
    Function::read(&mut bench.card, 1, &mut data);
    assert_eq!(data, *b"MCD\x00\x00\x01\x00");
    let mut data = [1; 8];
    Function::read(&mut bench.card, u64::MAX - 2, &mut data);
    assert_eq!(data[..3], [0; 3]);
}

#[test]
fn a_message_goes_through() {
    let mut bench = Bench::new(2);
    let key = [7; 32];
    bench.store(0, 3, &key, STORE);
    let text = bytes(70_000);
    bench.host.put(SOURCE, &text);
    let mut descriptor = message(accel::CONFIGURATION_MODE_CTR, 70_000);
    descriptor.flags = 3 << flags::KEY_SLOT_SHIFT;
    let completion = bench.run(0, &descriptor);
    assert_eq!(
        completion,
        Completion {
            cookie: 0x0123_4567_89ab_cdef,
            status: status::DONE,
            count: 70_000,
            tag: [0; 16]
        }
    );
    let output = bench.host.get(DESTINATION, 70_000);
    assert_ne!(output, text);
    // And back, in place.
    bench.host.put(SOURCE, &output);
    descriptor.destination = SOURCE;
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
    assert_eq!(bench.host.get(SOURCE, 70_000), text);
    assert_eq!(bench.read(0, ring::COMPLETED), 2);
}

#[test]
fn a_ring_wraps_and_each_message_has_its_completion() {
    for log2 in [0, 2] {
        let mut bench = Bench::new(log2);
        let entries = 1 << log2;
        for turn in 0..9_u64 {
            for entry in 0..entries {
                let cookie = turn << 32 | entry;
                bench.give(
                    1,
                    &Descriptor {
                        cookie,
                        ..message(BYPASS, 3)
                    },
                );
            }
            bench.doorbell(1);
            for entry in 0..entries {
                let completion = bench.completion(1);
                assert_eq!(completion.cookie, turn << 32 | entry);
                assert_eq!((completion.status, completion.count), (status::DONE, 3));
            }
            assert_eq!(bench.poll(1), None);
        }
    }
}

#[test]
fn rings_run_side_by_side() {
    let mut bench = Bench::new(2);
    bench.faults.set("hang=1").unwrap();
    bench.give(0, &message(BYPASS, 1));
    bench.doorbell(0);
    bench.wait_fault("hang=1");
    assert_eq!(bench.run(2, &message(BYPASS, 1)).status, status::DONE);
    assert_eq!(
        bench.card.read_register(card::STATUS),
        card::STATUS_BUSY_MASK
    );
}

#[test]
fn gcm_has_its_tag_in_both_directions() {
    let mut bench = Bench::new(2);
    bench.store(0, 1, &[0; 16], STORE);
    // The GCM submission's test case 2, with no associated data.
    bench.host.put(SOURCE, &[0; 16]);
    let mut descriptor = message(accel::CONFIGURATION_MODE_GCM, 16);
    descriptor.flags = 1 << flags::KEY_SLOT_SHIFT;
    let expected = 0xab6e_47d4_2cec_13bd_f53a_67b2_1257_bddf_u128.to_be_bytes();
    assert_eq!(bench.run(0, &descriptor).tag, expected);
    descriptor.configuration |= accel::CONFIGURATION_DIRECTION_MASK;
    descriptor.source = DESTINATION;
    assert_eq!(bench.run(0, &descriptor).tag, expected);
    assert_eq!(bench.host.get(DESTINATION, 16), [0; 16]);
    // Associated data lie before the text at the source.
    descriptor.associated = 5;
    descriptor.length = 11;
    descriptor.output = 11;
    let completion = bench.run(0, &descriptor);
    assert_eq!((completion.status, completion.count), (status::DONE, 11));
    assert_ne!(completion.tag, expected);
}

#[test]
fn digests_and_sinks_have_outputs_of_their_own() {
    let mut bench = Bench::new(2);
    bench.host.put(SOURCE, b"abc");
    let mut descriptor = message(SHA_256, 3);
    descriptor.output = 32;
    let completion = bench.run(0, &descriptor);
    assert_eq!((completion.status, completion.count), (status::DONE, 32));
    assert_eq!(bench.host.get(DESTINATION, 4), [0xba, 0x78, 0x16, 0xbf]);
    descriptor = message(BYPASS | accel::CONFIGURATION_SINK_MASK, 3);
    descriptor.output = 0;
    bench.host.put(DESTINATION, &[9; 3]);
    let completion = bench.run(0, &descriptor);
    assert_eq!((completion.status, completion.count), (status::DONE, 0));
    assert_eq!(bench.host.get(DESTINATION, 3), [9; 3]);
    // HMAC: RFC 4231, test case 2.
    bench.host.put(SOURCE, b"Jefewhat do ya want for nothing?");
    descriptor = message(SHA_256 | accel::CONFIGURATION_AUTHENTICATE_MASK, 28);
    (descriptor.associated, descriptor.output) = (4, 32);
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
    assert_eq!(bench.host.get(DESTINATION, 4), [0x5b, 0xdc, 0xc1, 0x46]);
}

#[test]
fn lists_gather_and_scatter() {
    let mut bench = Bench::new(2);
    let text = bytes(100);
    let from = list(&bench, LISTS, SOURCE, &[1, 50, 49]);
    let to = list(&bench, LISTS + 0x100, DESTINATION, &[30, 1, 200]);
    let mut rest = text.as_slice();
    for segment in &from {
        let (now, later) = rest.split_at(segment.length as usize);
        bench.host.put(segment.address, now);
        rest = later;
    }
    let mut descriptor = message(BYPASS, 100);
    descriptor.flags = flags::SOURCE_LIST | flags::DESTINATION_LIST;
    (descriptor.source, descriptor.destination) = (LISTS, LISTS + 0x100);
    let completion = bench.run(0, &descriptor);
    assert_eq!((completion.status, completion.count), (status::DONE, 100));
    let mut output = bench.host.get(to[0].address, 30);
    output.extend(bench.host.get(to[1].address, 1));
    // The last segment is longer than what is left.
    output.extend(bench.host.get(to[2].address, 69));
    assert_eq!(output, text);
    assert_eq!(bench.host.get(to[2].address + 69, 2), [0; 2]);
    let (_, reads) = bench.host.accesses();
    assert!(
        !reads
            .iter()
            .any(|read| read.start == LISTS + 0x130 || read.start == LISTS + 0x30)
    );
}

#[test]
fn a_list_that_is_none_fails_its_message_alone() {
    let mut bench = Bench::new(2);
    let mut descriptor = message(BYPASS, 10);
    descriptor.flags = flags::SOURCE_LIST;
    descriptor.source = LISTS + 8;
    assert_eq!(bench.run(0, &descriptor).status, status::LIST);
    list(&bench, LISTS, SOURCE, &[4, 0]);
    descriptor.source = LISTS;
    assert_eq!(bench.run(0, &descriptor).status, status::LIST);
    list(&bench, LISTS, DESTINATION, &[4, 0]);
    descriptor = message(BYPASS, 10);
    descriptor.flags = flags::DESTINATION_LIST;
    descriptor.destination = LISTS;
    let completion = bench.run(0, &descriptor);
    assert_eq!((completion.status, completion.count), (status::LIST, 0));
    assert_eq!(bench.run(0, &message(BYPASS, 10)).status, status::DONE);
    // A list without memory is a read that fails.
    descriptor.destination = 0x10;
    assert_eq!(bench.run(0, &descriptor).status, status::READ);
    // No list is read for no bytes.
    descriptor.destination = 7;
    (descriptor.length, descriptor.output) = (0, 0);
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
}

#[test]
fn data_without_memory_fail_their_message_alone() {
    let mut bench = Bench::new(2);
    for bad in [0, BASE - 1, BASE + (1 << 20) - 1, u64::MAX, u64::MAX - 1] {
        let source = Descriptor {
            source: bad,
            ..message(BYPASS, 2)
        };
        assert_eq!(bench.run(0, &source).status, status::READ, "{bad:#x}");
        let destination = Descriptor {
            destination: bad,
            ..message(BYPASS, 2)
        };
        let completion = bench.run(0, &destination);
        assert_eq!(
            (completion.status, completion.count),
            (status::WRITE, 0),
            "{bad:#x}"
        );
    }
    // Nothing is read or written for no bytes.
    let none = Descriptor {
        source: 0,
        destination: 0,
        ..message(BYPASS, 0)
    };
    assert_eq!(bench.run(0, &none).status, status::DONE);
    // The longest message fails where its memory ends.
    let longest = Descriptor {
        source: BASE,
        ..message(BYPASS, u32::MAX)
    };
    assert_eq!(bench.run(1, &longest).status, status::WRITE);
}

#[test]
fn keys_are_those_of_the_ring() {
    let mut bench = Bench::new(2);
    bench.store(0, 1, &[1; 16], STORE);
    let mut descriptor = message(accel::CONFIGURATION_MODE_ECB, 16);
    let slot = |number: u32| number << flags::KEY_SLOT_SHIFT;
    descriptor.flags = slot(1);
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
    let first = bench.host.get(DESTINATION, 16);
    assert_eq!(bench.run(1, &descriptor).status, status::KEY);
    for number in [2, 9, 255] {
        descriptor.flags = slot(number);
        assert_eq!(bench.run(0, &descriptor).status, status::KEY);
    }
    // Without a slot there is no key, whatever was used before.
    descriptor.flags = slot(0);
    assert_eq!(bench.run(0, &descriptor).status, status::KEY);
    // The KEY registers returned to zero: another slot gets a key of zeros.
    bench.store(0, 2, &[], STORE);
    bench.write(0, ring::KEY_SLOT, 2);
    bench.write(0, ring::CONTROL, STORE);
    descriptor.flags = slot(2);
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
    assert_ne!(bench.host.get(DESTINATION, 16), first);
    assert_eq!(
        bench.host.get(DESTINATION, 4),
        // AES-128 of the zero block under the zero key (SP 800-38D's H).
        [0x66, 0xe9, 0x4b, 0xd4]
    );
    bench.write(0, ring::KEY_SLOT, 1);
    bench.write(0, ring::CONTROL, ring::CONTROL_ERASE_KEY_MASK);
    descriptor.flags = slot(1);
    assert_eq!(bench.run(0, &descriptor).status, status::KEY);
    for at in 0..8 {
        assert_eq!(bench.read(0, ring::KEY + 4 * at), 0);
    }
}

#[test]
fn xts_needs_both_keys_of_its_slot() {
    let mut bench = Bench::new(2);
    let mut descriptor = message(accel::CONFIGURATION_MODE_XTS, 32);
    (descriptor.data_unit, descriptor.flags) = (16, 1 << flags::KEY_SLOT_SHIFT);
    bench.store(0, 1, &[1; 32], STORE);
    assert_eq!(bench.run(0, &descriptor).status, status::KEY);
    bench.store(0, 1, &[2; 32], STORE_TWEAK);
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
    bench.store(0, 1, &[2; 16], STORE_TWEAK);
    assert_eq!(
        bench.run(0, &descriptor).status,
        refused(accel::ERROR_UNSUPPORTED_MASK)
    );
}

#[test]
fn lengths_that_do_not_agree_are_refused() {
    let mut bench = Bench::new(2);
    let short = Descriptor {
        output: 2,
        ..message(BYPASS, 3)
    };
    assert_eq!(bench.run(0, &short).status, status::LENGTHS);
    let digest = Descriptor {
        output: 3,
        ..message(SHA_256, 3)
    };
    assert_eq!(bench.run(0, &digest).status, status::LENGTHS);
    let packet = Descriptor {
        flags: flags::TAG_PACKET,
        ..message(BYPASS, 3)
    };
    assert_eq!(bench.run(0, &packet).status, status::LENGTHS);
    let associated = Descriptor {
        associated: 1,
        ..message(BYPASS, 3)
    };
    assert_eq!(bench.run(0, &associated).status, status::LENGTHS);
}

#[test]
fn interrupts_come_as_moderated() {
    let mut bench = Bench::new(4);
    // After each.
    for turn in 0..3 {
        bench.run(2, &message(BYPASS, 1));
        bench.host.wait_interrupt(turn);
    }
    assert_eq!(bench.host.interrupts(), 3);
    // After four.
    bench.write(2, ring::INTERRUPT_MESSAGES, 4);
    for _ in 0..8 {
        bench.give(2, &message(BYPASS, 1));
    }
    bench.doorbell(2);
    for _ in 0..8 {
        bench.completion(2);
    }
    bench.host.wait_interrupt(4);
    assert_eq!(bench.host.interrupts(), 5);
    // One that asks does not wait.
    bench.run(
        2,
        &Descriptor {
            flags: flags::INTERRUPT,
            ..message(BYPASS, 1)
        },
    );
    bench.host.wait_interrupt(5);
    // Nor beyond the time: 1 ms.
    bench.run(2, &message(BYPASS, 1));
    bench.write(2, ring::INTERRUPT_CYCLES, 100_000);
    bench.host.wait_interrupt(6);
    assert_eq!(bench.host.interrupts(), 7);
}

#[test]
fn a_host_that_polls_loses_none() {
    let mut bench = Bench::new(4);
    bench.write(0, ring::INTERRUPT_ENABLE, 0);
    for _ in 0..3 {
        bench.run(0, &message(BYPASS, 1));
    }
    bench.write(0, ring::ACKNOWLEDGED, 2);
    assert_eq!(bench.host.interrupts(), 0);
    bench.write(0, ring::INTERRUPT_ENABLE, 1);
    bench.host.wait_interrupt(0);
    bench.write(0, ring::INTERRUPT_ENABLE, 0);
    bench.write(0, ring::ACKNOWLEDGED, 3);
    bench.write(0, ring::INTERRUPT_ENABLE, 1);
    bench.run(0, &message(BYPASS, 1));
    bench.host.wait_interrupt(1);
    assert_eq!(bench.host.interrupts(), 2);
}

#[test]
fn an_abort_drops_the_message_and_keeps_the_keys() {
    let mut bench = Bench::new(2);
    bench.store(0, 1, &[1; 16], STORE);
    bench.faults.set("hang=2").unwrap();
    let mut descriptor = message(accel::CONFIGURATION_MODE_ECB, 16);
    descriptor.flags = 1 << flags::KEY_SLOT_SHIFT;
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
    bench.give(0, &descriptor);
    bench.doorbell(0);
    bench.wait_fault("hang=1");
    bench.write(0, ring::CONTROL, ring::CONTROL_ABORT_MASK);
    bench.wait(0, ring::STATUS, ring::STATUS_BUSY_MASK, false);
    assert_eq!(
        (bench.read(0, ring::ENABLE), bench.read(0, ring::COMPLETED)),
        (0, 1)
    );
    assert_eq!(bench.poll(0), None);
    // The ring begins with its first entries, and the doorbell anew.
    bench.enable(0);
    assert_eq!(bench.run(0, &descriptor).status, status::DONE);
    assert_eq!(bench.read(0, ring::COMPLETED), 1);
}

#[test]
fn a_reset_ends_all_and_empties_the_slots() {
    let mut bench = Bench::new(2);
    bench.store(0, 1, &[1; 16], STORE);
    bench.faults.set("wedge=1").unwrap();
    let mut descriptor = message(accel::CONFIGURATION_MODE_ECB, 16);
    descriptor.flags = 1 << flags::KEY_SLOT_SHIFT;
    bench.give(0, &descriptor);
    bench.doorbell(0);
    bench.wait_fault("wedge=1");
    bench.write(0, ring::CONTROL, ring::CONTROL_ABORT_MASK);
    let stopping = ring::STATUS_BUSY_MASK | ring::STATUS_STOPPING_MASK;
    assert_eq!(bench.read(0, ring::STATUS), stopping);
    bench.reset();
    for register in (0..0x100).step_by(4).skip(3) {
        assert_eq!(bench.read(0, register), 0, "{register:#x}");
    }
    bench.enable(0);
    assert_eq!(bench.run(0, &descriptor).status, status::KEY);
}

#[test]
fn a_dead_card_stays_in_its_reset() {
    let mut bench = Bench::new(2);
    bench.faults.set("dead=1").unwrap();
    bench.give(0, &message(BYPASS, 1));
    bench.doorbell(0);
    bench.wait_fault("dead=1");
    bench
        .card
        .write_register(card::CONTROL, card::CONTROL_RESET_MASK);
    let resetting = card::STATUS_RESETTING_MASK | card::STATUS_BUSY_MASK;
    assert_eq!(bench.card.read_register(card::STATUS), resetting);
    // Nothing but the status may be used: the other rings take nothing.
    bench.write(2, ring::INTERRUPT_CYCLES, 7);
    assert_eq!(bench.read(2, ring::INTERRUPT_CYCLES), 0);
}

#[test]
fn errors_of_a_ring_stop_it_until_they_are_cleared() {
    for (fault, error) in [
        ("fetch-error=1", ring::ERROR_FETCH_MASK),
        ("completion-error=1", ring::ERROR_COMPLETION_MASK),
        ("hang-error=1", ring::ERROR_HANG_MASK),
    ] {
        let mut bench = Bench::new(2);
        bench.faults.set(fault).unwrap();
        bench.give(1, &message(BYPASS, 1));
        bench.doorbell(1);
        bench.wait(1, ring::ERROR, error, true);
        bench.wait(1, ring::STATUS, ring::STATUS_BUSY_MASK, false);
        assert_eq!(bench.card.read_register(card::ERROR), 2);
        assert_eq!(bench.read(1, ring::ENABLE), 0);
        bench.host.wait_interrupt(0);
        assert_eq!(bench.poll(1), None);
        bench.write(1, ring::ERROR, error);
        bench.enable(1);
        assert_eq!(bench.run(1, &message(BYPASS, 1)).status, status::DONE);
    }
    let mut bench = Bench::new(2);
    bench.write(0, ring::DOORBELL, 5);
    assert_eq!(bench.read(0, ring::ERROR), ring::ERROR_DOORBELL_MASK);
}

#[test]
fn faults_of_data_and_of_completions() {
    let mut bench = Bench::new(2);
    for (fault, expected) in [
        ("read-error=1", status::READ),
        ("write-error=1", status::WRITE),
    ] {
        bench.faults.set(fault).unwrap();
        assert_eq!(bench.run(0, &message(BYPASS, 1)).status, expected);
        assert_eq!(bench.run(0, &message(BYPASS, 1)).status, status::DONE);
    }
    bench.faults.set("wrong-cookie=1").unwrap();
    assert_ne!(
        bench.run(0, &message(BYPASS, 1)).cookie,
        message(BYPASS, 1).cookie
    );
    bench.faults.set("wrong-count=1").unwrap();
    assert_eq!(bench.run(0, &message(BYPASS, 1)).count, 2);
    let interrupts = bench.host.interrupts();
    bench.faults.set("lose-interrupt=1").unwrap();
    bench.run(0, &message(BYPASS, 1));
    bench.run(0, &message(BYPASS, 1));
    bench.host.wait_interrupt(interrupts);
    assert!(bench.faults.counts().contains("lose-interrupt=1"));
}

#[test]
fn the_clock_is_read_in_two_words() {
    let mut bench = Bench::new(2);
    let before = bench.card.read_register(card::CYCLES_LOW);
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert!(bench.card.read_register(card::CYCLES_LOW) >= before + 200_000);
    assert_eq!(bench.card.read_register(card::CYCLES_HIGH), 0);
}

/// Whether all of a range is in one of these.
fn is_in(range: &std::ops::Range<u64>, allowed: &[std::ops::Range<u64>]) -> bool {
    (allowed.iter()).any(|one| one.start <= range.start && range.end <= one.end)
}

/// Descriptors of random bytes, some of whose fields are put where they lead further.
fn descriptors() -> impl Strategy<Value = Descriptor> {
    let address = prop_oneof![
        any::<u64>(),
        (0..0x2_0000_u64).prop_map(|offset| LISTS + offset),
        (0..0x100_u64).prop_map(|offset| LISTS + 16 * offset),
        (0..0x100_u64).prop_map(|offset| BASE + (1 << 20) - offset),
    ];
    let length = prop_oneof![
        any::<u32>(),
        0..300_u32,
        (0..20_u32).prop_map(|blocks| 16 * blocks)
    ];
    let random = any::<[[u8; 32]; 2]>();
    (
        random,
        address.clone(),
        address,
        length.clone(),
        length,
        any::<(bool, bool)>(),
    )
        .prop_map(
            |(random, source, destination, length, associated, (is_near, has_associated))| {
                let mut descriptor = Descriptor::parse(&random.as_flattened().try_into().unwrap());
                (descriptor.source, descriptor.destination) = (source, destination);
                (descriptor.length, descriptor.output) = (length, length);
                descriptor.flags &= 0x01ff;
                if is_near {
                    descriptor.flags &= 0x0107;
                    descriptor.data_unit = 32;
                }
                descriptor.associated = if has_associated { associated } else { 0 };
                descriptor
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any descriptors over any memory: no panic, each has its completion, and data are
    /// read and written only where the descriptor says.
    #[test]
    fn any_descriptor_stays_within_its_bounds(
        messages in proptest::collection::vec(descriptors(), 1..12),
        memory in proptest::collection::vec(any::<(u16, u8)>(), 256),
    ) {
        let mut bench = Bench::new(4);
        bench.store(0, 1, &[1; 16], STORE);
        bench.store(0, 1, &[2; 16], STORE_TWEAK);
        // Lists of short segments, and some that lead elsewhere.
        let mut segments = Vec::new();
        for (place, (offset, length)) in (LISTS..).step_by(SEGMENT_BYTES).zip(memory) {
            let address = LISTS + 0x1000 + u64::from(offset);
            let segment = Segment { address, length: length.into() };
            bench.host.put(place, &segment.bytes());
            segments.push(address..address + u64::from(length));
        }
        for descriptor in messages {
            bench.host.accesses();
            bench.give(0, &descriptor);
            bench.doorbell(0);
            bench.wait(0, ring::STATUS, ring::STATUS_BUSY_MASK, false);
            let completion = bench.poll(0);
            let (writes, reads) = bench.host.accesses();
            let is_list = |flag| descriptor.flags & flag != 0;
            let (from, to) = (descriptor.source, descriptor.destination);
            let input = u64::from(descriptor.length) + u64::from(descriptor.associated);
            let mut written: u64 = 0;
            for write in &writes {
                written += write.end - write.start;
                let flat = to..to.saturating_add(descriptor.output.into());
                // A list may lie anywhere, the data that were written before included.
                prop_assert!(is_list(flags::DESTINATION_LIST) || is_in(write, &[flat]));
            }
            prop_assert!(written <= descriptor.output.into());
            let lists = is_list(flags::SOURCE_LIST) || is_list(flags::DESTINATION_LIST);
            let ring = RINGS..RINGS + 0x800;
            for read in &reads {
                let flat = from..from.saturating_add(input);
                prop_assert!(lists || is_in(read, &[flat, ring.clone()]), "{read:?}");
            }
            if let Some(completion) = completion {
                                let done = completion.status & status::DONE != 0;
                prop_assert_eq!(done, completion.status == status::DONE);
                if done {
                    prop_assert_eq!(completion.count, descriptor.output);
                    prop_assert_eq!(u64::from(completion.count), written);
                } else {
                    prop_assert_eq!(completion.count, 0);
                }
            } else {
                prop_assert!(false, "no completion");
            }
            bench.write(0, ring::CONTROL, ring::CONTROL_ABORT_MASK);
            bench.wait(0, ring::STATUS, ring::STATUS_BUSY_MASK, false);
            bench.enable(0);
        }
    }

    /// Any accesses to any registers: no panic, and the card can be reset and used.
    #[test]
    fn any_register_access_leaves_the_card_usable(
        accesses in proptest::collection::vec((0_u32..0x8000, any::<u32>(), any::<bool>()), 0..100),
    ) {
        let mut bench = Bench::new(2);
        for (address, value, writes) in accesses {
            let near = (address & !0xf00) & !3;
            if writes {
                bench.card.write_register(near, value);
            } else {
                bench.card.read_register(near);
            }
        }
        bench.reset();
        for number in 0..3 {
            bench.enable(number);
            prop_assert_eq!(bench.run(number, &message(BYPASS, 5)).status, status::DONE);
        }
    }
}
