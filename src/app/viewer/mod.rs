//! `rigview FILE`: the interactive viewer.

mod actions;
mod analysis;
mod app;
mod effects;
mod frame;
mod gpu_document;
mod jobs;
mod loading;
mod state;
mod ui;
mod uploads;
mod window;

pub(crate) use actions::keys_page;
pub(crate) use app::run;
pub(crate) use state::Settings;
