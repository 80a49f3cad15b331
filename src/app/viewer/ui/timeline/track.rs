//! Track: ruler, keys, playhead and play range of the clip, and scrubbing.

use crate::app::viewer::actions::{Action, PlaybackAction};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::overlays::chips::override_label;
use crate::app::viewer::ui::theme;
use egui::{
    Align2, Color32, CursorIcon, FontId, Painter, PointerButton, Rect, Response, Sense, Shape, Stroke, Ui, pos2, vec2,
};
use rigview_check::curves::{CurveChannel, Ruler};
use rigview_core::model::{Clip, JointIndex};

/// Height of the track, in points.
pub(super) const HEIGHT: f32 = 46.0;

/// Room at both ends for half a key mark and half a label, in points.
const MARGIN: f32 = 10.0;

/// Keys closer than this are drawn as a bar, in points.
const MIN_KEY_DISTANCE: f32 = 5.0;

/// Distance in points that the wheel scrolls for a zoom by the factor e.
const WHEEL_POINTS: f32 = 200.0;

#[derive(Default)]
pub(crate) struct TimelineState {
    scrubbing: bool,
    /// Start and end of the drag that sets the play range, in seconds.
    range_drag: Option<[f64; 2]>,
    /// The selected joint when the dope sheet last scrolled to its row.
    pub(super) revealed: Option<JointIndex>,
    /// The channel whose curves are chosen.
    pub(super) channel: Option<CurveChannel>,
}

impl TimelineState {
    /// The chosen channel and the possible ones: those of the selected joint, or those of the turning parts. `None` without curves.
    pub(super) fn channels<'a>(&self, document: &'a Document) -> Option<(CurveChannel, &'a [CurveChannel])> {
        let channels = match document.analysis.curves.as_ref() {
            Some(curves) => &curves.channels[..],
            None if document.joint().is_none() && !document.curves_about_axes().is_empty() => &CurveChannel::ABOUT_AXIS,
            None => return None,
        };
        let chosen = self.channel.into_iter().chain([CurveChannel::Rotation]);
        Some((chosen.into_iter().find(|channel| channels.contains(channel)).unwrap_or(channels[0]), channels))
    }

    /// The play range, or the one that is dragged.
    pub(super) fn range(&self, document: &Document) -> Option<[f64; 2]> {
        let range = self.range_drag.map(|[a, b]| [a.min(b), a.max(b)]);
        range.or(document.playback.play_range.filter(|_| !document.playback.choosing_range))
    }
}

/// Shows the track. Returns its ruler; `None` without a clip that takes time.
pub(super) fn show(ui: &mut Ui, state: &mut TimelineState, document: &Document, ctx: &UiContext<'_>) -> Option<Ruler> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
    let Some(clip) = document.clip().filter(|clip| clip.duration_secs > 0.0) else {
        let text = if document.scene.clip.is_none() { "Rest pose" } else { "This clip has a single frame" };
        let font = FontId::proportional(12.0);
        painter.text(rect.center(), Align2::CENTER_CENTER, text, font, ui.visuals().weak_text_color());
        return None;
    };
    let ends = [rect.min.x + MARGIN, rect.max.x - MARGIN];
    let ruler = Ruler::new(f64::from(clip.duration_secs), document.timeline_secs, ends);
    lead_in(ui, &painter, rect, &ruler, clip, &response);
    ticks(ui, &painter, rect, &ruler, document);
    let color = if document.joint().is_some() { theme::accent(ui) } else { ui.visuals().weak_text_color() };
    key_marks(&painter, &ruler, document.key_times(), rect.max.y - 12.0, color);
    override_mark(&painter, rect, document, &response);
    drag(ui, state, &response, &ruler, document, ctx);
    let range = state.range(document);
    zoom(ui, &response, &ruler, ctx);
    play_range(ui, &painter, rect, &ruler, range);
    let x = ruler.x(document.playback.time_secs);
    playhead_line(ui, &painter, rect, x);
    let flag = vec![pos2(x - 5.0, rect.min.y), pos2(x + 5.0, rect.min.y), pos2(x, rect.min.y + 7.0)];
    polygon(&painter, flag, theme::accent(ui));
    if document.playback.choosing_range && range.is_none() {
        let text = "Drag to set the play range; Esc cancels";
        painter.text(rect.center(), Align2::CENTER_CENTER, text, FontId::proportional(12.0), ui.visuals().text_color());
    }
    Some(ruler)
}

