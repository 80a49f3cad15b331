//! The palette on the GPU.

use super::RenderError;
use super::pages::PagePlan;
use crate::gpu::{BufferTexture, Gpu};
use crate::palette::Palette;
use std::rc::Rc;

/// The pages of one palette; memory is kept from frame to frame.
#[derive(Default)]
pub(crate) struct PaletteBuffers {
    pages: Vec<BufferTexture>,
    /// What the pages hold: the palette's revision, and how it was cut.
    holds: Option<(u64, PagePlan)>,
}

impl PaletteBuffers {
    /// Uploads `palette` cut as `plan` says, unless it is here already.
    pub(crate) fn update(&mut self, gpu: &Rc<Gpu>, palette: &Palette, plan: &PagePlan) -> Result<(), RenderError> {
        if self.holds.as_ref().is_some_and(|(revision, held)| *revision == palette.revision() && held == plan) {
            return Ok(());
        }
        self.holds = None;
        let ranges = plan.pages(palette.instance_count());
        while self.pages.len() < ranges.len() {
            self.pages.push(BufferTexture::new(gpu)?);
        }
        self.pages.truncate(ranges.len().max(1));
        for (page, range) in self.pages.iter_mut().zip(ranges) {
            page.stream(&palette.texels()[range])?;
        }
        self.holds = Some((palette.revision(), plan.clone()));
        Ok(())
    }

    /// One page, by number.
    pub(crate) fn page(&self, number: usize) -> &BufferTexture {
        &self.pages[number]
    }
}
