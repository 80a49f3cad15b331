//! GL context creation: robust context first, then fallback.

use crate::gpu::is_debugging;
use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Robustness, Version};

/// Creates an OpenGL 3.3 core context, a debug context if `RIGVIEW_GL_DEBUG` is set, with reset notification, or without it if unsupported.
pub(super) fn create_context_with_fallback<T, E>(
    create: impl Fn(ContextAttributesBuilder) -> Result<T, E>,
) -> Result<T, E> {
    let attributes = || {
        ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
            .with_profile(GlProfile::Core)
            .with_debug(is_debugging())
    };
    create(attributes().with_robustness(Robustness::RobustLoseContextOnReset)).or_else(|_| create(attributes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn context_without_robustness_is_the_fallback() {
        let attempts = Cell::new(0);
        let second = |_| {
            attempts.set(attempts.get() + 1);
            if attempts.get() == 2 { Ok(attempts.get()) } else { Err("no such context") }
        };
        assert_eq!(create_context_with_fallback(second), Ok(2));
        assert_eq!(create_context_with_fallback(|_| Ok::<_, &str>(1)), Ok(1));
        assert_eq!(create_context_with_fallback(|_| Err::<(), _>("none at all")), Err("none at all"));
    }
}
