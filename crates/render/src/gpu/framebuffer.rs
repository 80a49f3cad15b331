//! Framebuffers and depth buffers.

use super::object::Object;
use super::texture::set_tight_pack_alignment;
use super::{Gpu, GpuError, RenderTexture};
use glow::HasContext;
use std::ops::Range;
use std::rc::Rc;

/// A renderbuffer of depth values.
pub(crate) struct DepthBuffer(Object<glow::Renderbuffer>);

impl DepthBuffer {
    /// Creates a 32-bit float depth buffer.
    pub(crate) fn new(gpu: &Rc<Gpu>, size: (u32, u32), samples: u32) -> Result<Self, GpuError> {
        let (create, delete) = (glow::Context::create_renderbuffer, glow::Context::delete_renderbuffer);
        let buffer = Self(Object::new(gpu, "renderbuffer", create, delete)?);
        buffer.resize(size, samples)?;
        Ok(buffer)
    }

    /// Replaces the storage by one of another size.
    fn resize(&self, (width, height): (u32, u32), samples: u32) -> Result<(), GpuError> {
        let (gpu, format, width, height) = (&self.0.gpu, glow::DEPTH_COMPONENT32F, width as i32, height as i32);
        let gl = gpu.functions();
        // SAFETY: the `Gpu` invariant; the caller has checked the size.
        unsafe {
            gl.bind_renderbuffer(glow::RENDERBUFFER, Some(self.0.id));
            match samples {
                1 => gl.renderbuffer_storage(glow::RENDERBUFFER, format, width, height),
                _ => {
                    gl.renderbuffer_storage_multisample(glow::RENDERBUFFER, samples as i32, format, width, height);
                }
            }
            gl.bind_renderbuffer(glow::RENDERBUFFER, None);
        }
        gpu.check_errors("creating a depth buffer")
    }
}

/// Attachments of a framebuffer, which owns them.
pub(crate) struct Attachments {
    pub(crate) color: RenderTexture,
    pub(crate) depth: Option<DepthBuffer>,
}

/// A framebuffer object with one color texture and optional depth.
pub(crate) struct Framebuffer {
    object: FramebufferId,
    attachments: Attachments,
}

/// A framebuffer object.
pub(super) type FramebufferId = Object<glow::Framebuffer>;

impl FramebufferId {
    pub(super) fn new_framebuffer(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Self::new(gpu, "framebuffer", glow::Context::create_framebuffer, glow::Context::delete_framebuffer)
    }

    /// Unbinds the bound framebuffer, whose attachments `describe` describes.
    ///
    /// # Errors
    /// When it is incomplete.
    pub(super) fn check_and_unbind(&self, describe: impl FnOnce() -> String) -> Result<(), GpuError> {
        let gl = self.gpu.functions();
        // SAFETY: the `Gpu` invariant.
        let status = unsafe {
            let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            status
        };
        match status {
            glow::FRAMEBUFFER_COMPLETE => Ok(()),
            _ => {
                let error = GpuError::Framebuffer { description: describe(), status };
                Err(self.gpu.failure("creating a framebuffer", error))
            }
        }
    }
}

impl Framebuffer {
    /// Creates a framebuffer. The attachments have equal size and sample count.
    ///
    /// # Errors
    /// When the framebuffer is incomplete.
    pub(crate) fn new(gpu: &Rc<Gpu>, attachments: Attachments) -> Result<Self, GpuError> {
        let framebuffer = Self { object: FramebufferId::new_framebuffer(gpu)?, attachments };
        let Attachments { color, depth } = &framebuffer.attachments;
        let (gl, target, texture) = (gpu.functions(), glow::FRAMEBUFFER, Some(color.id()));
        // SAFETY: the `Gpu` invariant; the attachments live as long as the framebuffer.
        unsafe {
            gl.bind_framebuffer(target, Some(framebuffer.object.id));
            gl.framebuffer_texture_2d(target, glow::COLOR_ATTACHMENT0, color.gl_target(), texture, 0);
            if let Some(DepthBuffer(depth)) = depth {
                gl.framebuffer_renderbuffer(target, glow::DEPTH_ATTACHMENT, glow::RENDERBUFFER, Some(depth.id));
            }
        }
        framebuffer.object.check_and_unbind(|| color.describe())?;
        Ok(framebuffer)
    }

    /// Replaces the storage of the attachments by one of another size, whose content is undefined.
    ///
    /// # Errors
    /// When memory runs out, or the framebuffer is incomplete then.
    pub(crate) fn resize(&mut self, size: (u32, u32)) -> Result<(), GpuError> {
        let Attachments { color, depth } = &mut self.attachments;
        color.resize(size)?;
        depth.as_ref().map_or(Ok(()), |depth| depth.resize(size, color.samples()))?;
        self.bind();
        self.object.check_and_unbind(|| self.attachments.color.describe())
    }

    pub(crate) fn color(&self) -> &RenderTexture {
        &self.attachments.color
    }

