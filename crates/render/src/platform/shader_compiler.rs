//! Options of Mesa's shader compiler.

/// Turns off the optimization passes of llvmpipe's shader compiler for this process (`nopt` of Mesa's `GALLIVM_PERF`).
///
/// Most of the CPU time of a single image is shader compilation, which takes half the time then. Shaders run up to a tenth slower.
/// Images are equal: the passes do not reorder floating-point arithmetic.
///
/// Call it before the first thread and the first GL context exist. Returns `false` in a process of several threads, and does nothing
/// there. It does nothing if the user has set `GALLIVM_PERF`, and on systems other than Linux.
pub fn disable_optimization() -> bool {
    #[cfg(target_os = "linux")]
    {
        const VARIABLE: &str = "GALLIVM_PERF";
        let is_single_threaded = std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1);
        if is_single_threaded && std::env::var_os(VARIABLE).is_none() {
            // SAFETY: no other thread accesses the environment.
            unsafe { std::env::set_var(VARIABLE, "nopt") };
        }
        is_single_threaded
    }
    #[cfg(not(target_os = "linux"))]
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn process_of_several_threads_keeps_its_environment() {
        let variables = || std::env::vars_os().collect::<Vec<_>>();
        let before = variables();
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(!super::disable_optimization()));
        });
        assert_eq!(variables(), before);
    }
}
