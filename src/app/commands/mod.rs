//! Subcommands: they run tasks and print the results as text, JSON, SARIF or JUnit.

pub(crate) mod bake;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod info;
pub(crate) mod retarget;
pub(crate) mod sheet;
pub(crate) mod shot;
pub(crate) mod store;
pub(crate) mod test;
pub(crate) mod thumbnail;
pub(crate) mod video;
