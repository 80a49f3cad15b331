//! Standard streams of Unix.

use std::fs::File;
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;

/// Returns `true`: terminals support escape codes.
pub fn enable_escape_codes() -> bool {
    true
}

/// Does nothing.
pub fn release_own() {}

/// Returns `true` if no standard stream is a terminal, a file or a pipe, as after a start from the desktop.
///
/// Desktops connect the streams with the null device or with a socket of the system log. A script that discards
/// standard error still has a terminal, a file or a pipe as another stream.
pub fn is_stderr_hidden() -> bool {
    [stdin().as_fd(), stdout().as_fd(), stderr().as_fd()].into_iter().all(is_null_or_socket)
}

fn is_null_or_socket(stream: BorrowedFd) -> bool {
    let kind = stream.try_clone_to_owned().and_then(|stream| File::from(stream).metadata());
    !stream.is_terminal() && kind.is_ok_and(|data| data.file_type().is_char_device() || data.file_type().is_socket())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn null_device_and_sockets_are_hidden_files_and_pipes_are_not() {
        assert!(is_null_or_socket(File::open("/dev/null").unwrap().as_fd()));
        assert!(is_null_or_socket(UnixStream::pair().unwrap().0.as_fd()));
        assert!(!is_null_or_socket(tempfile::tempfile().unwrap().as_fd()));
        assert!(!is_null_or_socket(std::io::pipe().unwrap().1.as_fd()));
    }
}
