//! PNG encoding and decoding, with metadata in text chunks.

use png::{
    BitDepth, ColorType, Compression, Decoder, DeflateCompression, Encoder, Filter, Info, Limits, Transformations,
};
use rigview_core::util::panic_guard::catch_silently;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{Cursor, Write};

/// Text chunks that record how an image was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PngMetadata {
    /// Program and version.
    pub software: Option<String>,
    /// `GL_RENDERER`.
    pub renderer: Option<String>,
    /// `GL_VERSION`: the driver's version.
    pub driver: Option<String>,
    /// The command that renders the image.
    pub command: Option<String>,
    /// Samples per pixel.
    pub samples: Option<String>,
    /// The camera of a golden image.
    pub camera: Option<String>,
    /// The notices of a golden image, a line each.
    pub notices: Option<String>,
    /// Hash of the files that a golden image shows.
    pub inputs: Option<String>,
}

impl PngMetadata {
    /// Returns the texts by keyword.
    pub fn into_texts(mut self) -> BTreeMap<&'static str, String> {
        self.chunks().into_iter().filter_map(|(keyword, text)| Some((keyword, text.take()?))).collect()
    }

    /// Keyword and text of each chunk.
    fn chunks(&mut self) -> [(&'static str, &mut Option<String>); 8] {
        [
            ("Software", &mut self.software),
            ("GL renderer", &mut self.renderer),
            ("GL version", &mut self.driver),
            ("Command", &mut self.command),
            ("Samples", &mut self.samples),
            ("Camera", &mut self.camera),
            ("Notices", &mut self.notices),
            ("Inputs", &mut self.inputs),
        ]
    }
}

/// Encodes an RGBA image with straight alpha, rows from the top, as an sRGB PNG.
///
/// # Panics
/// If `rgba` is not `width * height * 4` bytes.
pub fn encode_png(width: u32, height: u32, rgba: &[u8], metadata: &PngMetadata) -> Vec<u8> {
    let Ok(bytes) = encode_png_strips([width, height], [Ok::<_, Infallible>(rgba)], metadata);
    bytes
}

/// Like [`encode_png`], but small: for images that are kept, such as goldens. An opaque image has no alpha channel.
///
/// # Panics
/// If `rgba` is not `width * height * 4` bytes.
pub fn encode_small_png(width: u32, height: u32, rgba: &[u8], metadata: &PngMetadata) -> Vec<u8> {
    let pixels = rgba.as_chunks().0;
    let opaque: Option<Vec<[u8; 3]>> = pixels.iter().map(|&[r, g, b, a]| (a == 255).then_some([r, g, b])).collect();
    let (color, bytes) = match &opaque {
        Some(rgb) => (ColorType::Rgb, rgb.as_flattened()),
        None => (ColorType::Rgba, rgba),
    };
    let Ok(bytes) = encode([width, height], [Ok::<_, Infallible>(bytes)], metadata, |encoder| {
        encoder.set_color(color);
        // Of renderings, this filter and level give smaller files than adaptive filters and the highest level, in 1/20 of the time.
        encoder.set_filter(Filter::Sub);
        encoder.set_deflate_compression(DeflateCompression::Level(6));
    });
    bytes
}

/// Encodes an RGBA image with straight alpha as an sRGB PNG from strips of rows, the first at the top.
///
/// # Errors
/// The first error of a strip.
///
/// # Panics
/// If the strips together are not `width * height * 4` bytes.
pub fn encode_png_strips<E>(
    [width, height]: [u32; 2],
    strips: impl IntoIterator<Item = Result<impl AsRef<[u8]>, E>>,
    metadata: &PngMetadata,
) -> Result<Vec<u8>, E> {
    encode([width, height], strips, metadata, |encoder| {
        encoder.set_color(ColorType::Rgba);
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Adaptive);
    })
}

