//! Drops on other threads.

/// Drops a value on another thread, or on this one if the system starts no other: to free the images of a file takes longer than a frame.
pub fn drop_elsewhere(value: impl Send + 'static) {
    // `thread::spawn` would panic if the system starts no thread.
    _ = std::thread::Builder::new().spawn(move || drop(value));
}
