// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Private keys that a device holds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ciphermill::{Algorithm, Device, KeyReference, Operation, Request, RequestKey, SecretKey};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::errors::{InvalidError, exception};
use crate::message::run;
use crate::supervise::supervise;

/// A private key that a device holds until the last reference is closed or collected.
#[pyclass(name = "KeyReference", module = "ciphermill", frozen)]
pub struct PyKeyReference {
    device: Arc<dyn Device>,
    algorithm: &'static Algorithm,
    public_key: Vec<u8>,
    /// None after it was closed.
    key: Mutex<Option<KeyReference>>,
}

impl PyKeyReference {
    /// Have a device hold a private key: this one, or one that it generates.
    pub(crate) fn hold(
        python: Python<'_>,
        device: &Arc<dyn Device>,
        algorithm: &str,
        key: Option<&[u8]>,
    ) -> PyResult<PyKeyReference> {
        let algorithm = Algorithm::find(algorithm, Operation::Sign).map_err(exception)?;
        let key = key.map(SecretKey::new);
        let key = supervise(python, None, None, |cancellation, _| {
            device.hold_key(algorithm, key.as_ref(), cancellation)
        })?;
        Ok(PyKeyReference {
            device: Arc::clone(device),
            algorithm,
            public_key: key.public_key().to_vec(),
            key: Mutex::new(Some(key)),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<KeyReference>> {
        self.key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The output of an operation with the key.
    fn run<'py>(
        &self,
        python: Python<'py>,
        request: fn(&'static Algorithm, RequestKey) -> Request,
        data: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let key = self.lock().clone().ok_or_else(|| {
            InvalidError::new_err("the key reference is closed: have the device hold a key anew")
        })?;
        let request = request(self.algorithm, key.into());
        let data = self.device.allocator().filled(data).map_err(exception)?;
        let outcome = run(python, &*self.device, request, data, None)?;
        Ok(PyBytes::new(python, &outcome.data))
    }
}

#[pymethods]
impl PyKeyReference {
    #[getter]
    fn algorithm(&self) -> &str {
        self.algorithm.name
    }

    #[getter]
    fn public_key(&self) -> &[u8] {
        &self.public_key
    }

    #[getter]
    fn device(&self) -> &str {
        self.device.name()
    }

    fn sign<'py>(
        &self,
        python: Python<'py>,
        digest: PyBackedBytes,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.run(python, Request::Sign, &digest)
    }

    fn agree<'py>(
        &self,
        python: Python<'py>,
        public_key: PyBackedBytes,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.run(python, Request::Agree, &public_key)
    }

    fn close(&self, python: Python<'_>) {
        let key = self.lock().take();
        // The device may take a while to erase it.
        python.detach(|| drop(key));
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __exit__(
        &self,
        python: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) {
        self.close(python);
    }

    fn __repr__(&self) -> String {
        let (algorithm, device) = (self.algorithm.name, self.device.name());
        format!("KeyReference({algorithm:?}, device={device:?})")
    }
}

/// Put the class into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyKeyReference>()
}
