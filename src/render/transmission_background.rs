//! What is opaque in a frame, for what it shines through: a picture of its own, with smaller copies for rough glass.

use super::{RenderError, Target};
use crate::gpu::{Attachment, Framebuffer, Gpu, RenderTexture};
use std::ops::Range;
use std::rc::Rc;

/// The longest side of the picture; of a larger frame it has every second pixel, or every third.
const LONGEST: u32 = 2048;

/// The picture of the last frame that needed one.
#[derive(Default)]
pub(crate) struct Behind(Option<Framebuffer>);

/// How the picture is taken of a frame: one pixel in so many each way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step(u32);

impl Step {
    /// The step for a frame of this size.
    pub(crate) fn of((width, height): (u32, u32)) -> Self {
        Self(width.max(height).div_ceil(LONGEST))
    }

    /// Pixels of the frame for one of the picture.
    pub(crate) fn pixels(self) -> u32 {
        self.0
    }

    /// The rows of the picture that show some rows of the frame: each shows the middle row of its step.
    pub(crate) fn rows(self, rows: &Range<u32>) -> Range<u32> {
        let first = |row: u32| row.saturating_sub(self.0 / 2).div_ceil(self.0);
        first(rows.start)..first(rows.end)
    }

    /// The picture's size.
    fn size(self, (width, height): (u32, u32)) -> (u32, u32) {
        let side = |pixels: u32| (pixels - self.0 / 2).div_ceil(self.0).max(1);
        (side(width), side(height))
    }
}

impl Behind {
    /// The framebuffer for a frame of the size of `target`.
    pub(crate) fn framebuffer(&mut self, gpu: &Rc<Gpu>, target: &Target) -> Result<&Framebuffer, RenderError> {
        let frame = (target.width(), target.height());
        let size = Step::of(frame).size(frame);
        if self.0.as_ref().is_none_or(|kept| kept.color().size() != size) {
            // The old one's memory first.
            self.0 = None;
            let color = RenderTexture::new_mipmapped(gpu, size)?;
            self.0 = Some(Framebuffer::new(gpu, Attachment { color, depth: None })?);
        }
        Ok(self.0.as_ref().expect("a framebuffer, made above"))
    }

    /// Makes the smaller copies, once the picture is there.
    pub(crate) fn finish(&self) {
        if let Some(framebuffer) = &self.0 {
            framebuffer.color().make_mipmaps();
        }
    }

    /// Shows it to the shaders at `unit`.
    pub(crate) fn bind(&self, unit: u32) {
        if let Some(framebuffer) = &self.0 {
            framebuffer.color().bind(unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_of_a_frame_are_bands_of_the_picture() {
        for size in [(1, 1), (640, 480), (2048, 2049), (5000, 3001), (16_384, 7)] {
            let step = Step::of(size);
            let (width, height) = step.size(size);
            assert!(width.max(height) <= LONGEST && width > 0 && height > 0);
            for band in [1, 7, 120, 100_000] {
                let rows = (0..size.1).step_by(band as usize).map(|first| first..(first + band).min(size.1));
                let mut next = 0;
                for rows in rows {
                    let shown = step.rows(&rows);
                    assert_eq!(shown.start, next, "{size:?}, {rows:?}");
                    assert!(shown.clone().all(|row| rows.contains(&(row * step.pixels() + step.pixels() / 2))));
                    next = shown.end;
                }
                // A frame lower than half a step has no middle row.
                assert!(next == height || size.1 <= step.pixels() / 2, "{size:?}: {next} of {height}");
            }
        }
    }
}
