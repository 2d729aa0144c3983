// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Data in a device's own memory, as CUDA's array interface describes it: CuPy, Numba and PyTorch
//! have it.

use ciphermill::{Allocator, DeviceMemory, Mode};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::bare;
use crate::device::{PyDevice, PyTiming};
use crate::errors::{InvalidError, exception};
use crate::supervise::supervise;

/// Encrypt or decrypt an array in the device's memory, in its place: the tag, and the times.
#[pyfunction]
#[pyo3(signature = (
    device, operation, array, *, mode, key, iv = None, associated_data = None,
    data_unit_bytes = None, tag = None,
))]
#[allow(clippy::too_many_arguments)] // Python's keyword arguments
fn run_in_memory<'py>(
    python: Python<'py>,
    device: &PyDevice,
    operation: &str,
    array: &Bound<'py, PyAny>,
    mode: &str,
    key: PyBackedBytes,
    iv: Option<PyBackedBytes>,
    associated_data: Option<PyBackedBytes>,
    data_unit_bytes: Option<usize>,
    tag: Option<PyBackedBytes>,
) -> PyResult<(Option<Bound<'py, PyBytes>>, PyTiming)> {
    let memory = memory_of(array)?;
    let is_xts = mode == Mode::Xts.name();
    let asked = bare::Asked {
        operation,
        algorithm: "aes",
        mode: Some(mode),
        key: Some(&key),
        iv: iv.as_deref(),
        associated_data: associated_data.as_deref().unwrap_or_default(),
        data_unit_bytes: data_unit_bytes.or(is_xts.then_some(memory.bytes)),
        public_key: None,
        signature: None,
    };
    let tag = tag.as_deref().unwrap_or_default();
    let (request, rest) = bare::request(&asked, tag, &Allocator::default())?;
    if !rest.is_empty() {
        return Err(InvalidError::new_err(
            "only a decryption with GCM takes a tag, of 16 bytes",
        ));
    }
    let request = request.cipher().map_err(exception)?;
    let (tag, timing) = supervise(python, None, None, |cancellation, _| {
        // SAFETY: the array says that its memory is there, and the caller keeps it. The device asks
        // its driver whose it is.
        #[allow(unsafe_code)]
        unsafe {
            device.device.run_in_memory(request, memory, cancellation)
        }
    })?;
    Ok((tag.map(|tag| PyBytes::new(python, &tag)), timing.into()))
}

/// Put the function into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_in_memory, module)?)
}

/// The memory of an array (CUDA Array Interface, version 3).
fn memory_of(array: &Bound<'_, PyAny>) -> PyResult<DeviceMemory> {
    let lacks = || {
        PyTypeError::new_err(
            "the array has no __cuda_array_interface__: give one of CuPy or PyTorch",
        )
    };
    let interface = array
        .getattr("__cuda_array_interface__")
        .map_err(|_| lacks())?;
    let interface = interface.cast::<PyDict>().map_err(|_| lacks())?;
    let part = |name: &str| interface.get_item(name)?.ok_or_else(lacks);
    let (address, read_only): (u64, bool) = part("data")?.extract()?;
    let shape: Vec<usize> = part("shape")?.extract()?;
    let kind: String = part("typestr")?.extract()?;
    let digits = kind.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let item: usize = digits.parse().map_err(|_| lacks())?;
    if read_only {
        return Err(InvalidError::new_err("the array is read-only: give a copy"));
    }
    let strides = match interface.get_item("strides")? {
        Some(strides) => strides.extract::<Option<Vec<isize>>>()?,
        None => None,
    };
    let mut bytes = item;
    for (place, length) in shape.iter().enumerate().rev() {
        let stride = strides.as_ref().and_then(|strides| strides.get(place));
        if *length > 1 && stride.is_some_and(|stride| *stride != bytes as isize) {
            return Err(InvalidError::new_err(
                "the array has gaps or another order: give a contiguous copy",
            ));
        }
        bytes = bytes
            .checked_mul(*length)
            .ok_or_else(|| InvalidError::new_err("the array is longer than any memory"))?;
    }
    Ok(DeviceMemory { address, bytes })
}
