//! Systems without headless contexts.

use crate::gpu::Gpu;
use crate::platform::PlatformError;
use std::convert::Infallible;
use std::rc::Rc;

/// A headless context, not supported on this system.
pub struct Headless {
    never: Infallible,
}

impl Headless {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> Result<Self, PlatformError> {
        Err(PlatformError::no_headless("this system is not supported yet"))
    }

    /// Returns the GL context.
    pub fn gpu(&self) -> &Rc<Gpu> {
        match self.never {}
    }
}
