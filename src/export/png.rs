//! Pictures as PNG, with a note of where they come from.

use crate::util::panic_guard::catch_silently;
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Limits, Transformations};
use std::io::Cursor;

/// What a picture's file tells of its making, in text chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PngMetadata {
    /// The program and its version.
    pub software: Option<String>,
    /// `GL_RENDERER`: what drew it.
    pub renderer: Option<String>,
    /// The driver's version.
    pub driver: Option<String>,
    /// The command that makes it.
    pub command: Option<String>,
}

impl PngMetadata {
    /// The keywords of the text chunks, and what stands under each.
    fn chunks(&mut self) -> [(&'static str, &mut Option<String>); 4] {
        [
            ("Software", &mut self.software),
            ("GL renderer", &mut self.renderer),
            ("GL version", &mut self.driver),
            ("Command", &mut self.command),
        ]
    }
}

/// A picture of four bytes a pixel, rows from the top, straight alpha, as an sRGB PNG that tells its origin.
///
/// # Panics
/// If `rgba` is not `width * height * 4` bytes.
pub fn png(width: u32, height: u32, rgba: &[u8], origin: &PngMetadata) -> Vec<u8> {
    try_png(width, height, rgba, origin).expect("a picture of this size goes into memory")
}

fn try_png(width: u32, height: u32, rgba: &[u8], origin: &PngMetadata) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::with_capacity(rgba.len() / 4);
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder.set_filter(Filter::Adaptive);
    for (keyword, text) in origin.clone().chunks() {
        // A text chunk ends at a null byte.
        if let Some(text) = text.take().filter(|text| !text.contains('\0')) {
            encoder.add_itxt_chunk(keyword.to_owned(), text)?;
        }
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgba)?;
    writer.finish()?;
    Ok(bytes)
}

/// A PNG file, decoded.
#[derive(Clone, Debug)]
pub struct DecodedPng {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Four bytes a pixel, rows from the top, straight alpha.
    pub rgba: Vec<u8>,
    /// What the file tells of its making.
    pub origin: PngMetadata,
}

/// The most bytes of a decoded picture.
const MAX_DECODED_BYTES: usize = 1 << 30;

/// Reads a PNG of any kind as eight bits a channel. The error is why it cannot be read.
pub fn decode_png(bytes: &[u8]) -> Result<DecodedPng, String> {
    // The decoder panics on some broken files.
    catch_silently(|| try_decode(bytes)).unwrap_or_else(|| Err("it is broken".to_owned()))
}

fn try_decode(bytes: &[u8]) -> Result<DecodedPng, String> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MAX_DECODED_BYTES });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().filter(|size| *size <= MAX_DECODED_BYTES).ok_or("it is too large")?;
    let mut data = vec![0; size];
    let frame = reader.next_frame(&mut data).map_err(|error| error.to_string())?;
    data.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        ColorType::Rgba => data,
        ColorType::Rgb => data.as_chunks().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect(),
        ColorType::GrayscaleAlpha => data.as_chunks().0.iter().flat_map(|[v, a]| [*v, *v, *v, *a]).collect(),
        ColorType::Grayscale => data.iter().flat_map(|v| [*v, *v, *v, 255]).collect(),
        ColorType::Indexed => return Err("its palette is broken".to_owned()),
    };
    let mut origin = PngMetadata::default();
    let info = reader.info();
    for (keyword, slot) in origin.chunks() {
        let utf8 = info.utf8_text.iter().filter(|chunk| chunk.keyword == keyword);
        let latin1 = info.uncompressed_latin1_text.iter().filter(|chunk| chunk.keyword == keyword);
        *slot = utf8.filter_map(|chunk| chunk.get_text().ok()).chain(latin1.map(|chunk| chunk.text.clone())).next();
    }
    Ok(DecodedPng { width: frame.width, height: frame.height, rgba, origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_back_as_it_was_with_its_origin() {
        let rgba: Vec<u8> = (0..5 * 3 * 4).map(|i| i as u8 * 4).collect();
        let origin = PngMetadata {
            software: Some("rigview 1".to_owned()),
            renderer: None,
            driver: Some("Mesa".to_owned()),
            command: Some("rigview shot 'füchse.glb'".to_owned()),
        };
        let back = decode_png(&png(5, 3, &rgba, &origin)).unwrap();
        assert_eq!((back.width, back.height, back.rgba, back.origin), (5, 3, rgba.clone(), origin));
        let other = image::load_from_memory(&png(5, 3, &rgba, &PngMetadata::default())).unwrap();
        assert_eq!((other.width(), other.height(), other.to_rgba8().into_raw()), (5, 3, rgba));
    }

    #[test]
    fn a_broken_file_is_an_error() {
        let whole = png(5, 3, &[9; 60], &PngMetadata::default());
        for length in 0..whole.len() - 12 {
            assert!(decode_png(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(decode_png(b"GIF89a").is_err());
    }
}
