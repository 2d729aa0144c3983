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

/// Offset. Cycles since reset, low word. Read high, low, high.
pub const TIMER_LOW: u32 = 0x08;

/// Offset. Cycles since reset, high word.
pub const TIMER_HIGH: u32 = 0x0C;

/// Offset. Timer comparison. Writing it arms the timer interrupt: pending from the cycle on in
/// which TIMER_LOW reaches the value, for 2^31 cycles.
pub const TIMER_COMPARE: u32 = 0x10;

/// Offset. Interrupt enable.
pub const INTERRUPT_ENABLE: u32 = 0x14;
/// Mask in [`INTERRUPT_ENABLE`]. The timer has reached TIMER_COMPARE.
pub const INTERRUPT_ENABLE_TIMER_MASK: u32 = 0x0000_0001;
/// Mask in [`INTERRUPT_ENABLE`]. The coprocessor.
pub const INTERRUPT_ENABLE_COPROCESSOR_MASK: u32 = 0x0000_0002;
/// Mask in [`INTERRUPT_ENABLE`]. The accelerator.
pub const INTERRUPT_ENABLE_ACCELERATOR_MASK: u32 = 0x0000_0004;
/// Mask in [`INTERRUPT_ENABLE`]. The DMA engine.
pub const INTERRUPT_ENABLE_DMA_MASK: u32 = 0x0000_0008;

/// Offset. Interrupts pending. Levels. Writing one to the timer's bit disarms the timer; writes of
/// the others are ignored.
pub const INTERRUPT_PENDING: u32 = 0x18;
/// Mask in [`INTERRUPT_PENDING`]. The timer has reached TIMER_COMPARE.
pub const INTERRUPT_PENDING_TIMER_MASK: u32 = 0x0000_0001;
/// Mask in [`INTERRUPT_PENDING`]. The coprocessor.
pub const INTERRUPT_PENDING_COPROCESSOR_MASK: u32 = 0x0000_0002;
/// Mask in [`INTERRUPT_PENDING`]. The accelerator.
pub const INTERRUPT_PENDING_ACCELERATOR_MASK: u32 = 0x0000_0004;
/// Mask in [`INTERRUPT_PENDING`]. The DMA engine.
pub const INTERRUPT_PENDING_DMA_MASK: u32 = 0x0000_0008;

/// Offset. Measured region.
pub const MEASURE: u32 = 0x1C;
/// Mask in [`MEASURE`]. 1 clears the counters and runs them, 0 stops them.
pub const MEASURE_RUN_MASK: u32 = 0x0000_0001;

/// Offset. Idle.
pub const IDLE: u32 = 0x20;
/// Mask in [`IDLE`]. 1 while the processor only waits: its cycles count as waiting.
pub const IDLE_IDLE_MASK: u32 = 0x0000_0001;

/// Offset. Cycles of the measured region, low word. The sum of PROCESSOR, BUS and ACCELERATOR.
pub const CYCLES_LOW: u32 = 0x40;

/// Offset. Cycles of the measured region, high word.
pub const CYCLES_HIGH: u32 = 0x44;

/// Offset. Cycles in which the processor worked or waited for memory, low word.
pub const PROCESSOR_LOW: u32 = 0x48;

/// Offset. Cycles in which the processor worked or waited for memory, high word.
pub const PROCESSOR_HIGH: u32 = 0x4C;

/// Offset. Cycles in which the processor waited for a bus, low word.
pub const BUS_LOW: u32 = 0x50;

/// Offset. Cycles in which the processor waited for a bus, high word.
pub const BUS_HIGH: u32 = 0x54;

/// Offset. Cycles in which the processor waited while the cipher hardware computed, low word.
pub const ACCELERATOR_LOW: u32 = 0x58;

/// Offset. Cycles in which the processor waited while the cipher hardware computed, high word.
pub const ACCELERATOR_HIGH: u32 = 0x5C;

/// Offset. Instructions retired, low word.
pub const INSTRUCTIONS_LOW: u32 = 0x60;

/// Offset. Instructions retired, high word.
pub const INSTRUCTIONS_HIGH: u32 = 0x64;

/// Offset. Peripheral transfers and beats of the DMA engine, low word.
pub const TRANSACTIONS_LOW: u32 = 0x68;

/// Offset. Peripheral transfers and beats of the DMA engine, high word.
pub const TRANSACTIONS_HIGH: u32 = 0x6C;
