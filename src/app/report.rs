//! What a person is told beside the result.

use super::AppError;
use crate::import::Notice;
use std::error::Error;
use std::path::Path;

/// Notices of one file that are printed; `info` has them all.
const SHOWN: usize = 12;

/// Prints what of a file is not shown as it should be, on standard error.
pub(super) fn notices(file: &Path, notices: &[Notice]) {
    for notice in notices.iter().take(SHOWN) {
        eprintln!("notice: {}: {}", file.display(), notice.message);
    }
    if notices.len() > SHOWN {
        eprintln!(
            "notice: {0}: and {1} more; `rigview info {0}` tells them all",
            file.display(),
            notices.len() - SHOWN
        );
    }
}

/// Prints something that was done otherwise than asked for, on standard error.
pub(super) fn notice(message: std::fmt::Arguments<'_>) {
    eprintln!("notice: {message}");
}

/// Prints an error with its sources, outer to inner, as one line on standard error.
pub fn error(error: &dyn Error) {
    eprintln!("error: {}", line_of(error));
}

/// An error with its sources, outer to inner, as one line.
pub(super) fn line_of(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line += ": ";
        line += &error.to_string();
        source = error.source();
    }
    line.replace(|c: char| c.is_control(), " ")
}

/// Prints a result on standard output. That nobody reads on is no failure: whoever reads has read enough.
pub(super) fn text(text: &str) -> Result<(), AppError> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(AppError::Stdout),
    }
}
