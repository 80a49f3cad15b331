//! The palette on the GPU.

use super::RenderError;
use super::pages::PagePlan;
use super::palette_source::{PaletteSource, PaletteUpload};
use super::variant::{PALETTE_BINDING, PALETTE_UNIFORMS, unit};
use crate::gpu::{Buffer, BufferTexture, Fence, Gpu, Program};
use crate::palette::Palette;
use std::rc::Rc;

/// The pages of one palette; memory is kept from frame to frame.
#[derive(Default)]
pub(crate) struct PaletteBuffers {
    /// One copy of all pages, or several in turn.
    copies: Vec<Copy>,
    /// The copy that holds the palette.
    current: usize,
    /// What the pages hold: the palette's revision, and how it was cut.
    holds: Option<(u64, PagePlan)>,
    /// The pages where they are no textures.
    other: Other,
}

/// Pages as textures.
#[derive(Default)]
struct Copy {
    pages: Vec<BufferTexture>,
    /// When the GPU is done with what was drawn with it.
    fence: Option<Fence>,
}

/// Pages that are no textures: for comparison.
#[derive(Default)]
enum Other {
    #[default]
    None,
    /// Texels of all instances, and how many an instance has.
    Uniforms(Vec<[f32; 4]>, usize),
    /// One buffer with a range for each instance: its bytes, and those from one to the next.
    Ranges(Buffer, usize, usize),
    /// One buffer for all.
    Storage(Buffer),
}

impl PaletteBuffers {
    /// Uploads `palette` cut as `plan` says, unless it is here already.
    pub(crate) fn update(
        &mut self,
        gpu: &Rc<Gpu>,
        palette: &Palette,
        plan: &PagePlan,
        (palette_source, palette_upload): (PaletteSource, PaletteUpload),
    ) -> Result<(), RenderError> {
        if self.holds.as_ref().is_some_and(|(revision, held)| *revision == palette.revision() && held == plan) {
            return Ok(());
        }
        self.holds = None;
        match palette_source {
            PaletteSource::BufferTexture => self.update_textures(gpu, palette, plan, palette_upload)?,
            _ => self.other.update(gpu, palette, palette_source)?,
        }
        self.holds = Some((palette.revision(), plan.clone()));
        Ok(())
    }

    fn update_textures(
        &mut self,
        gpu: &Rc<Gpu>,
        palette: &Palette,
        plan: &PagePlan,
        palette_upload: PaletteUpload,
    ) -> Result<(), RenderError> {
        self.copies.resize_with(palette_upload.copies(), Copy::default);
        if palette_upload == PaletteUpload::Ring {
            // All that draws with the present copy has been asked for.
            self.copies[self.current].fence = Some(Fence::new(gpu)?);
        }
        self.current = (self.current + 1) % self.copies.len();
        let Copy { pages, fence } = &mut self.copies[self.current];
        if let Some(fence) = fence.take() {
            fence.wait();
        }
        let count = plan.pages(palette.instance_count()).count();
        while pages.len() < count {
            pages.push(BufferTexture::new(gpu)?);
        }
        pages.truncate(count.max(1));
        for (page, range) in pages.iter_mut().zip(plan.pages(palette.instance_count())) {
            let texels = &palette.texels()[range];
            match palette_upload {
                PaletteUpload::Orphan => page.upload_orphaning(texels)?,
                PaletteUpload::Map => page.upload_mapped(texels, true)?,
                PaletteUpload::Ring => page.upload_mapped(texels, false)?,
            }
        }
        Ok(())
    }

    /// How shaders must read it, and the texels of an instance where it comes by instances.
    pub(crate) fn palette_source(&self, plan: &PagePlan) -> (PaletteSource, usize) {
        match &self.other {
            Other::None => (PaletteSource::BufferTexture, 0),
            Other::Uniforms(..) => (PaletteSource::UniformArray, plan.stride()),
            Other::Ranges(..) => (PaletteSource::UniformBlock, plan.stride()),
            Other::Storage(_) => (PaletteSource::StorageBuffer, 0),
        }
    }

    /// Shows draws the page that holds their matrices, and the one that holds their weights.
    pub(crate) fn bind(&self, program: &Program, matrices: usize, weights: usize) {
        match &self.other {
            Other::None => {
                let pages = &self.copies[self.current].pages;
                pages[matrices].bind(unit::PALETTE_MATRICES);
                pages[weights].bind(unit::PALETTE_WEIGHTS);
            }
            Other::Uniforms(texels, stride) => {
                program.set_vectors(PALETTE_UNIFORMS, &texels[matrices * stride..][..*stride]);
            }
            Other::Ranges(buffer, bytes, stride) => {
                buffer.bind_uniform_range(PALETTE_BINDING, matrices * stride, *bytes)
            }
            Other::Storage(buffer) => buffer.bind_storage(PALETTE_BINDING),
        }
    }
}

impl Other {
    fn update(&mut self, gpu: &Rc<Gpu>, palette: &Palette, palette_source: PaletteSource) -> Result<(), RenderError> {
        let (texels, stride) = (palette.texels(), palette.stride_texels());
        match palette_source {
            PaletteSource::BufferTexture => *self = Self::None,
            // The driver copies them with each draw.
            PaletteSource::UniformArray => *self = Self::Uniforms(texels.to_vec(), stride),
            PaletteSource::UniformBlock => {
                let bytes = stride * size_of::<[f32; 4]>();
                let aligned = bytes.next_multiple_of(gpu.limits().uniform_alignment);
                let mut ranges = vec![0_u8; aligned * palette.instance_count()];
                for (range, block) in ranges.chunks_exact_mut(aligned.max(1)).zip(texels.chunks_exact(stride.max(1))) {
                    range[..bytes].copy_from_slice(bytemuck::cast_slice(block));
                }
                let mut buffer = match std::mem::take(self) {
                    Self::Ranges(buffer, ..) => buffer,
                    _ => Buffer::new(gpu)?,
                };
                buffer.upload_orphaning(&ranges)?;
                *self = Self::Ranges(buffer, bytes, aligned);
            }
            PaletteSource::StorageBuffer => {
                let mut buffer = match std::mem::take(self) {
                    Self::Storage(buffer) => buffer,
                    _ => Buffer::new(gpu)?,
                };
                buffer.upload_orphaning(bytemuck::cast_slice(texels))?;
                *self = Self::Storage(buffer);
            }
        }
        Ok(())
    }
}
