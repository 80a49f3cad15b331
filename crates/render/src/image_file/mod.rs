//! Encoding of images.

mod changed_rect;
mod color_table;
mod png;

pub use changed_rect::changed_rect;
pub use color_table::ColorTable;
pub use png::encode_png_strips;
pub use png::{DecodedPng, PngMetadata, decode_png, encode_png, encode_small_png, png_metadata, png_size};
