//! Opaque scene copy with mip levels, sampled by transmissive materials (KHR_materials_transmission).

use crate::gpu::{Attachments, Framebuffer, Gpu, RenderTexture};
use crate::render::error::RenderError;
use crate::render::target::Target;
use std::ops::Range;
use std::rc::Rc;

/// Maximum width and height. Larger frames are subsampled by an integer step.
const MAX_SIZE: u32 = 2048;

/// The opaque scene of the most recent frame with transmissive materials.
#[derive(Default)]
pub(crate) struct TransmissionBackground(Option<Framebuffer>);

/// Subsampling of a frame: the distance between sampled pixels along each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PixelStep(u32);

impl PixelStep {
    /// Returns the step for a frame of this size.
    pub(crate) fn of((width, height): (u32, u32)) -> Self {
        Self(width.max(height).div_ceil(MAX_SIZE))
    }

    pub(crate) fn pixels(self) -> u32 {
        self.0
    }

    /// Returns the rows of the copy that sample `rows` of the frame. Each samples the middle row of its step.
    pub(crate) fn rows(self, rows: &Range<u32>) -> Range<u32> {
        let first = |row: u32| row.saturating_sub(self.0 / 2).div_ceil(self.0);
        first(rows.start)..first(rows.end)
    }

    /// Returns the size of the copy.
    fn size(self, (width, height): (u32, u32)) -> (u32, u32) {
        let side = |pixels: u32| (pixels - self.0 / 2).div_ceil(self.0).max(1);
        (side(width), side(height))
    }
}

impl TransmissionBackground {
    /// Returns the framebuffer for a frame of the size of `target`.
    pub(crate) fn framebuffer(&mut self, gpu: &Rc<Gpu>, target: &Target) -> Result<&Framebuffer, RenderError> {
        let frame = (target.width(), target.height());
        let size = PixelStep::of(frame).size(frame);
        if self.0.as_ref().is_none_or(|current| current.color().size() != size) {
            // Frees the old texture before allocating the new one.
            self.0 = None;
            let color = RenderTexture::new_mipmapped(gpu, size)?;
            self.0 = Some(Framebuffer::new(gpu, Attachments { color, depth: None })?);
        }
        Ok(self.0.as_ref().expect("created above"))
    }

    /// Generates the mip levels.
    pub(crate) fn finish(&self) {
        if let Some(framebuffer) = &self.0 {
            framebuffer.color().generate_mipmaps();
        }
    }

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
    fn row_tiles_map_to_contiguous_rows_of_the_copy() {
        for size in [(1, 1), (640, 480), (2048, 2049), (5000, 3001), (16_384, 7)] {
            let step = PixelStep::of(size);
            let (width, height) = step.size(size);
            assert!(width.max(height) <= MAX_SIZE && width > 0 && height > 0);
            for tile in [1, 7, 120, 100_000] {
                let tiles = (0..size.1).step_by(tile as usize).map(|first| first..(first + tile).min(size.1));
                let mut next = 0;
                for rows in tiles {
                    let copied = step.rows(&rows);
                    assert_eq!(copied.start, next, "{size:?}, {rows:?}");
                    assert!(copied.clone().all(|row| rows.contains(&(row * step.pixels() + step.pixels() / 2))));
                    next = copied.end;
                }
                // A frame lower than half a step has no middle row.
                assert!(next == height || size.1 <= step.pixels() / 2, "{size:?}: {next} of {height}");
            }
        }
    }
}
