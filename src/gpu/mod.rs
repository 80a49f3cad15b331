//! GL objects, state and draw calls, typed and owned; the unsafe code lives here.
