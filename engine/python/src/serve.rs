// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Serving a simulated accelerator as device files.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::supervise::supervise;

/// Serve until a signal's handler or `on_event` raises; what it raised is raised here.
#[pyfunction]
#[pyo3(signature = (design, directory, *, models = None, on_event = None))]
fn serve(
    python: Python<'_>,
    design: &str,
    directory: PathBuf,
    models: Option<PathBuf>,
    on_event: Option<Py<PyAny>>,
) -> PyResult<()> {
    let mut trouble = None;
    supervise(python, None, None, |stop, _| {
        let models = models.as_deref();
        ciphermill_devices::serve(design, models, &directory, stop, &mut |event| {
            let Some(callback) = &on_event else { return };
            let told = Python::attach(|python| callback.call1(python, (event.to_string(),)));
            if let Err(error) = told {
                trouble.get_or_insert(error);
                stop.cancel();
            }
        })
    })?;
    trouble.map_or(Ok(()), Err)
}

/// Put the function into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(serve, module)?)
}
