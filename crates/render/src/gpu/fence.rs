//! Sync objects.

use super::object::Object;
use super::{DeviceType, Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A sync object: `glFenceSync` (OpenGL 3.3 core, section 5.2).
pub struct Fence(Object<glow::Fence>);

impl Fence {
    /// Marks the end of the commands so far.
    ///
    /// # Errors
    /// When the driver cannot create fences.
    pub fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let create = |gl: &glow::Context| {
            // SAFETY: the `Gpu` invariant.
            let fence = unsafe { gl.fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0) }?;
            if fence.0.is_null() { Err("the driver returned none".to_owned()) } else { Ok(fence) }
        };
        Ok(Self(Object::new(gpu, "fence", create, glow::Context::delete_sync)?))
    }

    /// Returns `true` if the GPU has executed the commands before the fence. Does not wait.
    pub fn is_signaled(&self) -> bool {
        self.wait_for(0) != glow::TIMEOUT_EXPIRED
    }

    /// Waits until the GPU has executed the commands before the fence.
    ///
    /// # Errors
    /// When the context is lost, or a GPU does not finish in 30 seconds. A software renderer may take longer.
    pub fn wait(&self) -> Result<(), GpuError> {
        const TIMEOUT_NANOSECS: i32 = 1_000_000_000;
        const MAX_TIMEOUTS: u32 = 30;
        const DURING: &str = "waiting for the GPU";
        let mut timeouts = 0;
        loop {
            match self.wait_for(TIMEOUT_NANOSECS) {
                glow::TIMEOUT_EXPIRED
                    if self.0.gpu.device_type() == DeviceType::Software || timeouts < MAX_TIMEOUTS =>
                {
                    timeouts += 1
                }
                glow::TIMEOUT_EXPIRED | glow::WAIT_FAILED => {
                    self.0.gpu.check_reset(DURING)?;
                    return Err(self.0.gpu.lost(DURING, " or does not respond"));
                }
                _ => return Ok(()),
            }
        }
    }

    fn wait_for(&self, nanosecs: i32) -> u32 {
        // SAFETY: the `Gpu` invariant. The flag submits the commands; without it the wait might never end.
        unsafe { self.0.gpu.functions().client_wait_sync(self.0.id, glow::SYNC_FLUSH_COMMANDS_BIT, nanosecs) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake_driver::{RENDERER, RESET, WAITS, new_gpu};
    use super::*;

    #[test]
    fn wait_for_a_gpu_that_does_not_respond_ends_as_a_lost_context() {
        RESET.set(0);
        let wait = |expiring, result| {
            WAITS.set((expiring, result));
            Fence::new(&new_gpu().expect("the fake driver")).expect("a fence").wait()
        };
        assert!(wait(0, glow::ALREADY_SIGNALED).is_ok());
        assert!(wait(30, glow::CONDITION_SATISFIED).is_ok());
        for (expiring, result) in
            [(31, glow::CONDITION_SATISFIED), (u32::MAX, glow::TIMEOUT_EXPIRED), (2, glow::WAIT_FAILED)]
        {
            let error = wait(expiring, result).expect_err("lost");
            assert!(matches!(error, GpuError::Lost { .. }), "{error}");
            let words = "the graphics driver was reset or does not respond, while waiting for the GPU, ";
            assert!(error.to_string().starts_with(words), "{error}");
        }
        RESET.set(glow::GUILTY_CONTEXT_RESET);
        let error = wait(0, glow::WAIT_FAILED).expect_err("lost").to_string();
        assert!(error.contains("was reset by what was drawn, while waiting"), "{error}");
        RESET.set(0);
        // A software renderer is slow, and cannot hang.
        RENDERER.set(c"llvmpipe");
        assert!(wait(1000, glow::CONDITION_SATISFIED).is_ok());
        RENDERER.set(c"a driver that fails");
    }
}
