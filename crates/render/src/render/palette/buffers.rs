//! Buffer textures that hold a palette.

use super::pages::PagePlan;
use super::transport::{PaletteSource, Transport, TransportBuffers};
use crate::gpu::{BufferTexture, Gpu, GpuError, Program};
use crate::render::bindings::unit;
use rigview_core::palette::Palette;
use std::rc::Rc;

/// Pages of one palette. Buffers are reused from frame to frame.
#[derive(Default)]
pub(crate) struct PaletteBuffers {
    pages: Vec<BufferTexture>,
    /// Revision of the uploaded palette and its split.
    uploaded: Option<(u64, PagePlan)>,
    /// Replaces the pages for transports other than the default.
    transport: Option<TransportBuffers>,
}

impl PaletteBuffers {
    pub(crate) fn new(gpu: &Rc<Gpu>, transport: Transport) -> Result<Self, GpuError> {
        Ok(Self { transport: transport.new_buffers(gpu)?, ..Self::default() })
    }

    /// Returns the source that shaders read.
    pub(crate) fn source(&self) -> PaletteSource {
        self.transport.as_ref().map_or(PaletteSource::BufferTexture, TransportBuffers::source)
    }

    /// Uploads `palette`, split as in `plan`, unless this revision is already uploaded.
    pub(crate) fn update(&mut self, gpu: &Rc<Gpu>, palette: &Palette, plan: &PagePlan) -> Result<(), GpuError> {
        if self.uploaded.as_ref().is_some_and(|(revision, split)| *revision == palette.revision() && split == plan) {
            return Ok(());
        }
        self.uploaded = None;
        match &mut self.transport {
            Some(transport) => transport.update(gpu, palette, plan)?,
            None => self.update_pages(gpu, palette, plan)?,
        }
        self.uploaded = Some((palette.revision(), plan.clone()));
        Ok(())
    }

    fn update_pages(&mut self, gpu: &Rc<Gpu>, palette: &Palette, plan: &PagePlan) -> Result<(), GpuError> {
        let count = plan.pages(palette.instance_count()).count();
        while self.pages.len() < count {
            self.pages.push(BufferTexture::new(gpu)?);
        }
        self.pages.truncate(count.max(1));
        for (page, range) in self.pages.iter_mut().zip(plan.pages(palette.instance_count())) {
            page.upload_orphaning(&palette.texels()[range])?;
        }
        Ok(())
    }

    /// Binds the pages that hold a draw's matrices and weights.
    pub(crate) fn bind(&self, program: &Program, matrices: usize, weights: usize) {
        match &self.transport {
            Some(transport) => transport.bind(program, matrices, weights),
            None => {
                self.pages[matrices].bind(unit::PALETTE_MATRICES);
                self.pages[weights].bind(unit::PALETTE_WEIGHTS);
            }
        }
    }
}
