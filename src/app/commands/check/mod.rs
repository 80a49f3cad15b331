//! `rigview check`.

mod checked;
mod command;
mod reports;

pub(crate) use command::run;
