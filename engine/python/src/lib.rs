// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Python face of the Ciphermill engine: the extension module `ciphermill._engine`.

use pyo3::prelude::*;

/// Functions of the engine, typed in `_engine.pyi`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
