//! Frame time graph, with the mean of each part of a frame.

use crate::app::viewer::state::frame_stats::{FrameStats, FrameTimings};
use crate::app::viewer::ui::theme;
use egui::{Color32, Grid, Label, Mesh, Rect, RichText, Sense, Shape, Ui, pos2, vec2};
use std::time::Duration;

/// A part of the frame time.
struct Part {
    name: &'static str,
    duration: fn(&FrameTimings) -> Duration,
    color: Color32,
}

impl Part {
    const fn new(name: &'static str, duration: fn(&FrameTimings) -> Duration, [r, g, b]: [u8; 3]) -> Self {
        Self { name, duration, color: Color32::from_rgb(r, g, b) }
    }
}

/// CPU time, in the order of the graph from bottom to top.
const PARTS: [Part; 6] = [
    Part::new("UI layout", |timings| timings.panels, [172, 176, 182]),
    Part::new("UI painting", |timings| timings.paint, [122, 126, 132]),
    Part::new("Animation", |timings| timings.pose, [86, 166, 92]),
    Part::new("Upload", |timings| timings.upload, [150, 104, 204]),
    Part::new("Draw calls", |timings| timings.draw, [66, 128, 214]),
    Part::new("Present (vsync)", |timings| timings.present, [214, 150, 66]),
];

/// Runs in parallel to the CPU time.
const GPU: Part = Part::new("GPU", |timings| timings.gpu, [230, 84, 150]);

const GRAPH_HEIGHT: f32 = 80.0;

/// The graph's height stands for at least this frame time.
const MIN_GRAPH_TIME: Duration = Duration::from_millis(20);

/// Shorter bars are not drawn, in points.
const MIN_BAR_HEIGHT: f32 = 0.25;

pub(crate) fn show(ui: &mut Ui, frame_stats: &FrameStats) {
    let Some(mean) = frame_stats.mean() else {
        ui.weak("Play the clip to measure.");
        return;
    };
    graph(ui, frame_stats);
    ui.add_space(2.0);
    ui.label(RichText::new(format_frame_rate(mean.interval)).strong());
    if let Some(without_ui) = frame_stats.mean_without_ui() {
        let text = format!("Without panels (Tab): {}", format_duration(without_ui.interval));
        ui.weak(text).on_hover_text("Measured over the whole window when Tab last hid the panels");
    }
    let gpu = (mean.gpu > Duration::ZERO).then_some(&GPU);
    Grid::new("parts").num_columns(3).min_col_width(0.0).spacing(vec2(8.0, 2.0)).show(ui, |ui| {
        for part in PARTS.iter().chain(gpu) {
            let (swatch, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
            ui.painter().rect_filled(swatch, 2.0, part.color);
            ui.weak(part.name);
            ui.add(Label::new(RichText::new(format_duration((part.duration)(&mean))).monospace()));
            ui.end_row();
        }
    });
}

/// A stacked bar per frame; lines mark the frame interval and the GPU time.
fn graph(ui: &mut Ui, frame_stats: &FrameStats) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), GRAPH_HEIGHT), Sense::hover());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
    let max = frame_stats.history().map(|timings| timings.interval).max().unwrap_or_default().max(MIN_GRAPH_TIME);
    let width = rect.width() / frame_stats.history().len() as f32;
    let height = |time: Duration| (time.as_secs_f32() / max.as_secs_f32()).min(1.0) * rect.height();
    // One mesh without anti-aliasing: hundreds of shapes would dominate the layout time.
    let mut mesh = Mesh::default();
    let mut bar = |left: f32, right: f32, top: f32, bottom: f32, color| {
        mesh.add_colored_rect(Rect::from_min_max(pos2(left, top), pos2(right, bottom)), color);
    };
    for (i, timings) in frame_stats.history().enumerate() {
        let (left, right) = (rect.min.x + width * i as f32, rect.min.x + width * (i + 1) as f32);
        let mut bottom = rect.max.y;
        for part in PARTS {
            let top = (bottom - height((part.duration)(timings))).max(rect.min.y);
            if bottom - top >= MIN_BAR_HEIGHT {
                bar(left, right, top, bottom, part.color);
                bottom = top;
            }
        }
        let y = rect.max.y - height(timings.interval);
        bar(left, right, y, y + 1.0, theme::accent(ui));
        if timings.gpu > Duration::ZERO {
            let (x, y) = (0.5 * (left + right), rect.max.y - height(timings.gpu));
            bar(x - 1.0, x + 1.0, y - 1.0, y + 1.0, GPU.color);
        }
    }
    painter.add(Shape::mesh(mesh));
}

/// Formats a frame interval: "60 FPS, 16.67 ms per frame".
fn format_frame_rate(interval: Duration) -> String {
    let rate = 1.0 / interval.as_secs_f64().max(1e-6);
    let decimals = match rate {
        10.0.. => 0,
        1.0.. => 1,
        _ => 3,
    };
    format!("{rate:.decimals$} FPS, {} per frame", format_duration(interval))
}

fn format_duration(duration: Duration) -> String {
    match duration.as_secs_f64() {
        secs if secs < 1.0 => format!("{:.2} ms", secs * 1e3),
        secs => format!("{secs:.2} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_above_a_second_are_formatted_in_seconds() {
        let texts = [1_234_567, 999_000_000, 1_234_567_890].map(|nanos| format_duration(Duration::from_nanos(nanos)));
        assert_eq!(texts, ["1.23 ms", "999.00 ms", "1.23 s"]);
    }

    #[test]
    fn frame_rates_have_the_decimals_that_matter() {
        let texts = [16_667, 400_000, 69_448_840].map(|micros| format_frame_rate(Duration::from_micros(micros)));
        assert_eq!(
            texts,
            ["60 FPS, 16.67 ms per frame", "2.5 FPS, 400.00 ms per frame", "0.014 FPS, 69.45 s per frame"]
        );
    }
}
