//! A crowd of a frame, with what of it is on the GPU.

use super::GpuModel;
use super::pages::PagePlan;
use super::palette_buffers::PaletteBuffers;
use crate::palette::{Palette, PaletteLayout};

/// Everything that the draw calls of one crowd need.
#[derive(Clone, Copy)]
pub(crate) struct Drawn<'a> {
    pub(crate) model: &'a GpuModel,
    pub(crate) layout: &'a PaletteLayout,
    pub(crate) palette: &'a Palette,
    /// How the palette is cut,
    pub(crate) plan: &'a PagePlan,
    /// and where it lies.
    pub(crate) pages: &'a PaletteBuffers,
}
