//! Subcommands: they run tasks and print the results as text, JSON, SARIF or JUnit.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod images;
pub(crate) mod info;
pub(crate) mod retarget;
pub(crate) mod session;
pub(crate) mod store;
pub(crate) mod test;
pub(crate) mod thumbnail;
