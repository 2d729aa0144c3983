// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices and what they can do.

use std::path::PathBuf;
use std::sync::Arc;

use ciphermill::{Device, TimingMethod, run_message};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::errors::exception;
use crate::supervise::{run_here, supervise};
use crate::{bare, options};

/// Messages up to this length are done on the caller's thread, on a device that
/// works at the processor's own speed: too short to be worth a thread.
const SHORT_BYTES: usize = 1 << 20;

/// A device that is open.
#[pyclass(name = "Device", module = "ciphermill", frozen)]
pub struct PyDevice {
    pub(crate) device: Arc<dyn Device>,
}

#[pymethods]
impl PyDevice {
    /// Open a device by name; `models` is the folder of the compiled models.
    #[new]
    #[pyo3(signature = (name, *, models = None))]
    fn new(python: Python<'_>, name: &str, models: Option<PathBuf>) -> PyResult<PyDevice> {
        let device = python
            .detach(|| ciphermill_devices::open(name, models.as_deref()))
            .map_err(exception)?;
        Ok(PyDevice { device })
    }

    #[getter]
    fn name(&self) -> &str {
        self.device.name()
    }

    #[getter]
    fn description(&self) -> &str {
        &self.device.capabilities().description
    }

    #[getter]
    fn operations(&self) -> Vec<(&'static str, &'static str)> {
        let operations = &self.device.capabilities().operations;
        operations
            .iter()
            .map(|(mode, direction)| (mode.name(), options::direction_name(*direction)))
            .collect()
    }

    #[getter]
    fn key_sizes(&self) -> Vec<usize> {
        let sizes = &self.device.capabilities().key_sizes;
        sizes.iter().map(|size| size.bits()).collect()
    }

    #[getter]
    fn preferred_chunk_bytes(&self) -> usize {
        self.device.capabilities().preferred_chunk_bytes
    }

    #[getter]
    fn in_flight(&self) -> usize {
        self.device.capabilities().in_flight
    }

    #[getter]
    fn sink(&self) -> bool {
        self.device.capabilities().sink
    }

    #[getter]
    fn bypass(&self) -> bool {
        self.device.capabilities().bypass
    }

    #[getter]
    fn clock_mhz(&self) -> Option<f64> {
        self.device.capabilities().clock_mhz
    }

    #[getter]
    fn architecture(&self) -> Option<&'static str> {
        self.device.capabilities().architecture
    }

    #[getter]
    fn stream_bits(&self) -> Option<u32> {
        self.device.capabilities().stream_bits
    }

    fn __repr__(&self) -> String {
        format!("Device({:?})", self.device.name())
    }

    /// One message through the bare mode.
    #[pyo3(signature = (data, *, mode, direction, key, iv = None, data_unit_bytes = None, progress = None))]
    #[allow(clippy::too_many_arguments)] // Python's keyword arguments
    fn transform<'py>(
        &self,
        python: Python<'py>,
        data: PyBackedBytes,
        mode: &str,
        direction: &str,
        key: PyBackedBytes,
        iv: Option<PyBackedBytes>,
        data_unit_bytes: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, PyTiming)> {
        let asked = bare::Asked {
            mode,
            direction,
            key: &key,
            iv: iv.as_deref(),
            data_unit_bytes,
        };
        let (request, buffer) = bare::request(&asked, &data)?;
        let device = &*self.device;
        let short = data.len() <= SHORT_BYTES && device.capabilities().clock_mhz.is_none();
        let outcome = if short {
            run_here(python, |cancellation, done| {
                run_message(device, &request, buffer, cancellation, done)
            })?
        } else {
            let total = Some(data.len() as u64);
            supervise(python, progress.as_ref(), total, |cancellation, done| {
                run_message(device, &request, buffer, cancellation, done)
            })?
        };
        let mut output = outcome.data;
        output.extend(outcome.tag.into_iter().flatten());
        Ok((
            PyBytes::new(python, &output),
            PyTiming::from(outcome.timing),
        ))
    }
}

/// What a run cost.
#[pyclass(name = "Timing", module = "ciphermill", frozen, get_all)]
pub struct PyTiming {
    total_s: f64,
    transfer_s: f64,
    processing_s: f64,
    clocks: Option<u64>,
    method: &'static str,
}

#[pymethods]
impl PyTiming {
    fn __repr__(&self) -> String {
        format!(
            "Timing(total_s={:?}, transfer_s={:?}, processing_s={:?}, clocks={}, method={:?})",
            self.total_s,
            self.transfer_s,
            self.processing_s,
            self.clocks
                .map_or("None".into(), |clocks| clocks.to_string()),
            self.method
        )
    }
}

impl From<ciphermill::Timing> for PyTiming {
    fn from(timing: ciphermill::Timing) -> PyTiming {
        PyTiming {
            total_s: timing.total.as_secs_f64(),
            transfer_s: timing.transfer.as_secs_f64(),
            processing_s: timing.processing.as_secs_f64(),
            clocks: timing.clocks,
            method: match timing.method {
                TimingMethod::Measured => "measured",
                TimingMethod::Simulated => "simulated",
                _ => "unknown",
            },
        }
    }
}

/// Put the classes into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDevice>()?;
    module.add_class::<PyTiming>()
}
