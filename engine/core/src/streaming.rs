// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A stream through a device, in the way of two kinds of program, with the times that they see.
//!
//! The paper thesis-zynq-ciphers has both programs, and times the calls that hand data to
//! the cipher; the end-to-end time is what a user waits for.

use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::chain::Chain;
use crate::chunk::{Chunk, Sink, Source};
use crate::chunker::{Chunker, writing};
use crate::input::Input;
use crate::output;
use crate::pipeline::{self, Plan};
use crate::support::check_request;
use crate::{
    Allocator, Cancellation, CipherRequest, Device, Error, Mode, Output, OutputOptions, Request,
    Result, Timing,
};

/// The structure of a streaming program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Application {
    /// Reading, the device and writing overlap, several jobs in flight.
    Throughput,
    /// Updates of so many bytes. Each is read, processed and written before the next, as in a
    /// program that uses OpenSSL. Within an update several jobs are in flight, as in the
    /// OpenSSL provider.
    Synchronous {
        /// Bytes of an update; whole blocks.
        update_bytes: usize,
    },
}

/// The times of a stream.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StreamTimes {
    /// Bytes of input.
    pub bytes: u64,
    /// With files and device open, from the first read to the last byte on the storage, or
    /// taken by the sink.
    pub total: Duration,
    /// In the calls that hand data to the device and take it back.
    pub inside_write: Duration,
    /// The device's own account of its time, where it gives one.
    pub device: Option<Timing>,
}

/// Stream a file through a device into a file, or, without one, into the device's sink. ECB,
/// CBC or CTR, without padding.
///
/// The output is replaced, whole and on the storage, when all has gone well; see
/// [`crate::encrypt_path`] for how. After an error one that existed is as it was. Into a sink
/// CBC encryption is not one message: see [`crate::Session::chunks`].
///
/// # Errors
/// [`crate::ErrorKind::Invalid`] for other modes, for updates and files that are not whole
/// blocks, and for an output that is the input; [`crate::ErrorKind::Unsupported`] where the
/// device lacks the operation or the sink, [`crate::ErrorKind::Io`] for what the files give,
/// and whatever the device reports.
pub fn stream_path(
    input: &Path,
    output: Option<&Path>,
    device: &dyn Device,
    request: &CipherRequest,
    application: Application,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<StreamTimes> {
    let request = checked(device, request, application, output.is_some())?;
    let stop = cancellation.child();
    let reader = Input::open(input, stop.clone())?;
    let replace = OutputOptions { force: true };
    let mut writer = output
        .map(|path| output::Output::open(path, &reader, &replace, true, stop.clone()))
        .transpose()?;
    let mut times = run(
        reader,
        writer.as_mut(),
        device,
        request,
        application,
        progress,
        &stop,
    )?;
    if let Some(writer) = writer {
        stop.check()?;
        let began = Instant::now();
        writer.commit()?;
        times.total += began.elapsed();
    }
    Ok(times)
}

/// As [`stream_path`], between any reader and writer. The end-to-end time ends with the last
/// write.
///
/// ```
/// use ciphermill::testing::ReferenceDevice;
/// use ciphermill::{Application, Cancellation, Direction, Key, Mode, CipherRequest, stream};
/// let key = Key::new(&[7; 32]).unwrap();
/// let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// let device = ReferenceDevice::new();
/// let never = Cancellation::new();
/// let mut outputs = [Vec::new(), Vec::new()];
/// for (output, application) in outputs.iter_mut().zip([
///     Application::Throughput,
///     Application::Synchronous { update_bytes: 64 },
/// ]) {
///     let times = stream(
///         &[1; 1000][..], Some(output), &device, &request, application, &mut |_| {}, &never,
///     );
///     assert!(times.unwrap().inside_write > std::time::Duration::ZERO);
/// }
/// assert_eq!(outputs[0], outputs[1]);
/// ```
///
/// # Errors
/// As [`stream_path`].
pub fn stream<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: Option<W>,
    device: &dyn Device,
    request: &CipherRequest,
    application: Application,
    progress: &mut dyn FnMut(u64),
    cancellation: &Cancellation,
) -> Result<StreamTimes> {
    let request = checked(device, request, application, writer.is_some())?;
    let stop = cancellation.child();
    run(
        reader,
        writer,
        device,
        request,
        application,
        progress,
        &stop,
    )
}

/// The request, with the output that it needs, where all can be done as it is asked.
fn checked(
    device: &dyn Device,
    request: &CipherRequest,
    application: Application,
    returns: bool,
) -> Result<CipherRequest> {
    if !matches!(request.mode, Mode::Ecb | Mode::Cbc | Mode::Ctr) {
        return Err(Error::invalid(format!(
            "a stream in {} is more than its data: choose ecb, cbc or ctr",
            request.mode
        )));
    }
    if let Application::Synchronous { update_bytes } = application
        && (update_bytes == 0 || !request.is_whole_blocks(update_bytes))
    {
        return Err(Error::invalid(format!(
            "an update has whole blocks of {} bytes, not {update_bytes} bytes",
            request.algorithm().block_bytes
        )));
    }
    let mut request = request.clone();
    request.output = match returns {
        true => Output::Return,
        false => Output::Sink,
    };
    check_request(device, &Request::from(&request))?;
    Ok(request)
}

