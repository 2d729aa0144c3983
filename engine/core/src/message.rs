// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! One message through a device, in pieces.

use std::time::Instant;

use zeroize::Zeroizing;

use crate::chain::Chain;
use crate::session::Buffer;
use crate::synchronous::measured;
use crate::{
    BLOCK_BYTES, Cancellation, Capabilities, Completion, Device, Direction, Error, KeyBits, Mode,
    Output, Request, Result, Session, Span, Timing, TimingMethod,
};

/// What came of a message.
#[derive(Debug)]
#[non_exhaustive]
pub struct MessageOutcome {
    /// The output, as long as the input; empty with [`Output::Sink`].
    pub data: Vec<u8>,
    /// GCM encryption: the tag.
    pub tag: Option<[u8; 16]>,
    /// What it cost. Transfer, processing and clocks are the sums over the
    /// pieces. The total is the wall time from the first piece handed over to
    /// the last one back, or, simulated, the sum of the pieces' totals.
    pub timing: Timing,
}

/// Run one message through a device.
///
/// The message is cut into pieces of the device's preferred chunk. Where the mode
/// lets the IVs be computed beforehand (ECB, CTR, CBC decryption, XTS) several pieces
/// are in flight; CBC encryption waits for each; a GCM message is one piece; XTS is
/// cut at data units.
/// `progress` gets the number of bytes done so far, after each piece.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Cancellation, Direction, Key, Mode, Request, run_message};
/// let device = ReferenceDevice::new();
/// let key = Key::new(&[7; 32]).unwrap();
/// let mut request = Request::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// let cancellation = Cancellation::new();
/// let sent = run_message(&device, &request, b"Attack".to_vec(), &cancellation, &mut |_| {}).unwrap();
/// request.direction = Direction::Decrypt;
/// let got = run_message(&device, &request, sent.data, &cancellation, &mut |_| {}).unwrap();
/// assert_eq!(got.data, b"Attack");
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] when the device cannot do this,
/// [`crate::ErrorKind::Invalid`] when ECB or CBC data is not whole blocks (see
/// [`crate::padding`]) and where [`Request::check_data_units`] says so, [`crate::ErrorKind::Authentication`] when a GCM tag does
/// not match, and whatever the device reports.
pub fn run_message(
    device: &dyn Device,
    request: &Request,
    data: Vec<u8>,
    cancellation: &Cancellation,
    progress: &mut dyn FnMut(u64),
) -> Result<MessageOutcome> {
    check_request(device, request)?;
    check_bytes(request, data.len())?;
    let began = Instant::now();
    let mut message = Message {
        cancellation,
        progress,
        timing: None,
    };
    let mut session = Session::open(device, cancellation.clone())?;
    let mut data = Zeroizing::new(data);
    let tag = message.run(&mut session, device.capabilities(), request, &mut data)?;
    let elapsed = began.elapsed();
    let mut timing = message.timing.unwrap_or_else(|| measured(elapsed));
    if timing.method == TimingMethod::Measured {
        timing.total = elapsed;
    }
    Ok(MessageOutcome {
        data: std::mem::take(&mut *data),
        tag,
        timing,
    })
}

/// Run one message through a session on this device, from one place to another, or in place; the tag of an
/// encryption in GCM. Several messages share a session's queue and buffers.
///
/// # Errors
/// As [`run_message`]. In ECB, CBC, CTR and XTS a part of the output may be written, in place
/// over its input; in GCM none is. The session is then of no more use.
pub fn run_span(
    device: &dyn Device,
    session: &mut Session,
    request: &Request,
    span: &mut Span<'_>,
) -> Result<Option<[u8; 16]>> {
    let capabilities = device.capabilities();
    check_request(device, request)?;
    check_bytes(request, span.len())?;
    if is_whole(request, span.len(), capabilities) {
        let answer = session.whole(request.clone(), span)?;
        session.recycle(answer.data);
        return Ok(answer.tag);
    }
    let piece_bytes = Chain::new(request).piece_bytes(capabilities.preferred_chunk_bytes);
    session
        .pieces(request, piece_bytes, span, &mut |_| Ok(()))
        .map(|_| None)
        .map_err(|broken| broken.error)
}

/// Whether a message is one job.
fn is_whole(request: &Request, bytes: usize, capabilities: &Capabilities) -> bool {
    let one = request.mode == Mode::Gcm && !request.bypass;
    one || bytes <= Chain::new(request).piece_bytes(capabilities.preferred_chunk_bytes)
}

