//! Catching of panics, as the last line of defense against broken files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; returns `None` if it panics. The panic hook prints the panic.
///
/// The caller must drop all data that `work` may have left half modified.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Like [`catch`], without printing the panic: for third-party decoders, whose panic only means that the data is broken.
pub(crate) fn catch_silently<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if !SILENT.get() {
                previous(info);
            }
        }));
    });
    let was_silent = SILENT.replace(true);
    let result = catch(work);
    SILENT.set(was_silent);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caught_panic_is_none_and_restores_the_hook() {
        assert_eq!(catch_silently(|| catch_silently(|| 1)), Some(Some(1)));
        assert_eq!(catch_silently(|| -> u32 { panic!("broken data") }), None);
        assert!(!SILENT.get());
    }
}
