//! Legend of a view mode, drawn into an image.

use super::text_raster::{Canvas, TextRasterizer};
use crate::scene::Legend;

/// Maximum number of rows.
const MAX_ROWS: usize = 16;
const BACKGROUND: [u8; 3] = [28, 29, 33];
const PRIMARY: [u8; 3] = [232, 232, 228];
const SECONDARY: [u8; 3] = [165, 168, 176];

/// A legend and a note in the lower left corner of an image.
pub struct LegendPanel {
    canvas: Canvas,
    left: u32,
    top: u32,
    image_width: u32,
}

impl LegendPanel {
    /// Returns `None` if the panel does not fit into an image of this size.
    pub fn new([width, height]: [u32; 2], legend: Option<&Legend>, note: Option<&str>) -> Option<Self> {
        let line = (height / 36).clamp(14, 30);
        let canvas = canvas(line, legend, note);
        let margin = line / 2;
        let fits = canvas.width + 2 * margin <= width && canvas.height + 2 * margin <= height;
        fits.then(|| Self { left: margin, top: height - margin - canvas.height, image_width: width, canvas })
    }

    /// Draws the panel into RGBA rows of the image, which start at `first_row`.
    pub fn draw(&self, rgba: &mut [u8], first_row: u32) {
        let panel_rows = self.canvas.rgb.chunks_exact(self.canvas.width as usize * 3);
        for (panel_row, row) in panel_rows.zip(self.top..) {
            let Some(row) = row.checked_sub(first_row) else { continue };
            let first = (row as usize * self.image_width as usize + self.left as usize) * 4;
            let Some(pixels) = rgba.get_mut(first..) else { break };
            for (pixel, [r, g, b]) in pixels.as_chunks_mut::<4>().0.iter_mut().zip(panel_row.as_chunks::<3>().0) {
                *pixel = [*r, *g, *b, 255];
            }
        }
    }
}

fn canvas(line: u32, legend: Option<&Legend>, note: Option<&str>) -> Canvas {
    let (text, small) = (TextRasterizer::new(line as f32), TextRasterizer::new(0.85 * line as f32));
    let gap = line / 2;
    let width = 15 * line;
    let rows = match legend {
        None => 0,
        Some(Legend::Ramp { .. }) => 3,
        Some(Legend::Steps { steps, .. }) => 1 + steps.len().min(MAX_ROWS + 1) as u32,
    };
    let height = (rows + u32::from(note.is_some())) * (line + line / 4) + gap;
    let mut canvas = Canvas::new(width + 2 * gap, height, BACKGROUND);
    let mut top = gap / 2;
    let mut next = || {
        let row_top = top;
        top += line + line / 4;
        row_top
    };
    match legend {
        None => {}
        Some(Legend::Ramp { title, colors, marks }) => {
            text.write(&mut canvas, [gap, next()], width, title, PRIMARY);
            let bar = next();
            for x in 0..width {
                let half_index = x as usize * (colors.len() - 1) * 2 / width as usize;
                canvas.fill(
                    [gap + x, bar + line / 8],
                    [1, line],
                    bytes(colors[half_index.div_ceil(2).min(colors.len() - 1)]),
                );
            }
            let labels = next();
            for (fraction, label) in marks {
                let label_width = small.width(label).ceil() as u32;
                let middle = (fraction * (width - 1) as f32) as u32;
                let left = middle.saturating_sub(label_width / 2).min(width.saturating_sub(label_width));
                canvas.fill([gap + middle, labels - line / 8], [1, line / 5], PRIMARY);
                small.write(&mut canvas, [gap + left, labels], width, label, SECONDARY);
            }
        }
        Some(Legend::Steps { title, steps }) => {
            text.write(&mut canvas, [gap, next()], width, title, PRIMARY);
            for (color, label) in steps.iter().take(MAX_ROWS) {
                let row = next();
                canvas.fill([gap, row + line / 6], [line, line - line / 4], bytes(*color));
                small.write(&mut canvas, [gap + line + gap, row], width - line - gap, label, SECONDARY);
            }
            if steps.len() > MAX_ROWS {
                let rest = format!("and {} more", steps.len() - MAX_ROWS);
                small.write(&mut canvas, [gap, next()], width, &rest, SECONDARY);
            }
        }
    }
    if let Some(note) = note {
        small.write(&mut canvas, [gap, next()], width, note, SECONDARY);
    }
    canvas
}

fn bytes(color: [f32; 3]) -> [u8; 3] {
    color.map(|x| (x * 255.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{ViewMode, weight_color};
    use rigview_core::model::Skeleton;

    #[test]
    fn ramp_covers_its_colors_in_the_corner() {
        let legend = ViewMode::Weights.legend(&Skeleton::default(), &[]);
        let (width, height) = (640_usize, 360_usize);
        let mut rgba = vec![7_u8; width * height * 4];
        let panel = LegendPanel::new([640, 360], legend.as_ref(), Some("grid of 10 cm")).unwrap();
        // In strips of rows, of which some show a part of the panel.
        for (strip, first_row) in rgba.chunks_mut(50 * width * 4).zip((0..).step_by(50)) {
            panel.draw(strip, first_row);
        }
        let at = |x: usize, y: usize| &rgba[(y * width + x) * 4..][..3];
        let ends = [0.0, 1.0].map(|weight| bytes(weight_color(weight)));
        let row = (0..height).find(|y| at(14, *y) == ends[0]).expect("the blue end of the ramp");
        assert!((14..240).any(|x| at(x, row) == ends[1]), "the red end of the ramp");
        assert!((0..width).all(|x| at(x, 100) == [7, 7, 7]) && (0..height).all(|y| at(400, y) == [7, 7, 7]));
    }

    #[test]
    fn legend_that_does_not_fit_has_no_panel() {
        let legend = ViewMode::Influences.legend(&Skeleton::default(), &[]);
        assert!(LegendPanel::new([64, 64], legend.as_ref(), None).is_none());
    }
}