/// Stream; `stop` is set when it fails, so that a reader that waits gives up.
fn run<R: Read + Send, W: Write + Send>(
    reader: R,
    writer: Option<W>,
    device: &dyn Device,
    request: CipherRequest,
    application: Application,
    progress: &mut dyn FnMut(u64),
    stop: &Cancellation,
) -> Result<StreamTimes> {
    let block_bytes = match request.mode.needs_whole_blocks() {
        true => request.algorithm().block_bytes,
        false => 1,
    };
    let chain = Chain::new(&request);
    let mut plan = Plan {
        device,
        request,
        chain: None,
        before: None,
        after: None,
    };
    let mut sink = Written(writer);
    let source = |chunker| Chunks {
        chunker,
        block_bytes,
    };
    let totals = match application {
        Application::Throughput => {
            let chunk_bytes = chain.chunk_bytes(device.capabilities().preferred_chunk_bytes);
            plan.chain = Some(chain);
            let mut source = source(Chunker::new(reader, chunk_bytes));
            pipeline::run(plan, &mut source, &mut sink, progress, stop, true)
        }
        Application::Synchronous { update_bytes } => {
            let mut source = source(Chunker::exact(reader, update_bytes));
            pipeline::run_updates(plan, &mut source, &mut sink, progress, stop)
        }
    }?;
    Ok(StreamTimes {
        bytes: totals.bytes_in,
        total: totals.total,
        inside_write: totals.inside_device,
        device: totals.timing,
    })
}

struct Chunks<R> {
    chunker: Chunker<R>,
    /// The length of each chunk is a multiple of this.
    block_bytes: usize,
}

impl<R: Read + Send> Source for Chunks<R> {
    fn fill(&mut self, chunk: &mut Chunk, allocator: &Allocator) -> Result<()> {
        self.chunker.fill(chunk, allocator)?;
        if chunk.data.len().is_multiple_of(self.block_bytes) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the input is not whole blocks of {} bytes, which this mode needs",
            self.block_bytes
        )))
    }
}

struct Written<W>(Option<W>);

