//! Text in images.

mod legend;
mod text_raster;

pub use legend::LegendPanel;
pub use text_raster::{Canvas, TextRasterizer};
