// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The engine's errors as exceptions: one base class, a class for each kind.

use ciphermill::ErrorKind;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(ciphermill, Error, PyException);
create_exception!(ciphermill, InvalidError, Error);
create_exception!(ciphermill, UnsupportedError, Error);
create_exception!(ciphermill, FileError, Error);
create_exception!(ciphermill, DeviceError, Error);
create_exception!(ciphermill, NoRoomError, Error);
create_exception!(ciphermill, DamagedError, Error);
create_exception!(ciphermill, AuthenticationError, Error);
create_exception!(ciphermill, CancelledError, Error);

/// The exception for an error of the engine.
pub fn exception(error: ciphermill::Error) -> PyErr {
    let message = error.to_string();
    match error.kind() {
        ErrorKind::Invalid => InvalidError::new_err(message),
        ErrorKind::Unsupported => UnsupportedError::new_err(message),
        ErrorKind::Io => FileError::new_err(message),
        ErrorKind::Device => DeviceError::new_err(message),
        ErrorKind::NoRoom => NoRoomError::new_err(message),
        ErrorKind::Damaged => DamagedError::new_err(message),
        ErrorKind::Authentication => AuthenticationError::new_err(message),
        ErrorKind::Cancelled => CancelledError::new_err(message),
        _ => Error::new_err(message),
    }
}

/// Put the classes into the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add("Error", python.get_type::<Error>())?;
    module.add("InvalidError", python.get_type::<InvalidError>())?;
    module.add("UnsupportedError", python.get_type::<UnsupportedError>())?;
    module.add("FileError", python.get_type::<FileError>())?;
    module.add("DeviceError", python.get_type::<DeviceError>())?;
    module.add("NoRoomError", python.get_type::<NoRoomError>())?;
    module.add("DamagedError", python.get_type::<DamagedError>())?;
    module.add(
        "AuthenticationError",
        python.get_type::<AuthenticationError>(),
    )?;
    module.add("CancelledError", python.get_type::<CancelledError>())
}
