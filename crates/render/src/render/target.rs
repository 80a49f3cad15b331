//! Render target: multisampled HDR image and finished image.

use crate::gpu::{Attachments, DepthBuffer, Framebuffer, Gpu, GpuError, RenderTexture};
use crate::render::error::RenderError;
use crate::render::row_tiles::rows_per_tile;
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;

/// Row ranges of the tiles of an image.
pub(super) type RowTiles = SmallVec<[Range<u32>; 8]>;

/// An HDR image in linear light with depth, and the finished image.
///
/// A large HDR image is drawn in tiles of rows, in the memory of one tile.
pub struct Target {
    gpu: Rc<Gpu>,
    /// Linear light of one tile, premultiplied, multisampled.
    pub(super) hdr: Framebuffer,
    /// sRGB-encoded colors.
    pub(super) image: Framebuffer,
    pub(super) accumulation: Option<Accumulation>,
}

/// Sum of the samples of a progressive image.
pub(super) struct Accumulation {
    /// Linear light, premultiplied.
    pub(super) sum: Framebuffer,
    /// Number of samples.
    pub(super) count: u32,
    /// Each sample is tone-mapped, not their mean.
    pub(super) is_tone_mapped: bool,
}

/// Maximum number of pixels of a progressive image: 1 GiB.
const MAX_ACCUMULATED_PIXELS: u64 = 1 << 26;

impl Target {
    /// Creates a target of `width` by `height` pixels with about `samples` samples per pixel.
    ///
    /// The driver may choose another sample count: see [`samples`](Self::samples).
    ///
    /// # Errors
    /// When the image is empty, or larger than the driver supports.
    pub fn new(gpu: &Rc<Gpu>, width: u32, height: u32, samples: u32) -> Result<Self, RenderError> {
        check_size(gpu, width, height)?;
        // A few rows are enough to learn the sample count; the first frame sets the height. Three rows, because software
        // drivers recompile the resolve shader for textures with power-of-two sides.
        let mut samples = samples.clamp(1, gpu.limits().samples);
        // A format may have fewer samples than the maximum.
        let hdr = loop {
            match new_hdr(gpu, (width, 3), samples) {
                Err(error) if samples > 1 && error.is_of_format() => samples /= 2,
                hdr => break hdr?,
            }
        };
        let color = RenderTexture::new_rgba8(gpu, (width, height))?;
        let image = Framebuffer::new(gpu, Attachments { color, depth: None })?;
        Ok(Self { gpu: Rc::clone(gpu), hdr, image, accumulation: None })
    }

    /// Replaces the image by one of another size, whose content is undefined. The memory of the former one is free meanwhile.
    ///
    /// # Errors
    /// As [`new`](Self::new). The target cannot be drawn then.
    pub fn resize(&mut self, width: u32, height: u32) -> Result<(), RenderError> {
        check_size(&self.gpu, width, height)?;
        self.accumulation = None;
        Ok(self.image.resize((width, height))?)
    }

    /// Starts a progressive image: [`Renderer::accumulate`](super::Renderer::accumulate) adds samples.
    ///
    /// # Errors
    /// When the image has more than 2²⁶ pixels, or the driver fails.
    pub fn begin_accumulation(&mut self) -> Result<(), RenderError> {
        let (width, height) = (self.width(), self.height());
        if u64::from(width) * u64::from(height) > MAX_ACCUMULATED_PIXELS {
            return Err(RenderError::ProgressiveImageTooLarge { width, height, limit: MAX_ACCUMULATED_PIXELS });
        }
        let sum = match self.accumulation.take() {
            Some(accumulation) => accumulation.sum,
            None => {
                let color = RenderTexture::new_rgba32f(&self.gpu, (width, height))?;
                Framebuffer::new(&self.gpu, Attachments { color, depth: None })?
            }
        };
        self.gpu.begin_pass();
        sum.bind();
        sum.clear();
        self.accumulation = Some(Accumulation { sum, count: 0, is_tone_mapped: false });
        Ok(())
    }

    /// Returns the number of samples of the progressive image.
    pub fn accumulated_samples(&self) -> u32 {
        self.accumulation.as_ref().map_or(0, |accumulation| accumulation.count)
    }

