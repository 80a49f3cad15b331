//! The application: commands, tasks and the window.

mod commands;
mod console;
mod error;
mod files;
mod notices;
mod offscreen;
mod scene;
mod tasks;
mod viewer;

pub(crate) use error::{AppError, FileError};

use crate::cli::{BenchCommand, Cli, Command};
use crate::request::Quality;
use commands::{
    bench, check, compare, completions, diff, explain, images, info, retarget, session, store, test, thumbnail,
};
use console::progress::{CancelToken, cancel_on_signal};
use rigview_core::util::panic_guard::is_silent;
use rigview_render::platform::{console as system_console, shader_compiler};
use std::process::ExitCode;

/// Parsers of files that only the program reads, for the fuzz targets.
#[doc(hidden)]
pub mod parsers {
    use super::files::rig_map_file;
    use super::viewer::Settings;
    use rigview_core::model::Model;
    use rigview_core::retarget::RigMap;

    /// Returns the settings of the window in a text, as they are saved.
    ///
    /// # Errors
    /// If they cannot be saved.
    pub fn settings(text: &str) -> Result<String, String> {
        toml::to_string(&Settings::from_text(text)).map_err(|error| error.to_string())
    }

    /// Returns the map of a rig after the changes of a text, as it is saved.
    ///
    /// # Errors
    /// If the text is no such map: one line.
    pub fn rig_map(model: &Model, text: &str) -> Result<String, String> {
        let mut map = RigMap::detect(model);
        rig_map_file::apply_toml(&mut map, &model.skeleton, text).map_err(|error| error.to_string())?;
        Ok(rig_map_file::to_toml(&map, &model.skeleton))
    }
}

/// Runs a command, or opens the window.
///
/// Results go to standard output, notices and the error to standard error. Returns 0 when done, 1 when it failed, 2 for wrong usage, and 3
/// when `test` could not render an image.
///
/// Replaces the panic hook of the process, so that panics of image decoders are not printed. Call it once.
pub fn run(cli: Cli) -> ExitCode {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_silent() {
            previous(info);
        }
    }));
    let Err(error) = run_command(cli) else { return ExitCode::SUCCESS };
    console::report::error(&error);
    ExitCode::from(error.exit_code())
}

fn run_command(cli: Cli) -> Result<(), AppError> {
    // Many draws take longer than the compilation of shaders.
    let has_few_draws = match &cli.command {
        Some(Command::Shot(args)) => args.render.options.quality == Quality::Standard,
        Some(command) => {
            matches!(
                command,
                Command::Bake(_) | Command::Session | Command::Sheet(_) | Command::Test(_) | Command::Thumbnail(_)
            )
        }
        None => false,
    };
    let is_first_thread = !has_few_draws || shader_compiler::disable_optimization();
    debug_assert!(is_first_thread, "a thread exists before the options of the driver are set");
    // The window ends by itself, a session at the end of its input, and `test` writes a report.
    let cancel = match &cli.command {
        Some(Command::Session | Command::Test(_)) | None => CancelToken::default(),
        Some(_) => cancel_on_signal(),
    };
    match cli.command {
        Some(Command::Shot(args)) => images::shot(&args, cancel),
        Some(Command::Bake(args)) => images::bake(&args),
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Test(args)) => test::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Bench(args)) => match &args.command {
            Some(BenchCommand::Frame(args)) => bench::frame(args),
            None => bench::crowd(&args.crowd),
        },
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::Man(args)) => completions::man(&args),
        Some(Command::Session) => session::run(),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Retarget(args)) => retarget::retarget(&args),
        Some(Command::RigMap(args)) => retarget::rig_map(&args),
        Some(Command::Store(args)) => store::run(&args),
        Some(Command::Sheet(args)) => images::sheet(&args, cancel),
        Some(Command::Thumbnail(args)) => thumbnail::run(&args),
        Some(Command::Video(args)) => images::video(&args, cancel),
        None => {
            system_console::release_own();
            viewer::run(cli.viewer.with_window_defaults()).inspect_err(console::report::show_hidden_error)
        }
    }
}
