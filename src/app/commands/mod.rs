//! Subcommands: command-line arguments to tasks, and their results to text, JSON, SARIF or JUnit.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod info;
pub(crate) mod test;