fn encode<E>(
    [width, height]: [u32; 2],
    strips: impl IntoIterator<Item = Result<impl AsRef<[u8]>, E>>,
    metadata: &PngMetadata,
    set_up: impl FnOnce(&mut Encoder<'_, &mut Vec<u8>>),
) -> Result<Vec<u8>, E> {
    const WRITE: &str = "writing to memory does not fail";
    /// Bytes of an image data chunk.
    const CHUNK_BYTES: usize = 1 << 16;

    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_depth(BitDepth::Eight);
    set_up(&mut encoder);
    for (keyword, text) in metadata.clone().chunks() {
        // A text chunk ends at a null byte.
        if let Some(text) = text.take().filter(|text| !text.contains('\0')) {
            encoder.add_itxt_chunk(keyword.to_owned(), text).expect(WRITE);
        }
    }
    let mut writer = encoder.write_header().expect(WRITE);
    let mut rows = writer.stream_writer_with_size(CHUNK_BYTES).expect(WRITE);
    for strip in strips {
        rows.write_all(strip?.as_ref()).expect(WRITE);
    }
    rows.finish().expect("the strips are the whole image");
    writer.finish().expect(WRITE);
    Ok(bytes)
}

/// A decoded PNG.
#[derive(Clone, Debug)]
pub struct DecodedPng {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Four bytes per pixel, rows from the top, straight alpha.
    pub rgba: Vec<u8>,
    /// The text chunks.
    pub metadata: PngMetadata,
}

/// Maximum size of a decoded image.
const MAX_DECODED_BYTES: usize = 1 << 30;

/// Maximum length of a text chunk, so that a compressed chunk of a hostile file cannot fill the memory.
const MAX_TEXT_BYTES: usize = 1024;

/// Returns the width and height in the header of a PNG, without decoding it; `None` if there is no header.
pub fn png_size(bytes: &[u8]) -> Option<[u32; 2]> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR")?;
    let side = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    Some([side(0)?, side(4)?])
}

/// Decodes a PNG of any color type to 8 bits per channel. Text chunks of more than 1024 bytes are ignored.
///
/// # Errors
/// The reason, if the file is invalid or larger than 1 GiB decoded.
pub fn decode_png(bytes: &[u8]) -> Result<DecodedPng, String> {
    // The decoder panics on some corrupt files.
    catch_silently(|| try_decode(bytes)).unwrap_or_else(|| Err("it is corrupt".to_owned()))
}

/// Returns the text chunks before the pixels of a PNG, without decoding these; `None` if the file is invalid.
pub fn png_metadata(bytes: &[u8]) -> Option<PngMetadata> {
    catch_silently(|| decoder(bytes).read_info().ok().map(|reader| metadata(reader.info()))).flatten()
}

fn decoder(bytes: &[u8]) -> Decoder<Cursor<&[u8]>> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MAX_DECODED_BYTES });
    decoder.set_transformations(Transformations::normalize_to_color8());
    // The profile is not used, and it can be large.
    decoder.set_ignore_iccp_chunk(true);
    decoder
}

fn try_decode(bytes: &[u8]) -> Result<DecodedPng, String> {
    let decoder = decoder(bytes);
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
        ColorType::Indexed => return Err("its palette is corrupt".to_owned()),
    };
    let metadata = metadata(reader.info());
    Ok(DecodedPng { width: frame.width, height: frame.height, rgba, metadata })
}

