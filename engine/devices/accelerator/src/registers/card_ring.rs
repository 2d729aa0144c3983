// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/card/card_ring.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of a ring of the card.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x4752_4D43;

/// Offset. Version of this register map.
pub const VERSION: u32 = 0x04;
/// Mask in [`VERSION`]. Raised by a change that no host can see.
pub const VERSION_PATCH_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`VERSION_PATCH_MASK`].
pub const VERSION_PATCH_SHIFT: u32 = 0;
/// What [`VERSION_PATCH_MASK`] reads as, shifted down.
pub const VERSION_PATCH_VALUE: u32 = 0x0000_0000;
/// Mask in [`VERSION`]. Raised by an addition.
pub const VERSION_MINOR_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`VERSION_MINOR_MASK`].
pub const VERSION_MINOR_SHIFT: u32 = 8;
/// What [`VERSION_MINOR_MASK`] reads as, shifted down.
pub const VERSION_MINOR_VALUE: u32 = 0x0000_0000;
/// Mask in [`VERSION`]. Raised by a change that an older host would misread.
pub const VERSION_MAJOR_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`VERSION_MAJOR_MASK`].
pub const VERSION_MAJOR_SHIFT: u32 = 16;
/// What [`VERSION_MAJOR_MASK`] reads as, shifted down.
pub const VERSION_MAJOR_VALUE: u32 = 0x0000_0001;

/// Offset. Capabilities.
pub const CAPABILITY: u32 = 0x08;
/// Mask in [`CAPABILITY`]. Number of this ring, of its channel and of its interrupt vector.
pub const CAPABILITY_INDEX_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`CAPABILITY_INDEX_MASK`].
pub const CAPABILITY_INDEX_SHIFT: u32 = 0;
/// Mask in [`CAPABILITY`]. Key slots of this ring; they are numbered from 1.
pub const CAPABILITY_KEY_SLOTS_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`CAPABILITY_KEY_SLOTS_MASK`].
pub const CAPABILITY_KEY_SLOTS_SHIFT: u32 = 8;
/// Mask in [`CAPABILITY`]. Base-2 logarithm of the most descriptors in the ring.
pub const CAPABILITY_LOG2_ENTRIES_MASK: u32 = 0x001F_0000;
/// Lowest bit of [`CAPABILITY_LOG2_ENTRIES_MASK`].
pub const CAPABILITY_LOG2_ENTRIES_SHIFT: u32 = 16;

/// Offset. Control.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. Drop every message that is not complete, and stop; the ring is disabled
/// when STATUS.busy is zero. Keys stay in their slots.
pub const CONTROL_ABORT_MASK: u32 = 0x0000_0001;
/// Mask in [`CONTROL`]. Take KEY as the first key of slot KEY_SLOT, with KEY_SLOT.key_size. The KEY
/// registers return to zero.
pub const CONTROL_STORE_KEY_MASK: u32 = 0x0000_0002;
/// Mask in [`CONTROL`]. Take KEY as the tweak key (XTS, Key 2) of slot KEY_SLOT.
pub const CONTROL_STORE_TWEAK_KEY_MASK: u32 = 0x0000_0004;
/// Mask in [`CONTROL`]. Overwrite slot KEY_SLOT; a message that names it is refused then.
pub const CONTROL_ERASE_KEY_MASK: u32 = 0x0000_0008;

/// Offset. Enable.
pub const ENABLE: u32 = 0x14;
/// Mask in [`ENABLE`]. Run the ring with the geometry that stands. Written as one from zero while
/// STATUS.busy is zero, it begins with entry 0 of both rings and with phase 1, and DOORBELL,
/// COMPLETED and ACKNOWLEDGED begin with zero. Cleared by an abort and by an error; writing zero
/// aborts.
pub const ENABLE_ENABLE_MASK: u32 = 0x0000_0001;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. The ring is enabled and has completed fewer messages than DOORBELL, or is
/// stopping.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. Aborting: the accelerator and memories are being cleared.
pub const STATUS_STOPPING_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. A key of this ring is being stored or erased.
pub const STATUS_KEY_BUSY_MASK: u32 = 0x0000_0004;