/// [`crate::ErrorKind::Invalid`] for a length that the mode does not take.
fn check_bytes(request: &Request, bytes: usize) -> Result<()> {
    if request.bypass {
        return Ok(());
    }
    if request.mode.needs_whole_blocks() && !bytes.is_multiple_of(BLOCK_BYTES) {
        return Err(Error::invalid(format!(
            "{bytes} bytes are not whole blocks of {BLOCK_BYTES}: {} needs padding",
            request.mode
        )));
    }
    if request.mode == Mode::Xts {
        request.check_data_units(bytes)?;
    }
    Ok(())
}

struct Message<'a> {
    cancellation: &'a Cancellation,
    progress: &'a mut dyn FnMut(u64),
    timing: Option<Timing>,
}

impl Message<'_> {
    /// The output takes the data's place; the tag.
    fn run(
        &mut self,
        session: &mut Session,
        capabilities: &Capabilities,
        request: &Request,
        data: &mut Buffer,
    ) -> Result<Option<[u8; 16]>> {
        self.cancellation.check()?;
        let bytes = data.len();
        if is_whole(request, bytes, capabilities) {
            // No copy, and the empty message is a job too, so that devices see it.
            let answer = session.whole_buffer(request.clone(), std::mem::take(data))?;
            *data = answer.data;
            self.step(bytes, answer.timing);
            erase_sunk(request, data);
            return Ok(answer.tag);
        }
        let piece_bytes = Chain::new(request).piece_bytes(capabilities.preferred_chunk_bytes);
        let mut span = Span::InPlace(data);
        session
            .pieces(request, piece_bytes, &mut span, &mut |step| {
                self.step(step.bytes, step.timing);
                // After the last piece it is too late.
                match step.bytes < bytes {
                    true => self.cancellation.check(),
                    false => Ok(()),
                }
            })
            .map_err(|broken| broken.error)?;
        erase_sunk(request, data);
        Ok(None)
    }

    fn step(&mut self, bytes: usize, timing: Option<Timing>) {
        self.timing = Timing::sum(self.timing, timing);
        (self.progress)(bytes as u64);
    }
}

/// Into the sink nothing comes back, not even what is left in a buffer without length.
fn erase_sunk(request: &Request, data: &mut Buffer) {
    if request.output == Output::Sink {
        drop(std::mem::take(data));
    }
}

/// [`crate::ErrorKind::Unsupported`] unless the device can do this.
pub(crate) fn check_request(device: &dyn Device, request: &Request) -> Result<()> {
    let name = device.name();
    let capabilities = device.capabilities();
    let lacks = |what: &str| Err(Error::unsupported(format!("device {name} {what}")));
    if !request.bypass {
        check_support(device, request.mode, request.direction, request.key.size())?;
    } else if !capabilities.bypass {
        return lacks("has no bypass");
    }
    if request.output == Output::Sink && !capabilities.sink {
        return lacks("has no sink");
    }
    Ok(())
}

/// [`crate::ErrorKind::Unsupported`] unless the device has this mode, direction and key size.
fn check_support(
    device: &dyn Device,
    mode: Mode,
    direction: Direction,
    key_bits: KeyBits,
) -> Result<()> {
    if device.capabilities().supports(mode, direction, key_bits) {
        return Ok(());
    }
    let verb = match direction {
        Direction::Encrypt => "encrypt",
        Direction::Decrypt => "decrypt",
    };
    Err(Error::unsupported(format!(
        "device {} cannot {verb} AES-{} in mode {mode}: choose another device or mode",
        device.name(),
        key_bits.bits()
    )))
}

/// The direction to ask the device for ([`Capabilities::direction`]), or why there is none.
pub(crate) fn supported_direction(
    device: &dyn Device,
    mode: Mode,
    direction: Direction,
    key_bits: KeyBits,
) -> Result<Direction> {
    match device.capabilities().direction(mode, direction, key_bits) {
        Some(direction) => Ok(direction),
        None => check_support(device, mode, direction, key_bits).map(|()| direction),
    }
}

