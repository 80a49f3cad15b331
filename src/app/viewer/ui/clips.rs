//! The clips of the file.

use super::UiContext;
use super::widgets::{heading, tip, words};
use crate::app::clip_blend::clash;
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::document::Shown;
use crate::model::ClipIndex;
use crate::util::text::{counted, file_name};
use egui::{Button, DragValue, Label, RichText, ScrollArea, Sense, Slider, Ui};

/// The list of clips: name, length, joints that it moves.
pub(crate) fn show(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(shown) = facts.shown else {
        ui.weak("No file is open.");
        return;
    };
    let clips = &shown.stage.model().clips;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        let rest = (None, "Rest pose".to_owned(), String::new());
        let rows = clips.iter().zip(&shown.touched).enumerate().map(|(i, (clip, touched))| {
            let note = format!("{:.2} s   {}", clip.duration_secs, counted(*touched, "joint", "joints"));
            (Some(ClipIndex(i as u32)), named(clip.name.as_deref(), "clip", i), note)
        });
        for (clip, name, note) in rows.chain([rest]) {
            if row(ui, shown.stage.clip == clip, &name, &note) {
                actions.push(Action::PlayClip(clip));
            }
        }
        seam(ui, shown, actions);
        blend(ui, shown, facts.fade_secs, actions);
        borrow(ui, facts, actions);
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
    ui.weak("From the last instant back to the first,");
    let joint = |joint| shown.outline.joint(joint);
    let size = shown.stage.bounds().diagonal().max(f64::MIN_POSITIVE);
    for (jumps, what, joint) in [
        (seam.degrees.0 > 1.0, format!("joints turn by up to {:.2}\u{b0}", seam.degrees.0), joint(seam.degrees.1)),
        (seam.meters.0 > 0.002 * size, format!("and move by up to {:.4} m", seam.meters.0), joint(seam.meters.1)),
    ] {
        let color = if jumps { ui.visuals().warn_fg_color } else { ui.visuals().text_color() };
        let at = if jumps { format!("{what}: {joint}") } else { what };
        ui.add(Label::new(RichText::new(at).color(color)).wrap());
    }
    let on = shown.transport.seam_secs.is_some();
    let words = if on { "Stop" } else { "Show both in turn" };
    if tip(ui.add(Button::new(words).selected(on)), &Action::ToggleSeam).clicked() {
        actions.push(Action::ToggleSeam);
    }
}

/// Other clips as layers over the one on the timeline, and the fade to them.
fn blend(ui: &mut Ui, shown: &Shown, fade_secs: &std::cell::Cell<f64>, actions: &mut Vec<Action>) {
    let model = shown.stage.model();
    let Some(playing) = shown.stage.clip.filter(|_| model.clips.len() > 1) else { return };
    heading(ui, "Layers and crossfade");
    ui.horizontal(|ui| {
        ui.weak("a crossfade takes");
        let mut secs = fade_secs.get();
        ui.add(DragValue::new(&mut secs).range(0.05..=5.0).speed(0.01).suffix(" s"));
        fade_secs.set(secs);
    });
    for (i, clip) in model.clips.iter().enumerate() {
        let index = ClipIndex(i as u32);
        if index == playing {
            continue;
        }
        let mut weight = shown.stage.blend().weight(index);
        let before = weight;
        ui.horizontal(|ui| {
            let fade = ui.small_button("Fade to").on_hover_text("Crossfade from the clip on the timeline to this one");
            if fade.clicked() {
                actions.push(Action::FadeTo(index, fade_secs.get()));
            }
            ui.spacing_mut().slider_width = 60.0;
            let slider = Slider::new(&mut weight, 0.0..=1.0).fixed_decimals(2);
            ui.add(slider).on_hover_text("How much of it is mixed with the clip on the timeline");
            ui.add(Label::new(named(clip.name.as_deref(), "clip", i)).truncate());
        });
        if weight != before {
            actions.push(Action::SetLayer(index, weight));
        }
        if weight > 0.0 {
            let both = clash(model, [playing, index]);
            let words = match both {
                0 => "moves other joints than the clip on the timeline".to_owned(),
                both => format!("{} moved by both: mixed", counted(both, "joint", "joints")),
            };
            ui.add(Label::new(RichText::new(words).small().weak()).wrap());
        }
    }
}

/// Clips of other files.
fn borrow(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    ui.add_space(8.0);
    let present = facts.shown.and_then(|shown| std::path::absolute(&shown.stage.file).ok());
    ui.menu_button("Borrow clips from...", |ui| {
        if ui.button("Choose a file...").clicked() {
            actions.push(Action::AskToBorrow);
            ui.close();
        }
        for file in facts.settings.recent.iter().filter(|file| Some(*file) != present.as_ref()) {
            let name = file_name(file);
            if ui.button(name).on_hover_text(file.display().to_string()).clicked() {
                actions.push(Action::Borrow(file.clone()));
                ui.close();
            }
        }
    })
    .response
    .on_hover_text("Play another file's clips with this rig: joints are matched by their names");
}

/// A line with a note at its right end; whether it was clicked.
pub(crate) fn row(ui: &mut Ui, chosen: bool, name: &str, note: &str) -> bool {
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
    words(ui, inside, (RichText::new(name), text), (note, weak, false), response).clicked()
}
