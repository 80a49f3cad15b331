//! Palettes on the GPU: pages of buffer textures.

mod buffers;
mod pages;

pub(crate) use buffers::{PageIndices, PaletteBuffers};
pub(crate) use pages::PageLayout;
