//! GPU timer queries.

use super::object::Query;
use super::{Gpu, GpuError};
use glow::HasContext;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// Maximum number of pending queries.
const MAX_PENDING: usize = 4;

/// Measures GPU time (`GL_TIME_ELAPSED`). Never waits: results arrive some frames later.
pub struct Timer {
    gpu: Rc<Gpu>,
    idle: Vec<Query>,
    /// Oldest first.
    pending: VecDeque<Query>,
    running: bool,
    last: Option<Duration>,
}

impl Timer {
    /// Creates a timer that has measured nothing.
    ///
    /// # Errors
    /// When the driver cannot create queries.
    pub fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let mut timer =
            Self { gpu: Rc::clone(gpu), idle: Vec::new(), pending: VecDeque::new(), running: false, last: None };
        for _ in 0..MAX_PENDING {
            timer.idle.push(Query::new_query(gpu)?);
        }
        Ok(timer)
    }

    /// Starts a measurement, unless all queries are pending. Only one timer may run at a time.
    pub fn start(&mut self) {
        self.stop();
        self.collect();
        if let Some(query) = self.idle.pop() {
            // SAFETY: the `Gpu` invariant; the query is owned by this timer, and none is active.
            unsafe { self.gpu.functions().begin_query(glow::TIME_ELAPSED, query.id) };
            self.pending.push_back(query);
            self.running = true;
        }
    }

    /// Ends the measurement.
    pub fn stop(&mut self) {
        if std::mem::take(&mut self.running) {
            // SAFETY: the `Gpu` invariant; a query is active.
            unsafe { self.gpu.functions().end_query(glow::TIME_ELAPSED) };
        }
    }

    /// Returns the most recent available result.
    pub fn last(&self) -> Option<Duration> {
        self.last
    }

    /// Collects available results.
    fn collect(&mut self) {
        while let Some(query) = self.pending.front() {
            // SAFETY: the `Gpu` invariant; the query has ended.
            let ready =
                unsafe { self.gpu.functions().get_query_parameter_u32(query.id, glow::QUERY_RESULT_AVAILABLE) } != 0;
            if !ready {
                return;
            }
            // SAFETY: as above.
            let nanoseconds = unsafe { self.gpu.functions().get_query_parameter_u64(query.id, glow::QUERY_RESULT) };
            self.last = Some(Duration::from_nanos(nanoseconds));
            self.idle.extend(self.pending.pop_front());
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if !self.gpu.is_lost() {
            self.stop();
        }
    }
}
