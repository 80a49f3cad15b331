//! `rigview info`.

mod command;
mod gpu;
mod model_info;
mod text;

pub(crate) use command::run;
