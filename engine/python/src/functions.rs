// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Encryption and decryption of buffers and files.

use std::fs;
use std::path::{Path, PathBuf};

use ciphermill::openssl_format::{self, OpensslOptions};
use ciphermill::{
    Algorithm, CostLimits, DecryptOptions, EncryptOptions, KeyBits, KeyDerivation, Mode, Operation,
    OutputOptions, Request, Secret, Summary,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::device::{PyDevice, PyTiming};
use crate::errors::{InvalidError, exception};
use crate::options;
use crate::supervise::supervise;

const STREAM: &str = "-";

/// How to encrypt, but for the secret.
#[pyclass(name = "EncryptOptions", module = "ciphermill", frozen)]
struct PyEncryptOptions {
    mode: Option<Mode>,
    key_bits: KeyBits,
    chunk_bytes: Option<usize>,
    key_derivation: KeyDerivation,
    /// The derivation, or what it costs, was chosen.
    derives: bool,
    limits: CostLimits,
}

#[pymethods]
impl PyEncryptOptions {
    #[new]
    #[pyo3(signature = (
        *, mode = None, key_bits = 256, chunk_bytes = None, key_derivation = None,
        kdf_memory_bytes = None, kdf_passes = None, kdf_iterations = None, kdf_limit = 1,
    ))]
    #[allow(clippy::too_many_arguments)] // Python's keyword arguments
    fn new(
        mode: Option<&str>,
        key_bits: usize,
        chunk_bytes: Option<usize>,
        key_derivation: Option<&str>,
        kdf_memory_bytes: Option<u64>,
        kdf_passes: Option<u32>,
        kdf_iterations: Option<u32>,
        kdf_limit: u32,
    ) -> PyResult<PyEncryptOptions> {
        let derivation = match key_derivation {
            Some(name) => KeyDerivation::from_name(name).map_err(exception)?,
            None => KeyDerivation::default(),
        };
        Ok(PyEncryptOptions {
            mode: mode.map(options::mode).transpose()?,
            key_bits: options::key_bits(key_bits)?,
            chunk_bytes,
            key_derivation: derivation
                .with_cost(kdf_memory_bytes, kdf_passes, kdf_iterations)
                .map_err(exception)?,
            derives: key_derivation.is_some()
                || kdf_memory_bytes.is_some()
                || kdf_passes.is_some()
                || kdf_iterations.is_some(),
            limits: CostLimits::default().times(kdf_limit),
        })
    }
}

impl PyEncryptOptions {
    fn with(&self, secret: Secret) -> PyResult<EncryptOptions> {
        if self.derives && !secret.is_password() {
            return Err(InvalidError::new_err(
                "a key is not stretched: key derivation goes with a password",
            ));
        }
        let mut options = EncryptOptions::new(secret);
        options.mode = self.mode;
        options.key_bits = self.key_bits;
        if let Some(bytes) = self.chunk_bytes {
            options.chunk_bytes = bytes;
        }
        options.key_derivation = self.key_derivation;
        options.limits = self.limits;
        Ok(options)
    }
}

#[pyfunction]
#[pyo3(signature = (data, device, options, *, password = None, key = None))]
fn encrypt<'py>(
    python: Python<'py>,
    data: PyBackedBytes,
    device: &PyDevice,
    options: &PyEncryptOptions,
    password: Option<PyBackedBytes>,
    key: Option<PyBackedBytes>,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = options.with(options::secret(password, key)?)?;
    let device = &*device.device;
    let mut sealed = Vec::new();
    supervise(python, None, None, |cancellation, done| {
        ciphermill::encrypt(&data[..], &mut sealed, device, &options, done, cancellation)
    })?;
    Ok(PyBytes::new(python, &sealed))
}

#[pyfunction]
#[pyo3(signature = (data, device, *, password = None, key = None, kdf_limit = 1))]
fn decrypt<'py>(
    python: Python<'py>,
    data: PyBackedBytes,
    device: &PyDevice,
    password: Option<PyBackedBytes>,
    key: Option<PyBackedBytes>,
    kdf_limit: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = decrypt_options(options::secret(password, key)?, kdf_limit);
    let device = &*device.device;
    let opened = supervise(python, None, None, |cancellation, _| {
        ciphermill::open_until(&data, device, &options, cancellation)
    })?;
    Ok(PyBytes::new(python, &opened))
}

