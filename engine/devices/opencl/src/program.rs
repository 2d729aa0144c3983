// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The kernels, compiled for a device.

use ciphermill::{Error, Result};
use opencl3::context::Context;
use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES, ClError,
};
use opencl3::program::Program;

use crate::platform::Found;

/// What the lanes share.
pub(crate) struct Parts {
    pub(crate) context: Context,
    pub(crate) program: Program,
    /// The device computes in the host's memory.
    pub(crate) shares_memory: bool,
}

/// Compile the kernels for a device.
pub(crate) fn compile(found: &Found, source: &str) -> Result<Parts> {
    let context = Context::from_device(&found.id).map_err(failed("opening the device"))?;
    let mut program = Program::create_from_source(&context, source)
        .map_err(failed("handing over the kernels"))?;
    if let Err(error) = program.build(context.devices(), "-cl-std=CL1.2") {
        let log = program.get_build_log(found.id.id()).unwrap_or_default();
        return Err(Error::device(format!(
            "{} does not compile the kernels ({error}): choose another driver or device. \
             Its log:\n{log}",
            found.platform
        )));
    }
    Ok(Parts {
        context,
        program,
        shares_memory: found.shares_memory,
    })
}

/// The error of a call, for `map_err`. Drivers answer `CL_OUT_OF_RESOURCES` too where a device is lost.
pub(crate) fn failed(doing: &'static str) -> impl Fn(ClError) -> Error {
    move |error| match error.0 {
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY => memory(doing, error),
        _ => Error::device(format!("{doing} by OpenCL failed: {error}")),
    }
}

/// The error of a call that reserves memory, for `map_err`. A buffer longer than the device allows is
/// more than it has.
pub(crate) fn out_of_memory(error: ClError) -> Error {
    const DOING: &str = "reserving memory";
    match error.0 {
        CL_OUT_OF_RESOURCES | CL_INVALID_BUFFER_SIZE => memory(DOING, error),
        _ => failed(DOING)(error),
    }
}

fn memory(doing: &str, error: ClError) -> Error {
    Error::io(
        format!("{doing} by OpenCL: {error}; set a smaller chunk_bytes"),
        std::io::ErrorKind::OutOfMemory.into(),
    )
}

#[cfg(test)]
mod tests {
    use ciphermill::ErrorKind;
    use opencl3::error_codes::CL_INVALID_COMMAND_QUEUE;

    use super::*;

    #[test]
    fn a_lack_of_memory_and_a_lost_device_are_told_apart() {
        for code in [CL_OUT_OF_RESOURCES, CL_INVALID_BUFFER_SIZE] {
            assert!(out_of_memory(ClError(code)).is_out_of_memory());
            let error = failed("running a kernel")(ClError(code));
            assert_eq!(error.kind(), ErrorKind::Device, "{error}");
        }
        let lost = out_of_memory(ClError(CL_INVALID_COMMAND_QUEUE));
        assert_eq!(lost.kind(), ErrorKind::Device, "{lost}");
        assert!(failed("x")(ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE)).is_out_of_memory());
    }
}
