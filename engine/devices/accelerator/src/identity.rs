// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What a device says that it is.

use ciphermill::{
    AES, ASCON_AEAD128, ASCON_HASH256, Ability, Algorithm, Capabilities, Direction, Error,
    HMAC_SHA_224, HMAC_SHA_256, HMAC_SHA_384, HMAC_SHA_512, HMAC_SHA_512_224, HMAC_SHA_512_256,
    Mode, Operation, PRESENT, Request, Result, SHA_224, SHA_256, SHA_384, SHA_512, SHA_512_224,
    SHA_512_256,
};

use crate::RegisterFile;
use crate::curve::CURVES;
use crate::registers::*;

/// The chunk at which register accesses no longer count, and buffers stay in the
/// processor's caches.
const PREFERRED_CHUNK_BYTES: usize = 256 * 1024;

/// Jobs that a queue usefully holds: one that the device works on, and the next.
pub const JOBS_IN_FLIGHT: usize = 2;

/// An algorithm that accelerators are built around.
struct Built {
    /// CAPABILITY.algorithm.
    number: u32,
    title: &'static str,
    /// The same, where it is a block cipher.
    cipher: Option<&'static Algorithm>,
    /// Whether it has S-boxes to choose from.
    has_sboxes: bool,
}

static BUILT: [Built; 5] = [
    Built {
        number: CAPABILITY_ALGORITHM_AES,
        title: "AES",
        cipher: Some(&AES),
        has_sboxes: true,
    },
    Built {
        number: CAPABILITY_ALGORITHM_ASCON,
        title: "Ascon",
        cipher: None,
        has_sboxes: false,
    },
    Built {
        number: CAPABILITY_ALGORITHM_SHA2,
        title: "SHA-2",
        cipher: None,
        has_sboxes: false,
    },
    Built {
        number: CAPABILITY_ALGORITHM_ECC,
        title: "ECC",
        cipher: None,
        has_sboxes: false,
    },
    Built {
        number: CAPABILITY_ALGORITHM_PRESENT,
        title: "PRESENT",
        cipher: Some(&PRESENT),
        has_sboxes: false,
    },
];

/// A function of SHA-2: its digest, HMAC with it, CONFIGURATION.hash, and its bit of CAPABILITY.
pub(crate) struct Sha2 {
    pub digest: &'static Algorithm,
    pub hmac: &'static Algorithm,
    pub number: u32,
    capability: u32,
}

/// Every function of SHA-2.
pub(crate) static SHA2_FUNCTIONS: [Sha2; 6] = {
    const fn row(
        digest: &'static Algorithm,
        hmac: &'static Algorithm,
        number: u32,
        capability: u32,
    ) -> Sha2 {
        Sha2 {
            digest,
            hmac,
            number,
            capability,
        }
    }
    const NARROW: u32 = CAPABILITY_SHA2_32_MASK;
    const WIDE: u32 = CAPABILITY_SHA2_64_MASK;
    [
        row(&SHA_224, &HMAC_SHA_224, CONFIGURATION_HASH_SHA_224, NARROW),
        row(&SHA_256, &HMAC_SHA_256, CONFIGURATION_HASH_SHA_256, NARROW),
        row(&SHA_384, &HMAC_SHA_384, CONFIGURATION_HASH_SHA_384, WIDE),
        row(&SHA_512, &HMAC_SHA_512, CONFIGURATION_HASH_SHA_512, WIDE),
        row(
            &SHA_512_224,
            &HMAC_SHA_512_224,
            CONFIGURATION_HASH_SHA_512_224,
            WIDE,
        ),
        row(
            &SHA_512_256,
            &HMAC_SHA_512_256,
            CONFIGURATION_HASH_SHA_512_256,
            WIDE,
        ),
    ]
};

