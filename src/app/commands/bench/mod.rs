//! `rigview bench`.

mod animation;
mod command;
mod comparison;
mod draw;
mod output;
mod pose;
mod skinning;
mod transports;

pub(crate) use command::run;
