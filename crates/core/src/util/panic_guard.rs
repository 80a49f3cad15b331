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

/// Replaces the panic hook by one that does not print the panics of [`catch_silently`].
///
/// The hook belongs to the whole process, so only the program installs it. Otherwise the present hook prints these panics.
pub fn install_hook() {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !SILENT.get() {
            previous(info);
        }
    }));
}

/// Like [`catch`], for third-party decoders, whose panic only means that the data is broken. [`install_hook`] suppresses the
/// message.
pub fn catch_silently<T>(work: impl FnOnce() -> T) -> Option<T> {
    let was_silent = SILENT.replace(true);
    let result = catch(work);
    SILENT.set(was_silent);
    result
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
