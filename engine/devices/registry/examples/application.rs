// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The throughput application from memory to memory, for `bench/provider.py`: a stream in
//! ECB, CBC or CTR, whose chunks are as long as the device prefers, or messages in GCM; as
//! many in flight as the device holds.
//!
//! ```text
//! cargo run --release -p ciphermill-devices --example application -- DEVICE [MODELS]
//! ```
//!
//! Reads lines of `MODE DIRECTION MESSAGE_BYTES MESSAGES`, and answers each with the seconds
//! that it took and the device's cycles, 0 where it does not count them. AES-256.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ciphermill::{
    Application, Buffer, Cancellation, CipherRequest, Device, Direction, Error, Job, Key, Mode,
    Result, stream,
};

fn main() {
    if let Err(error) = serve() {
        eprintln!("application: {error}");
        std::process::exit(1);
    }
}

fn serve() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next();
    let name = name.ok_or_else(|| Error::invalid("name a device"))?;
    let models = arguments.next().map(PathBuf::from);
    let device = ciphermill_devices::open(&name, models.as_deref())?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Error::io("reading what to do", error))?;
        let (seconds, cycles) = run(&*device, &line)?;
        println!("{seconds} {cycles}");
    }
    Ok(())
}

fn run(device: &dyn Device, line: &str) -> Result<(f64, u64)> {
    let wrong = || Error::invalid(format!("MODE DIRECTION MESSAGE_BYTES MESSAGES, not {line}"));
    let [mode, direction, bytes, messages] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        return Err(wrong());
    };
    let mode = Mode::ALL.into_iter().find(|known| known.name() == mode);
    let direction = match direction {
        "encrypt" => Direction::Encrypt,
        "decrypt" => Direction::Decrypt,
        _ => return Err(wrong()),
    };
    let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
    let (Some(mode), Some(bytes), Some(messages)) = (mode, number(bytes), number(messages)) else {
        return Err(wrong());
    };
    let request = CipherRequest::new(mode, direction, Key::new(&[7; 32])?, [9; 16]);
    let mut memory = Memory::new(bytes, messages);
    if mode == Mode::Gcm {
        return gcm_messages(device, &request, &mut memory, messages);
    }
    let Memory { source, target } = &mut memory;
    let times = stream(
        source,
        Some(target),
        device,
        &request,
        Application::Throughput,
        &mut |_| {},
        &Cancellation::new(),
    )?;
    let cycles = times.device.and_then(|timing| timing.cycles);
    Ok((times.total.as_secs_f64(), cycles.unwrap_or(0)))
}

/// A message's memory, which is read, and other memory that is written, again and again.
struct Memory {
    source: Source,
    target: Target,
}

struct Source {
    data: Vec<u8>,
    at: usize,
    left: usize,
}

struct Target {
    data: Vec<u8>,
    at: usize,
}

impl Memory {
    fn new(bytes: usize, messages: usize) -> Memory {
        let data = vec![0x5a; bytes];
        Memory {
            target: Target {
                data: data.clone(),
                at: 0,
            },
            source: Source {
                data,
                at: 0,
                left: bytes * messages,
            },
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.data.len() - self.at;
        let count = buffer.len().min(rest).min(self.left);
        buffer[..count].copy_from_slice(&self.data[self.at..self.at + count]);
        self.at = (self.at + count) % self.data.len();
        self.left -= count;
        Ok(count)
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.data.len() - self.at);
        self.data[self.at..self.at + count].copy_from_slice(&buffer[..count]);
        self.at = (self.at + count) % self.data.len();
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Messages of which several are in flight; their buffers are used again.
fn gcm_messages(
    device: &dyn Device,
    request: &CipherRequest,
    memory: &mut Memory,
    messages: usize,
) -> Result<(f64, u64)> {
    let slots = device.capabilities().in_flight.max(1);
    let mut queue = device.open(Cancellation::new())?;
    let allocator = device.allocator();
    let mut spare: VecDeque<Buffer> = VecDeque::new();
    let (mut elapsed, mut cycles) = (Duration::ZERO, 0);
    // The first round makes the buffers.
    for count in [slots.min(messages), messages] {
        let (mut submitted, mut done) = (0, 0);
        cycles = 0;
        let began = Instant::now();
        while done < count {
            if submitted < count && submitted - done < slots {
                let mut data = spare.pop_front().unwrap_or_default();
                allocator.prepare(&mut data, memory.source.data.len())?;
                data.copy_from_slice(&memory.source.data);
                let (token, request) = (submitted as u64, request.clone());
                queue.submit(Job {
                    token,
                    request: request.into(),
                    data,
                })?;
                submitted += 1;
                continue;
            }
            let lost = || Error::device("the device lost a job");
            let completion = queue.complete().ok_or_else(lost)?;
            let timing = completion.timing;
            cycles += timing.and_then(|timing| timing.cycles).unwrap_or(0);
            let output = completion.result?;
            memory.target.data.copy_from_slice(&output);
            spare.push_back(output);
            done += 1;
        }
        elapsed = began.elapsed();
    }
    Ok((elapsed.as_secs_f64(), cycles))
}
