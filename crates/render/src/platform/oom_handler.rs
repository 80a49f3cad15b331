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

/// Limits the writable private memory of this process (`ulimit -d`), on Linux. What drivers map of a GPU does not count.
pub fn limit_memory(bytes: u64) {
    #[cfg(target_os = "linux")]
    // SAFETY: the calls read and write the given variable only.
    unsafe {
        let mut limit = std::mem::MaybeUninit::<libc::rlimit>::zeroed().assume_init();
        if libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_cur.min(bytes);
            libc::setrlimit(libc::RLIMIT_DATA, &raw const limit);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
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

    /// Returns `true` if more than a half of a limit on memory is in use: of the address space, or of data.
    fn is_near_limit() -> bool {
        let mut text = [0_u8; 128];
        // SAFETY: system calls that write to the given variables only.
        let (limits, length, page_bytes) = unsafe {
            let limits = [libc::RLIMIT_AS, libc::RLIMIT_DATA].map(|resource| {
                let mut limit = MaybeUninit::<libc::rlimit>::zeroed().assume_init();
                libc::getrlimit(resource, &raw mut limit);
                limit.rlim_cur
            });
            let file = libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            let length = libc::read(file, text.as_mut_ptr().cast(), text.len());
            (limits, length, libc::sysconf(libc::_SC_PAGESIZE))
        };
        // The first number is the size of the address space, the sixth that of data and stack.
        let text = text.get(..usize::try_from(length).unwrap_or(0)).unwrap_or_default();
        let numbers = text.split(|byte| !byte.is_ascii_digit()).step_by(5);
        let pages = numbers.map(|digits| digits.iter().fold(0, |pages, digit| pages * 10 + u64::from(digit - b'0')));
        let page_bytes = u64::try_from(page_bytes).unwrap_or(0);
        limits.iter().zip(pages).any(|(limit, pages)| *limit != libc::RLIM_INFINITY && pages * page_bytes > limit / 2)
    }
}
