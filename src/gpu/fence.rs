//! When the GPU has come so far.

use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A mark among the commands that the GPU was given.
pub(crate) struct Fence {
    gpu: Rc<Gpu>,
    id: glow::Fence,
}

/// The longest that one wait may take, in nanoseconds; then it is waited anew.
const PATIENCE_NS: i32 = 1_000_000_000;

impl Fence {
    /// A mark behind all commands so far.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        // SAFETY: the common ground.
        let id = unsafe { gpu.gl.fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0) };
        let id = id.map_err(|reason| GpuError::Create { object: "fence", reason })?;
        Ok(Self { gpu: Rc::clone(gpu), id })
    }

    /// Waits until the GPU is there.
    pub(crate) fn wait(self) {
        loop {
            // SAFETY: the common ground; the fence is this one's own.
            let state = unsafe { self.gpu.gl.client_wait_sync(self.id, glow::SYNC_FLUSH_COMMANDS_BIT, PATIENCE_NS) };
            if state != glow::TIMEOUT_EXPIRED {
                return;
            }
        }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: the common ground.
        unsafe { self.gpu.gl.delete_sync(self.id) };
    }
}
