// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/soc/soc.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the peripherals.

#![allow(dead_code)] // not every field has a reader here

/// Address. System registers.
pub const SYSTEM: u32 = 0x8000_0000;
/// Address. Console.
pub const SYSTEM_CONSOLE: u32 = 0x8000_0000;
/// Address. End of the run.
pub const SYSTEM_FINISH: u32 = 0x8000_0004;
/// Address. Cycles since reset, low word.
pub const SYSTEM_TIMER_LOW: u32 = 0x8000_0008;
/// Address. Cycles since reset, high word.
pub const SYSTEM_TIMER_HIGH: u32 = 0x8000_000C;
/// Address. Timer comparison.
pub const SYSTEM_TIMER_COMPARE: u32 = 0x8000_0010;
/// Address. Interrupt enable.
pub const SYSTEM_INTERRUPT_ENABLE: u32 = 0x8000_0014;
/// Address. Interrupts pending.
pub const SYSTEM_INTERRUPT_PENDING: u32 = 0x8000_0018;
/// Address. Measured region.
pub const SYSTEM_MEASURE: u32 = 0x8000_001C;
/// Address. Idle.
pub const SYSTEM_IDLE: u32 = 0x8000_0020;
/// Address. Cycles of the measured region, low word.
pub const SYSTEM_CYCLES_LOW: u32 = 0x8000_0040;
/// Address. Cycles of the measured region, high word.
pub const SYSTEM_CYCLES_HIGH: u32 = 0x8000_0044;
/// Address. Cycles in which the processor worked or waited for memory, low word.
pub const SYSTEM_PROCESSOR_LOW: u32 = 0x8000_0048;
/// Address. Cycles in which the processor worked or waited for memory, high word.
pub const SYSTEM_PROCESSOR_HIGH: u32 = 0x8000_004C;
/// Address. Cycles in which the processor waited for a bus, low word.
pub const SYSTEM_BUS_LOW: u32 = 0x8000_0050;
/// Address. Cycles in which the processor waited for a bus, high word.
pub const SYSTEM_BUS_HIGH: u32 = 0x8000_0054;
/// Address. Cycles in which the processor waited while the cipher hardware computed, low word.
pub const SYSTEM_ACCELERATOR_LOW: u32 = 0x8000_0058;
/// Address. Cycles in which the processor waited while the cipher hardware computed, high word.
pub const SYSTEM_ACCELERATOR_HIGH: u32 = 0x8000_005C;
/// Address. Instructions retired, low word.
pub const SYSTEM_INSTRUCTIONS_LOW: u32 = 0x8000_0060;
/// Address. Instructions retired, high word.
pub const SYSTEM_INSTRUCTIONS_HIGH: u32 = 0x8000_0064;
/// Address. Peripheral transfers and beats of the DMA engine, low word.
pub const SYSTEM_TRANSACTIONS_LOW: u32 = 0x8000_0068;
/// Address. Peripheral transfers and beats of the DMA engine, high word.
pub const SYSTEM_TRANSACTIONS_HIGH: u32 = 0x8000_006C;

/// Address. Ciphermill block coprocessor.
pub const COPROCESSOR: u32 = 0x8001_0000;
/// Address. Identification.
pub const COPROCESSOR_ID: u32 = 0x8001_0000;
/// Address. Control.
pub const COPROCESSOR_CONTROL: u32 = 0x8001_0004;
/// Address. Status.
pub const COPROCESSOR_STATUS: u32 = 0x8001_0008;
/// Address. Key.
pub const COPROCESSOR_KEY: u32 = 0x8001_0020;
/// Address. Blocks in.
pub const COPROCESSOR_DATA_IN: u32 = 0x8001_0100;
/// Address. Blocks out.
pub const COPROCESSOR_DATA_OUT: u32 = 0x8001_0200;
/// Address. Blocks out, several in a beat.
pub const COPROCESSOR_DATA_OUT_WIDE: u32 = 0x8001_0280;