/// Marks the time before the first key, where the first pose holds.
fn lead_in(ui: &Ui, painter: &Painter, rect: Rect, ruler: &Ruler, clip: &Clip, response: &Response) {
    let first_key = f64::from(clip.first_key_secs);
    if first_key <= 0.0 {
        return;
    }
    let lead_in = rect.with_max_x(ruler.x(first_key).clamp(rect.min.x, rect.max.x));
    painter.rect_filled(lead_in, 4.0, ui.visuals().warn_fg_color.gamma_multiply(0.18));
    if response.hover_pos().is_some_and(|position| lead_in.contains(position)) {
        response.clone().on_hover_text_at_pointer(format!(
            "No key before {first_key:.2} s: the first pose holds until then, so a loop pauses. In Blender: start the \
             action at frame 0, or export with Set All glTF Animation Starting at 0."
        ));
    }
}

fn ticks(ui: &Ui, painter: &Painter, rect: Rect, ruler: &Ruler, document: &Document) {
    tick_lines(ui, painter, rect.with_min_y(rect.min.y + 14.0), ruler, document);
    let text = ui.visuals().weak_text_color();
    for tick in ruler.ticks(document.playback.shown_rate()) {
        let x = ruler.x(tick.time_secs);
        painter.text(pos2(x, rect.min.y + 2.0), Align2::CENTER_TOP, tick.label, FontId::proportional(12.0), text);
    }
}

pub(super) fn tick_lines(ui: &Ui, painter: &Painter, rect: Rect, ruler: &Ruler, document: &Document) {
    let stroke = Stroke::new(1.0, ui.visuals().widgets.noninteractive.bg_stroke.color);
    for tick in ruler.ticks(document.playback.shown_rate()) {
        painter.vline(ruler.x(tick.time_secs), rect.y_range(), stroke);
    }
}

/// Draws a diamond for each visible key at a height, and a bar for keys that are close together.
pub(super) fn key_marks(painter: &Painter, ruler: &Ruler, times_secs: &[f32], y: f32, color: Color32) {
    for [first, last] in ruler.key_groups(times_secs, MIN_KEY_DISTANCE) {
        if first < last {
            painter.rect_filled(Rect::from_x_y_ranges(first - 2.0..=last + 2.0, y - 2.5..=y + 2.5), 2.0, color);
        } else {
            let diamond = [vec2(-3.0, 0.0), vec2(0.0, -4.0), vec2(3.0, 0.0), vec2(0.0, 4.0)];
            polygon(painter, diamond.map(|corner| pos2(first, y) + corner).to_vec(), color);
        }
    }
}

/// Zooms with the wheel at the pointer, pans with the middle button or a horizontal wheel. A double click shows all.
///
/// Returns `true` if the wheel is used.
pub(super) fn zoom(ui: &Ui, response: &Response, ruler: &Ruler, ctx: &UiContext<'_>) -> bool {
    ctx.push_if(response.double_clicked(), PlaybackAction::ZoomTimeline(None));
    let moved = response.drag_delta().x;
    let is_panned = response.dragged_by(PointerButton::Middle) && moved != 0.0;
    ctx.push_if(is_panned, PlaybackAction::ZoomTimeline(ruler.panned(moved)));
    // Rows may lie over this.
    let position = ui.input(|input| input.pointer.hover_pos()).filter(|_| ui.rect_contains_pointer(response.rect));
    let Some(position) = position else { return false };
    let (scrolled, pinch) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
    let factor = pinch * (scrolled.y / WHEEL_POINTS).exp();
    if factor != 1.0 {
        ctx.push(PlaybackAction::ZoomTimeline(ruler.zoomed(f64::from(factor), position.x)));
    } else if scrolled.x != 0.0 {
        ctx.push(PlaybackAction::ZoomTimeline(ruler.panned(scrolled.x)));
    }
    true
}

