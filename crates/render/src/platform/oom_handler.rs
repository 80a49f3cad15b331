//! Out-of-memory and file size limits as error messages instead of signals.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// Maximum number of allocations between a failed one and the abort that it causes: the standard library's message about
/// it allocates.
#[cfg(any(unix, test))]
const MAX_ALLOCATIONS_BEFORE_ABORT: u32 = 64;

thread_local! {
    /// Successful allocations of this thread since the last failed one.
    static ALLOCATIONS_SINCE_FAILURE: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Exit code after an allocation has failed.
static EXIT_CODE: AtomicU8 = AtomicU8::new(1);

/// The message after an allocation has failed.
static MESSAGE: OnceLock<&str> = OnceLock::new();

/// Sets the exit code for missing memory, for commands whose code 1 is a result. The default is 1.
pub fn set_exit_code(code: u8) {
    EXIT_CODE.store(code, Ordering::Relaxed);
}

/// The system allocator. A failed allocation is only recorded: the caller may recover. If the thread aborts soon
/// after it, the abort handler reports out-of-memory.
pub struct OomAllocator;

fn record_allocation(memory: *mut u8) -> *mut u8 {
    let allocations = if memory.is_null() { 0 } else { ALLOCATIONS_SINCE_FAILURE.get().saturating_add(1) };
    ALLOCATIONS_SINCE_FAILURE.set(allocations);
    memory
}

// SAFETY: forwards all calls unchanged.
unsafe impl GlobalAlloc for OomAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        record_allocation(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        record_allocation(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        record_allocation(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Minimum size of allocations that are returned to the system when freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MMAP_THRESHOLD_BYTES: libc::c_int = 2 << 20;

/// Maximum free memory at the end of the heap before it is returned to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const TRIM_THRESHOLD_BYTES: libc::c_int = 4 << 20;

/// Installs the handlers.
///
/// Exceeding a file size limit (`ulimit -f`) becomes a write error. Exceeding a memory limit (`ulimit -v`, a container)
/// exits with the code of [`set_exit_code`] and prints `message`, which ends with a line break.
pub fn install(message: &'static str) {
    let _ = MESSAGE.set(message);
    // By default glibc raises its threshold and keeps tens of megabytes of freed image memory.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: only one thread exists; both calls set integers of the allocator.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_THRESHOLD_BYTES);
    }
    #[cfg(unix)]
    {
        let on_abort: extern "C" fn(libc::c_int) = on_abort;
        // SAFETY: ignoring a signal runs no code; the handler is async-signal-safe.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            libc::signal(libc::SIGABRT, on_abort as libc::sighandler_t);
        }
    }
}

#[cfg(unix)]
extern "C" fn on_abort(signal: libc::c_int) {
    let message = MESSAGE.get().map_or("", |message| message);
    // SAFETY: reads atomics and a thread-local without initialization, writes to a file and exits, all async-signal-safe.
    unsafe {
        if ALLOCATIONS_SINCE_FAILURE.get() <= MAX_ALLOCATIONS_BEFORE_ABORT {
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
            libc::_exit(EXIT_CODE.load(Ordering::Relaxed).into());
        }
        // Other causes are bugs and keep the default behavior.
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handled_failure_does_not_count_after_later_allocations() {
        record_allocation(std::ptr::null_mut());
        assert!(ALLOCATIONS_SINCE_FAILURE.get() <= MAX_ALLOCATIONS_BEFORE_ABORT);
        let mut byte = 0;
        for _ in 0..=MAX_ALLOCATIONS_BEFORE_ABORT {
            record_allocation(&raw mut byte);
        }
        assert!(ALLOCATIONS_SINCE_FAILURE.get() > MAX_ALLOCATIONS_BEFORE_ABORT);
    }
}
