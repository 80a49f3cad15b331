//! The commands: each opens a file, sets the stage and hands the result to a window, a file or standard output.

mod atomic_write;
mod bake;
mod bench;
mod check;
mod check_report;
mod clip_blend;
mod completions;
mod cpu_time;
mod crowd_plan;
mod debug_view;
mod diff;
mod environment_cache;
mod error;
mod gpu_models;
mod info;
mod input;
mod legend;
mod lighting;
mod offscreen;
mod pose_overrides;
mod progress;
mod report;
mod scene;
mod sheet;
mod shot;
mod test;
mod text_raster;
mod video;
mod viewer;

pub use error::{AppError, FileError};
pub use report::error as report_error;

use crate::cli::{Cli, Command};

/// Does what the command line asks for.
///
/// Results go to standard output, notices to standard error; the error is left for `main` to print.
pub fn run(cli: Cli) -> Result<(), AppError> {
    match cli.command {
        Some(Command::Shot(args)) => shot::run(&args.gathered()),
        Some(Command::Bake(args)) => bake::run(&args),
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Test(args)) => test::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::Man(args)) => completions::man(&args),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Sheet(args)) => sheet::run(&args),
        Some(Command::Film(args)) => video::run(&args.gathered()),
        None => viewer::run(&cli.view.gathered()),
    }
}
