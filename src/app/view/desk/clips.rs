//! The clips of the file.

use super::Facts;
use crate::app::input::Action;
use crate::app::view::key_times::joints_touched;
use crate::app::view::outline::named;
use crate::model::ClipIndex;
use egui::{Align, Label, Layout, RichText, ScrollArea, Sense, Ui};

/// The list of clips: name, length, joints that it moves.
pub(super) fn show(ui: &mut Ui, facts: &Facts<'_>, actions: &mut Vec<Action>) {
    let Some(shown) = facts.shown else {
        ui.weak("No file is open.");
        return;
    };
    let clips = &shown.stage.model().clips;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        let rest = (None, "Rest pose".to_owned(), String::new());
        let rows = clips.iter().enumerate().map(|(i, clip)| {
            let touched = joints_touched(clip);
            let note = format!("{:.2} s   {touched} joint{}", clip.duration_secs, if touched == 1 { "" } else { "s" });
            (Some(ClipIndex(i as u32)), named(clip.name.as_deref(), "clip", i), note)
        });
        for (clip, name, note) in rows.chain([rest]) {
            if row(ui, shown.stage.clip == clip, &name, &note) {
                actions.push(Action::PlayClip(clip));
            }
        }
        if clips.is_empty() {
            ui.add_space(6.0);
            ui.add(Label::new(
                RichText::new(
                    "The file has no clip. In Blender: push each action down to its own NLA track, and export with \
                 Animation switched on.",
                )
                .weak(),
            ));
        }
    });
}

/// A line with a note at its right end; whether it was clicked.
pub(super) fn row(ui: &mut Ui, chosen: bool, name: &str, note: &str) -> bool {
    let height = ui.spacing().interact_size.y;
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), height), Sense::click());
    let visuals = ui.visuals();
    let (fill, text, weak) = if chosen {
        (Some(visuals.selection.bg_fill), visuals.selection.stroke.color, visuals.selection.stroke.color)
    } else {
        let hovered = response.hovered().then_some(visuals.widgets.hovered.weak_bg_fill);
        (hovered, visuals.text_color(), visuals.weak_text_color())
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 4.0, fill);
    }
    let inside = rect.shrink2(egui::vec2(6.0, 0.0));
    let mut line = ui.new_child(egui::UiBuilder::new().max_rect(inside).layout(Layout::right_to_left(Align::Center)));
    line.add(Label::new(RichText::new(note).color(weak).small()).selectable(false));
    line.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.add(Label::new(RichText::new(name).color(text)).truncate().selectable(false));
    });
    response.clicked()
}
