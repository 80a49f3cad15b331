//! `rigview bench`.

mod animation;
mod draw;
mod pose;

pub(crate) use animation::run;
