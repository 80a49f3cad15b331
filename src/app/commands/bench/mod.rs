//! `rigview bench`.

mod animation;
mod command;
mod comparison;
mod detail;
mod draw;
mod generated_scene;
mod output;
mod pose;
mod skinning;

pub(crate) use command::run;
