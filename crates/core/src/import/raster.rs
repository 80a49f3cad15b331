//! PNG, JPEG and WebP textures, decoded by the `image` crate.

use super::limits::{Limit, Limits};
use crate::gltf_format::ImageFormat;
use crate::util::panic_guard::catch_silently;
use crate::util::text::quoted;
use image::{ColorType, DynamicImage, ImageDecoder, ImageReader};
use std::borrow::Cow;
use std::io::Cursor;

/// Returns width and height in texels.
pub(super) fn size(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<(u32, u32), String> {
    let bytes = without_color_profile(bytes, format);
    let reader = reader(&bytes, format, limits)?;
    decode_caught(|| reader.into_dimensions())
}

/// Decodes an image to RGBA.
pub(super) fn decode(bytes: &[u8], format: ImageFormat, limits: &Limits) -> Result<Vec<u8>, String> {
    // The decoder fills the missing part with gray.
    if format == ImageFormat::Jpeg && !has_jpeg_end(bytes) {
        return Err("the JPEG image is cut off; copy or save it again".into());
    }
    let bytes = without_color_profile(bytes, format);
    let reader = reader(&bytes, format, limits)?;
    let mut memory = decoder_limits(limits);
    decode_caught(|| {
        let mut decoder = reader.into_decoder()?;
        memory.reserve(decoder.total_bytes())?;
        decoder.set_limits(memory)?;
        match decoder.color_type() {
            ColorType::Rgb8 => decode_rgb(decoder),
            _ => Ok(DynamicImage::from_decoder(decoder)?.into_rgba8().into_raw()),
        }
    })
}

/// Removes the compressed color profile of a PNG image. The decoder would expand it, a few KiB to the limit of an image, and glTF
/// ignores it.
fn without_color_profile(bytes: &[u8], format: ImageFormat) -> Cow<'_, [u8]> {
    const SIGNATURE_BYTES: usize = 8;
    // Length and type before the data of a chunk, and a checksum after it.
    const CHUNK_BYTES: usize = 12;
    let mut start = SIGNATURE_BYTES;
    while format == ImageFormat::Png
        && let Some([a, b, c, d, kind @ ..]) = bytes.get(start..).and_then(|chunk| chunk.first_chunk::<8>())
        && kind != b"IDAT"
    {
        let end = (u32::from_be_bytes([*a, *b, *c, *d]) as usize).saturating_add(CHUNK_BYTES + start).min(bytes.len());
        if kind == b"iCCP" {
            // Of several profiles, the decoder reads the first one.
            return [&bytes[..start], &bytes[end..]].concat().into();
        }
        start = end;
    }
    bytes.into()
}

/// Returns `true` if an end marker follows the first scan of a JPEG image.
fn has_jpeg_end(bytes: &[u8]) -> bool {
    const START_OF_SCAN: u8 = 0xda;
    // Segments before the scan may contain a thumbnail with an end marker of its own.
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let [0xff, marker, tail @ ..] = rest {
        match (marker, tail) {
            // Markers may be padded.
            (0xff, _) => rest = &rest[1..],
            (&START_OF_SCAN, _) => return tail.windows(2).any(|pair| pair == [0xff, 0xd9]),
            (_, [high, low, ..]) => {
                rest = tail.get(usize::from(u16::from_be_bytes([*high, *low]))..).unwrap_or_default();
            }
            _ => return false,
        }
    }
    // The decoder reports other faults.
    true
}

/// Decodes an image without alpha in the memory of the result.
fn decode_rgb(decoder: impl ImageDecoder) -> image::ImageResult<Vec<u8>> {
    let texels = decoder.total_bytes() as usize / 3;
    let mut rgba = vec![0; texels * 4];
    decoder.read_image(&mut rgba[texels..])?;
    // Reads stay ahead of writes: texel `i` of `n` is read at `n + 3 i` and written at `4 i`, with `i < n`.
    for texel in 0..texels {
        let from = texels + texel * 3;
        let [r, g, b] = [rgba[from], rgba[from + 1], rgba[from + 2]];
        rgba[texel * 4..texel * 4 + 4].copy_from_slice(&[r, g, b, 255]);
    }
    Ok(rgba)
}

fn reader<'a>(bytes: &'a [u8], format: ImageFormat, limits: &Limits) -> Result<ImageReader<Cursor<&'a [u8]>>, String> {
    let codec = match format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        #[cfg(feature = "webp")]
        ImageFormat::WebP => image::ImageFormat::WebP,
        _ => return Err(format.missing_codec_message()),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), codec);
    reader.limits(decoder_limits(limits));
    Ok(reader)
}

/// Limits of the `image` crate. `image_codec::size` checks the dimensions, for a clearer message.
fn decoder_limits(limits: &Limits) -> image::Limits {
    let mut decoder_limits = image::Limits::no_limits();
    // 16-bit images need twice the memory during decoding.
    decoder_limits.max_alloc = Some(limits.get(Limit::Image).saturating_mul(2));
    decoder_limits
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
