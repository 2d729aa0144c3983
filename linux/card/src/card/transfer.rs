// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One message: from its source through the engine to its destination.

use zeroize::Zeroizing;

use super::descriptor::{Completion, Descriptor, flags, status};
use super::engine;
use super::keys::Slot;
use super::port::{Failure, Port};
use super::registers::accel;
use super::scatter::Places;

/// Bytes that are worked on at a time: whole blocks.
const PIECE_BYTES: usize = 1 << 16;

/// Run a message. The slot is that of its descriptor, where there is one.
///
/// # Errors
/// The ring stops, and there is no completion.
pub(crate) fn run(
    descriptor: &Descriptor,
    slot: Option<&Slot>,
    port: &Port<'_>,
) -> Result<Completion, Failure> {
    let mut completion = Completion {
        cookie: descriptor.cookie,
        ..Completion::default()
    };
    match message(descriptor, slot, port, &mut completion.count) {
        Ok(tag) => {
            completion.status = status::DONE;
            completion.tag = tag.unwrap_or_default();
        }
        Err(Failure::Message(bits)) => (completion.status, completion.count) = (bits, 0),
        Err(stop) => return Err(stop),
    }
    Ok(completion)
}

/// Status of a message that the accelerator refuses or stops with these bits of its ERROR.
fn refused(error: u32) -> Failure {
    Failure::Message(status::REFUSED | error << status::ERROR_SHIFT)
}

fn message(
    descriptor: &Descriptor,
    slot: Option<&Slot>,
    port: &Port<'_>,
    count: &mut u32,
) -> Result<Option<[u8; 16]>, Failure> {
    let (has_key, has_tweak) = match slot {
        Some(slot) => (slot.first.is_some(), slot.tweak.is_some()),
        None => (false, false),
    };
    let (needs_key, needs_tweak) = engine::needs(descriptor.configuration);
    let names_slot = descriptor.key_slot() != 0;
    if !has_key && (names_slot || needs_key) || !has_tweak && needs_tweak {
        return Err(Failure::Message(status::KEY));
    }
    // A packet that the accelerator does not take never gets there: AES and SHA-2 have no tag in one.
    let takes_associated = engine::takes_associated(descriptor.configuration);
    if descriptor.associated != 0 && !takes_associated || descriptor.has(flags::TAG_PACKET) {
        return Err(Failure::Message(status::LENGTHS));
    }
    let mut engine = engine::start(descriptor, slot).map_err(refused)?;
    // What comes out must be what the descriptor says.
    let is_sink = descriptor.configuration & accel::CONFIGURATION_SINK_MASK != 0;
    let output = match engine.digest_bytes() {
        _ if is_sink => 0,
        Some(bytes) => bytes as u32,
        None => descriptor.length,
    };
    if output != descriptor.output {
        return Err(Failure::Message(status::LENGTHS));
    }
    let mut source = Places::new(descriptor.source, descriptor.has(flags::SOURCE_LIST));
    let is_list = descriptor.has(flags::DESTINATION_LIST);
    let mut destination = Places::new(descriptor.destination, is_list);

    let mut piece = Zeroizing::new(vec![0; PIECE_BYTES]);
    pieces(descriptor.associated, |bytes| {
        source.read(port, &mut piece[..bytes])?;
        engine.associated(&piece[..bytes]);
        Ok(())
    })?;
    let gives_text = !is_sink && engine.digest_bytes().is_none();
    pieces(descriptor.length, |bytes| {
        let data = &mut piece[..bytes];
        source.read(port, data)?;
        engine.text(data);
        match gives_text {
            true => destination.write(port, data, count),
            false => Ok(()),
        }
    })?;
    let end = engine.finish();
    if !is_sink && let Some(digest) = end.digest {
        destination.write(port, &digest, count)?;
    }
    Ok(end.tag)
}

/// Do something for each piece of so many bytes.
fn pieces(bytes: u32, mut each: impl FnMut(usize) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut left = bytes as usize;
    while left != 0 {
        let bytes = left.min(PIECE_BYTES);
        each(bytes)?;
        left -= bytes;
    }
    Ok(())
}
