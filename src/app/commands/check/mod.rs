//! `rigview check`.

mod baseline;
mod checked;
mod command;
mod reports;

pub(crate) use command::run;