/// Offset. Error. Sticky; write one to clear. Any bit stops the ring as CONTROL.abort does, and
/// gives an interrupt if INTERRUPT_ENABLE is one, or when it becomes one.
pub const ERROR: u32 = 0x1C;
/// Mask in [`ERROR`]. The memory answered the read of a descriptor with an error. All messages
/// before it are complete.
pub const ERROR_FETCH_MASK: u32 = 0x0000_0001;
/// Mask in [`ERROR`]. The memory answered the write of a completion with an error.
pub const ERROR_COMPLETION_MASK: u32 = 0x0000_0002;
/// Mask in [`ERROR`]. The geometry is none: a base is not aligned to 64, or LOG2_ENTRIES is beyond
/// CAPABILITY.log2_entries.
pub const ERROR_GEOMETRY_MASK: u32 = 0x0000_0004;
/// Mask in [`ERROR`]. DOORBELL was written with a number that is more than the ring's entries ahead
/// of the completions written, or behind its value before.
pub const ERROR_DOORBELL_MASK: u32 = 0x0000_0008;
/// Mask in [`ERROR`]. The accelerator did not end a message within 2^24 cycles after its last data
/// had gone in and out (parameter HangCycles): it hangs.
pub const ERROR_HANG_MASK: u32 = 0x0000_0010;

/// Offset. Ring, low word.
pub const RING_LOW: u32 = 0x20;

/// Offset. Ring, high word.
pub const RING_HIGH: u32 = 0x24;

/// Offset. Completions, low word.
pub const COMPLETIONS_LOW: u32 = 0x28;

/// Offset. Completions, high word.
pub const COMPLETIONS_HIGH: u32 = 0x2C;

/// Offset. Entries.
pub const ENTRIES: u32 = 0x30;
/// Mask in [`ENTRIES`]. Base-2 logarithm of the entries of both rings.
pub const ENTRIES_LOG2_MASK: u32 = 0x0000_001F;
/// Lowest bit of [`ENTRIES_LOG2_MASK`].
pub const ENTRIES_LOG2_SHIFT: u32 = 0;

/// Offset. Doorbell. The number of descriptors that the host has given since ENABLE, modulo 2^32. A
/// write lets the card run up to there; the descriptors are in memory by then.
pub const DOORBELL: u32 = 0x34;

/// Offset. Completed.
pub const COMPLETED: u32 = 0x38;

/// Offset. Interrupt moderation: number.
pub const INTERRUPT_MESSAGES: u32 = 0x40;
/// Mask in [`INTERRUPT_MESSAGES`]. Interrupt after so many completions since the last one; 0 or 1:
/// after each.
pub const INTERRUPT_MESSAGES_MESSAGES_MASK: u32 = 0x0000_FFFF;
/// Lowest bit of [`INTERRUPT_MESSAGES_MESSAGES_MASK`].
pub const INTERRUPT_MESSAGES_MESSAGES_SHIFT: u32 = 0;

/// Offset. Interrupt moderation: time.
pub const INTERRUPT_CYCLES: u32 = 0x44;

/// Offset. Interrupt enable. While zero, no interrupt is given. When it becomes one, the
/// completions that the host has not acknowledged count as if they had come in that cycle: they
/// give an interrupt by the rules of moderation.
pub const INTERRUPT_ENABLE: u32 = 0x48;
/// Mask in [`INTERRUPT_ENABLE`]. Give interrupts.
pub const INTERRUPT_ENABLE_ENABLE_MASK: u32 = 0x0000_0001;

/// Offset. Interrupt acknowledge. The number of completions that the host has seen, modulo 2^32 as
/// COMPLETED.
pub const ACKNOWLEDGED: u32 = 0x4C;

/// Offset. Key slot.
pub const KEY_SLOT: u32 = 0x60;
/// Mask in [`KEY_SLOT`]. The slot that CONTROL.store_key, store_tweak_key and erase_key mean, from
/// 1.
pub const KEY_SLOT_SLOT_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`KEY_SLOT_SLOT_MASK`].
pub const KEY_SLOT_SLOT_SHIFT: u32 = 0;
/// Mask in [`KEY_SLOT`]. Size of the keys, as CONFIGURATION.key_size of the accelerator; the size
/// in a descriptor is ignored.
pub const KEY_SLOT_KEY_SIZE_MASK: u32 = 0x0000_0300;
/// Lowest bit of [`KEY_SLOT_KEY_SIZE_MASK`].
pub const KEY_SLOT_KEY_SIZE_SHIFT: u32 = 8;

/// Offset. Key. Write only. Byte n of the key is byte n % 4 of word n / 4.
pub const KEY: u32 = 0x80;
/// Number of words of [`KEY`].
pub const KEY_WORDS: usize = 8;
