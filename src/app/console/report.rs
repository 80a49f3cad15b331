//! Messages on standard error, results on standard output.

use crate::app::AppError;
use rigview_core::util::text::one_line;
use rigview_render::platform::console;
use std::error::Error;

/// Prints notices to standard error.
pub(crate) fn notices(notices: &[String]) {
    notices.iter().for_each(|message| notice(format_args!("{message}")));
}

/// Prints a notice to standard error.
pub(crate) fn notice(message: std::fmt::Arguments<'_>) {
    print_line(&format!("notice: {message}"));
}

/// Prints an error with its sources to standard error, as one line.
pub fn error(error: &dyn Error) {
    print_line(&format!("error: {}", line_of(error)));
}

/// Shows an error in a dialog and waits for the user, if standard error is hidden.
///
/// Linux needs `zenity` for the dialog, and shows nothing without it. Call it on the main thread; macOS needs that.
pub(crate) fn show_hidden_error(error: &AppError) {
    if console::is_stderr_hidden() {
        rfd::MessageDialog::new()
            .set_level(rfd::MessageLevel::Error)
            .set_title("rigview")
            .set_description(line_of(error))
            .show();
    }
}

/// Write errors are ignored.
fn print_line(line: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(format!("{}\n", one_line(line)).as_bytes());
}

/// Returns an error with its sources, outer to inner, as one line.
pub(crate) fn line_of(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line += ": ";
        line += &error.to_string();
        source = error.source();
    }
    one_line(&line)
}

/// Prints a result to standard output. A closed pipe (`rigview info ... | head`) is not an error.
pub(crate) fn text(text: &str) -> Result<(), AppError> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(AppError::Stdout),
    }
}
