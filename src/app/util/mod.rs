//! The name of the modifier key, and drops on other threads.

pub(crate) mod modifier_key;

/// Drops a value on another thread, or here if the system starts none: to free the images of a file takes longer than a frame.
pub(crate) fn drop_elsewhere(value: impl Send + 'static) {
    _ = std::thread::Builder::new().spawn(move || drop(value));
}