#[pyfunction]
#[pyo3(signature = (
    input, output, device, options, *, password = None, key = None, force = false,
    progress = None,
))]
#[allow(clippy::too_many_arguments)] // Python's keyword arguments
fn encrypt_path<'py>(
    python: Python<'py>,
    input: PathBuf,
    output: PathBuf,
    device: &PyDevice,
    options: &PyEncryptOptions,
    password: Option<PyBackedBytes>,
    key: Option<PyBackedBytes>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options.with(options::secret(password, key)?)?;
    let device = &*device.device;
    let keep = OutputOptions::new(force);
    let summary = supervise(python, progress.as_ref(), length(&input), |stop, done| {
        ciphermill::encrypt_path(&input, &output, device, &options, &keep, done, stop)
    })?;
    describe(python, &summary)
}

#[pyfunction]
#[pyo3(signature = (
    input, output, device, *, password = None, key = None, kdf_limit = 1, force = false,
    progress = None,
))]
#[allow(clippy::too_many_arguments)] // Python's keyword arguments
fn decrypt_path<'py>(
    python: Python<'py>,
    input: PathBuf,
    output: PathBuf,
    device: &PyDevice,
    password: Option<PyBackedBytes>,
    key: Option<PyBackedBytes>,
    kdf_limit: u32,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = decrypt_options(options::secret(password, key)?, kdf_limit);
    let device = &*device.device;
    let keep = OutputOptions::new(force);
    let summary = supervise(python, progress.as_ref(), length(&input), |stop, done| {
        ciphermill::decrypt_path(&input, &output, device, &options, &keep, done, stop)
    })?;
    describe(python, &summary)
}

#[pyfunction]
#[pyo3(signature = (
    input, output, device, *, direction, password, mode = "cbc", key_bits = 256,
    iterations = None, force = false, progress = None,
))]
#[allow(clippy::too_many_arguments)] // Python's keyword arguments
fn openssl_path<'py>(
    python: Python<'py>,
    input: PathBuf,
    output: PathBuf,
    device: &PyDevice,
    direction: &str,
    password: PyBackedBytes,
    mode: &str,
    key_bits: usize,
    iterations: Option<u32>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut options = OpensslOptions::new(options::secret(Some(password), None)?);
    options.mode = options::mode(mode)?;
    options.key_bits = options::key_bits(key_bits)?;
    if let Some(iterations) = iterations {
        options.iterations = iterations;
    }
    let run = match options::direction(direction)? {
        ciphermill::Direction::Encrypt => openssl_format::encrypt_path,
        ciphermill::Direction::Decrypt => openssl_format::decrypt_path,
    };
    let device = &*device.device;
    let keep = OutputOptions::new(force);
    let summary = supervise(python, progress.as_ref(), length(&input), |stop, done| {
        run(&input, &output, device, &options, &keep, done, stop)
    })?;
    describe(python, &summary)
}

/// Refuse now what the paths would be refused for later.
#[pyfunction]
#[pyo3(signature = (input, output, *, binary, force = false))]
fn check_paths(
    python: Python<'_>,
    input: PathBuf,
    output: PathBuf,
    binary: bool,
    force: bool,
) -> PyResult<()> {
    let keep = OutputOptions::new(force);
    python
        .detach(|| ciphermill::check_paths(&input, &output, &keep, binary))
        .map_err(exception)
}

/// Refuse now what the options would be refused for later; a password is not needed yet.
#[pyfunction]
#[pyo3(signature = (device, options, *, key = None))]
fn check_encryption(
    device: &PyDevice,
    options: &PyEncryptOptions,
    key: Option<PyBackedBytes>,
) -> PyResult<()> {
    let secret = match key {
        Some(key) => Secret::key(&*key),
        None => Secret::password("not known yet"),
    };
    let options = options.with(secret.map_err(exception)?)?;
    ciphermill::check_encryption(&*device.device, &options).map_err(exception)
}

#[pyfunction]
#[pyo3(signature = (input, device, *, algorithm, progress = None))]
fn digest_path<'py>(
    python: Python<'py>,
    input: PathBuf,
    device: &PyDevice,
    algorithm: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let algorithm = Algorithm::find(algorithm, Operation::Digest).map_err(exception)?;
    let (device, request) = (&*device.device, Request::Digest(algorithm));
    let digest = supervise(python, progress.as_ref(), length(&input), |stop, done| {
        ciphermill::hash_path(&input, device, &request, done, stop)
    })?;
    Ok(PyBytes::new(python, &digest))
}

