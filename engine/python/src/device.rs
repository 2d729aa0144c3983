// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Devices and what they can do.

use std::path::PathBuf;
use std::sync::Arc;

use ciphermill::{AES, Device, Error, KeyBits, MessageOutcome, Mode, Operation, TimingMethod};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::bare;
use crate::errors::exception;
use crate::key_reference::PyKeyReference;
use crate::message::{run, run_all};
use crate::options;

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
        let operations = self.device.capabilities().aes_operations();
        operations
            .into_iter()
            .map(|(mode, direction)| (mode.name(), Operation::from(direction).name()))
            .collect()
    }

    #[getter]
    fn key_sizes(&self) -> Vec<usize> {
        let sizes = self.device.capabilities().aes_key_sizes();
        sizes.into_iter().map(KeyBits::bits).collect()
    }

    #[getter]
    fn algorithms(&self) -> Vec<(&'static str, &'static str, Option<&'static str>, Vec<usize>)> {
        let operations = &self.device.capabilities().operations;
        operations
            .iter()
            .map(|ability| {
                let mode = ability.mode.map(Mode::name);
                let (algorithm, operation) = (ability.algorithm.name, ability.operation.name());
                (algorithm, operation, mode, ability.key_bits.clone())
            })
            .collect()
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
    fn processors(&self) -> Option<usize> {
        self.device.capabilities().processors
    }

    #[getter]
    fn architecture(&self) -> Option<&'static str> {
        self.device.capabilities().architecture
    }

    #[getter]
    fn stream_bits(&self) -> Option<u32> {
        self.device.capabilities().stream_bits
    }

    #[getter]
    fn channels(&self) -> usize {
        self.device.capabilities().channels
    }

    #[getter]
    fn streams(&self) -> usize {
        self.device.capabilities().streams
    }

    fn __repr__(&self) -> String {
        format!("Device({:?})", self.device.name())
    }

    /// One message through a block cipher in a bare mode.
    #[pyo3(signature = (
        data, *, mode, direction, key, iv = None, data_unit_bytes = None, algorithm = AES.name,
        progress = None,
    ))]
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
        algorithm: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, PyTiming)> {
        options::direction(direction)?;
        let asked = bare::Asked {
            operation: direction,
            algorithm,
            mode: Some(mode),
            key: Some(&key),
            iv: iv.as_deref(),
            associated_data: &[],
            data_unit_bytes,
            public_key: None,
            signature: None,
        };
        self.ask(python, &asked, &data, progress.as_ref())
    }

    /// One message through any operation of any algorithm.
    #[pyo3(signature = (
        operation, data, *, algorithm, mode = None, key = None, iv = None,
        associated_data = None, data_unit_bytes = None, public_key = None, signature = None,
        progress = None,
    ))]
    #[allow(clippy::too_many_arguments)] // Python's keyword arguments
    fn run<'py>(
        &self,
        python: Python<'py>,
        operation: &str,
        data: PyBackedBytes,
        algorithm: &str,
        mode: Option<&str>,
        key: Option<PyBackedBytes>,
        iv: Option<PyBackedBytes>,
        associated_data: Option<PyBackedBytes>,
        data_unit_bytes: Option<usize>,
        public_key: Option<PyBackedBytes>,
        signature: Option<PyBackedBytes>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, PyTiming)> {
        let asked = bare::Asked {
            operation,
            algorithm,
            mode,
            key: key.as_deref(),
            iv: iv.as_deref(),
            associated_data: associated_data.as_deref().unwrap_or_default(),
            data_unit_bytes,
            public_key: public_key.as_deref(),
            signature: signature.as_deref(),
        };
        self.ask(python, &asked, &data, progress.as_ref())
    }

    /// Several messages at once, each with what `run` takes. In each one's place comes its output, or
    /// the exception that it ended with.
    fn run_batch<'py>(
        &self,
        python: Python<'py>,
        messages: Vec<Message>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let allocator = self.device.allocator();
        let mut requests = Vec::new();
        let mut refusals = Vec::new();
        for message in &messages {
            let request = bare::request(&message.asked(), &message.1, &allocator);
            refusals.push(request.map(|request| requests.push(request)));
        }
        let mut outcomes = run_all(python, &*self.device, requests)?.into_iter();
        let answer = |refusal: PyResult<()>| {
            let outcome = refusal.and_then(|()| match outcomes.next() {
                Some(outcome) => output(python, outcome.map_err(exception)?),
                None => Err(exception(Error::device("the device lost a message"))),
            });
            match outcome {
                Ok(output) => output.into_any(),
                Err(error) => error.into_value(python).into_bound(python).into_any(),
            }
        };
        Ok(refusals.into_iter().map(answer).collect())
    }

    /// Have the device hold a private key.
    #[pyo3(signature = (algorithm, key = None))]
    fn hold_key(
        &self,
        python: Python<'_>,
        algorithm: &str,
        key: Option<PyBackedBytes>,
    ) -> PyResult<PyKeyReference> {
        PyKeyReference::hold(python, &self.device, algorithm, key.as_deref())
    }
}

