// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/soc/soc_system.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the system.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Console.
pub const CONSOLE: u32 = 0x00;
/// Mask in [`CONSOLE`]. A character for the console.
pub const CONSOLE_CHARACTER_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`CONSOLE_CHARACTER_MASK`].
pub const CONSOLE_CHARACTER_SHIFT: u32 = 0;

/// Offset. End of the run.
pub const FINISH: u32 = 0x04;
/// Mask in [`FINISH`]. Writing it ends the simulation; 0 is success.
pub const FINISH_STATUS_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`FINISH_STATUS_MASK`].
pub const FINISH_STATUS_SHIFT: u32 = 0;

/// Offset. Cycles since reset, low word. Read high, low, high.
pub const TIMER_LOW: u32 = 0x08;
/// Mask in [`TIMER_LOW`]. 32 bits of the count.
pub const TIMER_LOW_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`TIMER_LOW_VALUE_MASK`].
pub const TIMER_LOW_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles since reset, high word.
pub const TIMER_HIGH: u32 = 0x0C;
/// Mask in [`TIMER_HIGH`]. 32 bits of the count.
pub const TIMER_HIGH_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`TIMER_HIGH_VALUE_MASK`].
pub const TIMER_HIGH_VALUE_SHIFT: u32 = 0;

/// Offset. Timer comparison. Writing it arms the timer interrupt: pending from the cycle on in
/// which TIMER_LOW reaches the value, for 2^31 cycles.
pub const TIMER_COMPARE: u32 = 0x10;
/// Mask in [`TIMER_COMPARE`]. Compared with TIMER_LOW.
pub const TIMER_COMPARE_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`TIMER_COMPARE_VALUE_MASK`].
pub const TIMER_COMPARE_VALUE_SHIFT: u32 = 0;

/// Offset. Interrupt enable.
pub const INTERRUPT_ENABLE: u32 = 0x14;
/// Mask in [`INTERRUPT_ENABLE`]. The timer has reached TIMER_COMPARE.
pub const INTERRUPT_ENABLE_TIMER_MASK: u32 = 0x0000_0001;
/// Lowest bit of [`INTERRUPT_ENABLE_TIMER_MASK`].
pub const INTERRUPT_ENABLE_TIMER_SHIFT: u32 = 0;
/// Mask in [`INTERRUPT_ENABLE`]. The coprocessor.
pub const INTERRUPT_ENABLE_COPROCESSOR_MASK: u32 = 0x0000_0002;
/// Lowest bit of [`INTERRUPT_ENABLE_COPROCESSOR_MASK`].
pub const INTERRUPT_ENABLE_COPROCESSOR_SHIFT: u32 = 1;
/// Mask in [`INTERRUPT_ENABLE`]. The accelerator.
pub const INTERRUPT_ENABLE_ACCELERATOR_MASK: u32 = 0x0000_0004;
/// Lowest bit of [`INTERRUPT_ENABLE_ACCELERATOR_MASK`].
pub const INTERRUPT_ENABLE_ACCELERATOR_SHIFT: u32 = 2;
/// Mask in [`INTERRUPT_ENABLE`]. The DMA engine.
pub const INTERRUPT_ENABLE_DMA_MASK: u32 = 0x0000_0008;
/// Lowest bit of [`INTERRUPT_ENABLE_DMA_MASK`].
pub const INTERRUPT_ENABLE_DMA_SHIFT: u32 = 3;

/// Offset. Interrupts pending. Levels. Writing one to the timer's bit disarms the timer; writes of
/// the others are ignored.
pub const INTERRUPT_PENDING: u32 = 0x18;
/// Mask in [`INTERRUPT_PENDING`]. The timer has reached TIMER_COMPARE.
pub const INTERRUPT_PENDING_TIMER_MASK: u32 = 0x0000_0001;
/// Lowest bit of [`INTERRUPT_PENDING_TIMER_MASK`].
pub const INTERRUPT_PENDING_TIMER_SHIFT: u32 = 0;
/// Mask in [`INTERRUPT_PENDING`]. The coprocessor.
pub const INTERRUPT_PENDING_COPROCESSOR_MASK: u32 = 0x0000_0002;
/// Lowest bit of [`INTERRUPT_PENDING_COPROCESSOR_MASK`].
pub const INTERRUPT_PENDING_COPROCESSOR_SHIFT: u32 = 1;
/// Mask in [`INTERRUPT_PENDING`]. The accelerator.
pub const INTERRUPT_PENDING_ACCELERATOR_MASK: u32 = 0x0000_0004;
/// Lowest bit of [`INTERRUPT_PENDING_ACCELERATOR_MASK`].
pub const INTERRUPT_PENDING_ACCELERATOR_SHIFT: u32 = 2;
/// Mask in [`INTERRUPT_PENDING`]. The DMA engine.
pub const INTERRUPT_PENDING_DMA_MASK: u32 = 0x0000_0008;
/// Lowest bit of [`INTERRUPT_PENDING_DMA_MASK`].
pub const INTERRUPT_PENDING_DMA_SHIFT: u32 = 3;