    /// Binds the framebuffer with a viewport of its size.
    pub(crate) fn bind(&self) {
        let (width, height) = self.attachments.color.size();
        // SAFETY: the `Gpu` invariant.
        unsafe {
            self.object.gpu.functions().bind_framebuffer(glow::FRAMEBUFFER, Some(self.object.id));
            self.object.gpu.functions().viewport(0, 0, width as i32, height as i32);
        }
    }

    /// Binds the framebuffer as the rows from `first_row` on of an image `height` pixels high.
    pub(crate) fn bind_with_row_offset(&self, first_row: u32, height: u32) {
        self.bind();
        let width = self.attachments.color.size().0;
        // SAFETY: the `Gpu` invariant.
        unsafe { self.object.gpu.functions().viewport(0, -(first_row as i32), width as i32, height as i32) };
    }

    /// Binds the framebuffer and restricts drawing to `rows` until [`Gpu::begin_pass`].
    pub(crate) fn bind_scissored(&self, rows: &std::ops::Range<u32>) {
        self.bind();
        let (width, first, count) = (self.attachments.color.size().0, rows.start, rows.end - rows.start);
        // SAFETY: the `Gpu` invariant.
        unsafe {
            self.object.gpu.functions().enable(glow::SCISSOR_TEST);
            self.object.gpu.functions().scissor(0, first as i32, width as i32, count as i32);
        }
    }

    /// Binds the framebuffer with a viewport of one pixel.
    pub(crate) fn bind_first_pixel(&self) {
        self.bind();
        // SAFETY: the `Gpu` invariant.
        unsafe { self.object.gpu.functions().viewport(0, 0, 1, 1) };
    }

    /// Clears color to transparent black and depth to 1. The framebuffer is bound, and its write masks are enabled.
    pub(crate) fn clear(&self) {
        self.clear_to([0.0; 4]);
    }

    /// Clears like [`clear`](Self::clear), with another color.
    pub(crate) fn clear_to(&self, color: [f32; 4]) {
        // SAFETY: the `Gpu` invariant.
        unsafe {
            self.object.gpu.functions().clear_buffer_f32_slice(glow::COLOR, 0, &color);
            if self.attachments.depth.is_some() {
                self.object.gpu.functions().clear_buffer_f32_slice(glow::DEPTH, 0, &[1.0]);
            }
        }
    }

    /// Reads rows of RGBA8 pixels, counted and listed from the bottom. Waits for the GPU.
    ///
    /// # Errors
    /// When OpenGL reported an error since the last check, or the context is lost. Checked in release builds too.
    pub(crate) fn read_rgba8(&self, rows: Range<u32>) -> Result<Vec<u8>, GpuError> {
        let (width, height) = (self.attachments.color.size().0, rows.len());
        let mut bytes = vec![0; width as usize * height * 4];
        // SAFETY: the `Gpu` invariant; rows of four-byte pixels have no padding, so the slice has the exact size. Rows outside of
        // the framebuffer are not written.
        unsafe {
            let gl = self.object.gpu.functions();
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(self.object.id));
            gl.read_buffer(glow::COLOR_ATTACHMENT0);
            set_tight_pack_alignment(&gl);
            let pixels = glow::PixelPackData::Slice(Some(&mut bytes));
            gl.read_pixels(0, rows.start as i32, width as i32, height as i32, glow::RGBA, glow::UNSIGNED_BYTE, pixels);
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, None);
        }
        self.object.gpu.check_reset("drawing the image")?;
        self.object.gpu.check_errors("drawing the image")?;
        Ok(bytes)
    }

    /// Copies the image to the rectangle `[left, bottom, width, height]` of the window's framebuffer.
    pub(crate) fn blit_to_screen(&self, rect: [u32; 4]) {
        self.blit(None, rect);
    }

    /// Copies the colors to all of `target`, scaled to fit.
    pub(crate) fn blit_to(&self, target: &Self) {
        let (width, height) = target.attachments.color.size();
        self.blit(Some(target.object.id), [0, 0, width, height]);
    }

    fn blit(&self, target: Option<glow::Framebuffer>, [left, bottom, width, height]: [u32; 4]) {
        let (from_width, from_height) = self.attachments.color.size();
        let filter = if (from_width, from_height) == (width, height) { glow::NEAREST } else { glow::LINEAR };
        // SAFETY: the `Gpu` invariant.
        unsafe {
            let gl = self.object.gpu.functions();
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(self.object.id));
            gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, target);
            gl.disable(glow::SCISSOR_TEST);
            // The colors are already encoded.
            gl.disable(glow::FRAMEBUFFER_SRGB);
            gl.color_mask(true, true, true, true);
            let from = (from_width as i32, from_height as i32);
            let [left, bottom, right, top] = [left, bottom, left + width, bottom + height].map(|side| side as i32);
            gl.blit_framebuffer(0, 0, from.0, from.1, left, bottom, right, top, glow::COLOR_BUFFER_BIT, filter);
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        }
    }
}