impl PyDevice {
    /// Run one message; a tag follows its output.
    fn ask<'py>(
        &self,
        python: Python<'py>,
        asked: &bare::Asked<'_>,
        data: &[u8],
        progress: Option<&Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, PyTiming)> {
        let (request, data) = bare::request(asked, data, &self.device.allocator())?;
        let outcome = run(python, &*self.device, request, data, progress)?;
        let timing = PyTiming::from(outcome.timing);
        Ok((output(python, outcome)?, timing))
    }
}

/// The output of a message; a tag follows it.
fn output(python: Python<'_>, outcome: MessageOutcome) -> PyResult<Bound<'_, PyBytes>> {
    // Python's own copy is not erased, so that erasing this one would only cost time.
    let data = outcome.data.into_vec();
    let tag = outcome.tag.as_slice().as_flattened();
    PyBytes::new_with(python, data.len() + tag.len(), |output| {
        let (text, end) = output.split_at_mut(data.len());
        text.copy_from_slice(&data);
        end.copy_from_slice(tag);
        Ok(())
    })
}

/// A message of several, with the arguments of `run` in their order.
#[derive(FromPyObject)]
struct Message(
    String,
    PyBackedBytes,
    String,
    Option<String>,
    Option<PyBackedBytes>,
    Option<PyBackedBytes>,
    Option<PyBackedBytes>,
    Option<usize>,
    Option<PyBackedBytes>,
    Option<PyBackedBytes>,
);

impl Message {
    fn asked(&self) -> bare::Asked<'_> {
        let Message(
            operation,
            _,
            algorithm,
            mode,
            key,
            iv,
            associated_data,
            data_unit_bytes,
            public_key,
            signature,
        ) = self;
        bare::Asked {
            operation,
            algorithm,
            mode: mode.as_deref(),
            key: key.as_deref(),
            iv: iv.as_deref(),
            associated_data: associated_data.as_deref().unwrap_or_default(),
            data_unit_bytes: *data_unit_bytes,
            public_key: public_key.as_deref(),
            signature: signature.as_deref(),
        }
    }
}

/// The time and cycles of a run.
#[pyclass(name = "Timing", module = "ciphermill", frozen, get_all)]
pub struct PyTiming {
    total_s: f64,
    transfer_s: f64,
    processing_s: f64,
    cycles: Option<u64>,
    method: &'static str,
}

#[pymethods]
impl PyTiming {
    fn __repr__(&self) -> String {
        format!(
            "Timing(total_s={:?}, transfer_s={:?}, processing_s={:?}, cycles={}, method={:?})",
            self.total_s,
            self.transfer_s,
            self.processing_s,
            self.cycles
                .map_or("None".into(), |cycles| cycles.to_string()),
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
            cycles: timing.cycles,
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
