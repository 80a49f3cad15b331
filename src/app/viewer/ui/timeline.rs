//! The timeline: where the clip stands, its keys, and the hand on it.

use super::UiContext;
use super::icons::{self, Icon};
use super::theme;
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::ruler::Ruler;
use crate::app::viewer::state::LOOP_MODES;
use crate::app::viewer::state::document::Shown;
use crate::app::viewer::state::playback::SPEEDS;
use egui::{
    Align, Align2, ComboBox, CursorIcon, DragValue, FontId, Layout, Rect, RichText, Sense, Shape, Slider, Stroke, Ui,
    pos2, vec2,
};

/// Height of the part with time and keys, in points.
const HEIGHT: f32 = 46.0;

/// What the timeline remembers from one layout to the next.
#[derive(Default)]
pub(crate) struct TimelineState {
    /// Whether a hand is on it.
    scrubbing: bool,
}

/// The whole of it: a row of buttons, and the clip from left to right.
pub(crate) fn show(ui: &mut Ui, state: &mut TimelineState, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| buttons(ui, facts, actions));
    match facts.shown {
        Some(shown) => track(ui, state, shown, actions),
        None => {
            ui.allocate_space(vec2(ui.available_width(), HEIGHT));
        }
    }
}

fn buttons(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let transport = facts.shown.map(|shown| shown.transport);
    let spacing = ui.spacing().item_spacing.x;
    ui.spacing_mut().item_spacing.x = 1.0;
    let running = transport.is_some_and(|transport| transport.playing);
    let backwards = transport.is_some_and(|transport| transport.backwards);
    for (icon, action) in [
        (Icon::First, Action::First),
        (Icon::PreviousKey, Action::StepKey(-1)),
        (Icon::Previous, Action::Step(-1)),
        (if running { Icon::Pause } else { Icon::Play }, Action::TogglePlay),
        (Icon::Next, Action::Step(1)),
        (Icon::NextKey, Action::StepKey(1)),
        (Icon::Last, Action::Last),
    ] {
        icons::button(ui, icon, false, &action, actions);
    }
    icons::button(ui, Icon::Backwards, backwards, &Action::Reverse, actions);
    ui.spacing_mut().item_spacing.x = spacing;
    let Some(shown) = facts.shown else { return };
    let transport = &shown.transport;
    let rate = transport.frames_per_sec;
    let duration_secs = shown.stage.duration_secs();
    ui.add_space(6.0);
    // Digits of one width, so that nothing trembles while time goes by.
    let time = format!("{:6.2} / {:.2} s", transport.time_secs, duration_secs);
    ui.label(RichText::new(time).monospace());
    let frames = duration_secs * rate;
    let width = format!("{frames:.0}").len() + 2;
    let frame = format!("frame {:width$.1} / {frames:.0}", transport.time_secs * rate);
    ui.label(RichText::new(frame).monospace().weak());
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let mut rate = rate;
        let field = DragValue::new(&mut rate).range(1.0..=240.0).speed(0.5).max_decimals(2).suffix(" fps");
        if ui.add(field).on_hover_text("Frames in a second of the clip, for steps and frame numbers").changed() {
            actions.push(Action::SetFrameRate(rate));
        }
        let name = |ending| LOOP_MODES.iter().find(|(known, _)| *known == ending).map_or("", |(_, name)| *name);
        let chooser = ComboBox::from_id_salt("ending").width(76.0).selected_text(name(transport.loop_mode));
        chooser.show_ui(ui, |ui| {
            for (ending, name) in LOOP_MODES {
                if ui.selectable_label(transport.loop_mode == ending, name).clicked() {
                    actions.push(Action::SetLoopMode(ending));
                }
            }
        });
        let mut speed = transport.speed;
        ui.spacing_mut().slider_width = 80.0;
        let slider = Slider::new(&mut speed, SPEEDS).logarithmic(true).suffix("\u{d7}").max_decimals(2);
        if ui.add(slider).on_hover_text("Speed; [ and ] go up and down a ladder, \\ goes back to 1").changed() {
            actions.push(Action::SetSpeed(speed));
        }
    });
}

/// The clip from left to right, with its keys and the present moment.
fn track(ui: &mut Ui, state: &mut TimelineState, shown: &Shown, actions: &mut Vec<Action>) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    let visuals = ui.visuals();
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
    let Some(clip) = shown.clip().filter(|clip| clip.duration_secs > 0.0) else {
        let words = if shown.stage.clip.is_none() { "Rest pose" } else { "This clip has no length" };
        painter.text(
            rect.center(),
            Align2::CENTER_CENTER,
            words,
            FontId::proportional(12.0),
            visuals.weak_text_color(),
        );
        return;
    };
    let inside = rect.shrink2(vec2(10.0, 0.0));
    let ruler = Ruler::new(f64::from(clip.duration_secs), [inside.min.x, inside.max.x]);
    let label_font = FontId::proportional(10.0);
    let (weak, line) = (visuals.weak_text_color(), visuals.widgets.noninteractive.bg_stroke.color);

    // Before the first key the first pose holds; artists take that for a fault.
    let first_key = f64::from(clip.first_key_secs);
    if first_key > 0.0 {
        let lead_in = Rect::from_min_max(rect.min, pos2(ruler.x(first_key), rect.max.y));
        painter.rect_filled(lead_in, 4.0, visuals.warn_fg_color.gamma_multiply(0.18));
        if response.hover_pos().is_some_and(|place| lead_in.contains(place)) {
            response.clone().on_hover_text_at_pointer(format!(
                "No key before {first_key:.2} s: the first pose holds until there, and a loop pauses. In Blender: start the \
                 action at frame 0, or export with Set All glTF Animation Starting at 0."
            ));
        }
    }
    for tick in ruler.ticks(shown.transport.frames_per_sec) {
        let x = ruler.x(tick.time_secs);
        painter.line_segment([pos2(x, rect.min.y + 14.0), pos2(x, rect.max.y)], Stroke::new(1.0, line));
        painter.text(pos2(x, rect.min.y + 2.0), Align2::CENTER_TOP, tick.label, label_font.clone(), weak);
    }
    // Keys nearer than a few points are one mark.
    let (color, y) = (if shown.joint().is_some() { theme::accent(ui) } else { weak }, rect.max.y - 12.0);
    for x in ruler.marks(&shown.keys, 4.0) {
        let mark = |dx: f32, dy: f32| pos2(x + dx, y + dy);
        let corners = vec![mark(-3.0, 0.0), mark(0.0, -4.0), mark(3.0, 0.0), mark(0.0, 4.0)];
        painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
    }
    let x = ruler.x(shown.transport.time_secs);
    let head = theme::accent(ui);
    painter.line_segment([pos2(x, rect.min.y), pos2(x, rect.max.y)], Stroke::new(2.0, head));
    let flag = vec![pos2(x - 5.0, rect.min.y), pos2(x + 5.0, rect.min.y), pos2(x, rect.min.y + 7.0)];
    painter.add(Shape::convex_polygon(flag, head, Stroke::NONE));

    if response.hovered() {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    let down = response.is_pointer_button_down_on();
    if let (true, Some(place)) = (down || response.clicked(), response.interact_pointer_pos()) {
        let mut time_secs = ruler.time_secs(place.x);
        if ui.input(|input| input.modifiers.shift) {
            let rate = shown.transport.frames_per_sec;
            time_secs = (time_secs * rate).round() / rate;
        }
        actions.push(Action::Scrub(time_secs));
    }
    if state.scrubbing && !down || response.clicked() {
        actions.push(Action::EndScrub);
    }
    state.scrubbing = down;
}
