//! Decodes one image: format, size, texels.

use super::limits::{Limit, Limits};
use crate::gltf_format::ImageFormat as Signature;
use crate::model::{BlockFormat, Image};
use crate::util::panic_guard::catch_silently;
use crate::util::text::quoted;
use image::{ImageFormat, ImageReader};
use std::io::Cursor;

/// A supported image format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Decoded by the `image` crate.
    Raster(ImageFormat),
    /// Basis Universal in a KTX2 container.
    #[cfg(feature = "basisu")]
    Ktx2,
    #[cfg(feature = "avif")]
    Avif,
}

impl Format {
    /// Returns `true` if images of this format may contain mip levels.
    pub(super) fn has_mip_levels(self) -> bool {
        match self {
            #[cfg(feature = "basisu")]
            Self::Ktx2 => true,
            _ => false,
        }
    }
}

/// The block-compressed texture formats that the GPU supports.
#[derive(Clone, Debug, Default)]
pub struct BlockSupport {
    /// Supported formats.
    pub formats: Vec<BlockFormat>,
    /// Maximum width and height of a texture in texels.
    pub max_dimension: u32,
}

/// Returns width, height and format of an encoded image, or the reason why it cannot be decoded.
pub(super) fn size(bytes: &[u8], limits: &Limits) -> Result<(u32, u32, Format), String> {
    let format = match Signature::sniff(bytes) {
        Some(Signature::Png) => Format::Raster(ImageFormat::Png),
        Some(Signature::Jpeg) => Format::Raster(ImageFormat::Jpeg),
        #[cfg(feature = "webp")]
        Some(Signature::WebP) => Format::Raster(ImageFormat::WebP),
        #[cfg(feature = "basisu")]
        Some(Signature::Ktx2) => Format::Ktx2,
        #[cfg(feature = "avif")]
        Some(Signature::Avif) => Format::Avif,
        Some(other) => {
            let name = other.mime_type().rsplit(['/', '.']).next().unwrap_or_default().to_uppercase();
            return Err(format!("{name} is not supported; in Blender, choose PNG or JPEG for images"));
        }
        None => return Err("it is none of PNG, JPEG, WebP, AVIF and KTX2".into()),
    };
    let (width, height) = match format {
        Format::Raster(format) => decode_caught(|| reader(bytes, format, limits).into_dimensions())?,
        #[cfg(feature = "basisu")]
        Format::Ktx2 => super::ktx2::size(bytes)?,
        #[cfg(feature = "avif")]
        Format::Avif => super::avif::size(bytes)?,
    };
    let dimension = u64::from(width.max(height));
    let size_bytes = (u64::from(width) * u64::from(height)).saturating_mul(4);
    let too_large = |limit: Limit, needs: u64, max: String| {
        let hint = limit.hint(needs);
        Err(format!("it has {width} x {height} texels; rigview opens images up to {max}; if you trust it, add {hint}"))
    };
    if size_bytes == 0 {
        return Err(format!("it has {width} x {height} texels"));
    }
    if dimension > limits.get(Limit::ImageDimension) {
        return too_large(Limit::ImageDimension, dimension, format!("{} a side", limits.get(Limit::ImageDimension)));
    }
    if size_bytes > limits.get(Limit::Image) {
        return too_large(Limit::Image, size_bytes, Limit::Image.format(limits.get(Limit::Image)));
    }
    Ok((width, height, format))
}

/// Decodes an image into `image`, whose [`size`] is already set.
///
/// With `needs_mip_levels`, GPU blocks are kept only if all mip levels are present, since they cannot be generated.
#[cfg_attr(not(feature = "basisu"), expect(unused_variables, reason = "only KTX2 images have blocks"))]
pub(super) fn decode(
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    support: &BlockSupport,
    needs_mip_levels: bool,
    image: &mut Image,
) -> Result<(), String> {
    match format {
        Format::Raster(format) => {
            let decode = || reader(bytes, format, limits).decode().map(|image| image.into_rgba8().into_raw());
            image.rgba = decode_caught(decode)?;
        }
        #[cfg(feature = "avif")]
        Format::Avif => image.rgba = super::avif::decode(bytes, (image.width, image.height))?,
        #[cfg(feature = "basisu")]
        Format::Ktx2 => {
            let fits = image.width.max(image.height) <= support.max_dimension;
            let formats = if fits { support.formats.as_slice() } else { &[] };
            let decoded = catch_silently(|| super::ktx2::decode(bytes, formats, needs_mip_levels));
            let (mut levels, blocks) = decoded.unwrap_or_else(|| Err("it cannot be decoded".to_owned()))?;
            if !levels.is_empty() {
                image.rgba = levels.remove(0);
            }
            (image.mipmaps, image.compressed) = (levels, blocks);
        }
    }
    Ok(())
}

fn reader<'a>(bytes: &'a [u8], format: ImageFormat, limits: &Limits) -> ImageReader<Cursor<&'a [u8]>> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    // `size` checks the dimensions, for a clearer message. 16-bit images need twice the memory during decoding.
    let mut decoder_limits = image::Limits::no_limits();
    decoder_limits.max_alloc = Some(limits.get(Limit::Image).saturating_mul(2));
    reader.limits(decoder_limits);
    reader
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
