//! Occlusion queries.

use super::object::Query;
use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// Finds out if draw calls pass a sample to the framebuffer (`GL_ANY_SAMPLES_PASSED`).
pub(crate) struct VisibilityQuery {
    gpu: Rc<Gpu>,
    /// One query per measured group of draw calls; the first `used` have a result.
    queries: Vec<Query>,
    used: usize,
}

impl VisibilityQuery {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Self {
        Self { gpu: Rc::clone(gpu), queries: Vec::new(), used: 0 }
    }

    /// Forgets all measured draw calls.
    pub(crate) fn reset(&mut self) {
        self.used = 0;
    }

    /// Measures the draw calls of `draw`, which must not measure others.
    pub(crate) fn measure<T>(&mut self, draw: impl FnOnce() -> T) -> Result<T, GpuError> {
        if self.used == self.queries.len() {
            self.queries.push(Query::new_query(&self.gpu)?);
        }
        // SAFETY: the `Gpu` invariant; no query of this kind is active.
        unsafe { self.gpu.functions().begin_query(glow::ANY_SAMPLES_PASSED, self.queries[self.used].id) };
        self.used += 1;
        let result = draw();
        // SAFETY: the `Gpu` invariant; the query is active.
        unsafe { self.gpu.functions().end_query(glow::ANY_SAMPLES_PASSED) };
        Ok(result)
    }

    /// Returns `true` if a sample of the measured draw calls passed. Waits for the GPU.
    pub(crate) fn any_passed(&self) -> bool {
        self.queries[..self.used].iter().any(|query| {
            // SAFETY: the `Gpu` invariant; the query has ended.
            unsafe { self.gpu.functions().get_query_parameter_u32(query.id, glow::QUERY_RESULT) != 0 }
        })
    }
}
