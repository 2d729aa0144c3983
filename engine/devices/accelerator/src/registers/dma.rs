// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/dma/dma.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the DMA engine.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x4D44_4D43;

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
pub const VERSION_MINOR_VALUE: u32 = 0x0000_0001;
/// Mask in [`VERSION`]. Raised by a change that an older host would misread.
pub const VERSION_MAJOR_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`VERSION_MAJOR_MASK`].
pub const VERSION_MAJOR_SHIFT: u32 = 16;
/// What [`VERSION_MAJOR_MASK`] reads as, shifted down.
pub const VERSION_MAJOR_VALUE: u32 = 0x0000_0001;

/// Offset. Capabilities.
pub const CAPABILITY: u32 = 0x08;
/// Mask in [`CAPABILITY`]. Width of the memory bus in bytes: 4, 8, 16 or 32.
pub const CAPABILITY_DATA_BYTES_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`CAPABILITY_DATA_BYTES_MASK`].
pub const CAPABILITY_DATA_BYTES_SHIFT: u32 = 0;
/// Mask in [`CAPABILITY`]. Width of the streams in bytes: 4, 8 or 16. A transfer that does not end
/// a message is a multiple of it, unless any_byte is one and there is one stream.
pub const CAPABILITY_STREAM_BYTES_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`CAPABILITY_STREAM_BYTES_MASK`].
pub const CAPABILITY_STREAM_BYTES_SHIFT: u32 = 8;
/// Mask in [`CAPABILITY`]. Descriptors in flight at once.
pub const CAPABILITY_DESCRIPTORS_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`CAPABILITY_DESCRIPTORS_MASK`].
pub const CAPABILITY_DESCRIPTORS_SHIFT: u32 = 16;
/// Mask in [`CAPABILITY`]. Number of the last stream of each direction; they are counted from 0.
pub const CAPABILITY_LAST_STREAM_MASK: u32 = 0x1F00_0000;
/// Lowest bit of [`CAPABILITY_LAST_STREAM_MASK`].
pub const CAPABILITY_LAST_STREAM_SHIFT: u32 = 24;
/// Mask in [`CAPABILITY`]. SOURCE and DESTINATION may be any byte.
pub const CAPABILITY_ANY_BYTE_MASK: u32 = 0x2000_0000;

/// Offset. Geometry.
pub const GEOMETRY: u32 = 0x0C;
/// Mask in [`GEOMETRY`]. The longest burst, in beats of the memory bus.
pub const GEOMETRY_BURST_BEATS_MASK: u32 = 0x0000_FFFF;
/// Lowest bit of [`GEOMETRY_BURST_BEATS_MASK`].
pub const GEOMETRY_BURST_BEATS_SHIFT: u32 = 0;
/// Mask in [`GEOMETRY`]. Depth of the FIFO of each direction, in beats of the memory bus.
pub const GEOMETRY_FIFO_BEATS_MASK: u32 = 0xFFFF_0000;
/// Lowest bit of [`GEOMETRY_FIFO_BEATS_MASK`].
pub const GEOMETRY_FIFO_BEATS_SHIFT: u32 = 16;

/// Offset. Control. Each bit written as one starts its action; reads as zero.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. Drop every transfer and all data inside, once the bursts on the memory bus
/// have ended.
pub const CONTROL_ABORT_MASK: u32 = 0x0000_0001;

/// Offset. Flags of the next transfer. Taken by the write of LENGTH; a chain takes FLAGS.stream by
/// the write of CHAIN. The other four are the low bits of the fourth word of a descriptor, which
/// has a fifth: bit 4, the last of its chain.
pub const FLAGS: u32 = 0x14;
/// Mask in [`FLAGS`]. Read LENGTH bytes at SOURCE and send them.
pub const FLAGS_READ_MASK: u32 = 0x0000_0001;
/// Mask in [`FLAGS`]. Receive LENGTH bytes and write them at DESTINATION.
pub const FLAGS_WRITE_MASK: u32 = 0x0000_0002;
/// Mask in [`FLAGS`]. The message ends with this transfer: TLAST goes out with its last beat, and
/// must come in with its last beat.
pub const FLAGS_MESSAGE_END_MASK: u32 = 0x0000_0004;
/// Mask in [`FLAGS`]. Set INTERRUPT_STATE.done when the transfer is complete.
pub const FLAGS_INTERRUPT_MASK: u32 = 0x0000_0008;
/// Mask in [`FLAGS`]. Number of the stream, in each direction, that the data go through. A transfer
/// through another stream than the one before it waits until all before it are complete and their
/// last beat has been taken. Writes are ignored in a device with one stream.
pub const FLAGS_STREAM_MASK: u32 = 0x0000_1F00;
/// Lowest bit of [`FLAGS_STREAM_MASK`].
pub const FLAGS_STREAM_SHIFT: u32 = 8;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. A transfer is not complete, a chain has not been read to its end, or the
/// engine is stopping or clearing its memories.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. A write of LENGTH or CHAIN will be taken.
pub const STATUS_READY_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. Stopping after an abort or an error, or clearing its memories.
pub const STATUS_STOPPING_MASK: u32 = 0x0000_0004;

