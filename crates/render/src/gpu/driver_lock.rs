//! One thread at a time in Mesa's software renderers.
//!
//! Contexts of one EGL display share a screen. Before a transfer, llvmpipe looks for the resource in the unfinished frames
//! of every context of the screen, without a lock against the threads that draw them (`lp_setup_is_resource_referenced`).

use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use std::ops::Deref;

static LOCK: ReentrantMutex<()> = ReentrantMutex::new(());

/// Keeps other threads out of software renderers while it exists.
pub(crate) struct DriverLock {
    _guard: ReentrantMutexGuard<'static, ()>,
}

impl DriverLock {
    /// Waits for other threads; the same thread may take the lock again.
    pub(crate) fn new() -> Self {
        Self { _guard: LOCK.lock() }
    }
}

/// The functions of a context. Other contexts of a software renderer wait in their threads while it exists.
///
/// Dereferences to [`glow::Context`].
pub struct GlGuard<'a> {
    gl: &'a glow::Context,
    _lock: Option<DriverLock>,
}

impl<'a> GlGuard<'a> {
    pub(super) fn new(gl: &'a glow::Context, serializes_calls: bool) -> Self {
        Self { _lock: serializes_calls.then(DriverLock::new), gl }
    }
}

impl Deref for GlGuard<'_> {
    type Target = glow::Context;

    fn deref(&self) -> &glow::Context {
        self.gl
    }
}

/// A GL context or surface, created and destroyed under the lock.
#[cfg(not(target_os = "macos"))]
pub(crate) struct DropUnderLock<T>(Option<T>);

#[cfg(not(target_os = "macos"))]
impl<T> DropUnderLock<T> {
    pub(crate) fn new(_lock: &DriverLock, value: T) -> Self {
        Self(Some(value))
    }
}

#[cfg(not(target_os = "macos"))]
impl<T> Drop for DropUnderLock<T> {
    fn drop(&mut self) {
        let _lock = DriverLock::new();
        self.0.take();
    }
}
