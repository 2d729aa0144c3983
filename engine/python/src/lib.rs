// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Python face of the Ciphermill engine: the extension module `ciphermill._engine`.
//!
//! Each module is one thing that Python sees; `_engine.pyi` has the types and
//! the documentation. The interpreter's lock is released while the engine works,
//! and Ctrl-C cancels it (see `supervise`).

#![deny(unsafe_code)]

mod bare;
mod device;
mod errors;
mod functions;
mod in_memory;
mod key_reference;
mod message;
mod model;
mod options;
mod serve;
mod streams;
mod supervise;

use pyo3::prelude::*;

/// Whether the environment must not choose code or files.
#[pyfunction]
fn is_privileged() -> bool {
    ciphermill_devices::is_privileged()
}

/// The names of the graphics processors.
#[pyfunction]
fn graphics_processors(python: Python<'_>) -> Vec<String> {
    python.detach(ciphermill_devices::graphics_processors)
}

/// `linux:`, where the kernel driver of the card has files.
#[pyfunction]
fn kernel_drivers(python: Python<'_>) -> Vec<String> {
    python.detach(ciphermill_devices::kernel_drivers)
}

/// Functions of the engine, typed in `_engine.pyi`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("DEFAULT_CHUNK_BYTES", ciphermill::DEFAULT_CHUNK_BYTES)?;
    module.add_function(wrap_pyfunction!(is_privileged, module)?)?;
    module.add_function(wrap_pyfunction!(graphics_processors, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_drivers, module)?)?;
    errors::add_to(module)?;
    device::add_to(module)?;
    functions::add_to(module)?;
    in_memory::add_to(module)?;
    key_reference::add_to(module)?;
    model::add_to(module)?;
    serve::add_to(module)?;
    streams::add_to(module)
}
