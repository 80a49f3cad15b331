//! Text in images.

pub(crate) mod legend;
pub(crate) mod text_raster;
