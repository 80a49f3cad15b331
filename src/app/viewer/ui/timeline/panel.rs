//! Timeline panel: playback controls above the track, and the dope sheet below it.

use super::dope_sheet;
use super::track::{self, TimelineState};
use crate::app::viewer::actions::{Action, PlaybackAction, WindowAction};
use crate::app::viewer::state::{Document, LOOP_MODES, Panel, SPEEDS};
use crate::app::viewer::ui::widgets::{count_label, icon_button, on_click};
use crate::app::viewer::ui::{Icon, UiContext};
use egui::{Align, Button, ComboBox, DragValue, Layout, RichText, Slider, Ui, UiBuilder, vec2};
use rigview_core::util::text::fixed;

/// Width of the joint names at the left of the dope sheet, in points, and its maximum as a fraction of the panel.
const NAMES_WIDTH: f32 = 180.0;
const MAX_NAMES_FRACTION: f32 = 0.35;

/// Widths in points: the fields at the right with the slider; the time, which the track shows, too, and the fields without the slider.
const FIELDS_WIDTH: f32 = 440.0;
const TIME_AND_FIELDS_WIDTH: f32 = 410.0;

/// Maximum number of clips whose times are shown, and of those in the tooltip.
const MAX_CLIP_TIMES: usize = 2;
const MAX_HOVERED_TIMES: usize = 20;

pub(crate) fn show(ui: &mut Ui, state: &mut TimelineState, ctx: &UiContext<'_>) {
    ui.horizontal(|ui| controls(ui, ctx));
    let Some(document) = &ctx.document else {
        ui.allocate_space(vec2(ui.available_width(), track::HEIGHT));
        return;
    };
    if !ctx.settings.panels.dope_sheet {
        track::show(ui, state, document, ctx);
        return;
    }
    let names_width = NAMES_WIDTH.min(MAX_NAMES_FRACTION * ui.available_width());
    let ruler = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.allocate_ui_with_layout(vec2(names_width, track::HEIGHT), Layout::top_down(Align::Min), |ui| {
            ui.set_min_size(vec2(names_width, track::HEIGHT));
            header(ui, state, document, ctx.settings.panels.curves, ctx);
        });
        track::show(ui, state, document, ctx)
    });
    if let Some(ruler) = ruler.inner {
        dope_sheet::show(ui, state, document, &ruler, names_width, ctx.settings.panels.curves, ctx);
    }
}

/// The number of animated joints, and the channel of the curves.
fn header(ui: &mut Ui, state: &mut TimelineState, document: &Document, curves: bool, ctx: &UiContext<'_>) {
    ui.spacing_mut().item_spacing.x = 6.0;
    ui.horizontal(|ui| {
        on_click(ui.add(Button::new("Curves").small().selected(curves)), WindowAction::TogglePanel(Panel::Curves), ctx);
        let count = document.analysis.key_times.row_count() as u64;
        ui.weak(count_label(count, "joint", "joints"));
    });
    let Some((present, channels)) = curves.then(|| state.channels(document)).flatten() else { return };
    ComboBox::from_id_salt("channel").width(156.0).selected_text(present.label()).show_ui(ui, |ui| {
        for channel in channels {
            if ui.selectable_label(*channel == present, channel.label()).clicked() {
                state.channel = Some(*channel);
            }
        }
    });
}

fn controls(ui: &mut Ui, ctx: &UiContext<'_>) {
    buttons(ui, ctx);
    if let Some(document) = &ctx.document {
        ui.add_space(6.0);
        if ui.available_width() > TIME_AND_FIELDS_WIDTH {
            let (time_secs, duration_secs) = (document.playback.time_secs, document.scene.duration_secs());
            // Running digits keep their positions in monospace.
            ui.label(RichText::new(format!("{time_secs:6.2} / {duration_secs:.2} s")).monospace());
            ui.add_space(6.0);
        }
        // In a small window, the fields at the right need the room of the slider and of the other labels.
        let is_wide = ui.available_width() > FIELDS_WIDTH;
        if is_wide {
            let fields = ui.max_rect().with_min_x(ui.max_rect().max.x - FIELDS_WIDTH);
            let labels = ui.available_rect_before_wrap().with_max_x(fields.min.x);
            ui.scope_builder(UiBuilder::new().max_rect(labels).layout(Layout::left_to_right(Align::Center)), |ui| {
                ui.set_clip_rect(labels.intersect(ui.clip_rect()));
                frame_label(ui, document);
                clip_times(ui, document);
            });
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let action = Action::Window(WindowAction::TogglePanel(Panel::DopeSheet));
            icon_button(ui, Icon::DopeSheet, ctx.settings.panels.dope_sheet, &action, ctx);
            playback_fields(ui, document, is_wide, ctx);
        });
    }
}

