//! Timestamps between passes.

use super::object::Query;
use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;
use std::time::Duration;

/// Measures the GPU time of each pass of a frame by timestamps (`GL_TIMESTAMP`).
pub(crate) struct PassTimer<P> {
    gpu: Rc<Gpu>,
    /// The first `passes.len() + 1` have a timestamp.
    queries: Vec<Query>,
    passes: Vec<P>,
}

impl<P: Copy + PartialEq> PassTimer<P> {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Self {
        Self { gpu: Rc::clone(gpu), queries: Vec::new(), passes: Vec::new() }
    }

    /// Starts a frame, and forgets the former.
    pub(crate) fn begin(&mut self) -> Result<(), GpuError> {
        self.passes.clear();
        self.record(0)
    }

    /// Ends a pass, which began at the end of the former.
    pub(crate) fn end_pass(&mut self, pass: P) -> Result<(), GpuError> {
        self.passes.push(pass);
        self.record(self.passes.len())
    }

    fn record(&mut self, index: usize) -> Result<(), GpuError> {
        let gl = self.gpu.functions();
        if self.queries.len() == index {
            self.queries.push(Query::new_query(&self.gpu)?);
        }
        // SAFETY: the `Gpu` invariant.
        unsafe { gl.query_counter(self.queries[index].id, glow::TIMESTAMP) };
        Ok(())
    }

    /// Returns the times of the passes in the order of their first end; a pass of several tiles is one. Waits for the GPU.
    pub(crate) fn times(&self) -> Vec<(P, Duration)> {
        let gl = self.gpu.functions();
        let stamps: Vec<u64> = self.queries[..self.passes.len() + usize::from(!self.queries.is_empty())]
            .iter()
            // SAFETY: the `Gpu` invariant; the query has a timestamp.
            .map(|query| unsafe { gl.get_query_parameter_u64(query.id, glow::QUERY_RESULT) })
            .collect();
        let mut times: Vec<(P, Duration)> = Vec::new();
        for (pass, stamp) in self.passes.iter().zip(stamps.windows(2)) {
            let time = Duration::from_nanos(stamp[1].saturating_sub(stamp[0]));
            match times.iter_mut().find(|(other, _)| other == pass) {
                Some((_, sum)) => *sum += time,
                None => times.push((*pass, time)),
            }
        }
        times
    }
}
