//! PNG, JPEG and WebP textures, decoded by the `image` crate.

use super::limits::{Limit, Limits};
use crate::gltf_format::ImageFormat;
use crate::util::panic_guard::catch_silently;
use crate::util::text::quoted;
use image::ImageReader;
use std::io::Cursor;

/// Returns width and height in texels.
pub(super) fn size(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<(u32, u32), String> {
    let reader = reader(bytes, format, limits)?;
    decode_caught(|| reader.into_dimensions())
}

/// Decodes an image to RGBA.
pub(super) fn decode(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<Vec<u8>, String> {
    let reader = reader(bytes, format, limits)?;
    decode_caught(|| reader.decode().map(|image| image.into_rgba8().into_raw()))
}

fn reader<'a>(bytes: &'a [u8], format: ImageFormat, limits: &Limits) -> Result<ImageReader<Cursor<&'a [u8]>>, String> {
    let codec = match format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        #[cfg(feature = "webp")]
        ImageFormat::WebP => image::ImageFormat::WebP,
        _ => return Err(format.missing_codec()),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), codec);
    // `image_codec::size` checks the dimensions, for a clearer message. 16-bit images need twice the memory during decoding.
    let mut decoder_limits = image::Limits::no_limits();
    decoder_limits.max_alloc = Some(limits.get(Limit::Image).saturating_mul(2));
    reader.limits(decoder_limits);
    Ok(reader)
}

/// Runs a decoder of the `image` crate. Returns an error if it panics, as it does for some broken color palettes.
pub(super) fn decode_caught<T>(run: impl FnOnce() -> image::ImageResult<T>) -> Result<T, String> {
    match catch_silently(run) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => {
            let text = quoted(&error.to_string());
            Err(format!("it cannot be decoded: {}", text.trim_matches('"')))
        }
        None => Err("it cannot be decoded".into()),
    }
}
