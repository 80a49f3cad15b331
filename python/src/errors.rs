//! Errors of the libraries as exceptions of Python.

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use rigview_core::import::ImportError;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Returns the exception for a model file that cannot be read or imported: that of `open` in Python for a file that cannot be read, else
/// `ValueError`.
pub(crate) fn of_import(path: Option<&Path>, error: &ImportError) -> PyErr {
    match (path, error) {
        (Some(path), ImportError::Read { source, .. }) => of_io(path, source),
        (Some(path), ImportError::NotAFile { .. }) if path.is_dir() => of_io(path, &ErrorKind::IsADirectory.into()),
        (Some(path), error) => PyValueError::new_err(format!("cannot open {}: {}", path.display(), line_of(error))),
        (None, error) => value_error(error),
    }
}

/// Returns the `OSError` of the system error; Python chooses its subclass, such as `FileNotFoundError`.
fn of_io(path: &Path, error: &io::Error) -> PyErr {
    // Numbers of POSIX, which `OSError` expects on each platform.
    let known = [
        (ErrorKind::NotFound, 2, "No such file or directory"),
        (ErrorKind::PermissionDenied, 13, "Permission denied"),
        (ErrorKind::NotADirectory, 20, "Not a directory"),
        (ErrorKind::IsADirectory, 21, "Is a directory"),
    ];
    match known.into_iter().find(|(kind, ..)| *kind == error.kind()) {
        Some((_, number, text)) => PyOSError::new_err((number, text, path.as_os_str().to_owned())),
        None => PyOSError::new_err(format!("cannot read {}: {error}", path.display())),
    }
}

/// Returns a `ValueError` with the error and its sources as one line.
pub(crate) fn value_error(error: &dyn Error) -> PyErr {
    PyValueError::new_err(line_of(error))
}

fn line_of(error: &dyn Error) -> String {
    let (mut line, mut source) = (error.to_string(), error.source());
    while let Some(error) = source {
        line += &format!(": {error}");
        source = error.source();
    }
    line
}
