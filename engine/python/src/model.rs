// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A compiled model by itself: its registers, its channels and its cycles.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ciphermill_accelerator::RegisterFile;
use ciphermill_model::{Model, ModelLibrary};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::errors::exception;

/// Bytes that are taken from a channel at once.
const BUFFER_BYTES: usize = 1 << 12;

/// A simulated accelerator that whoever opened it drives cycle by cycle.
#[pyclass(name = "Model", module = "ciphermill", frozen)]
pub struct PyModel {
    model: Mutex<Model>,
}

impl PyModel {
    fn lock(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyModel {
    #[new]
    fn new(library: PathBuf) -> PyResult<PyModel> {
        let library = ModelLibrary::load(&library).map_err(exception)?;
        let model = Model::open(&Arc::new(library)).map_err(exception)?;
        Ok(PyModel {
            model: Mutex::new(model),
        })
    }

    #[getter]
    fn design(&self) -> String {
        self.lock().description().design.clone()
    }

    #[getter]
    fn design_hash(&self) -> String {
        self.lock().description().design_hash.clone()
    }

    #[getter]
    fn stream_bits(&self) -> u32 {
        self.lock().description().stream_bits
    }

    #[getter]
    fn channels(&self) -> u32 {
        self.lock().description().channels
    }

    #[getter]
    fn cycles(&self) -> u64 {
        self.lock().cycles_passed()
    }

    fn read(&self, offset: u32) -> PyResult<u32> {
        self.lock().read(offset).map_err(exception)
    }

    fn write(&self, offset: u32, value: u32) -> PyResult<()> {
        self.lock().write(offset, value).map_err(exception)
    }

    #[allow(clippy::needless_pass_by_value)] // pyo3 hands it over
    fn push(&self, channel: u32, data: PyBackedBytes, last: bool) -> usize {
        self.lock().send_to(channel, &data, last)
    }

    fn queued(&self, channel: u32) -> usize {
        self.lock().queued(channel)
    }

    fn pull(&self, channel: u32) -> Vec<u8> {
        let mut model = self.lock();
        let mut output = Vec::new();
        let mut buffer = [0; BUFFER_BYTES];
        loop {
            let count = model.receive_from(channel, &mut buffer).bytes;
            if count == 0 {
                return output;
            }
            output.extend_from_slice(&buffer[..count]);
        }
    }

    fn advance(&self, cycles: u64) -> (u64, bool) {
        let advanced = self.lock().advance(cycles);
        (advanced.cycles, advanced.needs_input)
    }
}

/// Put the class into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyModel>()
}