fn buttons(ui: &mut Ui, ctx: &UiContext<'_>) {
    let playback = ctx.document.as_ref().map(|document| document.playback);
    let playing = playback.is_some_and(|playback| playback.playing);
    let spacing = std::mem::replace(&mut ui.spacing_mut().item_spacing.x, 1.0);
    for (icon, action) in [
        (Icon::FirstFrame, Action::Playback(PlaybackAction::GoToStart)),
        (Icon::PreviousKey, Action::Playback(PlaybackAction::StepKeys(-1))),
        (Icon::PreviousFrame, Action::Playback(PlaybackAction::StepFrames(-1))),
        (if playing { Icon::Pause } else { Icon::Play }, Action::Playback(PlaybackAction::TogglePlay)),
        (Icon::NextFrame, Action::Playback(PlaybackAction::StepFrames(1))),
        (Icon::NextKey, Action::Playback(PlaybackAction::StepKeys(1))),
        (Icon::LastFrame, Action::Playback(PlaybackAction::GoToEnd)),
    ] {
        icon_button(ui, icon, false, &action, ctx);
    }
    ui.spacing_mut().item_spacing.x = spacing;
}

/// The frame, in monospace.
fn frame_label(ui: &mut Ui, document: &Document) {
    let playback = &document.playback;
    let Some(rate) = playback.shown_rate() else { return };
    let frames = document.scene.duration_secs() * rate;
    let width = format!("{frames:.0}").len() + 2;
    let text = format!("Frame {:width$.1} / {frames:.0}", playback.time_secs * rate);
    ui.label(RichText::new(text).monospace().weak());
}

/// The times of the clips of the first instance, each in its own loop.
fn clip_times(ui: &mut Ui, document: &Document) {
    let times = document.clip_times();
    if times.is_empty() {
        return;
    }
    let text = |(name, secs, speed): &(String, f64, f32)| {
        let speed = if *speed == 1.0 { String::new() } else { format!(" at {}\u{d7}", fixed(f64::from(*speed), 2)) };
        format!("{name} {secs:.2} s{speed}")
    };
    let others = times.len().saturating_sub(MAX_CLIP_TIMES);
    let more = (others > 0).then(|| format!("+{others}"));
    let shown: Vec<String> = times.iter().take(MAX_CLIP_TIMES).map(text).chain(more).collect();
    let whose = if document.scene.crowd.len() > 1 { "First instance: " } else { "" };
    ui.add_space(6.0);
    let label = ui.label(RichText::new(format!("{whose}{}", shown.join(", "))).weak());
    label.on_hover_ui(|ui| times.iter().take(MAX_HOVERED_TIMES).map(text).for_each(|line| drop(ui.label(line))));
}

fn playback_fields(ui: &mut Ui, document: &Document, is_wide: bool, ctx: &UiContext<'_>) {
    let playback = &document.playback;
    let mut rate = playback.frames_per_sec;
    let suffix = match playback.mixed_rates {
        _ if playback.key_rate != Some(rate) || !is_wide => " FPS".to_owned(),
        Some([rate, other]) if rate == other => format!(" FPS (keys at {rate}, some between)"),
        Some([lowest, highest]) => format!(" FPS (keys at {lowest} and {highest})"),
        None => " FPS (from the keys)".to_owned(),
    };
    let field = DragValue::new(&mut rate).range(1.0..=240.0).speed(0.5).max_decimals(2).suffix(suffix);
    let help = match playback.key_rate {
        Some(_) if playback.mixed_rates.is_some() => {
            "Frame rate for frame numbers and steps. The steps between keys differ; each key is on a frame of this rate."
        }
        Some(_) => "Frame rate for frame numbers and steps",
        None => "Frame rate for frame numbers and steps. The keys fit no rate, or several: set that of your scene.",
    };
    ctx.push_if(ui.add(field).on_hover_text(help).changed(), PlaybackAction::SetFrameRate(rate));
    let selected = LOOP_MODES.iter().find(|(mode, _)| *mode == playback.loop_mode).map_or("", |(_, name)| name);
    ComboBox::from_id_salt("loop mode").width(76.0).selected_text(selected).show_ui(ui, |ui| {
        for (mode, name) in LOOP_MODES {
            let label = ui.selectable_label(playback.loop_mode == mode, name);
            ctx.push_if(label.clicked(), PlaybackAction::SetLoopMode(mode));
        }
    });
    let mut speed = playback.speed;
    ui.spacing_mut().slider_width = 80.0;
    let reverse = Action::Playback(PlaybackAction::ToggleReverse);
    icon_button(ui, Icon::PlayReversed, playback.backwards, &reverse, ctx);
    let response = match is_wide {
        true => ui.add(Slider::new(&mut speed, SPEEDS).logarithmic(true).suffix("\u{d7}").fixed_decimals(2)),
        false => ui.add(DragValue::new(&mut speed).range(SPEEDS).speed(0.01).suffix("\u{d7}").fixed_decimals(2)),
    };
    let response = response.on_hover_text("Playback speed ([ slower, ] faster, \\ normal)");
    ctx.push_if(response.changed(), PlaybackAction::SetSpeed(speed));
}
