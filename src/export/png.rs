//! Pictures as PNG.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

/// A picture of four bytes a pixel, rows from the top, straight alpha, as an sRGB PNG.
///
/// # Panics
/// If `rgba` is not `width * height * 4` bytes.
pub fn png(width: u32, height: u32, rgba: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rgba.len() / 4);
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive)
        .write_image(rgba, width, height, ExtendedColorType::Rgba8)
        .expect("a picture of this size goes into memory");
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_picture_comes_back_as_it_was() {
        let rgba: Vec<u8> = (0..5 * 3 * 4).map(|i| i as u8 * 4).collect();
        let back = image::load_from_memory(&super::png(5, 3, &rgba)).unwrap();
        assert_eq!((back.width(), back.height(), back.to_rgba8().into_raw()), (5, 3, rgba));
    }
}