/// Offset. Error. Sticky; write one to clear. Any bit but busy stops the engine and drops what is
/// in flight; ERROR_DESCRIPTOR tells whose fault the first one was.
pub const ERROR: u32 = 0x1C;
/// Mask in [`ERROR`]. A transfer that cannot be: SOURCE or DESTINATION is not a multiple of 4
/// (unless CAPABILITY.any_byte is one), the transfer would run past the end of the address space,
/// its stream is beyond CAPABILITY.last_stream, or it does not end a message and is not a multiple
/// of the stream's width; or CHAIN is not a multiple of 32.
pub const ERROR_DESCRIPTOR_MASK: u32 = 0x0000_0001;
/// Mask in [`ERROR`]. The memory answered the read of a descriptor with an error.
pub const ERROR_FETCH_MASK: u32 = 0x0000_0002;
/// Mask in [`ERROR`]. The memory answered the read of data with an error; no byte of that beat, nor
/// any after it, was sent.
pub const ERROR_READ_MASK: u32 = 0x0000_0004;
/// Mask in [`ERROR`]. The memory answered a write with an error.
pub const ERROR_WRITE_MASK: u32 = 0x0000_0008;
/// Mask in [`ERROR`]. The incoming TLAST or TKEEP does not agree with the length of the message.
pub const ERROR_FRAMING_MASK: u32 = 0x0000_0010;
/// Mask in [`ERROR`]. LENGTH or CHAIN was written while STATUS.ready was zero; that write was
/// ignored.
pub const ERROR_BUSY_MASK: u32 = 0x0000_0020;

/// Offset. Interrupt enable.
pub const INTERRUPT_ENABLE: u32 = 0x20;
/// Mask in [`INTERRUPT_ENABLE`]. A transfer whose flags ask for it is complete.
pub const INTERRUPT_ENABLE_DONE_MASK: u32 = 0x0000_0001;
/// Mask in [`INTERRUPT_ENABLE`]. ERROR became non-zero.
pub const INTERRUPT_ENABLE_ERROR_MASK: u32 = 0x0000_0002;

/// Offset. Interrupt state. Sticky; write one to clear.
pub const INTERRUPT_STATE: u32 = 0x24;
/// Mask in [`INTERRUPT_STATE`]. A transfer whose flags ask for it is complete.
pub const INTERRUPT_STATE_DONE_MASK: u32 = 0x0000_0001;
/// Mask in [`INTERRUPT_STATE`]. ERROR became non-zero.
pub const INTERRUPT_STATE_ERROR_MASK: u32 = 0x0000_0002;

/// Offset. Source.
pub const SOURCE: u32 = 0x28;

/// Offset. Destination.
pub const DESTINATION: u32 = 0x2C;

/// Offset. Length. A write of all four bytes starts a transfer with SOURCE, DESTINATION and FLAGS
/// as they stand; all of them may be written anew at once. A length of zero is complete at once,
/// without beats.
pub const LENGTH: u32 = 0x30;

/// Offset. Chain. A write starts the chain of descriptors at this address, with FLAGS.stream as it
/// stands for all of them. A descriptor is 32 bytes, aligned to 32; its first four words are
/// source, destination, length, and the address of the next descriptor with the flags in the low
/// five bits (FLAGS, and bit 4: the last of the chain). The other words are the host's.
pub const CHAIN: u32 = 0x34;

/// Offset. Transfers completed. A transfer is complete when all of its source has been read and the
/// memory has acknowledged all of its destination. Transfers complete in order.
pub const COMPLETED: u32 = 0x80;

/// Offset. Descriptor of the first error. Stands from the first error until ERROR has been cleared.
pub const ERROR_DESCRIPTOR: u32 = 0x84;
/// Mask in [`ERROR_DESCRIPTOR`]. The transfer came from the registers, not from a descriptor.
pub const ERROR_DESCRIPTOR_REGISTERS_MASK: u32 = 0x0000_0001;
/// Mask in [`ERROR_DESCRIPTOR`]. Bits 31 to 5 of the address of the descriptor.
pub const ERROR_DESCRIPTOR_ADDRESS_MASK: u32 = 0xFFFF_FFE0;
/// Lowest bit of [`ERROR_DESCRIPTOR_ADDRESS_MASK`].
pub const ERROR_DESCRIPTOR_ADDRESS_SHIFT: u32 = 5;
