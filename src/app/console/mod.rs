//! Output on the terminal.

pub(crate) mod progress;
pub(crate) mod report;
