// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Throughput of the devices on this processor on one thread, through their
//! queues, in place: what a caller with one buffer sees.
//!
//! ```text
//! cargo run --release -p ciphermill-cpu --example throughput -- \
//!     [--implementation NAME]... [--mode MODE|cmac|HASH]... [--direction encrypt|decrypt]...
//!     [--key-bits N] [--bytes N] [--streams N] [--keys N] [--seconds S]
//! ```
//!
//! `--mode cmac` authenticates, `--mode sha-256` and so on digest: their direction is `encrypt`.
//! `--streams N`: so many messages in flight, each of `--bytes`; one unless said. `--keys N`: the
//! messages take turns with so many keys; one unless said.
//! Implementations: `cpu`, `cpu:vaes-512`, `cpu:vaes-256`, `cpu:aws-lc`, `software+` (or
//! `software`, with OPENSSL_ia32cap=~0x200000200000000:~0x60000000000 in the environment) and,
//! to compare, `rustcrypto`. The default is all that are here. Prints a JSON object a line.

use std::time::{Duration, Instant};

use cipher::{KeyIvInit, StreamCipher};
use ciphermill::{
    AES_CMAC, Algorithm, Buffer, Cancellation, CipherRequest, Device, Direction, Job, Key, Mode,
    Operation, Request, Result, SecretKey,
};
use ciphermill_cpu::{CpuDevice, Instructions, OpenSslDevice};

struct Options {
    implementations: Vec<String>,
    modes: Vec<What>,
    directions: Vec<Direction>,
    key_bits: usize,
    bytes: usize,
    streams: usize,
    keys: usize,
    seconds: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Cipher(Mode),
    Cmac,
    Digest(&'static Algorithm),
}

impl What {
    fn name(self) -> &'static str {
        match self {
            What::Cipher(mode) => mode.name(),
            What::Cmac => "cmac",
            What::Digest(algorithm) => algorithm.name,
        }
    }
}

fn main() {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("throughput: {message}");
            std::process::exit(2);
        }
    };
    let chosen = !options.implementations.is_empty();
    let names = if chosen {
        options.implementations.clone()
    } else {
        let mut names: Vec<String> = Instructions::available().iter().map(cpu_name).collect();
        names.extend(["rustcrypto", "software", "software+"].map(String::from));
        names
    };
    for name in names {
        for &mode in &options.modes {
            for &direction in &options.directions {
                match measure(&name, mode, direction, &options) {
                    Ok(Some(rate)) => print(&name, mode, direction, &options, rate),
                    Ok(None) => {}
                    Err(error) => {
                        eprintln!("throughput: {name}: {error}");
                        if chosen {
                            std::process::exit(1);
                        }
                    }
                }
            }
        }
    }
}

fn print(name: &str, mode: What, direction: Direction, options: &Options, rate: f64) {
    println!(
        "{{\"device\": \"{name}\", \"cipher\": \"aes\", \"mode\": \"{}\", \"direction\": \"{direction}\", \
         \"key_bits\": {}, \"bytes\": {}, \"streams\": {}, \"keys\": {}, \"throughput.mb_s\": {rate:.1}, \"method\": \"measured\"}}",
        mode.name(),
        options.key_bits,
        options.bytes,
        options.streams,
        options.keys
    );
}

fn parse(mut arguments: impl Iterator<Item = String>) -> std::result::Result<Options, String> {
    let mut options = Options {
        implementations: Vec::new(),
        modes: Vec::new(),
        directions: Vec::new(),
        key_bits: 256,
        bytes: 1 << 20,
        streams: 1,
        keys: 1,
        seconds: 1.0,
    };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        let wrong = || format!("{name} cannot be {value}");
        match name.as_str() {
            "--implementation" => options.implementations.push(value),
            "--mode" if value == "cmac" => options.modes.push(What::Cmac),
            "--mode" if value.starts_with("sha-") => options.modes.push(What::Digest(
                Algorithm::find(&value, Operation::Digest).map_err(|_| wrong())?,
            )),
            "--mode" => options.modes.push(What::Cipher(
                (Mode::MESSAGES.into_iter().find(|mode| mode.name() == value)).ok_or_else(wrong)?,
            )),
            "--direction" => options.directions.push(match value.as_str() {
                "encrypt" => Direction::Encrypt,
                "decrypt" => Direction::Decrypt,
                _ => return Err(wrong()),
            }),
            "--key-bits" => options.key_bits = value.parse().map_err(|_| wrong())?,
            "--bytes" => options.bytes = value.parse().map_err(|_| wrong())?,
            "--streams" => options.streams = value.parse().map_err(|_| wrong())?,
            "--keys" => options.keys = value.parse().map_err(|_| wrong())?,
            "--seconds" => options.seconds = value.parse().map_err(|_| wrong())?,
            _ => return Err(format!("no option {name}: see the top of throughput.rs")),
        }
    }
    if options.modes.is_empty() {
        options.modes = Mode::MESSAGES.map(What::Cipher).to_vec();
    }
    if options.directions.is_empty() {
        options.directions = vec![Direction::Encrypt, Direction::Decrypt];
    }
    Ok(options)
}

fn cpu_name(instructions: &Instructions) -> String {
    format!("cpu:{instructions}").to_lowercase()
}

