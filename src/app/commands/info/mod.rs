//! `rigview info`.

mod command;
mod gpu;
mod metadata;
mod model_info;
mod text;

pub(crate) use command::run;
