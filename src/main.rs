//! The `rigview` program: one report, one exit code.

use clap::Parser;
use rigview::app;
use rigview::cli::Cli;
use rigview::platform::oom_handler;
use std::process::ExitCode;

#[global_allocator]
static MEMORY: oom_handler::Memory = oom_handler::Memory;

/// 0 when done, 1 when it failed, 2 for wrong usage (which clap sees to); 3 when `test` could not render an image.
fn main() -> ExitCode {
    oom_handler::install();
    match app::run(Cli::parse_from(wild::args_os())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            app::report_error(&error);
            ExitCode::from(error.exit_code())
        }
    }
}
