//! Out-of-memory and file size limits as error messages instead of signals.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when an allocation has failed.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The system allocator. A failed allocation only sets a flag: the caller may recover. If the process aborts later, the
/// abort handler reports out-of-memory.
pub struct Memory;

fn noted(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    memory
}

// SAFETY: forwards all calls unchanged.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Minimum size of blocks that return to the system when freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BLOCK: libc::c_int = 2 << 20;

/// Maximum free memory at the end of the heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LOOSE_END: libc::c_int = 4 << 20;

/// Installs the handlers.
///
/// Exceeding a file size limit (`ulimit -f`) becomes a write error. Exceeding a memory limit (`ulimit -v`, a container)
/// exits with code 1.
pub fn install() {
    // By default glibc raises its threshold and keeps tens of megabytes of freed image memory.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: only one thread exists; both calls set integers of the allocator.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BLOCK);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LOOSE_END);
    }
    #[cfg(unix)]
    {
        let at_abort: extern "C" fn(libc::c_int) = at_abort;
        // SAFETY: ignoring a signal runs no code; the handler is async-signal-safe.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            libc::signal(libc::SIGABRT, at_abort as libc::sighandler_t);
        }
    }
}

#[cfg(unix)]
extern "C" fn at_abort(signal: libc::c_int) {
    const WORDS: &[u8] = b"error: there is not enough memory; close other programs, or ask for less: \
        a smaller --size, fewer --instances, a lower --limit\n";
    // SAFETY: reads an atomic, writes to a file and exits, all async-signal-safe.
    unsafe {
        if REFUSED.load(Ordering::Relaxed) {
            libc::write(libc::STDERR_FILENO, WORDS.as_ptr().cast(), WORDS.len());
            libc::_exit(1);
        }
        // Other causes are bugs and keep the default behavior.
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
