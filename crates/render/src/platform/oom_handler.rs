//! Out-of-memory and file size limits as error messages instead of signals.

use super::shutdown::exit_now;
use rigview_core::util::fallible::is_fallible;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// Exit code after an allocation has failed.
static EXIT_CODE: AtomicU8 = AtomicU8::new(1);

/// The message after an allocation has failed.
static MESSAGE: OnceLock<&str> = OnceLock::new();

/// Sets the exit code for missing memory, for commands whose code 1 is a result. The default is 1.
pub fn set_exit_code(code: u8) {
    EXIT_CODE.store(code, Ordering::Relaxed);
}

/// The system allocator. A failed allocation ends the process with one line, unless it is within
/// [`fallible`](rigview_core::util::fallible::fallible).
///
/// The standard library would abort, with a backtrace.
pub struct OomAllocator;

fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() && !is_fallible() {
        exit_out_of_memory();
    }
    memory
}

/// Prints the message and ends the process. Does not allocate.
fn exit_out_of_memory() -> ! {
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    if HAS_BEGUN.swap(true, Ordering::Relaxed) {
        // Another thread prints the message, and ends the process.
        std::thread::sleep(Duration::from_secs(1));
    } else {
        let message = MESSAGE.get().map_or("", |message| message);
        #[cfg(unix)]
        // SAFETY: the pointer and the length are those of a string. Another thread may have locked `std::io::stderr`.
        unsafe {
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        }
        #[cfg(not(unix))]
        let _ = std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes());
    }
    exit_now(EXIT_CODE.load(Ordering::Relaxed))
}

// SAFETY: forwards all calls unchanged.
unsafe impl GlobalAlloc for OomAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(memory, layout, size) })
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
    // SAFETY: ignoring a signal runs no code.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
    #[cfg(target_os = "linux")]
    crashes::install();
}

/// Crashes of drivers and of other libraries that do not check their allocations.
#[cfg(target_os = "linux")]
mod crashes {
    use super::exit_out_of_memory;
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;

    const SIGNALS: [libc::c_int; 3] = [libc::SIGABRT, libc::SIGBUS, libc::SIGSEGV];

    /// The former actions. That of SIGSEGV reports stack overflows.
    static FORMER: OnceLock<[libc::sigaction; 3]> = OnceLock::new();

    /// Reports crashes near the limit of `ulimit -v` as missing memory. Others keep their former action.
    pub(super) fn install() {
        let handler: extern "C" fn(libc::c_int) = on_crash;
        // SAFETY: zeros are a valid action, and the handler is async-signal-safe.
        unsafe {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_ONSTACK;
            let _ = FORMER.set(SIGNALS.map(|signal| {
                let mut former = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                libc::sigaction(signal, &raw const action, &raw mut former);
                former
            }));
        }
    }

    extern "C" fn on_crash(signal: libc::c_int) {
        if is_near_limit() {
            exit_out_of_memory();
        }
        let former = FORMER.get().and_then(|former| {
            SIGNALS.iter().zip(former).find(|(number, _)| **number == signal).map(|(_, action)| action)
        });
        // SAFETY: restores an action of the system. A fault then happens again; `abort` raises its signal again.
        unsafe {
            match former {
                Some(former) => libc::sigaction(signal, std::ptr::from_ref(former), std::ptr::null_mut()),
                None => libc::signal(signal, libc::SIG_DFL) as libc::c_int,
            };
        }
    }

    /// Returns `true` if the address space has a limit, of which more than a half is in use.
    fn is_near_limit() -> bool {
        let mut text = [0_u8; 64];
        // SAFETY: system calls that write to the given variables only.
        let (limit, length, page_bytes) = unsafe {
            let mut limit = MaybeUninit::<libc::rlimit>::zeroed().assume_init();
            libc::getrlimit(libc::RLIMIT_AS, &raw mut limit);
            let file = libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            let length = libc::read(file, text.as_mut_ptr().cast(), text.len());
            (limit.rlim_cur, length, libc::sysconf(libc::_SC_PAGESIZE))
        };
        let digits = text[..usize::try_from(length).unwrap_or(0)].iter().take_while(|digit| digit.is_ascii_digit());
        let pages = digits.fold(0_u64, |pages, digit| pages * 10 + u64::from(digit - b'0'));
        limit != libc::RLIM_INFINITY && pages * u64::try_from(page_bytes).unwrap_or(0) > limit / 2
    }
}