/// A completion's output, when it is the answer to what was asked.
pub(crate) fn check_completion(
    device: &str,
    token: u64,
    expected_bytes: usize,
    completion: Completion,
) -> Result<Buffer> {
    let nonsense = |what: String| Err(Error::device(format!("device {device} {what}")));
    // One that is not asked for may hold what nobody is to see.
    let output = Buffer::new(completion.result?);
    if completion.token != token {
        let got = completion.token;
        return nonsense(format!("answered job {got} where {token} was due"));
    }
    if output.len() != expected_bytes {
        let got = output.len();
        return nonsense(format!("gave {got} bytes where {expected_bytes} were due"));
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::ReferenceDevice;
    use crate::{ErrorKind, Key};

    fn request(mode: Mode, direction: Direction) -> Request {
        let key = Key::new(&[0x5a; 32]).unwrap();
        Request::new(mode, direction, key, [0xff; 16])
    }

    fn run(device: &ReferenceDevice, request: &Request, data: &[u8]) -> Result<MessageOutcome> {
        let never = Cancellation::new();
        run_message(device, request, data.to_vec(), &never, &mut |_| {})
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let data: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr] {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                for length in [0, 16, 48, 64, 80, 992, 993, 1000] {
                    if mode.needs_whole_blocks() && length % 16 != 0 {
                        continue;
                    }
                    let request = request(mode, direction);
                    let plain = run(&ReferenceDevice::new(), &request, &data[..length]);
                    let cut = ReferenceDevice::new().with_chunk(72).with_in_flight(4);
                    let cut = run(&cut, &request, &data[..length]).unwrap();
                    assert_eq!(
                        cut.data,
                        plain.unwrap().data,
                        "{mode} {direction:?} {length}"
                    );
                    assert_eq!(cut.data.len(), length);
                }
            }
        }
    }

    #[test]
    fn gcm_is_one_piece_with_a_tag() {
        let device = ReferenceDevice::new().with_chunk(16);
        let mut request = request(Mode::Gcm, Direction::Encrypt);
        request.associated_data = b"header".to_vec();
        let sent = run(&device, &request, &[1; 100]).unwrap();
        request.direction = Direction::Decrypt;
        request.tag = sent.tag;
        assert_eq!(run(&device, &request, &sent.data).unwrap().data, [1; 100]);
        request.associated_data = b"Header".to_vec();
        let error = run(&device, &request, &sent.data).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
    }

    #[test]
    fn sink_returns_nothing_and_bypass_everything() {
        let device = ReferenceDevice::new().with_chunk(64);
        let mut request = request(Mode::Cbc, Direction::Encrypt);
        request.bypass = true;
        assert_eq!(run(&device, &request, &[9; 200]).unwrap().data, [9; 200]);
        request.output = Output::Sink;
        assert!(run(&device, &request, &[9; 200]).unwrap().data.is_empty());
        assert!(run(&device, &request, &[9; 20]).unwrap().data.is_empty());
    }

    #[test]
    fn progress_counts_bytes_and_time_adds_up() {
        let device = ReferenceDevice::new()
            .with_chunk(64)
            .with_delay(Duration::from_millis(1));
        let mut seen = Vec::new();
        let request = request(Mode::Ctr, Direction::Encrypt);
        let outcome = run_message(
            &device,
            &request,
            vec![0; 150],
            &Cancellation::new(),
            &mut |bytes| seen.push(bytes),
        )
        .unwrap();
        assert_eq!(seen, [64, 128, 150]);
        assert!(outcome.timing.total >= Duration::from_millis(3));
        assert!(outcome.timing.processing >= Duration::from_millis(3));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let device = ReferenceDevice::new().with_modes(&[Mode::Ctr]);
        let error = run(&device, &request(Mode::Gcm, Direction::Encrypt), &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let device = ReferenceDevice::new();
        let error = run(&device, &request(Mode::Ecb, Direction::Encrypt), &[0; 17]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn failures_of_the_device_are_its_errors() {
        let request = request(Mode::Ctr, Direction::Encrypt);
        for device in [
            ReferenceDevice::new().with_chunk(64).failing_after(2),
            ReferenceDevice::new().with_chunk(64).panicking_after(2),
            ReferenceDevice::new().with_chunk(64).cutting_answers(),
        ] {
            let error = run(&device, &request, &[0; 1000]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Device);
        }
    }

    #[test]
    fn cancellation_stops_between_pieces() {
        let device = ReferenceDevice::new().with_chunk(16);
        let cancellation = Cancellation::new();
        let seen = cancellation.clone();
        let request = request(Mode::Ctr, Direction::Encrypt);
        let error = run_message(
            &device,
            &request,
            vec![0; 1600],
            &cancellation,
            &mut |bytes| {
                if bytes >= 160 {
                    seen.cancel();
                }
            },
        )
        .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
}
