//! File manager and document viewers of the system.

use rigview_core::import::file_on_disk;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The program that opens folders and files.
pub(crate) const PROGRAM: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

/// Shows the folder of `file`; on macOS and Windows with the file selected.
///
/// # Errors
/// If the program does not start.
pub(crate) fn show(file: &Path) -> io::Result<()> {
    let file = std::path::absolute(file_on_disk(file))?;
    let mut command = Command::new(PROGRAM);
    if cfg!(target_os = "macos") {
        command.arg("-R").arg(&file);
    } else if cfg!(windows) {
        command.arg("/select,").arg(&file);
    } else {
        command.arg(file.parent().unwrap_or(&file));
    }
    start(command)
}

/// Opens `file` with the program that the system selects for its type.
///
/// # Errors
/// If the program does not start.
pub(crate) fn open(file: &Path) -> io::Result<()> {
    let mut command = Command::new(PROGRAM);
    command.arg(std::path::absolute(file)?);
    start(command)
}

fn start(mut command: Command) -> io::Result<()> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // The program may run as long as the file manager.
    std::thread::spawn(move || _ = child.wait());
    Ok(())
}
