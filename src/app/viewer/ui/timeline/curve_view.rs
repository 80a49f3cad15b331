//! Curves of the selected joint, or of several joints that turn, over the visible time, with a value scale and the values at the playhead.

use super::track::{TimelineState, polygon};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::theme::{self, AXIS_COLORS, AXIS_NAMES};
use egui::ecolor::Hsva;
use egui::{Align2, Color32, FontId, Painter, Rect, Shape, Stroke, Ui, pos2, vec2};
use rigview_check::curves::{CurveChannel, JointCurves, Ruler, round_step};
use rigview_core::util::text::fixed;

/// Minimum distance of the labels of the value scale in points.
const MIN_LABEL_DISTANCE: f32 = 26.0;

/// Distance of the largest and the smallest value from the edges, in points.
const MARGIN: f32 = 10.0;

/// Height of a line of the legend in points.
const LEGEND_LINE: f32 = 15.0;

/// Keys closer than this have no marks, in points.
const MIN_KEY_DISTANCE: f32 = 10.0;

pub(super) fn show(ui: &Ui, state: &TimelineState, document: &Document, ruler: &Ruler, rect: Rect) {
    let painter = ui.painter_at(rect);
    let Some((channel, _)) = state.channels(document) else {
        let text = match document.joint() {
            Some(_) => "The clip does not animate the selected joint",
            None => "Select a joint to show its curves",
        };
        let font = FontId::proportional(12.0);
        painter.text(rect.center(), Align2::CENTER_CENTER, text, font, ui.visuals().weak_text_color());
        return;
    };
    let several = channel.is_about_axis();
    let joints = if several { document.curves_about_axes() } else { document.analysis.curves.iter().collect() };
    let sampled = joints.iter().map(|curves| {
        let times = curves.sample_times(ruler, channel);
        (curves.sample(channel, &times), times)
    });
    let sampled: Vec<_> = sampled.collect();
    let scale = ValueScale::new(sampled.iter().flat_map(|(values, _)| values), rect);
    scale.paint(ui, &painter);
    let x = ruler.x(document.playback.time_secs);
    let mut lines = Vec::new();
    for (number, (curves, (values, times))) in joints.iter().zip(&sampled).enumerate() {
        let color = |component| theme::on_panel(ui, color(channel, if several { number } else { component }));
        for (component, values) in values.iter().enumerate() {
            let points = times.iter().zip(values).map(|(time, value)| pos2(ruler.x(*time), scale.y(*value)));
            painter.add(Shape::line(points.collect(), Stroke::new(1.5, color(component))));
        }
        key_marks(&painter, curves, channel, ruler, &scale, color);
        for (component, value) in curves.sample(channel, &[document.playback.time_secs]).iter().enumerate() {
            painter.circle_filled(pos2(x, scale.y(value[0])), 3.0, color(component));
            let name = match channel {
                CurveChannel::MorphWeights => curves.weight_names.get(component).map_or("", String::as_str),
                _ if several => document.outline.joint(curves.joint),
                _ => AXIS_NAMES[component],
            };
            lines.push((format!("{name}  {:>8}", fixed(value[0], scale.decimals.max(2))), color(component)));
        }
    }
    legend(ui, &painter, rect, x, lines);
}

/// X red, Y green, Z blue; other components have colors of their own.
fn color(channel: CurveChannel, component: usize) -> Color32 {
    match channel {
        CurveChannel::Location | CurveChannel::Rotation | CurveChannel::Scale => AXIS_COLORS[component],
        CurveChannel::MorphWeights | CurveChannel::Angle | CurveChannel::Speed => {
            Hsva::new((0.58 + 0.618 * component as f32).fract(), 0.65, 0.9, 1.0).into()
        }
    }
}

/// A linear axis of values from the lower to the upper edge.
struct ValueScale {
    min: f64,
    max: f64,
    /// Distance of two labels.
    step: f64,
    decimals: usize,
    rect: Rect,
}

