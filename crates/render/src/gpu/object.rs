//! Objects of a context.

use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// An object of a context, which it deletes once. Those of a lost context are gone already.
pub(super) struct Object<T: Copy + 'static> {
    pub(super) gpu: Rc<Gpu>,
    pub(super) id: T,
    delete: unsafe fn(&glow::Context, T),
}

impl<T: Copy + 'static> Object<T> {
    /// Creates an object; `kind` names it in messages.
    ///
    /// The functions are those of this kind of object.
    pub(super) fn new(
        gpu: &Rc<Gpu>,
        kind: &'static str,
        create: unsafe fn(&glow::Context) -> Result<T, String>,
        delete: unsafe fn(&glow::Context, T),
    ) -> Result<Self, GpuError> {
        // SAFETY: the `Gpu` invariant.
        let id = unsafe { create(&gpu.functions()) }
            .map_err(|reason| gpu.failure("creating an object", GpuError::Create { object: kind, reason }))?;
        Ok(Self { gpu: Rc::clone(gpu), id, delete })
    }
}

impl<T: Copy + 'static> Drop for Object<T> {
    fn drop(&mut self) {
        let (delete, id) = (self.delete, self.id);
        // SAFETY: the `Gpu` invariant.
        self.gpu.delete(move |gl| unsafe { delete(gl, id) });
    }
}

/// A query object.
pub(super) type Query = Object<glow::Query>;

impl Query {
    pub(super) fn new_query(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Self::new(gpu, "query", glow::Context::create_query, glow::Context::delete_query)
    }
}
