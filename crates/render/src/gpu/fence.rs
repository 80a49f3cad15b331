//! Sync objects.

use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A sync object: `glFenceSync` (OpenGL 3.3 core, section 5.2).
pub struct Fence {
    gpu: Rc<Gpu>,
    id: glow::Fence,
}

impl Fence {
    /// Marks the end of the commands so far.
    ///
    /// # Errors
    /// When the driver cannot create fences.
    pub fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        // SAFETY: the `Gpu` invariant.
        let id = unsafe { gpu.functions().fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0) }
            .map_err(|reason| GpuError::Create { object: "fence", reason })?;
        Ok(Self { gpu: Rc::clone(gpu), id })
    }

    /// Returns `true` if the GPU has executed the commands before the fence. Does not wait.
    pub fn is_signaled(&self) -> bool {
        self.wait_for(0) != glow::TIMEOUT_EXPIRED
    }

    /// Waits until the GPU has executed the commands before the fence.
    pub fn wait(&self) {
        const TIMEOUT_NANOSECS: i32 = 1_000_000_000;
        while self.wait_for(TIMEOUT_NANOSECS) == glow::TIMEOUT_EXPIRED {}
    }

    fn wait_for(&self, nanosecs: i32) -> u32 {
        // SAFETY: the `Gpu` invariant. The flag submits the commands; without it the wait might never end.
        unsafe { self.gpu.functions().client_wait_sync(self.id, glow::SYNC_FLUSH_COMMANDS_BIT, nanosecs) }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.gpu.functions().delete_sync(self.id) };
    }
}
