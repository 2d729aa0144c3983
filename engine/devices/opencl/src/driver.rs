// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! A device with its kernels compiled.

use std::sync::{Arc, Mutex, PoisonError};

use ciphermill::{Buffer, Result};
use ciphermill_gpu::{Dialect, Gpu, Implementation, Lane, Options, Shape};
use opencl3::device::Device;

use crate::lane::OpenClLane;
use crate::pinned::Pinned;
use crate::platform::Found;
use crate::program::{Parts, compile, failed};

/// A device, and its kernels once something needs them.
pub(crate) struct Driver {
    found: Found,
    shape: Shape,
    parts: Mutex<Option<Arc<Parts>>>,
}

impl Driver {
    pub(crate) fn new(found: Found, options: &Options) -> Result<Driver> {
        Ok(Driver {
            shape: shape(&found, options)?,
            found,
            parts: Mutex::default(),
        })
    }

    /// Compiling takes seconds, and so it waits for the first job.
    fn parts(&self) -> Result<Arc<Parts>> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = &*parts {
            return Ok(Arc::clone(parts));
        }
        let compiled = Arc::new(compile(&self.found, &self.shape.source(Dialect::OpenCl))?);
        *parts = Some(Arc::clone(&compiled));
        Ok(compiled)
    }
}

impl Gpu for Driver {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(OpenClLane::new(self.parts()?, &self.shape)?))
    }

    fn pinned(&self, bytes: usize) -> Option<Buffer> {
        if self.found.shares_memory {
            return None;
        }
        let parts = self.parts().ok()?;
        Some(Buffer::in_device(Pinned::new(&parts, bytes).ok()?))
    }
}

/// A processor computes with vectors, and its caches make one copy of a table enough.
fn shape(found: &Found, options: &Options) -> Result<Shape> {
    let device: &Device = &found.id;
    let asked = || {
        let units = device.max_compute_units()? as usize;
        let most_items = device.max_work_group_size()?;
        let local_bytes = device.local_mem_size()? as usize;
        let vector = device.native_vector_width_int()? as usize;
        Ok((units, most_items, local_bytes, vector))
    };
    let (units, most_items, local_bytes, vector) = asked().map_err(failed("asking the device"))?;
    // Vectors of 512 bits were slower here than those of 256, of which twice as many run at once.
    let vector = [8, 4]
        .into_iter()
        .find(|lanes| *lanes <= vector && !found.is_gpu);
    let group_items = match (options.implementation, found.is_gpu) {
        (_, false) => 1,
        (Implementation::Bitsliced, true) => 64,
        (Implementation::Tables, true) => 256,
    };
    let group_items = options.group_items.unwrap_or(group_items);
    let group_items = group_items.min(1 << most_items.max(1).ilog2());
    // A kilobyte a copy, and the inverse S-box beside them.
    let copies = (local_bytes / 1024).saturating_sub(1).clamp(1, 32);
    Ok(Shape {
        implementation: options.implementation,
        lanes: match options.implementation {
            Implementation::Bitsliced => options.lanes.or(vector).unwrap_or(1),
            Implementation::Tables => 1,
        },
        banks: (1 << copies.ilog2()).min(group_items),
        group_items,
        groups: 4 * units.max(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ciphermill_gpu::Place;

    /// A device that works in the host's memory is not asked for pinned memory, and so the other
    /// tests may have none.
    #[test]
    fn pinned_memory_goes_to_the_device_and_back() {
        let Ok(found) = crate::platform::find(None) else {
            println!("skipped: no OpenCL device here");
            return;
        };
        let shape = shape(&found, &Options::default()).unwrap();
        let source = shape.source(Dialect::OpenCl);
        let parts = Arc::new(compile(&found, &source).unwrap());
        let mut pinned = Pinned::new(&parts, 1000).unwrap();
        assert_eq!(pinned.as_ref(), [0; 1000]);
        pinned.as_mut().fill(7);
        let mut lane = OpenClLane::new(parts, &shape).unwrap();
        lane.reserve(Place::Input, 1000).unwrap();
        // SAFETY: the memory is waited for.
        #[allow(unsafe_code)]
        unsafe {
            lane.start_write(Place::Input, 0, pinned.as_ref()).unwrap();
            lane.wait().unwrap();
            pinned.as_mut().fill(0);
            lane.start_read(Place::Input, &mut pinned.as_mut()[..999])
                .unwrap();
        }
        lane.wait().unwrap();
        assert_eq!(pinned.as_ref()[..999], [7; 999]);
        assert_eq!(pinned.as_ref()[999], 0);
        lane.erase().unwrap();
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            lane.start_read(Place::Input, pinned.as_mut()).unwrap();
        }
        lane.wait().unwrap();
        assert_eq!(pinned.as_ref(), [0; 1000]);
    }

    #[test]
    fn a_kernel_that_does_not_compile_shows_the_log() {
        let Ok(found) = crate::platform::find(None) else {
            println!("skipped: no OpenCL device here");
            return;
        };
        let error = compile(&found, "__kernel void broken() { colour }")
            .err()
            .unwrap();
        let text = error.to_string();
        assert!(text.contains("does not compile the kernels"), "{text}");
        assert!(text.contains("colour"), "{text}");
    }
}