/// What the identification, version, capability and geometry registers hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Identity {
    /// Version of the register map: major, minor, patch.
    pub version: (u8, u8, u8),
    /// The algorithm that it is built around, such as `AES`.
    pub algorithm: &'static str,
    /// Architecture of the core, in a word; `None` for one that this program does not know.
    pub architecture: Option<&'static str>,
    /// S-box of the core, in a word, where the algorithm has several.
    pub sbox: Option<&'static str>,
    /// Its block cipher, where it has one.
    pub cipher: Option<&'static Algorithm>,
    /// Modes and directions of the block cipher that are present.
    pub operations: Vec<(Mode, Direction)>,
    /// Algorithms without modes, and what they do here.
    pub whole: Vec<(&'static Algorithm, Operation)>,
    /// Bits of its keys, smallest first.
    pub key_bits: Vec<usize>,
    /// Output can be consumed on the device.
    pub sink: bool,
    /// Data can go through uncoded.
    pub bypass: bool,
    /// Width of the streams in bytes: 4, 8 or 16.
    pub stream_bytes: usize,
    /// Private keys that a channel can hold.
    pub key_slots: usize,
}

impl Identity {
    /// Read and check a device's identity.
    ///
    /// Fails with [`ciphermill::ErrorKind::Device`] when the device is none of
    /// ours, has a register map of another major version, or contradicts itself.
    pub fn read(registers: &mut (impl RegisterFile + ?Sized)) -> Result<Identity> {
        let magic = registers.read(header::IDENTIFICATION)?;
        match Map::of(magic) {
            Some(Map::Accelerator) => {}
            Some(other) => {
                return Err(Error::device(format!(
                    "not a Ciphermill accelerator: a Ciphermill {} is behind this address",
                    other.title()
                )));
            }
            None => {
                return Err(Error::device(format!(
                    "not a Ciphermill accelerator: its identification reads {magic:#010x}, not {IDENTIFICATION_MAGIC_VALUE:#010x}"
                )));
            }
        }
        let version = registers.read(VERSION)?;
        check_version(version)?;
        let capability = registers.read(CAPABILITY)?;
        Identity::of(version, capability, registers.read(GEOMETRY)?)
    }

    /// The identity of a device whose registers VERSION, CAPABILITY and GEOMETRY have these values.
    ///
    /// Fails as [`Identity::read`].
    pub fn of(version: u32, capability: u32, geometry: u32) -> Result<Identity> {
        let version = check_version(version)?;
        let number = field(capability, CAPABILITY_ALGORITHM_MASK);
        let Some(built) = BUILT.iter().find(|built| built.number == number) else {
            let known: Vec<_> = BUILT
                .iter()
                .map(|built| format!("{} ({})", built.title, built.number))
                .collect();
            return Err(Error::device(format!(
                "the accelerator has algorithm number {number}, this program knows {}",
                known.join(" and ")
            )));
        };
        let identity = Identity {
            algorithm: built.title,
            version,
            architecture: match field(capability, CAPABILITY_ARCHITECTURE_MASK) {
                CAPABILITY_ARCHITECTURE_ITERATIVE => Some("iterative"),
                CAPABILITY_ARCHITECTURE_PIPELINED => Some("pipelined"),
                CAPABILITY_ARCHITECTURE_SERIAL => Some("serial"),
                CAPABILITY_ARCHITECTURE_UNROLLED => Some("unrolled"),
                _ => None,
            },
            sbox: built
                .has_sboxes
                .then_some(match field(capability, CAPABILITY_SBOX_MASK) {
                    CAPABILITY_SBOX_TABLE => "table",
                    CAPABILITY_SBOX_COMPOSITE => "composite",
                    CAPABILITY_SBOX_DECODER => "decoder",
                    _ => "unknown",
                }),
            cipher: built.cipher,
            operations: match built.cipher {
                Some(_) => operations(capability),
                None => Vec::new(),
            },
            whole: whole(capability),
            key_bits: key_bits(capability),
            sink: capability & CAPABILITY_SINK_MASK != 0,
            bypass: capability & CAPABILITY_BYPASS_MASK != 0,
            stream_bytes: field(geometry, GEOMETRY_STREAM_BYTES_MASK) as usize,
            key_slots: field(geometry, GEOMETRY_KEY_SLOTS_MASK) as usize,
        };
        identity.check()?;
        Ok(identity)
    }

    fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::device(format!("the accelerator {what}")));
        if ![4, 8, 16].contains(&self.stream_bytes) {
            return wrong(format!(
                "says that its streams are {} bytes wide; 4, 8 and 16 exist",
                self.stream_bytes
            ));
        }
        let ciphers = !self.operations.is_empty() && !self.key_bits.is_empty();
        if !ciphers && self.whole.is_empty() && !self.bypass {
            return wrong("offers no operation".to_owned());
        }
        Ok(())
    }

    /// Whether the device has the operation of a request, and takes its key.
    pub fn has(&self, request: &Request) -> bool {
        match request {
            Request::Cipher(request) if request.bypass => self.bypass,
            Request::Cipher(request) => {
                let wanted = (request.mode, request.direction);
                self.cipher == Some(request.algorithm())
                    && self.operations.contains(&wanted)
                    && self.key_bits.contains(&request.key.bits())
            }
            other => (self.whole).contains(&(other.algorithm(), other.operation())),
        }
    }

    /// What an accelerator has whose channels are these: together the operations of all.
    ///
    /// `clock_mhz` and `place` are as for [`Identity::capabilities`].
    pub fn capabilities_of(
        channels: &[Identity],
        clock_mhz: Option<f64>,
        place: &str,
    ) -> Capabilities {
        let each = channels
            .iter()
            .map(|one| one.capabilities(clock_mhz, place));
        let merged = each.reduce(|mut all, one| {
            for ability in one.operations {
                if !all.operations.contains(&ability) {
                    all.operations.push(ability);
                }
            }
            all.sink |= one.sink;
            all.bypass |= one.bypass;
            all
        });
        let mut merged = merged.unwrap_or_else(|| Capabilities::new(place, Vec::new()));
        merged.processors = Some(channels.len());
        let mut titles: Vec<_> = channels.iter().map(|one| one.algorithm).collect();
        titles.dedup();
        if titles.len() > 1 {
            let first = channels[0].algorithm;
            let (_, of_first) = merged.description.split_at(first.len());
            merged.description = format!("{}{of_first}", titles.join(", "));
        }
        merged
    }

    /// The device's capabilities.
    ///
    /// `clock_mhz` is its clock, where known; `place` says where it is, such as
    /// `simulated in this process`.
    pub fn capabilities(&self, clock_mhz: Option<f64>, place: &str) -> Capabilities {
        let clock = clock_mhz.map_or(String::new(), |mhz| format!(", {mhz} MHz"));
        let sbox = self
            .sbox
            .map_or(String::new(), |sbox| format!(", {sbox} S-box"));
        let description = format!(
            "{} accelerator, {} core{sbox}, {}-bit streams{clock}, {place}",
            self.algorithm,
            self.architecture.unwrap_or("unknown"),
            self.stream_bytes * 8,
        );
        let mut operations = match self.cipher {
            Some(cipher) => Ability::block_cipher(cipher, &self.operations, &self.key_bits),
            None => Vec::new(),
        };
        for (algorithm, operation) in &self.whole {
            let of = |ability: &Ability| ability.operation == *operation;
            operations.extend(Ability::whole(algorithm).into_iter().filter(of));
        }
        let mut capabilities = Capabilities::new(description, operations);
        capabilities.preferred_chunk_bytes = PREFERRED_CHUNK_BYTES;
        capabilities.in_flight = JOBS_IN_FLIGHT;
        capabilities.sink = self.sink;
        capabilities.bypass = self.bypass;
        capabilities.clock_mhz = clock_mhz;
        capabilities.processors = Some(1);
        capabilities.architecture = self.architecture;
        capabilities.stream_bits = Some(self.stream_bytes as u32 * 8);
        capabilities
    }
}