#[pyfunction]
#[pyo3(signature = (path, *, kdf_limit = None))]
fn inspect<'py>(
    python: Python<'py>,
    path: PathBuf,
    kdf_limit: Option<u32>,
) -> PyResult<Bound<'py, PyDict>> {
    let header = supervise(python, None, None, |_, _| {
        let file = if path == Path::new(STREAM) {
            fs::File::open("/dev/stdin")
        } else {
            fs::File::open(&path)
        };
        let file = file
            .map_err(|error| ciphermill::Error::io(format!("opening {}", path.display()), error))?;
        ciphermill::inspect(file)
    })?;
    if let Some(limit) = kdf_limit {
        let limits = CostLimits::default().times(limit);
        header.check_limits(&limits).map_err(exception)?;
    }
    let facts = PyDict::new(python);
    facts.set_item("version", header.version)?;
    facts.set_item("algorithm", "aes")?;
    facts.set_item("mode", header.mode.name())?;
    facts.set_item("key_bits", header.key_bits.bits())?;
    facts.set_item("chunk_bytes", header.chunk_bytes)?;
    derivation_facts(&facts, &header.key_derivation)?;
    Ok(facts)
}

fn decrypt_options(secret: Secret, limit: u32) -> DecryptOptions {
    let mut options = DecryptOptions::new(secret);
    options.limits = CostLimits::default().times(limit);
    options
}

/// Length of a file, where it has one: what the progress is measured against.
fn length(input: &Path) -> Option<u64> {
    let metadata = if input == Path::new(STREAM) {
        fs::metadata("/dev/stdin")
    } else {
        fs::metadata(input)
    };
    metadata.ok().filter(fs::Metadata::is_file).map(|m| m.len())
}

fn describe<'py>(python: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(python);
    facts.set_item("mode", summary.mode.name())?;
    facts.set_item("key_bits", summary.key_bits.bits())?;
    facts.set_item("key_derivation", summary.key_derivation.name())?;
    facts.set_item("bytes_in", summary.bytes_in)?;
    facts.set_item("bytes_out", summary.bytes_out)?;
    facts.set_item("chunks", summary.chunks)?;
    facts.set_item("derivation_s", summary.derivation_time.as_secs_f64())?;
    facts.set_item("time_s", summary.time.as_secs_f64())?;
    facts.set_item("timing", summary.device.map(PyTiming::from))?;
    Ok(facts)
}

fn derivation_facts(facts: &Bound<'_, PyDict>, derivation: &KeyDerivation) -> PyResult<()> {
    facts.set_item("key_derivation", derivation.name())?;
    match *derivation {
        KeyDerivation::RawKey => {}
        KeyDerivation::Scrypt { log_n, r, p } => {
            facts.set_item("scrypt.n", 1u64 << log_n)?;
            facts.set_item("scrypt.r", r)?;
            facts.set_item("scrypt.p", p)?;
        }
        KeyDerivation::Argon2id {
            memory_kib,
            passes,
            lanes,
        } => {
            facts.set_item("argon2id.memory_kib", memory_kib)?;
            facts.set_item("argon2id.passes", passes)?;
            facts.set_item("argon2id.lanes", lanes)?;
        }
        KeyDerivation::Pbkdf2 { iterations } => {
            facts.set_item("pbkdf2.iterations", iterations)?;
        }
        // One of a later version, which has no figures here yet.
        _ => {}
    }
    facts.set_item("kdf_memory_bytes", derivation.memory_bytes())?;
    facts.set_item("kdf_limit", CostLimits::needed(derivation))?;
    Ok(())
}

/// Put the functions into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyEncryptOptions>()?;
    module.add_function(wrap_pyfunction!(encrypt, module)?)?;
    module.add_function(wrap_pyfunction!(decrypt, module)?)?;
    module.add_function(wrap_pyfunction!(encrypt_path, module)?)?;
    module.add_function(wrap_pyfunction!(decrypt_path, module)?)?;
    module.add_function(wrap_pyfunction!(openssl_path, module)?)?;
    module.add_function(wrap_pyfunction!(digest_path, module)?)?;
    module.add_function(wrap_pyfunction!(check_paths, module)?)?;
    module.add_function(wrap_pyfunction!(check_encryption, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)
}
