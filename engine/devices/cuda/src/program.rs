// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The kernels, compiled for a device, in its context.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::marker::PhantomData;

use ciphermill::process::ProcessMark;
use ciphermill::{DeviceMemory, Error, Result};
use ciphermill_gpu::{Dialect, Kernel, Shape};
use cudarc::driver::{result, sys};
use cudarc::nvrtc::{self, CompileError, CompileOptions};

use crate::memory::Owner;
use crate::platform::{Found, failed};

/// A context, and the kernels in it.
pub(crate) struct Parts {
    /// The device's place in the driver's list.
    number: usize,
    device: sys::CUdevice,
    context: sys::CUcontext,
    module: sys::CUmodule,
    /// In the order of [`Kernel::ALL`].
    pub(crate) kernels: Vec<sys::CUfunction>,
    process: ProcessMark,
}

/// While it lives, a device's context is current on this thread; then the one before it again. It
/// lives no longer than the [`Parts`] that it is of.
pub(crate) struct Entered {
    /// A context is a thread's.
    thread: PhantomData<*mut ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut left = std::ptr::null_mut();
        // SAFETY: it was pushed on this thread. Where the driver does not pop it, nothing can be
        // done.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&raw mut left) };
    }
}

// SAFETY: the driver's handles may be used from any thread; each thread makes the context current.
unsafe impl Send for Parts {}
// SAFETY: as above.
unsafe impl Sync for Parts {}

impl Parts {
    pub(crate) fn new(found: &Found, shape: &Shape) -> Result<Parts> {
        let image = compile(shape, found.capability)?;
        let image = CString::new(image)
            .map_err(|_| Error::device("the compiler gave no text: take another version of it"))?;
        let device =
            result::device::get(found.number as i32).map_err(failed("opening the device"))?;
        // SAFETY: the driver gave this device.
        let context = unsafe { result::primary_ctx::retain(device) };
        let context = context.map_err(failed("opening the device"))?;
        let mut parts = Parts {
            number: found.number,
            device,
            context,
            module: std::ptr::null_mut(),
            kernels: Vec::new(),
            process: ProcessMark::new(),
        };
        let _entered = parts.enter()?;
        // SAFETY: the image is PTX that ends with a zero byte.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) };
        parts.module = module.map_err(|error| match error.0 {
            sys::cudaError_enum::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => compiler_is_newer(),
            _ => failed("loading the kernels")(error),
        })?;
        for kernel in Kernel::ALL {
            let name = CString::new(kernel.name()).unwrap_or_default();
            // SAFETY: the module was loaded above.
            let function = unsafe { result::module::get_function(parts.module, name) };
            let function = function.map_err(failed("finding a kernel"))?;
            let most = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
            // SAFETY: the function was found above.
            let most = unsafe { result::function::get_function_attribute(function, most) };
            let most = most.map_err(failed("asking for a kernel's registers"))?;
            shape.check_group(kernel, most as usize)?;
            parts.kernels.push(function);
        }
        Ok(parts)
    }

    /// Make the context current on this thread as long as the answer lives.
    pub(crate) fn enter(&self) -> Result<Entered> {
        if !self.process.is_here() {
            return Err(Error::device("CUDA does not go on in a forked process"));
        }
        // SAFETY: the context is retained as long as this object lives.
        let entered = unsafe { sys::cuCtxPushCurrent_v2(self.context) }.result();
        entered.map_err(failed("entering the device's context"))?;
        Ok(Entered {
            thread: PhantomData,
        })
    }

    /// Check that memory is this device's, in its primary context. Pools and mapped memory have no
    /// context.
    pub(crate) fn check_memory(&self, memory: DeviceMemory) -> Result<()> {
        let Some(last) = (memory.bytes as u64).checked_sub(1) else {
            return Ok(());
        };
        let refused = |what| {
            Err(Error::invalid(format!(
                "the data are {what}: allocate them on cuda:{} in its primary context",
                self.number
            )))
        };
        let Some(last) = memory.address.checked_add(last) else {
            return refused("longer than any memory");
        };
        let first = Owner::of(memory.address)?;
        for owner in [&first, &Owner::of(last)?] {
            if !owner.is_device() {
                return refused("not in a device's memory, or not all of them");
            }
            if owner.device != self.number as i32 {
                return refused("on another device");
            }
            if !owner.context.is_null() && owner.context != self.context {
                return refused("in another context of the device");
            }
        }
        if !first.context.is_null() && last - first.start >= first.bytes as u64 {
            return refused("longer than the memory that was allocated there");
        }
        Ok(())
    }
}

/// The error of kernels that the driver is too old for.
fn compiler_is_newer() -> Error {
    let (mut driver, mut major, mut minor) = (0, 0, 0);
    // SAFETY: each writes the numbers that it is given. Where it cannot, they stay zeros.
    unsafe {
        let _ = sys::cuDriverGetVersion(&raw mut driver);
        let _ = nvrtc::sys::nvrtcVersion(&raw mut major, &raw mut minor);
    }
    let driver = format!("{}.{}", driver / 1000, driver % 1000 / 10);
    Error::device(format!(
        "NVRTC {major}.{minor} is newer than the driver, which knows CUDA up to {driver}: install \
         NVRTC {driver} (PyPI: nvidia-cuda-nvrtc-cu12=={driver}.*), or a newer driver"
    ))
}

impl Drop for Parts {
    fn drop(&mut self) {
        let Ok(_entered) = self.enter() else {
            return;
        };
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
pub(crate) fn compile(shape: &Shape, capability: (u32, u32)) -> Result<String> {
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