/// Major, minor and patch of a VERSION that this program speaks.
fn check_version(version: u32) -> Result<(u8, u8, u8)> {
    let major = field(version, VERSION_MAJOR_MASK);
    let minor = field(version, VERSION_MINOR_MASK);
    let patch = field(version, VERSION_PATCH_MASK);
    if major != VERSION_MAJOR_VALUE {
        return Err(Error::device(format!(
            "the accelerator's register map has version {major}.{minor}.{patch}, this program speaks {VERSION_MAJOR_VALUE}.x: rebuild the older of the two"
        )));
    }
    Ok((major as u8, minor as u8, patch as u8))
}

/// The value of a field, shifted down.
fn field(value: u32, mask: u32) -> u32 {
    (value & mask) >> mask.trailing_zeros()
}

fn operations(capability: u32) -> Vec<(Mode, Direction)> {
    let modes = [
        (Mode::Ecb, CAPABILITY_ECB_MASK),
        (Mode::Cbc, CAPABILITY_CBC_MASK),
        (Mode::Ctr, CAPABILITY_CTR_MASK),
        (Mode::Gcm, CAPABILITY_GCM_MASK),
        (Mode::Xts, CAPABILITY_XTS_MASK),
    ];
    let encrypts = capability & CAPABILITY_ENCRYPT_MASK != 0;
    let decrypts = capability & CAPABILITY_DECRYPT_MASK != 0;
    let mut operations = Vec::new();
    for (mode, mask) in modes {
        if capability & mask == 0 {
            continue;
        }
        // CTR and GCM use the core's encryption in both directions (SP 800-38A, 6.5;
        // SP 800-38D, 7).
        let counts = matches!(mode, Mode::Ctr | Mode::Gcm);
        if encrypts {
            operations.push((mode, Direction::Encrypt));
        }
        if if counts { encrypts } else { decrypts } {
            operations.push((mode, Direction::Decrypt));
        }
    }
    operations
}

/// What the algorithms without modes do.
fn whole(capability: u32) -> Vec<(&'static Algorithm, Operation)> {
    let ascon = [
        (
            &ASCON_AEAD128,
            Operation::Encrypt,
            CAPABILITY_AEAD_MASK | CAPABILITY_ENCRYPT_MASK,
        ),
        (
            &ASCON_AEAD128,
            Operation::Decrypt,
            CAPABILITY_AEAD_MASK | CAPABILITY_DECRYPT_MASK,
        ),
        (&ASCON_HASH256, Operation::Digest, CAPABILITY_DIGEST_MASK),
    ];
    let sha2 = SHA2_FUNCTIONS.iter().flat_map(|function| {
        [
            (function.digest, Operation::Digest, function.capability),
            (function.hmac, Operation::Authenticate, function.capability),
        ]
    });
    let curves = CURVES.iter().flat_map(|curve| {
        let operations = curve.algorithm.operations.iter();
        operations.map(|operation| (curve.algorithm, *operation, curve.present))
    });
    ascon
        .into_iter()
        .chain(sha2)
        .chain(curves)
        .filter(|(.., mask)| capability & mask == *mask)
        .map(|(algorithm, operation, _)| (algorithm, operation))
        .collect()
}

fn key_bits(capability: u32) -> Vec<usize> {
    [
        (80, CAPABILITY_KEY_80_MASK),
        (128, CAPABILITY_KEY_128_MASK),
        (192, CAPABILITY_KEY_192_MASK),
        (256, CAPABILITY_KEY_256_MASK),
    ]
    .into_iter()
    .filter(|(_, mask)| capability & mask != 0)
    .map(|(bits, _)| bits)
    .collect()
}