/// Hatches the track while a pose override hides its keys: an override of the selected joint, else of any joint.
fn override_mark(painter: &Painter, rect: Rect, document: &Document, response: &Response) {
    let overrides = document.scene.overrides();
    let (is_marked, text) = match document.joint() {
        Some(joint) => (
            overrides.get(joint).is_some(),
            format!("{} has a pose override: its keys have no effect", document.outline.joint(joint)),
        ),
        None => (!overrides.is_empty(), format!("{}: keys have no effect there", override_label(document))),
    };
    if !is_marked {
        return;
    }
    let line = rect.with_min_y(rect.max.y - 3.0);
    painter.rect_filled(line, 1.5, theme::OVERRIDE_COLOR);
    if response.hover_pos().is_some_and(|position| line.expand(4.0).contains(position)) {
        response.clone().on_hover_text_at_pointer(text);
    }
}

/// Dims the times outside of the play range.
pub(super) fn play_range(ui: &Ui, painter: &Painter, rect: Rect, ruler: &Ruler, range: Option<[f64; 2]>) {
    let Some([left, right]) = range.map(|range| range.map(|time| ruler.x(time))) else { return };
    let shade = ui.visuals().panel_fill.gamma_multiply(0.75);
    painter.rect_filled(rect.with_max_x(left.max(rect.min.x)), 4.0, shade);
    painter.rect_filled(rect.with_min_x(right.min(rect.max.x)), 4.0, shade);
    for x in [left, right] {
        painter.vline(x, rect.y_range(), Stroke::new(1.0, ui.visuals().text_color()));
    }
}

pub(super) fn playhead_line(ui: &Ui, painter: &Painter, rect: Rect, x: f32) {
    painter.vline(x, rect.y_range(), Stroke::new(2.0, theme::accent(ui)));
}

pub(super) fn polygon(painter: &Painter, corners: Vec<egui::Pos2>, color: Color32) {
    painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
}

/// The time at a position, at the nearest frame; between frames with Shift, or without a frame rate.
fn time_at(ui: &Ui, ruler: &Ruler, document: &Document, x: f32) -> f64 {
    let time_secs = ruler.time_secs(x);
    let Some(rate) = document.playback.shown_rate().filter(|_| !ui.input(|input| input.modifiers.shift)) else {
        return time_secs;
    };
    ((time_secs * rate).round() / rate).min(document.scene.duration_secs())
}

/// Moves the playhead to the time at the pointer, or sets the play range to the times that the pointer is dragged over.
fn drag(
    ui: &Ui,
    state: &mut TimelineState,
    response: &Response,
    ruler: &Ruler,
    document: &Document,
    ctx: &UiContext<'_>,
) {
    let chooses_range = document.playback.choosing_range;
    if response.hovered() {
        let cursor = if chooses_range { CursorIcon::Crosshair } else { CursorIcon::ResizeHorizontal };
        ui.ctx().set_cursor_icon(cursor);
    }
    let down =
        response.is_pointer_button_down_on() && ui.input(|input| input.pointer.button_down(PointerButton::Primary));
    let time_secs = response.interact_pointer_pos().map(|position| time_at(ui, ruler, document, position.x));
    if chooses_range {
        if let (true, Some(time_secs)) = (down, time_secs) {
            state.range_drag.get_or_insert([time_secs; 2])[1] = time_secs;
        } else if let Some([start, end]) = state.range_drag.take_if(|_| !down) {
            // A click sets no range.
            ctx.push(if start == end {
                Action::Playback(PlaybackAction::ChoosePlayRange)
            } else {
                Action::Playback(PlaybackAction::SetPlayRange(Some([start, end])))
            });
        }
        return;
    }
    state.range_drag = None;
    if let (true, Some(time_secs)) = (down || response.clicked(), time_secs) {
        ctx.push(PlaybackAction::Scrub(time_secs));
    }
    ctx.push_if(state.scrubbing && !down || response.clicked(), PlaybackAction::EndScrub);
    state.scrubbing = down;
}
