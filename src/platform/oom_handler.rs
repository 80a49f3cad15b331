//! Limits of the system that end a program by a signal, told in words instead.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the system has refused memory.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The system's memory, which notes when there was none.
///
/// Asking for too much is no failure yet: some who ask can do without. Who cannot aborts, and then [`install`] knows why.
pub struct Memory;

fn noted(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    memory
}

// SAFETY: whatever is asked is passed on as it is, and so is the answer.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that are asked for.
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

/// A block of memory of at least so many bytes goes back to the system as soon as it is let go.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BLOCK: libc::c_int = 2 << 20;

/// Memory at the end of the heap goes back to the system where it is more than this.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LOOSE_END: libc::c_int = 4 << 20;

/// Lets a file that may not grow (`ulimit -f`) be an error of writing, and memory that may not grow (`ulimit -v`, a
/// container) an error with exit code 1. Pictures leave no memory behind once they are decoded.
pub fn install() {
    // By itself glibc keeps blocks the larger, the larger the ones that it has seen: tens of megabytes of decoded pictures.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the program has one thread yet; both are numbers that the allocator keeps.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BLOCK);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LOOSE_END);
    }
    #[cfg(unix)]
    {
        let at_abort: extern "C" fn(libc::c_int) = at_abort;
        // SAFETY: ignoring a signal runs nothing; the handler only does what a handler may: it reads an atomic, writes to a
        // file, and ends the program.
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
    // SAFETY: see where it is installed.
    unsafe {
        if REFUSED.load(Ordering::Relaxed) {
            libc::write(libc::STDERR_FILENO, WORDS.as_ptr().cast(), WORDS.len());
            libc::_exit(1);
        }
        // Any other reason is a fault, and ends as it would without this.
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
