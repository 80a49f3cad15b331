//! Text rasterization with an embedded font, the same on every machine.

use ab_glyph::{Font, FontRef, Glyph, ScaleFont, point};
use rigview_core::util::text::one_line;

/// An opaque RGB8 image.
pub struct Canvas {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Rows from top to bottom.
    pub rgb: Vec<u8>,
}

impl Canvas {
    /// An image of one color.
    pub fn new(width: u32, height: u32, color: [u8; 3]) -> Self {
        Self { width, height, rgb: color.repeat(width as usize * height as usize) }
    }

    /// Blends an RGBA image with straight alpha over a rectangle inside the canvas.
    pub fn put(&mut self, left: u32, top: u32, rgba: &[u8], width: u32) {
        for (i, [r, g, b, a]) in rgba.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (left + i as u32 % width, top + i as u32 / width);
            self.blend(x, y, [*r, *g, *b], f32::from(*a) / 255.0);
        }
    }

    /// Fills a rectangle; parts outside of the canvas are ignored.
    pub fn fill(&mut self, [left, top]: [u32; 2], [width, height]: [u32; 2], color: [u8; 3]) {
        for y in top..top + height {
            (left..left + width).for_each(|x| self.blend(x, y, color, 1.0));
        }
    }

    fn blend(&mut self, x: u32, y: u32, color: [u8; 3], opacity: f32) {
        if x >= self.width || y >= self.height {
            return;
        }
        let first = (y as usize * self.width as usize + x as usize) * 3;
        for (byte, color) in self.rgb[first..first + 3].iter_mut().zip(color) {
            *byte = (f32::from(*byte) + (f32::from(color) - f32::from(*byte)) * opacity).round() as u8;
        }
    }
}

/// A font at a size.
pub struct TextRasterizer {
    font: FontRef<'static>,
    pixels: f32,
}

impl TextRasterizer {
    /// The embedded font with a line height in pixels.
    pub fn new(pixels: f32) -> Self {
        let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).expect("the embedded font is valid");
        Self { font, pixels }
    }

    /// Draws one line with its upper left corner at `[x, y]`. Text wider than `max_width` is cut and ends in three dots. Returns the
    /// width.
    pub fn write(&self, canvas: &mut Canvas, [x, y]: [u32; 2], max_width: u32, text: &str, color: [u8; 3]) -> u32 {
        let scaled = self.font.as_scaled(self.pixels);
        let text: String = one_line(text).chars().take(500).collect();
        let mut line = text.clone();
        let mut char_count = text.chars().count();
        while char_count > 0 && self.width(&line) > max_width as f32 {
            char_count -= 1;
            line = text.chars().take(char_count).collect::<String>() + "...";
        }
        let mut caret = x as f32;
        let mut last = None;
        for c in line.chars() {
            let id = self.font.glyph_id(c);
            if let Some(last) = last {
                caret += scaled.kern(last, id);
            }
            let baseline = y as f32 + scaled.ascent().round();
            let glyph: Glyph = id.with_scale_and_position(self.pixels, point(caret, baseline));
            caret += scaled.h_advance(id);
            last = Some(id);
            if let Some(outline) = self.font.outline_glyph(glyph) {
                let bounds = outline.px_bounds();
                outline.draw(|dx, dy, coverage| {
                    let (x, y) = (bounds.min.x + dx as f32, bounds.min.y + dy as f32);
                    if x >= 0.0 && y >= 0.0 {
                        canvas.blend(x as u32, y as u32, color, coverage.clamp(0.0, 1.0));
                    }
                });
            }
        }
        (caret - x as f32).ceil() as u32
    }

    /// Width of a line in pixels.
    pub fn width(&self, text: &str) -> f32 {
        let scaled = self.font.as_scaled(self.pixels);
        text.chars().map(|c| scaled.h_advance(self.font.glyph_id(c))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_the_available_width() {
        let rasterizer = TextRasterizer::new(16.0);
        let mut canvas = Canvas::new(120, 20, [0; 3]);
        let width = rasterizer.write(&mut canvas, [2, 0], 60, "A name that is much too long", [255; 3]);
        assert!((30..=62).contains(&width), "{width}");
        let lit = |x: usize| (0..20).any(|y| canvas.rgb[(y * 120 + x) * 3] > 0);
        assert!((2..20).any(lit) && !(66..120).any(lit));
        let narrow = rasterizer.write(&mut canvas, [0, 0], 1, "W", [255; 3]);
        assert!(narrow < 20);
    }
}
