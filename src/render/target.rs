//! A picture in the making.

use super::RenderError;
use crate::gpu::{Attachment, DepthBuffer, Framebuffer, Gpu, TargetTexture};
use std::rc::Rc;

/// Where a frame is drawn: linear light with distances, and the finished picture.
pub struct Target {
    /// Linear light, premultiplied, several samples a pixel.
    pub(super) scene: Framebuffer,
    /// Encoded colours.
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
            return Err(RenderError::EmptyPicture { width, height });
        }
        let limit = gpu.limits().texture_size;
        if width > limit || height > limit {
            return Err(RenderError::PictureTooLarge { width, height, limit });
        }
        let size = (width, height);
        let colour = TargetTexture::new_half_float(gpu, size, samples.clamp(1, gpu.limits().samples))?;
        let depth = DepthBuffer::new(gpu, size, colour.samples())?;
        let scene = Framebuffer::new(gpu, Attachment { colour, depth: Some(depth) })?;
        let colour = TargetTexture::new_bytes(gpu, size)?;
        let picture = Framebuffer::new(gpu, Attachment { colour, depth: None })?;
        Ok(Self { scene, picture })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.picture.colour().size().0
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.picture.colour().size().1
    }

    /// Samples of each pixel, as the driver made them: perhaps fewer than asked for, or more.
    pub fn samples(&self) -> u32 {
        self.scene.colour().samples()
    }

    /// Shows the picture in the window, whose framebuffer is `width` by `height` pixels; it is stretched to fit.
    pub fn blit_to_screen(&self, width: u32, height: u32) {
        self.picture.blit_to_screen(width, height);
    }
}
