//! How long the GPU works.

use super::{Gpu, GpuError};
use glow::HasContext;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// Measurements that may be under way at once; of more the oldest are not waited for.
const MOST: usize = 4;

/// A clock that the GPU starts and stops on its way through commands (`GL_TIME_ELAPSED`). Nobody waits for it: a measurement
/// is told when it is there, some frames later.
pub(crate) struct Timer {
    gpu: Rc<Gpu>,
    idle: Vec<glow::Query>,
    /// The oldest first.
    asked: VecDeque<glow::Query>,
    running: bool,
    last: Option<Duration>,
}

impl Timer {
    /// A clock that has measured nothing yet.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let mut timer =
            Self { gpu: Rc::clone(gpu), idle: Vec::new(), asked: VecDeque::new(), running: false, last: None };
        for _ in 0..MOST {
            // SAFETY: the common ground.
            let query = unsafe { gpu.gl.create_query() };
            timer.idle.push(query.map_err(|reason| GpuError::Create { object: "query", reason })?);
        }
        Ok(timer)
    }

    /// Starts to measure, unless all measurements are still under way. Only one clock may run at a time.
    pub(crate) fn start(&mut self) {
        self.collect();
        if let Some(query) = self.idle.pop() {
            // SAFETY: the common ground; the query is this clock's own, and none runs.
            unsafe { self.gpu.gl.begin_query(glow::TIME_ELAPSED, query) };
            self.asked.push_back(query);
            self.running = true;
        }
    }

    /// Stops measuring.
    pub(crate) fn stop(&mut self) {
        if std::mem::take(&mut self.running) {
            // SAFETY: the common ground; a query was begun.
            unsafe { self.gpu.gl.end_query(glow::TIME_ELAPSED) };
        }
    }

    /// The last measurement that is there.
    pub(crate) fn last(&self) -> Option<Duration> {
        self.last
    }

    /// Takes the measurements that are there by now.
    fn collect(&mut self) {
        while let Some(query) = self.asked.front().copied() {
            // SAFETY: the common ground; the query has ended.
            let ready = unsafe { self.gpu.gl.get_query_parameter_u32(query, glow::QUERY_RESULT_AVAILABLE) } != 0;
            if !ready {
                return;
            }
            // SAFETY: as above.
            let nanoseconds = unsafe { self.gpu.gl.get_query_parameter_u64(query, glow::QUERY_RESULT) };
            self.last = Some(Duration::from_nanos(nanoseconds));
            self.asked.pop_front();
            self.idle.push(query);
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.stop();
        for query in self.idle.drain(..).chain(self.asked.drain(..)) {
            // SAFETY: the common ground.
            unsafe { self.gpu.gl.delete_query(query) };
        }
    }
}