    /// Resizes the HDR image to the tiles of a frame of `vertices` vertices, and returns the rows of each tile.
    pub(super) fn split_into_tiles(
        &mut self,
        rows_override: Option<u32>,
        vertices: u64,
    ) -> Result<RowTiles, RenderError> {
        let (size, samples) = ((self.width(), self.height()), self.samples());
        // An even number, because derivatives are those of two by two pixels.
        let rows = rows_override.unwrap_or_else(|| rows_per_tile(self.gpu.device_type(), size, samples, vertices));
        let rows = rows.clamp(1, size.1).next_multiple_of(2).min(size.1);
        if self.hdr.color().size() != (size.0, rows) {
            self.hdr.resize((size.0, rows))?;
        }
        Ok((0..size.1).step_by(rows as usize).map(|first| first..(first + rows).min(size.1)).collect())
    }

    /// Returns the width in pixels.
    pub fn width(&self) -> u32 {
        self.image.color().size().0
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        self.image.color().size().1
    }

    /// Returns the number of samples per pixel that the driver allocated.
    pub fn samples(&self) -> u32 {
        self.hdr.color().samples()
    }

    /// Copies the image to the rectangle `[left, bottom, width, height]` of the window in pixels, scaled to fit.
    pub fn blit_to_screen(&self, rect: [u32; 4]) {
        self.image.blit_to_screen(rect);
    }

    /// Replaces the image by that of `source`, scaled to fit.
    pub fn copy_scaled(&mut self, source: &Self) {
        source.image.blit_to(&self.image);
    }

    /// Reads the image back: rows from the top, RGBA with straight alpha. Waits for the GPU.
    ///
    /// # Errors
    /// When the driver reported an error since the last check, such as out of memory or a lost context.
    pub fn read_rgba(&self) -> Result<Vec<u8>, RenderError> {
        self.read_rows(0..self.height())
    }

    /// Like [`read_rgba`](Self::read_rgba), for a range of rows that are counted from the top.
    ///
    /// # Panics
    /// If a row is outside of the image.
    pub fn read_rows(&self, rows: Range<u32>) -> Result<Vec<u8>, RenderError> {
        let from_bottom = |row: u32| self.height().checked_sub(row).expect("a row of the image");
        let mut rgba = self.image.read_rgba8(from_bottom(rows.end)..from_bottom(rows.start))?;
        flip_rows(&mut rgba, self.width() as usize * 4);
        Ok(rgba)
    }
}

fn check_size(gpu: &Gpu, width: u32, height: u32) -> Result<(), RenderError> {
    let limit = gpu.limits().texture_size;
    match (width, height) {
        (0, _) | (_, 0) => Err(RenderError::EmptyImage { width, height }),
        _ if width.max(height) > limit => Err(RenderError::ImageTooLarge { width, height, limit }),
        _ => Ok(()),
    }
}

fn new_hdr(gpu: &Rc<Gpu>, size: (u32, u32), samples: u32) -> Result<Framebuffer, GpuError> {
    let color = RenderTexture::new_rgba16f(gpu, size, samples)?;
    let depth = DepthBuffer::new(gpu, size, color.samples())?;
    Framebuffer::new(gpu, Attachments { color, depth: Some(depth) })
}

/// Reverses the order of rows.
fn flip_rows(bytes: &mut [u8], row_bytes: usize) {
    let rows = bytes.len() / row_bytes;
    let (upper, lower) = bytes.split_at_mut(rows / 2 * row_bytes);
    let lower_rows = lower.chunks_exact_mut(row_bytes).rev();
    upper.chunks_exact_mut(row_bytes).zip(lower_rows).for_each(|(a, b)| a.swap_with_slice(b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flip_rows_swaps_rows_and_keeps_the_middle_one() {
        let mut even = [1, 1, 2, 2, 3, 3, 4, 4];
        flip_rows(&mut even, 2);
        assert_eq!(even, [4, 4, 3, 3, 2, 2, 1, 1]);
        let mut odd = [1, 1, 2, 2, 3, 3];
        flip_rows(&mut odd, 2);
        assert_eq!(odd, [3, 3, 2, 2, 1, 1]);
    }
}