fn device(name: &str) -> Result<Box<dyn Device>> {
    Ok(match name {
        "software" => Box::new(OpenSslDevice::without_aes_instructions()?),
        "software+" => Box::new(OpenSslDevice::with_aes_instructions()?),
        "cpu" => Box::new(CpuDevice::with(Instructions::best(), 1)?),
        _ => {
            let instructions = Instructions::available()
                .into_iter()
                .find(|instructions| cpu_name(instructions) == name)
                .ok_or_else(|| ciphermill::Error::unsupported("not on this processor"))?;
            Box::new(CpuDevice::with(instructions, 1)?)
        }
    })
}

/// Megabytes (10^6 bytes) a second; `None` where the implementation lacks it.
fn measure(name: &str, mode: What, direction: Direction, options: &Options) -> Result<Option<f64>> {
    if !matches!(mode, What::Cipher(_)) && direction == Direction::Decrypt {
        return Ok(None);
    }
    let key = vec![0x5a; options.key_bits / 8];
    if name == "rustcrypto" {
        return Ok(
            (mode == What::Cipher(Mode::Ctr) && options.key_bits == 256).then(|| {
                let mut cipher = ctr::Ctr128BE::<aes::Aes256>::new_from_slices(&key, &[1; 16])
                    .expect("the key has 32 bytes and the IV 16");
                let mut data = vec![0; options.bytes];
                repeat(options, |_| cipher.apply_keystream(&mut data))
            }),
        );
    }
    let device = device(name)?;
    let mut queue = device.open(Cancellation::new())?;
    let request = |key: &[u8]| {
        Ok::<_, ciphermill::Error>(match mode {
            What::Cipher(mode) => {
                Request::from(CipherRequest::new(mode, direction, Key::new(key)?, [1; 16]))
            }
            What::Cmac => Request::Authenticate(&AES_CMAC, SecretKey::new(key)),
            What::Digest(algorithm) => Request::Digest(algorithm),
        })
    };
    if direction == Direction::Decrypt && mode == What::Cipher(Mode::Gcm) {
        // A wrong tag is found after all the work, but its data is then zeroised:
        // so this decrypts a message whose tag is right, made anew each time.
        let request = request(&key)?.cipher()?.clone();
        return gcm_decryption(&mut *queue, request, options).map(Some);
    }
    let requests = (0..options.keys.max(1))
        .map(|number| request(&vec![0x5a ^ number as u8; options.key_bits / 8]))
        .collect::<Result<Vec<_>>>()?;
    // `cpu` works on this thread. The OpenSSL devices have a thread for each
    // processor: with one job in flight, one of them works.
    let mut spare = vec![Buffer::zeroed(options.bytes); options.streams.max(1)];
    let mut failure = None;
    let rate = repeat(options, |token| {
        let data = spare.pop().unwrap_or_else(|| {
            match queue.complete().map(|completion| completion.result) {
                Some(Ok(mut data)) => {
                    // A code is shorter than its message.
                    assert!(data.resize_within(options.bytes), "the buffer came back");
                    data
                }
                Some(Err(error)) => {
                    failure = Some(error);
                    Buffer::zeroed(options.bytes)
                }
                None => Buffer::zeroed(options.bytes),
            }
        });
        let request = requests[token as usize % requests.len()].clone();
        if let Err(error) = queue.submit(Job {
            token,
            request,
            data,
        }) {
            failure = Some(error);
        }
    });
    failure.map_or(Ok(Some(rate)), Err)
}

/// Decrypts what was encrypted before; only the decryptions' own times count.
fn gcm_decryption(
    queue: &mut dyn ciphermill::Queue,
    mut request: CipherRequest,
    options: &Options,
) -> Result<f64> {
    let mut run = |request: &CipherRequest, data: Buffer| {
        queue.submit(Job {
            token: 0,
            request: request.clone().into(),
            data,
        })?;
        let completion = queue
            .complete()
            .ok_or_else(|| ciphermill::Error::device("the queue lost a job"))?;
        Ok::<_, ciphermill::Error>((completion.result?, completion.tag, completion.timing))
    };
    let (mut spent, mut count) = (Duration::ZERO, 0u32);
    let mut data = Buffer::zeroed(options.bytes);
    while spent.as_secs_f64() < options.seconds {
        request.direction = Direction::Encrypt;
        let (ciphertext, tag, _) = run(&request, data)?;
        request.direction = Direction::Decrypt;
        request.tag = tag;
        let (plaintext, _, timing) = run(&request, ciphertext)?;
        data = plaintext;
        spent += timing.map_or(Duration::ZERO, |timing| timing.total);
        count += 1;
    }
    Ok(f64::from(count) * options.bytes as f64 / spent.as_secs_f64() / 1e6)
}

/// Megabytes a second of a function that works on `bytes` bytes, after a tenth of
/// the time to warm up. The clock is read once for as many calls as there are streams.
fn repeat(options: &Options, mut function: impl FnMut(u64)) -> f64 {
    let mut token = 0;
    let mut for_seconds = |seconds: f64| {
        let start = Instant::now();
        let mut count = 0u32;
        while start.elapsed().as_secs_f64() < seconds {
            for _ in 0..options.streams.max(1) {
                function(token);
                token += 1;
                count += 1;
            }
        }
        f64::from(count) * options.bytes as f64 / start.elapsed().as_secs_f64() / 1e6
    };
    for_seconds(options.seconds / 10.0);
    for_seconds(options.seconds)
}
