//! The clips of the file.

use super::Facts;
use super::widgets::{heading, tip};
use crate::app::blend::clash;
use crate::app::input::Action;
use crate::app::view::key_times::joints_touched;
use crate::app::view::outline::named;
use crate::app::view::shown::Shown;
use crate::model::ClipIndex;
use egui::{Align, Button, DragValue, Label, Layout, RichText, ScrollArea, Sense, Slider, Ui};

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
        seam(ui, shown, actions);
        blend(ui, shown, facts.fade_secs, actions);
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

/// How well the clip loops.
fn seam(ui: &mut Ui, shown: &Shown, actions: &mut Vec<Action>) {
    let Some(seam) = &shown.seam else { return };
    ui.spacing_mut().item_spacing.y = 4.0;
    heading(ui, "Loop seam");
    ui.weak("From the last instant to the first:");
    let joint = |joint| shown.outline.joint(joint);
    let size = shown.stage.bounds().diagonal().max(f64::MIN_POSITIVE);
    for (jumps, what, joint) in [
        (seam.degrees.0 > 1.0, format!("turns by {:.2}\u{b0} at most", seam.degrees.0), joint(seam.degrees.1)),
        (seam.metres.0 > 0.002 * size, format!("moves by {:.4} m at most", seam.metres.0), joint(seam.metres.1)),
    ] {
        let colour = if jumps { ui.visuals().warn_fg_color } else { ui.visuals().text_color() };
        let at = if jumps { format!("{what}: {joint}") } else { what };
        ui.add(Label::new(RichText::new(at).color(colour)).wrap());
    }
    let on = shown.transport.seam_secs.is_some();
    let words = if on { "Stop" } else { "Show both in turn" };
    if tip(ui.add(Button::new(words).selected(on)), &Action::ToggleSeam).clicked() {
        actions.push(Action::ToggleSeam);
    }
}

/// Other clips beside the one on the timeline, and the way over to them.
fn blend(ui: &mut Ui, shown: &Shown, fade_secs: &std::cell::Cell<f64>, actions: &mut Vec<Action>) {
    let model = shown.stage.model();
    let Some(playing) = shown.stage.clip.filter(|_| model.clips.len() > 1) else { return };
    heading(ui, "Beside it, and over to");
    ui.horizontal(|ui| {
        ui.weak("going over takes");
        let mut secs = fade_secs.get();
        ui.add(DragValue::new(&mut secs).range(0.05..=5.0).speed(0.01).suffix(" s"));
        fade_secs.set(secs);
    });
    for (i, clip) in model.clips.iter().enumerate() {
        let index = ClipIndex(i as u32);
        if index == playing {
            continue;
        }
        ui.horizontal(|ui| {
            if ui.small_button("Go over").on_hover_text("Fade from the clip on the timeline to this one").clicked() {
                actions.push(Action::FadeTo(index, fade_secs.get()));
            }
            let mut weight = shown.stage.blend().weight(index);
            let before = weight;
            ui.spacing_mut().slider_width = 60.0;
            ui.add(Slider::new(&mut weight, 0.0..=1.0).show_value(false)).on_hover_text("Its weight beside the clip");
            if weight != before {
                actions.push(Action::SetLayer(index, weight));
            }
            let name = named(clip.name.as_deref(), "clip", i);
            let label = ui.add(Label::new(name).truncate());
            if weight > 0.0 {
                let both = clash(model, [playing, index]);
                label.on_hover_text(format!("weight {weight:.2}; both move {both} joints, which are mixed"));
            }
        });
    }
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
