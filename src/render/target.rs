//! A picture in the making.

use super::RenderError;
use super::row_tiles::rows_per_tile;
use crate::gpu::{Attachment, DepthBuffer, Framebuffer, Gpu, GpuError, RenderTexture};
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;

/// The rows of each band of a picture.
pub(super) type Bands = SmallVec<[Range<u32>; 8]>;

/// Where a frame is drawn: linear light with distances, and the finished picture.
///
/// A large picture's light is drawn band after band, in the memory of one.
pub struct Target {
    gpu: Rc<Gpu>,
    /// Linear light of one band, premultiplied, several samples a pixel.
    pub(super) scene: Framebuffer,
    /// Encoded colors.
    pub(super) picture: Framebuffer,
}

impl Target {
    /// A picture of `width` by `height` pixels with about `samples` samples each.
    ///
    /// The driver has the last word on samples: see [`samples`](Self::samples).
    ///
    /// # Errors
    /// When the picture is empty, or larger than the driver draws.
    pub fn new(gpu: &Rc<Gpu>, width: u32, height: u32, samples: u32) -> Result<Self, RenderError> {
        if width == 0 || height == 0 {
            return Err(RenderError::EmptyImage { width, height });
        }
        let limit = gpu.limits().texture_size;
        if width > limit || height > limit {
            return Err(RenderError::ImageTooLarge { width, height, limit });
        }
        let size = (width, height);
        // A few rows tell how many samples the driver makes; the rest comes when it is known what is drawn. Not one or two:
        // software drivers compile the encoding anew for a texture whose sides are powers of two.
        let scene = new_scene(gpu, (width, 3), samples.clamp(1, gpu.limits().samples))?;
        let color = RenderTexture::new_bytes(gpu, size)?;
        let picture = Framebuffer::new(gpu, Attachment { color, depth: None })?;
        Ok(Self { gpu: Rc::clone(gpu), scene, picture })
    }

    /// Makes the scene as high as the bands that a frame of `vertices` is drawn in, and returns the rows of each.
    pub(super) fn cut(&mut self, rows: Option<u32>, vertices: u64) -> Result<Bands, RenderError> {
        let (size, samples) = ((self.width(), self.height()), self.samples());
        let rows = rows.map_or_else(|| rows_per_tile(size, samples, vertices), |rows| rows.clamp(1, size.1));
        if self.scene.color().size().1 != rows {
            self.scene = new_scene(&self.gpu, (size.0, rows), samples)?;
        }
        Ok((0..size.1).step_by(rows as usize).map(|first| first..(first + rows).min(size.1)).collect())
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.picture.color().size().0
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.picture.color().size().1
    }

    /// Samples of each pixel, as the driver made them: perhaps fewer than asked for, or more.
    pub fn samples(&self) -> u32 {
        self.scene.color().samples()
    }

    /// Shows the picture in a part of the window, `[left, bottom, width, height]` in pixels; it is stretched to fit.
    pub fn blit_to_screen(&self, place: [u32; 4]) {
        self.picture.blit_to_screen(place);
    }
}

fn new_scene(gpu: &Rc<Gpu>, size: (u32, u32), samples: u32) -> Result<Framebuffer, GpuError> {
    let color = RenderTexture::new_half_float(gpu, size, samples)?;
    let depth = DepthBuffer::new(gpu, size, color.samples())?;
    Framebuffer::new(gpu, Attachment { color, depth: Some(depth) })
}
