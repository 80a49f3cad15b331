//! What a person is told beside the result.

use crate::app::AppError;
use crate::import::Diagnostic;
use crate::util::text::one_line;
use std::error::Error;
use std::path::Path;

/// Notices of one file that are printed; `info` has them all.
const SHOWN: usize = 12;

/// Prints what of a file is not shown as it should be, on standard error.
pub(crate) fn notices(file: &Path, notices: &[Diagnostic]) {
    let file = file.display();
    for Diagnostic { message, .. } in notices.iter().take(SHOWN) {
        notice(format_args!("{file}: {message}"));
    }
    if notices.len() > SHOWN {
        notice(format_args!("{file}: and {} more; `rigview info {file}` tells them all", notices.len() - SHOWN));
    }
}

/// Prints something that was done otherwise than asked for, on standard error.
pub(crate) fn notice(message: std::fmt::Arguments<'_>) {
    say(&format!("notice: {message}"));
}

/// Prints an error with its sources, outer to inner, as one line on standard error.
pub fn error(error: &dyn Error) {
    say(&format!("error: {}", line_of(error)));
}

/// A line on standard error. Where that is full or closed there is nobody to tell.
fn say(line: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(format!("{}\n", one_line(line)).as_bytes());
}

/// An error with its sources, outer to inner, as one line.
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

/// Prints a result on standard output. That nobody reads on is no failure: whoever reads has read enough.
pub(crate) fn text(text: &str) -> Result<(), AppError> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(AppError::Stdout),
    }
}
