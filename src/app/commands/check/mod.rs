//! `rigview check`.

mod command;
mod reports;

pub(crate) use command::run;
