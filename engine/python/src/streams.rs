// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Streams of the bare modes, timed as two kinds of program see them.

use std::path::PathBuf;

use ciphermill::{AES, Application, CipherRequest, Key, TimingMethod, stream_path};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::device::PyDevice;
use crate::errors::exception;
use crate::options;
use crate::supervise::supervise;

/// Stream a file through a device; with `update_bytes` as a synchronous program does.
#[pyfunction]
#[pyo3(signature = (
    input, output, device, *, mode, direction, key, iv = None, update_bytes = None,
    progress = None,
))]
#[allow(clippy::too_many_arguments)] // Python's keyword arguments
fn stream_path_timed<'py>(
    python: Python<'py>,
    input: PathBuf,
    output: Option<PathBuf>,
    device: &PyDevice,
    mode: &str,
    direction: &str,
    key: PyBackedBytes,
    iv: Option<PyBackedBytes>,
    update_bytes: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mode = options::mode(mode)?;
    let iv = options::iv(&AES, mode, iv.as_deref())?;
    let key = Key::new(&key).map_err(exception)?;
    let request = CipherRequest::new(mode, options::direction(direction)?, key, iv);
    let application = match update_bytes {
        Some(update_bytes) => Application::Synchronous { update_bytes },
        None => Application::Throughput,
    };
    let device = &*device.device;
    let times = supervise(python, progress.as_ref(), None, |cancellation, done| {
        stream_path(
            &input,
            output.as_deref(),
            device,
            &request,
            application,
            done,
            cancellation,
        )
    })?;
    let found = PyDict::new(python);
    found.set_item("bytes", times.bytes)?;
    found.set_item("time_total_s", times.total.as_secs_f64())?;
    found.set_item("time_inside_write_s", times.inside_write.as_secs_f64())?;
    let simulated = times
        .device
        .is_some_and(|timing| timing.method == TimingMethod::Simulated);
    found.set_item("device_simulated", simulated)?;
    Ok(found)
}

/// Put the function into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(stream_path_timed, module)?)
}
