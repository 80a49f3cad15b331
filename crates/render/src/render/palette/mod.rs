//! Palettes on the GPU: pages of buffer textures, and other transports for comparison.

mod buffers;
mod pages;
mod transport;

pub(crate) use buffers::PaletteBuffers;
pub(crate) use pages::PagePlan;
pub(crate) use transport::Transport;
pub use transport::{PaletteSource, PaletteUpload};
