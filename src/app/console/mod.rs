//! Output on the terminal.

pub(crate) mod json_text;
pub(crate) mod progress;
pub(crate) mod report;

use rigview_render::platform::console;
use std::io::IsTerminal;

/// Returns `true` if escape codes can be written to `stream`: it is a terminal that supports them, and `TERM` is not `dumb`.
pub(crate) fn takes_escape_codes(stream: &impl IsTerminal) -> bool {
    stream.is_terminal()
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
        && console::enable_escape_codes()
}