/// Offset. Measured region.
pub const MEASURE: u32 = 0x1C;
/// Mask in [`MEASURE`]. 1 clears the counters and runs them, 0 stops them.
pub const MEASURE_RUN_MASK: u32 = 0x0000_0001;
/// Lowest bit of [`MEASURE_RUN_MASK`].
pub const MEASURE_RUN_SHIFT: u32 = 0;

/// Offset. Idle.
pub const IDLE: u32 = 0x20;
/// Mask in [`IDLE`]. 1 while the processor only waits: its cycles count as waiting.
pub const IDLE_IDLE_MASK: u32 = 0x0000_0001;
/// Lowest bit of [`IDLE_IDLE_MASK`].
pub const IDLE_IDLE_SHIFT: u32 = 0;

/// Offset. Cycles of the measured region, low word. The sum of PROCESSOR, BUS and ACCELERATOR.
pub const CYCLES_LOW: u32 = 0x40;
/// Mask in [`CYCLES_LOW`]. 32 bits of the count.
pub const CYCLES_LOW_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`CYCLES_LOW_VALUE_MASK`].
pub const CYCLES_LOW_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles of the measured region, high word.
pub const CYCLES_HIGH: u32 = 0x44;
/// Mask in [`CYCLES_HIGH`]. 32 bits of the count.
pub const CYCLES_HIGH_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`CYCLES_HIGH_VALUE_MASK`].
pub const CYCLES_HIGH_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles in which the processor worked or waited for memory, low word.
pub const PROCESSOR_LOW: u32 = 0x48;
/// Mask in [`PROCESSOR_LOW`]. 32 bits of the count.
pub const PROCESSOR_LOW_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`PROCESSOR_LOW_VALUE_MASK`].
pub const PROCESSOR_LOW_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles in which the processor worked or waited for memory, high word.
pub const PROCESSOR_HIGH: u32 = 0x4C;
/// Mask in [`PROCESSOR_HIGH`]. 32 bits of the count.
pub const PROCESSOR_HIGH_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`PROCESSOR_HIGH_VALUE_MASK`].
pub const PROCESSOR_HIGH_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles in which the processor waited for a bus, low word.
pub const BUS_LOW: u32 = 0x50;
/// Mask in [`BUS_LOW`]. 32 bits of the count.
pub const BUS_LOW_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`BUS_LOW_VALUE_MASK`].
pub const BUS_LOW_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles in which the processor waited for a bus, high word.
pub const BUS_HIGH: u32 = 0x54;
/// Mask in [`BUS_HIGH`]. 32 bits of the count.
pub const BUS_HIGH_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`BUS_HIGH_VALUE_MASK`].
pub const BUS_HIGH_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles in which the processor waited while the cipher hardware computed, low word.
pub const ACCELERATOR_LOW: u32 = 0x58;
/// Mask in [`ACCELERATOR_LOW`]. 32 bits of the count.
pub const ACCELERATOR_LOW_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`ACCELERATOR_LOW_VALUE_MASK`].
pub const ACCELERATOR_LOW_VALUE_SHIFT: u32 = 0;

/// Offset. Cycles in which the processor waited while the cipher hardware computed, high word.
pub const ACCELERATOR_HIGH: u32 = 0x5C;
/// Mask in [`ACCELERATOR_HIGH`]. 32 bits of the count.
pub const ACCELERATOR_HIGH_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`ACCELERATOR_HIGH_VALUE_MASK`].
pub const ACCELERATOR_HIGH_VALUE_SHIFT: u32 = 0;

/// Offset. Instructions retired, low word.
pub const INSTRUCTIONS_LOW: u32 = 0x60;
/// Mask in [`INSTRUCTIONS_LOW`]. 32 bits of the count.
pub const INSTRUCTIONS_LOW_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`INSTRUCTIONS_LOW_VALUE_MASK`].
pub const INSTRUCTIONS_LOW_VALUE_SHIFT: u32 = 0;

/// Offset. Instructions retired, high word.
pub const INSTRUCTIONS_HIGH: u32 = 0x64;
/// Mask in [`INSTRUCTIONS_HIGH`]. 32 bits of the count.
pub const INSTRUCTIONS_HIGH_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`INSTRUCTIONS_HIGH_VALUE_MASK`].
pub const INSTRUCTIONS_HIGH_VALUE_SHIFT: u32 = 0;

/// Offset. Peripheral transfers and beats of the DMA engine, low word.
pub const TRANSACTIONS_LOW: u32 = 0x68;
/// Mask in [`TRANSACTIONS_LOW`]. 32 bits of the count.
pub const TRANSACTIONS_LOW_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`TRANSACTIONS_LOW_VALUE_MASK`].
pub const TRANSACTIONS_LOW_VALUE_SHIFT: u32 = 0;

/// Offset. Peripheral transfers and beats of the DMA engine, high word.
pub const TRANSACTIONS_HIGH: u32 = 0x6C;
/// Mask in [`TRANSACTIONS_HIGH`]. 32 bits of the count.
pub const TRANSACTIONS_HIGH_VALUE_MASK: u32 = 0xFFFF_FFFF;
/// Lowest bit of [`TRANSACTIONS_HIGH_VALUE_MASK`].
pub const TRANSACTIONS_HIGH_VALUE_SHIFT: u32 = 0;
