//! Catching of panics, as the last line of defense against broken files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; returns `None` if it panics. The panic hook prints the panic.
///
/// The caller must drop all data that `work` may have left half modified.
pub fn catch<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Like [`catch`], for third-party decoders, whose panic only means that the data is broken. A panic hook that respects
/// [`is_silent`] does not print it.
pub fn catch_silently<T>(work: impl FnOnce() -> T) -> Option<T> {
    let was_silent = SILENT.replace(true);
    let result = catch(work);
    SILENT.set(was_silent);
    result
}

/// Returns `true` within [`catch_silently`] on this thread.
pub fn is_silent() -> bool {
    SILENT.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caught_panic_is_none_and_restores_the_flag() {
        assert_eq!(catch_silently(|| catch_silently(|| 1)), Some(Some(1)));
        assert_eq!(catch_silently(|| -> u32 { panic!("broken data") }), None);
        assert!(!SILENT.get());
    }
}
