//! `rigview info`.

mod command;
mod gpu;
mod model_info;
mod moving_parts;
mod text;

pub(crate) use command::run;
