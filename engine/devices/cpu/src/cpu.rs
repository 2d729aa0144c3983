// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The device `cpu`.

use std::sync::Arc;

use ciphermill::{
    AES, Ability, Algorithm, Buffer, Cancellation, Capabilities, CipherRequest, Device, Direction,
    Error, KeyReference, MessageHash, Mode, Queue, Request, Result, SecretKey,
};

use crate::algorithms::{self, DirectDigest};
use crate::answer::SLICE_BYTES;
use crate::caller::CallerQueue;
use crate::direct::Direct;
use crate::evp::{self, AWS_LC};
use crate::instructions::Instructions;
use crate::pool::{Pool, PoolQueue};
use crate::work::Work;
use crate::xts::DirectXts;

/// Bytes at which a chunk's fixed costs no longer count and a second thread still
/// finds work in a file of a few megabytes.
const PREFERRED_CHUNK_BYTES: usize = 1 << 20;

/// The best implementation on this processor, `cpu`.
///
/// ```
/// use ciphermill::{Cancellation, CipherRequest, Device, Direction, Job, Key, Mode};
/// use ciphermill_cpu::CpuDevice;
///
/// let device = CpuDevice::new();
/// let mut queue = device.open(Cancellation::new()).unwrap();
/// let key = Key::new(&[0; 32]).unwrap();
/// let request = CipherRequest::new(Mode::Ctr, Direction::Encrypt, key, [0; 16]);
/// queue.submit(Job { token: 1, request: request.into(), data: b"attack at dawn".to_vec().into() }).unwrap();
/// let ciphertext = queue.complete().unwrap().result.unwrap();
/// assert_eq!(ciphertext.len(), 14);
/// ```
pub struct CpuDevice {
    capabilities: Capabilities,
    instructions: Instructions,
    pool: Arc<Pool>,
    work: Arc<Work>,
}

impl CpuDevice {
    /// On the best instructions, with a worker for each hardware thread that this
    /// process may use.
    pub fn new() -> CpuDevice {
        CpuDevice::build(Instructions::best(), Pool::default_threads())
    }

    /// On chosen instructions and with so many workers (at least one; a single one is
    /// the caller's own thread, as it asks for completions), to compare.
    /// [`ciphermill::ErrorKind::Unsupported`] where the processor lacks them.
    pub fn with(instructions: Instructions, workers: usize) -> Result<CpuDevice> {
        if Instructions::available().contains(&instructions) {
            Ok(CpuDevice::build(instructions, workers))
        } else {
            Err(Error::unsupported(format!(
                "this processor has no {instructions}: choose one of {:?}",
                Instructions::available()
            )))
        }
    }

    /// The instructions that ECB, CBC and CTR run on. With those of AWS-LC, several streams in CBC
    /// encryption go side by side by AES-NI.
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    fn build(instructions: Instructions, workers: usize) -> CpuDevice {
        let pool = Arc::new(Pool::new("cpu", workers));
        let mut capabilities = capabilities(
            pool.threads(),
            format!("this processor: ECB, CBC, CTR and XTS by {instructions}, GCM by AWS-LC"),
        );
        capabilities.operations.extend(algorithms::abilities());
        let work = Arc::new(work(instructions));
        capabilities.streams = pool.threads() * work.lanes();
        CpuDevice {
            capabilities,
            instructions,
            pool,
            work,
        }
    }
}

impl Default for CpuDevice {
    fn default() -> CpuDevice {
        CpuDevice::new()
    }
}

impl Device for CpuDevice {
    fn name(&self) -> &str {
        "cpu"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn hash(&self, request: &Request) -> Result<Option<Box<dyn MessageHash>>> {
        Ok(Some(Box::new(DirectDigest::of(request)?)))
    }

    fn hold_key(
        &self,
        algorithm: &'static Algorithm,
        key: Option<&SecretKey>,
        _: &Cancellation,
    ) -> Result<KeyReference> {
        algorithms::hold(self.name(), algorithm, key)
    }

    fn open(&self, cancellation: Cancellation) -> Result<Box<dyn Queue>> {
        let work = Arc::clone(&self.work);
        Ok(if self.pool.threads() == 1 {
            Box::new(CallerQueue::new(work, cancellation))
        } else {
            Box::new(PoolQueue::new(Arc::clone(&self.pool), work, cancellation))
        })
    }
}

/// What every device on the processor can do.
pub(crate) fn capabilities(workers: usize, description: String) -> Capabilities {
    let operations: Vec<_> = Mode::ALL
        .into_iter()
        .flat_map(|mode| [(mode, Direction::Encrypt), (mode, Direction::Decrypt)])
        .collect();
    let operations = Ability::block_cipher(&AES, &operations, AES.key_bits);
    let mut capabilities = Capabilities::new(description, operations);
    capabilities.preferred_chunk_bytes = PREFERRED_CHUNK_BYTES;
    // One in each worker, and one that the next free worker finds at once.
    capabilities.in_flight = workers + 1;
    capabilities.processors = Some(workers);
    capabilities.any_gcm_iv = true;
    capabilities.sink = true;
    capabilities.bypass = true;
    capabilities
}

/// What the workers do.
fn work(instructions: Instructions) -> Work {
    let one = move |request: &Request, data: &mut Buffer, cancellation: &Cancellation| match request
    {
        Request::Cipher(request) if request.key.is_aes() => {
            cipher(instructions, request, data, cancellation)
        }
        other => algorithms::run(other, data, cancellation),
    };
    Work::new(one).side_by_side(instructions)
}

fn cipher(
    instructions: Instructions,
    request: &CipherRequest,
    data: &mut [u8],
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    match request.mode {
        Mode::Xts => xts(instructions, request, data, cancellation),
        Mode::Gcm => evp::run(&AWS_LC, request, data, cancellation),
        Mode::Ecb | Mode::Cbc | Mode::Ctr => {
            let mut direct = Direct::with(instructions, request)?;
            for slice in data.chunks_mut(SLICE_BYTES) {
                cancellation.check()?;
                direct.process(slice)?;
            }
            Ok(None)
        }
    }
}

fn xts(
    instructions: Instructions,
    request: &CipherRequest,
    data: &mut [u8],
    cancellation: &Cancellation,
) -> Result<Option<[u8; 16]>> {
    let units = request.check_data_units(data.len())?;
    let mut xts = DirectXts::with(instructions, request)?;
    let mut number = request.iv;
    let slice_bytes = (SLICE_BYTES / units.bytes).max(1) * units.bytes;
    for slice in data.chunks_mut(slice_bytes) {
        cancellation.check()?;
        xts.process(number, slice)?;
        number = units.following(number, slice.len());
    }
    Ok(None)
}
