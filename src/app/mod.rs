//! The commands: each opens a file, sets the stage and hands the result to a window, a file or standard output.

mod bake;
mod bench;
mod blend;
mod by_hand;
mod cast;
mod check;
mod check_report;
mod clock;
mod diff;
mod environment_cache;
mod error;
mod film;
mod generate;
mod gpu_models;
mod info;
mod input;
mod legend;
mod lettering;
mod lighting;
mod look;
mod output;
mod progress;
mod report;
mod sheet;
mod shot;
mod stage;
mod studio;
mod test;
mod view;

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
        Some(Command::Completions(args)) => generate::completions(&args),
        Some(Command::Man(args)) => generate::man(&args),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Sheet(args)) => sheet::run(&args),
        Some(Command::Film(args)) => film::run(&args.gathered()),
        None => view::run(&cli.view.gathered()),
    }
}
