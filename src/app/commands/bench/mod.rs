//! `rigview bench`.

mod animation;
mod frame;

pub(crate) use animation::run as crowd;
pub(crate) use frame::run as frame;
