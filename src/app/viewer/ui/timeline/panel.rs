//! Timeline panel: playback controls above the track.

use super::{controls, track};
use crate::app::viewer::actions::Action;
use crate::app::viewer::ui::context::UiContext;
use egui::{Ui, vec2};

pub(crate) use super::track::TimelineState;

pub(crate) fn show(ui: &mut Ui, state: &mut TimelineState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| controls::show(ui, ctx, actions));
    match ctx.document {
        Some(document) => track::show(ui, state, document, actions),
        None => {
            ui.allocate_space(vec2(ui.available_width(), track::HEIGHT));
        }
    }
}
