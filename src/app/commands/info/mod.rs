//! `rigview info`.

mod command;
mod metadata;
mod model_info;
mod text;

pub(crate) use command::run;