/// Address. Ciphermill accelerator.
pub const ACCELERATOR: u32 = 0x8002_0000;
/// Address. Identification.
pub const ACCELERATOR_IDENTIFICATION: u32 = 0x8002_0000;
/// Address. Version of this register map.
pub const ACCELERATOR_VERSION: u32 = 0x8002_0004;
/// Address. Capabilities.
pub const ACCELERATOR_CAPABILITY: u32 = 0x8002_0008;
/// Address. Geometry.
pub const ACCELERATOR_GEOMETRY: u32 = 0x8002_000C;
/// Address. Control.
pub const ACCELERATOR_CONTROL: u32 = 0x8002_0010;
/// Address. Configuration.
pub const ACCELERATOR_CONFIGURATION: u32 = 0x8002_0014;
/// Address. Status.
pub const ACCELERATOR_STATUS: u32 = 0x8002_0018;
/// Address. Error.
pub const ACCELERATOR_ERROR: u32 = 0x8002_001C;
/// Address. Interrupt enable.
pub const ACCELERATOR_INTERRUPT_ENABLE: u32 = 0x8002_0020;
/// Address. Interrupt state.
pub const ACCELERATOR_INTERRUPT_STATE: u32 = 0x8002_0024;
/// Address. Message length, low word.
pub const ACCELERATOR_MESSAGE_LENGTH_LOW: u32 = 0x8002_0028;
/// Address. Message length, high word.
pub const ACCELERATOR_MESSAGE_LENGTH_HIGH: u32 = 0x8002_002C;
/// Address. Initialisation vector.
pub const ACCELERATOR_IV: u32 = 0x8002_0030;
/// Address. Key.
pub const ACCELERATOR_KEY: u32 = 0x8002_0040;
/// Address. Blocks since the IV was loaded, low word.
pub const ACCELERATOR_IV_BLOCKS_LOW: u32 = 0x8002_0060;
/// Address. Blocks since the IV was loaded, high word.
pub const ACCELERATOR_IV_BLOCKS_HIGH: u32 = 0x8002_0064;
/// Address. Cycles of the last message, low word.
pub const ACCELERATOR_CYCLES_LOW: u32 = 0x8002_0070;
/// Address. Cycles of the last message, high word.
pub const ACCELERATOR_CYCLES_HIGH: u32 = 0x8002_0074;
/// Address. Cycles in which the core waited for input.
pub const ACCELERATOR_STALL_INPUT: u32 = 0x8002_0078;
/// Address. Cycles in which a result waited for the output.
pub const ACCELERATOR_STALL_OUTPUT: u32 = 0x8002_007C;
/// Address. Bytes consumed by the sink in the last message, low word.
pub const ACCELERATOR_SINK_BYTES_LOW: u32 = 0x8002_0080;
/// Address. Bytes consumed by the sink in the last message, high word.
pub const ACCELERATOR_SINK_BYTES_HIGH: u32 = 0x8002_0084;
/// Address. Length of the associated data, low word.
pub const ACCELERATOR_AAD_LENGTH_LOW: u32 = 0x8002_0088;
/// Address. Length of the associated data, high word.
pub const ACCELERATOR_AAD_LENGTH_HIGH: u32 = 0x8002_008C;
/// Address. Tag.
pub const ACCELERATOR_TAG: u32 = 0x8002_0090;
/// Address. Length of a data unit.
pub const ACCELERATOR_DATA_UNIT_LENGTH: u32 = 0x8002_00A0;
/// Address. Channels of the device.
pub const ACCELERATOR_CHANNELS: u32 = 0x8002_00A8;

/// Address. Ciphermill DMA engine.
pub const DMA: u32 = 0x8003_0000;
/// Address. Identification.
pub const DMA_IDENTIFICATION: u32 = 0x8003_0000;
/// Address. Version of this register map.
pub const DMA_VERSION: u32 = 0x8003_0004;
/// Address. Capabilities.
pub const DMA_CAPABILITY: u32 = 0x8003_0008;
/// Address. Geometry.
pub const DMA_GEOMETRY: u32 = 0x8003_000C;
/// Address. Control.
pub const DMA_CONTROL: u32 = 0x8003_0010;
/// Address. Flags of the next transfer.
pub const DMA_FLAGS: u32 = 0x8003_0014;
/// Address. Status.
pub const DMA_STATUS: u32 = 0x8003_0018;
/// Address. Error.
pub const DMA_ERROR: u32 = 0x8003_001C;
/// Address. Interrupt enable.
pub const DMA_INTERRUPT_ENABLE: u32 = 0x8003_0020;
/// Address. Interrupt state.
pub const DMA_INTERRUPT_STATE: u32 = 0x8003_0024;
/// Address. Source.
pub const DMA_SOURCE: u32 = 0x8003_0028;
/// Address. Destination.
pub const DMA_DESTINATION: u32 = 0x8003_002C;
/// Address. Length.
pub const DMA_LENGTH: u32 = 0x8003_0030;
/// Address. Chain.
pub const DMA_CHAIN: u32 = 0x8003_0034;
/// Address. Transfers completed.
pub const DMA_COMPLETED: u32 = 0x8003_0080;
/// Address. Descriptor of the first error.
pub const DMA_ERROR_DESCRIPTOR: u32 = 0x8003_0084;
