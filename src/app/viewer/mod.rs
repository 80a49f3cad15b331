//! `rigview FILE`: a window in which a model plays, with panels around it.

mod actions;
mod analysis;
mod app;
mod event_loop;
mod frame;
mod jobs;
mod loading;
mod state;
mod ui;
mod window;

pub(crate) use app::run;
