//! GPU fence (`glFenceSync`).

use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A fence in the command stream.
pub(crate) struct Fence {
    gpu: Rc<Gpu>,
    id: glow::Fence,
}

/// Timeout of one wait in nanoseconds; longer waits are repeated.
const WAIT_TIMEOUT_NS: i32 = 1_000_000_000;

impl Fence {
    /// Inserts a fence after all commands so far.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        // SAFETY: the `Gpu` invariant.
        let id = unsafe { gpu.functions().fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0) };
        let id = id.map_err(|reason| GpuError::Create { object: "fence", reason })?;
        Ok(Self { gpu: Rc::clone(gpu), id })
    }

    /// Waits until the GPU has passed the fence.
    pub(crate) fn wait(self) {
        loop {
            // SAFETY: the `Gpu` invariant; the fence is owned by this object.
            let state = unsafe {
                self.gpu.functions().client_wait_sync(self.id, glow::SYNC_FLUSH_COMMANDS_BIT, WAIT_TIMEOUT_NS)
            };
            if state != glow::TIMEOUT_EXPIRED {
                return;
            }
        }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.gpu.functions().delete_sync(self.id) };
    }
}
