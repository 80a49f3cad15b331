//! The `rigview` program: one report, one exit code.

use rigview::app;
use rigview::cli::Cli;
use rigview::platform::oom_handler;
use std::process::ExitCode;

#[global_allocator]
static MEMORY: oom_handler::OomAllocator = oom_handler::OomAllocator;

/// Symbols by which the drivers of laptops with two GPUs choose the faster one. The build script exports them.
#[cfg(windows)]
#[allow(non_upper_case_globals, unsafe_code, reason = "the drivers of NVIDIA and AMD search these names")]
mod fast_gpu {
    #[used]
    #[unsafe(no_mangle)]
    static NvOptimusEnablement: u32 = 1;

    #[used]
    #[unsafe(no_mangle)]
    static AmdPowerXpressRequestHighPerformance: u32 = 1;
}

const OUT_OF_MEMORY: &str = "error: out of memory; close other programs, or use a smaller --size, fewer --instances or a \
                             lower --limit\n";

fn main() -> ExitCode {
    oom_handler::install(OUT_OF_MEMORY);
    #[cfg(windows)]
    let arguments = wild::args_os();
    #[cfg(not(windows))]
    let arguments = std::env::args_os();
    app::run(Cli::of_program(arguments))
}