impl<W: Write + Send> Sink for Written<W> {
    fn take(&mut self, chunk: &Chunk) -> Result<()> {
        match &mut self.0 {
            Some(writer) => writer.write_all(&chunk.data).map_err(writing),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ReferenceDevice;
    use crate::{Direction, ErrorKind, Key, run_message};

    const SYNCHRONOUS: Application = Application::Synchronous { update_bytes: 256 };

    fn request(mode: Mode, direction: Direction) -> CipherRequest {
        let key = Key::new(&[3; 32]).unwrap();
        CipherRequest::new(mode, direction, key, [0xff; 16])
    }

    fn run(
        device: &ReferenceDevice,
        request: &CipherRequest,
        application: Application,
        data: &[u8],
        output: Option<&mut Vec<u8>>,
    ) -> Result<StreamTimes> {
        let never = Cancellation::new();
        stream(
            data,
            output,
            device,
            request,
            application,
            &mut |_| {},
            &never,
        )
    }

    #[test]
    fn both_applications_give_what_one_message_gives() {
        let data: Vec<u8> = (0..=255).cycle().take(2000).collect();
        let device = ReferenceDevice::new().with_chunk(96);
        for mode in [Mode::Ecb, Mode::Cbc, Mode::Ctr] {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let request = request(mode, direction);
                let never = Cancellation::new();
                let whole = ReferenceDevice::new();
                let message = run_message(&whole, &request, data.clone(), &never, &mut |_| {});
                let expected = message.unwrap().data;
                for application in [Application::Throughput, SYNCHRONOUS] {
                    let mut output = Vec::new();
                    let times = run(&device, &request, application, &data, Some(&mut output));
                    assert!(output == expected, "{mode} {direction:?} {application:?}");
                    let times = times.unwrap();
                    assert_eq!(times.bytes, 2000);
                    assert!(times.inside_write <= times.total);
                    assert!(times.device.is_some());
                    let times = run(&device, &request, application, &data, None).unwrap();
                    assert_eq!(times.bytes, 2000);
                }
            }
        }
    }

    #[test]
    fn time_inside_write_is_the_device_s_and_not_the_reader_s() {
        const READ: Duration = Duration::from_millis(5);
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                std::thread::sleep(READ);
                let count = buffer.len().min(256);
                self.0.read(&mut buffer[..count])
            }
        }
        let delay = Duration::from_millis(2);
        let device = ReferenceDevice::new().with_delay(delay).with_chunk(256);
        let never = Cancellation::new();
        let request = request(Mode::Ctr, Direction::Encrypt);
        for application in [Application::Throughput, SYNCHRONOUS] {
            let times = stream(
                Slow(&[0; 1024]),
                Some(Vec::new()),
                &device,
                &request,
                application,
                &mut |_| {},
                &never,
            )
            .unwrap();
            assert!(times.inside_write >= delay, "{application:?}");
            match application {
                // Five reads, none while it writes.
                SYNCHRONOUS => assert!(times.total >= times.inside_write + 4 * READ),
                // What is read overlaps with what is written, but all of it is read.
                _ => assert!(times.total >= 4 * READ),
            }
        }
    }

    #[test]
    fn time_does_not_begin_before_the_device_is_open() {
        struct SlowToOpen(ReferenceDevice);
        impl Device for SlowToOpen {
            fn name(&self) -> &str {
                self.0.name()
            }
            fn capabilities(&self) -> &crate::Capabilities {
                self.0.capabilities()
            }
            fn open(&self, cancellation: Cancellation) -> Result<Box<dyn crate::Queue>> {
                std::thread::sleep(Duration::from_secs(1));
                self.0.open(cancellation)
            }
        }
        let device = SlowToOpen(ReferenceDevice::new());
        let request = request(Mode::Ctr, Direction::Encrypt);
        for application in [Application::Throughput, SYNCHRONOUS] {
            let never = Cancellation::new();
            let (reader, writer) = (&[0; 64][..], Some(Vec::new()));
            let times = stream(
                reader,
                writer,
                &device,
                &request,
                application,
                &mut |_| {},
                &never,
            );
            let total = times.unwrap().total;
            assert!(total < Duration::from_secs(1), "{application:?} {total:?}");
        }
    }

    #[test]
    fn an_output_is_replaced_only_when_all_has_gone_well() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (input, output) = (path("input"), path("output"));
        std::fs::write(&input, [1; 1000]).unwrap();
        std::fs::write(&output, "what was there").unwrap();
        let link = path("link");
        std::fs::hard_link(&input, &link).unwrap();
        let try_it =
            |device: &ReferenceDevice, request: &CipherRequest, application, output: &Path| {
                let never = Cancellation::new();
                let to = Some(output);
                stream_path(
                    &input,
                    to,
                    device,
                    request,
                    application,
                    &mut |_| {},
                    &never,
                )
                .map_err(|error| error.kind())
            };
        let device = ReferenceDevice::new().with_chunk(64);
        let failing = device.clone().failing_after(2);
        let ctr = request(Mode::Ctr, Direction::Encrypt);
        let gcm = request(Mode::Gcm, Direction::Encrypt);
        let ecb = request(Mode::Ecb, Direction::Encrypt);
        let invalid = Some(ErrorKind::Invalid);
        let odd = Application::Synchronous { update_bytes: 17 };
        for (device, request, application, output, kind) in [
            (&device, &gcm, SYNCHRONOUS, &output, invalid),
            (&device, &ctr, odd, &output, invalid),
            (&device, &ecb, SYNCHRONOUS, &output, invalid),
            (&device, &ecb, Application::Throughput, &output, invalid),
            (
                &failing,
                &ctr,
                SYNCHRONOUS,
                &output,
                Some(ErrorKind::Device),
            ),
            (&device, &ctr, SYNCHRONOUS, &input, invalid),
            (&device, &ctr, Application::Throughput, &link, invalid),
        ] {
            let outcome = try_it(device, request, application, output);
            assert_eq!(outcome.err(), kind, "{} {application:?}", request.mode);
            assert_eq!(std::fs::read(&input).unwrap(), [1; 1000]);
            assert_eq!(std::fs::read(path("output")).unwrap(), b"what was there");
        }
        let times = try_it(&device, &ctr, SYNCHRONOUS, &output).unwrap();
        assert_eq!(times.bytes, 1000);
        assert_eq!(std::fs::read(&output).unwrap().len(), 1000);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let ctr = request(Mode::Ctr, Direction::Encrypt);
        let kinds = [
            run(
                &ReferenceDevice::new(),
                &request(Mode::Gcm, Direction::Encrypt),
                SYNCHRONOUS,
                &[],
                None,
            ),
            run(
                &ReferenceDevice::new(),
                &ctr,
                Application::Synchronous { update_bytes: 17 },
                &[],
                None,
            ),
            run(
                &ReferenceDevice::new(),
                &request(Mode::Ecb, Direction::Encrypt),
                SYNCHRONOUS,
                &[0; 17],
                None,
            ),
            run(
                &ReferenceDevice::new(),
                &request(Mode::Cbc, Direction::Encrypt),
                Application::Throughput,
                &[0; 17],
                None,
            ),
            run(
                &ReferenceDevice::new().with_modes(&[Mode::Ecb]),
                &ctr,
                SYNCHRONOUS,
                &[],
                None,
            ),
            run(
                &ReferenceDevice::new().with_chunk(16).failing_after(2),
                &ctr,
                SYNCHRONOUS,
                &[0; 256],
                None,
            ),
        ]
        .map(|outcome| outcome.unwrap_err().kind());
        let (invalid, no) = (ErrorKind::Invalid, ErrorKind::Unsupported);
        assert_eq!(
            kinds,
            [invalid, invalid, invalid, invalid, no, ErrorKind::Device]
        );
    }
}