fn metadata(info: &Info<'_>) -> PngMetadata {
    let mut metadata = PngMetadata::default();
    for (keyword, slot) in metadata.chunks() {
        let utf8 = info.utf8_text.iter().filter(|chunk| chunk.keyword == keyword).filter_map(|chunk| {
            let mut chunk = chunk.clone();
            chunk.decompress_text_with_limit(MAX_TEXT_BYTES).ok()?;
            chunk.get_text().ok()
        });
        let latin1 = info.uncompressed_latin1_text.iter().filter(|chunk| chunk.keyword == keyword);
        // PNG forbids null bytes in texts (section 11.3.3).
        let is_valid = |text: &String| text.len() <= MAX_TEXT_BYTES && !text.contains('\0');
        *slot = utf8.chain(latin1.map(|chunk| chunk.text.clone())).find(is_valid);
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_and_metadata_round_trip() {
        let rgba: Vec<u8> = (0..5 * 3 * 4).map(|i| i as u8 * 4).collect();
        let metadata = PngMetadata {
            software: Some("rigview 1".to_owned()),
            renderer: None,
            driver: Some("Mesa".to_owned()),
            command: Some("rigview shot 'füchse.glb'".to_owned()),
            samples: Some("8".to_owned()),
            camera: Some("perspective 1".to_owned()),
            notices: Some("a\nb".to_owned()),
            inputs: Some("0123456789abcdef".to_owned()),
        };
        assert_eq!(png_metadata(&encode_png(5, 3, &rgba, &metadata)), Some(metadata.clone()));
        assert_eq!(png_metadata(b"text"), None);
        let decoded = decode_png(&encode_png(5, 3, &rgba, &metadata)).unwrap();
        assert_eq!((decoded.width, decoded.height, decoded.rgba, decoded.metadata), (5, 3, rgba.clone(), metadata));
        let other = image::load_from_memory(&encode_png(5, 3, &rgba, &PngMetadata::default())).unwrap();
        assert_eq!((other.width(), other.height(), other.to_rgba8().into_raw()), (5, 3, rgba));
    }

    #[test]
    fn small_png_has_the_same_pixels_in_fewer_bytes() {
        let pixel = |i: u32| [(i % 64) as u8, (i / 64) as u8, (i * i % 31) as u8, 255];
        let rgba: Vec<u8> = (0..64 * 64).flat_map(pixel).collect();
        let metadata = PngMetadata { samples: Some("4".to_owned()), ..PngMetadata::default() };
        let [fast, small] = [encode_png, encode_small_png].map(|encode| encode(64, 64, &rgba, &metadata));
        let decoded = decode_png(&small).unwrap();
        assert_eq!((decoded.rgba, decoded.metadata), (rgba, metadata));
        assert!(small.len() < fast.len(), "{} and {} bytes", small.len(), fast.len());
    }

    #[test]
    fn long_text_chunks_and_null_bytes_are_ignored() {
        let decoded = |text: String, compressed: bool| {
            let mut chunk = png::text_metadata::ITXtChunk::new("GL renderer", text);
            if compressed {
                chunk.compressed = true;
                chunk.compress_text().unwrap();
            }
            let mut info = png::Info::with_size(1, 1);
            (info.color_type, info.bit_depth) = (ColorType::Rgba, BitDepth::Eight);
            info.utf8_text.push(chunk);
            let mut bytes = Vec::new();
            let mut writer = Encoder::with_info(&mut bytes, info).unwrap().write_header().unwrap();
            writer.write_image_data(&[1; 4]).unwrap();
            writer.finish().unwrap();
            decode_png(&bytes).unwrap().metadata.renderer.map(|text| text.len())
        };
        for compressed in [true, false] {
            assert_eq!(decoded("x".repeat(500), compressed), Some(500));
            assert_eq!(decoded("x".repeat(1 << 20), compressed), None);
            assert_eq!(decoded("x\0x".into(), compressed), None);
        }
    }

    #[test]
    fn strips_make_the_same_file_until_one_fails() {
        let rgba: Vec<u8> = (0..5 * 3 * 4).map(|i| i as u8 * 4).collect();
        let strips = rgba.chunks(2 * 5 * 4).map(Ok::<_, &str>);
        let whole = encode_png(5, 3, &rgba, &PngMetadata::default());
        assert_eq!(encode_png_strips([5, 3], strips.clone(), &PngMetadata::default()), Ok(whole));
        let failing = strips.take(1).chain([Err("lost context")]);
        assert_eq!(encode_png_strips([5, 3], failing, &PngMetadata::default()), Err("lost context"));
    }

    #[test]
    fn size_is_read_from_the_header() {
        let bytes = encode_png(5, 3, &[9; 60], &PngMetadata::default());
        assert_eq!(png_size(&bytes[..24]), Some([5, 3]));
        assert_eq!(png_size(&bytes[..23]), None);
        assert_eq!(png_size(b"GIF89a"), None);
    }

    #[test]
    fn truncated_file_is_an_error() {
        let bytes = encode_png(5, 3, &[9; 60], &PngMetadata::default());
        for length in 0..bytes.len() - 12 {
            assert!(decode_png(&bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(decode_png(b"GIF89a").is_err());
    }
}
