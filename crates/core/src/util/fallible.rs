//! Allocations that may fail.

use std::cell::Cell;

thread_local! {
    static IS_FALLIBLE: Cell<bool> = const { Cell::new(false) };
}

/// Calls `allocate`, whose caller handles missing memory. In the program, each other failed allocation ends the process.
///
/// It is for `try_reserve` of a size that a file decides.
pub fn fallible<T>(allocate: impl FnOnce() -> T) -> T {
    let before = IS_FALLIBLE.replace(true);
    let result = allocate();
    IS_FALLIBLE.set(before);
    result
}

/// Returns `true` within [`fallible`] on this thread.
pub fn is_fallible() -> bool {
    IS_FALLIBLE.get()
}
