//! One encoded picture: what it is, how large it is, and its texels.

use super::limits::{Limit, Limits};
use super::{avif, ktx2};
use crate::model::{BlockFormat, Blocks, Image};
use crate::util::panic_guard::catch_silently;
use crate::util::text::quoted;
use image::{ImageFormat, ImageReader};
use std::io::Cursor;

/// The format of a picture that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One that the `image` crate reads.
    Raster(ImageFormat),
    /// Basis Universal in a KTX2 container.
    Ktx2,
    /// AV1 in a container of its own.
    Avif,
}

/// Width, height and format of an encoded image, or why it cannot be read.
pub(super) fn size(bytes: &[u8], limits: &Limits) -> Result<(u32, u32, Format), String> {
    use crate::gltf_format::ImageFormat as Signature;
    let format = match Signature::sniff(bytes) {
        Some(Signature::Png) => Format::Raster(ImageFormat::Png),
        Some(Signature::Jpeg) => Format::Raster(ImageFormat::Jpeg),
        Some(Signature::WebP) => Format::Raster(ImageFormat::WebP),
        Some(Signature::Ktx2) => Format::Ktx2,
        Some(Signature::Avif) => Format::Avif,
        Some(Signature::Dds) => return Err("DDS is not supported; in Blender, choose PNG or JPEG for images".into()),
        None => return Err("it is none of PNG, JPEG, WebP, AVIF and KTX2".into()),
    };
    let (width, height) = match format {
        Format::Raster(format) => decode_caught(|| reader(bytes, format, limits).into_dimensions())?,
        Format::Ktx2 => ktx2::size(bytes)?,
        Format::Avif => avif::size(bytes)?,
    };
    let side = u64::from(width.max(height));
    let size_bytes = (u64::from(width) * u64::from(height)).saturating_mul(4);
    let too_large = |limit: Limit, needs: u64, max: String| {
        let hint = limit.hint(needs);
        Err(format!("it has {width} x {height} texels; rigview opens images up to {max}; if you trust it, add {hint}"))
    };
    if size_bytes == 0 {
        return Err(format!("it has {width} x {height} texels"));
    }
    if side > limits.get(Limit::ImageDimension) {
        return too_large(Limit::ImageDimension, side, format!("{} a side", limits.get(Limit::ImageDimension)));
    }
    if size_bytes > limits.get(Limit::Image) {
        return too_large(Limit::Image, size_bytes, Limit::Image.format(limits.get(Limit::Image)));
    }
    Ok((width, height, format))
}

/// What blocks the GPU samples.
#[derive(Clone, Debug, Default)]
pub struct BlockSupport {
    /// Their formats.
    pub formats: Vec<BlockFormat>,
    /// Texels along a side of the largest picture.
    pub side: u32,
}

/// Decodes an image whose [`size`] is known into `image`, which has that size.
///
/// `whole` asks for the smaller copies too: blocks without them are of no use then, since they cannot be made.
pub(super) fn decode(
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    (support, whole): (&BlockSupport, bool),
    image: &mut Image,
) -> Result<(), String> {
    match format {
        Format::Raster(format) => {
            let decoded =
                decode_caught(|| reader(bytes, format, limits).decode().map(|image| image.into_rgba8().into_raw()));
            image.rgba = decoded?;
        }
        Format::Avif => image.rgba = avif::texels(bytes, (image.width, image.height))?,
        Format::Ktx2 => {
            let decoded = catch_silently(|| -> Result<_, String> {
                let picture = ktx2::Picture::new(bytes)?;
                let is_whole = !whole || picture.sizes.last() == Some(&(1, 1));
                let fits = image.width.max(image.height) <= support.side;
                match picture.best(&support.formats).filter(|_| is_whole && fits) {
                    Some(format) => Ok((Vec::new(), Some(Blocks { format, levels: picture.blocks(format)? }))),
                    None => Ok((picture.texels()?, None)),
                }
            });
            let (mut levels, blocks) = decoded.unwrap_or_else(|| Err("it cannot be decoded".to_owned()))?;
            if !levels.is_empty() {
                image.rgba = levels.remove(0);
            }
            (image.mipmaps, image.blocks) = (levels, blocks);
        }
    }
    Ok(())
}

fn reader<'a>(bytes: &'a [u8], format: ImageFormat, limits: &Limits) -> ImageReader<Cursor<&'a [u8]>> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    // The sides are checked by hand, for a message that tells them. 16-bit images take twice the room on the way.
    let mut own = image::Limits::no_limits();
    own.max_alloc = Some(limits.get(Limit::Image).saturating_mul(2));
    reader.limits(own);
    reader
}

/// Runs a decoder; its panics (some broken palettes cause one) become errors and are not printed.
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