impl ValueScale {
    /// Fits all values into the height of `rect`.
    fn new<'a>(values: impl Iterator<Item = &'a Vec<f64>> + Clone, rect: Rect) -> Self {
        let values = || values.clone().flatten().copied().filter(|value| value.is_finite());
        let (min, max) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        let (min, max) = if min <= max { (min, max) } else { (0.0, 0.0) };
        // Constant curves are in the middle.
        let padding =
            if max - min > 1e-5 * min.abs().max(max.abs()).max(1e-3) { 0.0 } else { 0.05 * max.abs().max(0.2) };
        let (min, max) = (min - padding, max + padding);
        let labels = f64::from((rect.height() / MIN_LABEL_DISTANCE).max(1.0));
        let step = round_step((max - min) / labels);
        Self { min, max, step, decimals: (-step.log10().floor()).clamp(0.0, 6.0) as usize, rect }
    }

    fn y(&self, value: f64) -> f32 {
        let fraction = ((value - self.min) / (self.max - self.min)) as f32;
        self.rect.max.y - MARGIN - fraction * (self.rect.height() - 2.0 * MARGIN)
    }

    fn paint(&self, ui: &Ui, painter: &Painter) {
        let stroke = Stroke::new(1.0, ui.visuals().widgets.noninteractive.bg_stroke.color);
        let (first, last) = ((self.min / self.step).ceil(), (self.max / self.step).floor());
        for i in 0..=(last - first).clamp(0.0, 100.0) as usize {
            let value = (first + i as f64) * self.step;
            let y = self.y(value);
            painter.hline(self.rect.x_range(), y, stroke);
            let position = pos2(self.rect.min.x + 4.0, y);
            let (text, font) = (fixed(value, self.decimals), FontId::proportional(12.0));
            painter.text(position, Align2::LEFT_BOTTOM, text, font, ui.visuals().weak_text_color());
        }
    }
}

/// Marks the keys on the curves, unless they are close together.
fn key_marks(
    painter: &Painter,
    curves: &JointCurves,
    channel: CurveChannel,
    ruler: &Ruler,
    scale: &ValueScale,
    color: impl Fn(usize) -> Color32,
) {
    let keys = curves.keys(channel);
    let groups = ruler.key_groups(keys, MIN_KEY_DISTANCE);
    let single = groups.iter().filter(|[first, last]| first == last);
    let times: Vec<f64> = single.filter_map(|[x, _]| ruler.nearest(keys, *x, 1.0)).collect();
    for (component, values) in curves.sample(channel, &times).iter().enumerate() {
        for (time, value) in times.iter().zip(values) {
            let center = pos2(ruler.x(*time), scale.y(*value));
            let corners = [vec2(-3.0, 0.0), vec2(0.0, -3.0), vec2(3.0, 0.0), vec2(0.0, 3.0)];
            polygon(painter, corners.map(|corner| center + corner).to_vec(), color(component));
        }
    }
}

/// Lists as many values as fit in the upper corner that is far from the playhead at `x`.
fn legend(ui: &Ui, painter: &Painter, rect: Rect, x: f32, mut lines: Vec<(String, Color32)>) {
    let fitting = (((rect.height() - 12.0) / LEGEND_LINE) as usize).max(1);
    if lines.len() > fitting {
        let more = lines.split_off(fitting - 1).len();
        lines.push((format!("{more} more"), ui.visuals().weak_text_color()));
    }
    let layout = |(text, color)| painter.layout_no_wrap(text, FontId::monospace(12.0), color);
    let galleys: Vec<_> = lines.into_iter().map(layout).collect();
    let width = galleys.iter().map(|galley| galley.size().x).fold(0.0, f32::max);
    let size = vec2(width + 10.0, LEGEND_LINE * galleys.len() as f32 + 4.0);
    // The labels of the scale are at the left edge.
    let free = Rect::from_min_max(rect.min + vec2(44.0, 4.0), rect.max - vec2(4.0, 0.0));
    let corner = if x > free.center().x { Align2::LEFT_TOP } else { Align2::RIGHT_TOP };
    let background = corner.align_size_within_rect(size, free);
    painter.rect_filled(background, 4.0, ui.visuals().extreme_bg_color.gamma_multiply(0.85));
    for (line, galley) in galleys.into_iter().enumerate() {
        let right = background.max.x - 5.0 - galley.size().x;
        painter.galley(pos2(right, background.min.y + 2.0 + LEGEND_LINE * line as f32), galley, Color32::PLACEHOLDER);
    }
}
