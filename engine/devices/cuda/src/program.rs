// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The kernels, compiled for a device, in its context.

#![allow(unsafe_code)]

use std::ffi::CString;

use ciphermill::{Error, Result};
use ciphermill_gpu::{Dialect, Kernel, Shape};
use cudarc::driver::{result, sys};
use cudarc::nvrtc::{self, CompileError, CompileOptions};

use crate::platform::{Found, failed};

/// A context, and the kernels in it.
pub(crate) struct Parts {
    device: sys::CUdevice,
    context: sys::CUcontext,
    module: sys::CUmodule,
    /// In the order of [`Kernel::ALL`].
    pub(crate) kernels: Vec<sys::CUfunction>,
}

// SAFETY: the driver's handles may be used from any thread; each thread makes the context current.
unsafe impl Send for Parts {}
// SAFETY: as above.
unsafe impl Sync for Parts {}

impl Parts {
    pub(crate) fn new(found: &Found, shape: &Shape) -> Result<Parts> {
        let image = compile_for(shape, found.capability)?;
        let image = CString::new(image)
            .map_err(|_| Error::device("the compiler gave no text: take another version of it"))?;
        let device =
            result::device::get(found.number as i32).map_err(failed("opening the device"))?;
        // SAFETY: the driver gave this device.
        let context = unsafe { result::primary_ctx::retain(device) };
        let context = context.map_err(failed("opening the device"))?;
        let mut parts = Parts {
            device,
            context,
            module: std::ptr::null_mut(),
            kernels: Vec::new(),
        };
        parts.bind()?;
        // SAFETY: the image is PTX that ends with a zero byte.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) };
        parts.module = module.map_err(failed("loading the kernels"))?;
        for kernel in Kernel::ALL {
            let name = CString::new(kernel.name()).unwrap_or_default();
            // SAFETY: the module was loaded above.
            let function = unsafe { result::module::get_function(parts.module, name) };
            parts
                .kernels
                .push(function.map_err(failed("finding a kernel"))?);
        }
        Ok(parts)
    }

    /// Make the context that of this thread.
    pub(crate) fn bind(&self) -> Result<()> {
        // SAFETY: the context is retained as long as this object lives.
        let bound = unsafe { result::ctx::set_current(self.context) };
        bound.map_err(failed("entering the device's context"))
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        if self.bind().is_err() {
            return;
        }
        // SAFETY: nothing else has the module or this reference to the context. A device that is
        // lost has nothing to release.
        unsafe {
            if !self.module.is_null() {
                let _ = result::module::unload(self.module);
            }
            let _ = result::primary_ctx::release(self.device);
        }
    }
}

/// Compile the kernels of this shape for a compute capability: PTX, which needs no device.
///
/// # Errors
/// [`ciphermill::ErrorKind::Device`] where there is no compiler, and with its log where it does not
/// compile them.
pub fn compile_for(shape: &Shape, capability: (u32, u32)) -> Result<String> {
    // SAFETY: loading the compiler's library runs its initialisers alone.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err(Error::device(
            "CUDA's compiler NVRTC is missing: install CUDA's toolkit, or PyPI's \
             nvidia-cuda-nvrtc-cu12 and name its folder in LD_LIBRARY_PATH",
        ));
    }
    let (major, minor) = capability;
    let options = CompileOptions {
        options: vec![
            format!("--gpu-architecture=compute_{major}{minor}"),
            // The circuits of the S-box are written for every compiler.
            "--device-as-default-execution-space".into(),
        ],
        ..CompileOptions::default()
    };
    match nvrtc::compile_ptx_with_opts(shape.source(Dialect::Cuda), options) {
        Ok(compiled) => Ok(compiled.to_src()),
        Err(CompileError::CompileError { nvrtc, log, .. }) => Err(Error::device(format!(
            "NVRTC does not compile the kernels ({nvrtc}): take another version of it. Its log:\n{}",
            log.to_string_lossy()
        ))),
        Err(error) => Err(Error::device(format!("NVRTC fails: {error}"))),
    }
}
