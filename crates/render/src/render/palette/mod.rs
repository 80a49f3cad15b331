//! Palettes on the GPU: pages of buffer textures.

mod buffers;
mod pages;

pub(crate) use buffers::{PaletteBuffers, PalettePages};
pub(crate) use pages::PageLayout;
