//! Buffer textures that hold a palette.

use super::pages::PageLayout;
use crate::gpu::{DoubleBufferedTexture, Gpu, GpuError};
use crate::render::bindings::unit;
use rigview_core::palette::Palette;
use std::rc::Rc;

/// Pages of one palette. Buffers are reused from frame to frame.
#[derive(Default)]
pub(crate) struct PaletteBuffers {
    pages: Vec<DoubleBufferedTexture>,
    /// Revision of the uploaded palette and its split.
    uploaded: Option<(u64, PageLayout)>,
}

/// Indices of the pages that hold a draw's matrices and morph weights.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageIndices {
    pub(crate) matrices: usize,
    pub(crate) weights: usize,
}

impl PaletteBuffers {
    /// Uploads `palette`, split as in `page_layout`, unless this revision is already uploaded.
    pub(crate) fn update(
        &mut self,
        gpu: &Rc<Gpu>,
        palette: &Palette,
        page_layout: &PageLayout,
    ) -> Result<(), GpuError> {
        if self
            .uploaded
            .as_ref()
            .is_some_and(|(revision, split)| *revision == palette.revision() && split == page_layout)
        {
            return Ok(());
        }
        self.uploaded = None;
        let count = page_layout.pages(palette.instance_count()).count();
        while self.pages.len() < count {
            self.pages.push(DoubleBufferedTexture::new(gpu));
        }
        self.pages.truncate(count.max(1));
        for (page, range) in self.pages.iter_mut().zip(page_layout.pages(palette.instance_count())) {
            page.write(&palette.texels()[range])?;
        }
        self.uploaded = Some((palette.revision(), page_layout.clone()));
        Ok(())
    }

    pub(crate) fn bind(&self, pages: PageIndices) {
        self.pages[pages.matrices].bind(unit::PALETTE_MATRICES);
        self.pages[pages.weights].bind(unit::MORPH_WEIGHTS);
    }
}
